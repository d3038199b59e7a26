package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/rules/plan"
)

func (a *app) topicCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "topic",
		Short: "Plan and inspect the topics of the deployment's bus",
		Long: `The topics that a schema declares, on the deployment's Kafka. A pass creates those that are missing and alters none:
what differs is reported. Neither command changes anything, and neither needs ClickHouse. Where a server is named, status
also lists the topics that its ledger records and that are no longer declared. They are left alone.

The brokers and the credentials come from the environment (DFE_ENGINE_KAFKA_BROKERS, _SASL_MECHANISM, _USER,
_PASSWORD_FILE, _TLS_CA_FILE, ...; see "dfe help environment"), or --brokers names the brokers.`,
	}
	cmd.AddCommand(a.topicPlanCommand(), a.topicStatusCommand())
	return cmd
}

// bus is how a command names the bus it is about.
type bus struct {
	brokers []string
	wait    time.Duration
	// ledger says that the ledger of a server is asked too, where one is named: by url, else by the environment.
	ledger bool
	url    string
}

func (b *bus) flags(f *pflag.FlagSet) {
	f.StringSliceVar(&b.brokers, "brokers", nil, "addresses of brokers, host:port, with commas between them (default: DFE_ENGINE_KAFKA_BROKERS)")
	f.Var((*patience)(&b.wait), "wait", "how long a bus that is not up yet is waited for")
}

// openTopics builds an engine that is about the bus alone.
func (a *app) openTopics(ctx context.Context, b bus, t schemaTree) (*engine.Engine, *progress, error) {
	c, err := a.config()
	if err != nil {
		return nil, nil, err
	}
	o, err := options(t, drift{})
	if err != nil {
		return nil, nil, err
	}
	if o.Overlay == "" {
		o.Overlay = c.Overlay
	}
	if len(b.brokers) > 0 {
		c.Kafka.Brokers = b.brokers
	}
	if len(c.Kafka.Brokers) == 0 {
		fmt.Fprintln(a.Err, "dfe: no broker is named, so that no bus is asked: --brokers or DFE_ENGINE_KAFKA_BROKERS names them")
	}
	if err := c.Kafka.CheckFiles(); err != nil {
		return nil, nil, usage{err}
	}
	o.Bus, o.BusWait, o.SkipTables, o.Release = c.Kafka.Bus(), b.wait, true, release()
	if b.ledger && (b.url != "" || c.Target.URL != "") {
		if o.Target, _, err = a.target(ctx, server{url: b.url}); err != nil {
			return nil, nil, err
		}
	}
	shown := a.progress()
	o.Log = slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelError}))
	o.Progress = func(p engine.Progress) { shown.show(p.Step) }
	e, err := engine.New(o)
	var fault *topics.BusError
	if errors.As(err, &fault) {
		err = usage{err}
	}
	return e, shown, err
}

func (a *app) topicPlanCommand() *cobra.Command {
	var (
		b         bus
		tree      schemaTree
		all, code bool
	)
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Say which topics a pass would create, and how the others differ; change nothing",
		Example: `  dfe topic plan --brokers kafka-0:9092,kafka-1:9092
  dfe topic plan --tree ./schemas --all`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, shown, err := a.openTopics(cmd.Context(), b, tree)
			if err != nil {
				return err
			}
			doc, err := e.PlanTopics(cmd.Context())
			shown.clear()
			if err != nil {
				return err
			}
			if err := a.showPlan(doc, all); err != nil {
				return err
			}
			switch {
			case doc.Bus.Error != "":
				return a.unreadBus(doc.Bus.Error, doc.Bus.Code)
			case code && doc.Differs():
				return exit{ExitDifferences}
			}
			return nil
		},
	}
	b.flags(cmd.Flags())
	tree.flags(cmd.Flags())
	cmd.Flags().BoolVar(&all, "all", false, "list topics without a difference too")
	cmd.Flags().BoolVar(&code, "exit-code", false, "exit with 3 where there are differences")
	a.formatFlag(cmd)
	return cmd
}

// unreadBus ends a command whose document says already that the bus could not be read: what it says of the topics is not
// what was asked for.
func (a *app) unreadBus(reason, code string) error {
	if code != "" {
		reason = code + ": " + reason
	}
	fmt.Fprintf(a.Err, "dfe: %s\n", reason)
	return exit{ExitFailed}
}

func (a *app) topicStatusCommand() *cobra.Command {
	var (
		b    = bus{ledger: true}
		tree schemaTree
		code bool
	)
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say what the bus has of the declared topics, one line a topic",
		Example: `  dfe topic status --brokers kafka-0:9092
  dfe topic status --format json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, shown, err := a.openTopics(cmd.Context(), b, tree)
			if err != nil {
				return err
			}
			report, failure := e.TopicStatus(cmd.Context())
			shown.clear()
			if report == nil {
				return failure
			}
			if err := a.showTopics(report); err != nil {
				return err
			}
			if failure != nil {
				return a.unreadBus(failure.Error(), errorCode(failure))
			}
			for _, t := range report.Topics {
				if code && report.Cluster.Skipped == "" && t.Differs() {
					return exit{ExitDifferences}
				}
			}
			return nil
		},
	}
	b.flags(cmd.Flags())
	tree.flags(cmd.Flags())
	cmd.Flags().StringVar(&b.url, "url", "", "the server whose ledger says which topics are no longer declared (default: DFE_ENGINE_CLICKHOUSE_URL; without one they are not listed)")
	cmd.Flags().BoolVar(&code, "exit-code", false, "exit with 3 where a topic is not as declared")
	a.formatFlag(cmd)
	return cmd
}

func (a *app) showTopics(r *topics.Report) error {
	if a.format == formatJSON {
		return a.writeJSON(r)
	}
	t := a.terminal(a.Out)
	rows := [][]string{{"TOPIC", "PARTITIONS", "REPLICAS", "FOR", "STATE"}}
	for _, topic := range r.Topics {
		size := topic.Declared
		if topic.Live != nil {
			size = topic.Live
		}
		replicas := strconv.Itoa(size.ReplicationFactor)
		switch {
		case size.AtMost:
			replicas = "at most " + replicas
		case topic.Ceiling > size.ReplicationFactor:
			replicas += fmt.Sprintf(" of at most %d", topic.Ceiling)
		}
		rows = append(rows, []string{topic.Name, strconv.Itoa(size.Partitions), replicas, purpose(topic), topicState(topic)})
	}
	for _, f := range r.Former {
		rows = append(rows, formerRow(f))
	}
	var b strings.Builder
	lines := strings.SplitAfter(columns(rows, func(row, column int, text string) string {
		switch {
		case row == 0:
			return t.paint(bold, text)
		case column < 4:
			return text
		case row > len(r.Topics) || r.Topics[row-1].Differs():
			return t.paint(yellow, text)
		}
		return t.paint(green, text)
	}), "\n")
	b.WriteString(lines[0])
	for i, topic := range r.Topics {
		b.WriteString(lines[i+1])
		for _, note := range topicRemarks(topic) {
			b.WriteString("    " + strings.ReplaceAll(note, "\n", "\n    ") + "\n")
		}
	}
	for i, f := range r.Former {
		b.WriteString(lines[1+len(r.Topics)+i])
		if note := formerRemark(f); note != "" {
			b.WriteString("    " + note + "\n")
		}
	}
	if r.LedgerError != "" {
		b.WriteString(t.paint(yellow, "the ledger was not read, and topics that are no longer declared are not listed") + ": " + r.LedgerError + "\n")
	}
	switch {
	case r.Cluster.Skipped != "":
		b.WriteString("topics are skipped: " + r.Cluster.Skipped + "\n")
	case r.Cluster.Error == "":
		b.WriteString(count(r.Cluster.Brokers, "broker") + " live\n")
	}
	_, err := fmt.Fprint(a.Out, b.String())
	return err
}

// formerRow is the line of a topic that nothing declares any more.
func formerRow(f *topics.Former) []string {
	partitions, replicas, state := "-", "-", "no longer declared"
	if f.Newer {
		state = "of the newer release " + f.Release
	}
	if f.Size != nil {
		partitions, replicas = strconv.Itoa(f.Size.Partitions), strconv.Itoa(f.Size.ReplicationFactor)
	}
	if f.Presence != topics.Live {
		state += ", " + string(f.Presence)
	}
	return []string{f.Name, partitions, replicas, "-", state}
}

// formerRemark is what a person has to know of one.
func formerRemark(f *topics.Former) string {
	switch {
	case f.Presence == topics.Unreadable:
		return f.Error
	case f.Presence == topics.Live && !f.Newer:
		return "report: release " + f.Release + " declared it, and it is left alone; delete it by hand once nothing reads or writes it"
	}
	return ""
}

func purpose(t *topics.Topic) string {
	switch {
	case t.Landing:
		return "landing"
	case t.DeadLetter:
		return "dead letters"
	}
	return "-"
}

func topicState(t *topics.Topic) string {
	switch {
	case t.Outcome == ledger.Unchanged && t.Reported() > 0:
		return count(t.Reported(), "difference")
	case t.Outcome == ledger.Unchanged:
		return "as declared"
	case t.Outcome == ledger.Failed:
		return "unreadable"
	}
	return string(t.Outcome)
}

// topicRemarks are what a person has to know of a topic.
func topicRemarks(t *topics.Topic) []string {
	var notes []string
	if t.Error != "" {
		note := t.Error
		if t.ErrorCode != "" {
			note = t.ErrorCode + ": " + note
		}
		notes = append(notes, note)
	}
	for _, c := range t.Changes {
		if c.Action != plan.ObjectReport && !c.Report || c.Reason == "" {
			continue
		}
		note := "report " + c.Path
		if c.Path == "" {
			note = "report"
		}
		notes = append(notes, note+": "+c.Reason+"; "+c.Advice)
	}
	return notes
}

// tellingTopics are those of a pass with something to tell. That a topic has fewer replicas than it may have is told by
// every pass.
func tellingTopics(r *engine.Report) []*topics.Topic {
	var list []*topics.Topic
	for _, t := range r.Topics {
		if r.Bus.Skipped == "" && (t.Differs() || t.FewReplicas() || t.Adopted) {
			list = append(list, t)
		}
	}
	return list
}

// topicRow is a topic's line of a report, and the colour of its first word.
func topicRow(t *topics.Topic) (row []string, color string) {
	word, color := string(t.Outcome), cyan
	switch t.Outcome {
	case ledger.Applied:
		word, color = "created", green
	case ledger.Refused, ledger.Failed, ledger.Blocked:
		color = red
	}
	size := ""
	if t.Live != nil {
		size = count(t.Live.Partitions, "partition") + ", " + count(t.Live.ReplicationFactor, "replica")
	}
	return []string{word, "topic", t.Name, size}, color
}

// passRemarks are what a person has to know of a topic after a pass.
func passRemarks(t *topics.Topic) []string {
	notes := topicRemarks(t)
	if t.Adopted {
		notes = append(notes, "adopted: it is on the bus, and the ledger did not have it")
	}
	if !t.Differs() && t.FewReplicas() {
		notes = append(notes, "replicas: "+t.Replication)
	}
	return notes
}
