package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/format"
)

func (a *app) inspectCommand() *cobra.Command {
	var (
		s         server
		databases []string
		out       string
	)
	cmd := &cobra.Command{
		Use:   "inspect",
		Short: "Print the objects a server has, or make a schema tree of them",
		Long: `Print the objects a server has: as statements, or as JSON with the facts that identify each. Secrets are hidden by
the server. An object whose definition cannot be read is named with the reason.

With --out they become a schema tree: a manifest and a definition for each, which a plan over this server finds nothing to
do about. What the server hides is a reference there, secret('env:...'). What a tree cannot declare is left out and named,
and the exit code is 3.`,
		Example: `  dfe schema inspect --url https://clickhouse.example:8443 --database otel
  dfe schema inspect --url https://clickhouse.example:8443 --out ./schemas
  dfe schema inspect --embedded ./data --format json`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.inspect(cmd.Context(), s, databases, out) },
	}
	s.flags(cmd.Flags(), waitServer)
	cmd.Flags().StringArrayVar(&databases, "database", nil, "database to print; may be repeated (default: every one but the server's own)")
	cmd.Flags().StringVar(&out, "out", "", "write a schema tree to this directory, which is made")
	_ = cmd.MarkFlagDirname("out") // it is there
	a.formatFlag(cmd)
	return cmd
}

// inspection is what a server has, as JSON.
type inspection struct {
	Version int         `json:"version"`
	Server  string      `json:"server"`
	Keeper  bool        `json:"keeper"`
	Cloud   bool        `json:"cloud"`
	Objects []inspected `json:"objects"`
	Unread  int         `json:"unreadable"`
	// AccessUnreadable is why roles, users and what else says who may do what could not be read.
	AccessUnreadable string `json:"access_unreadable,omitempty"`
	Duration         int64  `json:"elapsed_ms"`
}

type inspected struct {
	Kind       ast.Kind   `json:"kind"`
	Name       string     `json:"name"`
	Engine     string     `json:"engine,omitempty"`
	UUID       string     `json:"uuid,omitempty"`
	Modified   *time.Time `json:"modified,omitempty"`
	Checksum   string     `json:"checksum,omitempty"`
	Definition string     `json:"definition"`
	Unreadable string     `json:"unreadable,omitempty"`
}

func (a *app) inspect(ctx context.Context, s server, databases []string, out string) error {
	target, closing, err := a.target(ctx, s)
	if err != nil {
		return err
	}
	began := time.Now()
	live, err := readAll(ctx, target, databases)
	if err := errors.Join(err, closing()); err != nil {
		return err
	}
	for _, name := range databases {
		there := live.Databases[name] != nil
		for relation := range live.Relations {
			there = there || relation.Database == name // the server's own are not among its databases here
		}
		if !there {
			return fmt.Errorf("the server has no database %q%s", name, meant(name, slices.Sorted(maps.Keys(live.Databases))))
		}
	}
	if out != "" {
		return a.adopt(live, sorted(live, databases), out)
	}
	doc := inspection{Version: 1, Server: live.Facts.Version, Keeper: live.Facts.Keeper, Cloud: live.Facts.Cloud, Objects: []inspected{}}
	if a := live.Access; a != nil && a.Unreadable != nil {
		doc.AccessUnreadable = a.Unreadable.Error()
	}
	for _, o := range sorted(live, databases) {
		i := inspected{Kind: o.Kind, Name: o.Name.String(), Engine: o.Engine, UUID: o.UUID, Definition: o.Text}
		if !o.Modified.IsZero() {
			utc := o.Modified.UTC()
			i.Modified = &utc
		}
		switch {
		case o.Kind == ast.KindDatabase && o.Text == "":
			// The embedded engine's own database has the engine Overlay, which no CREATE names.
		case o.Unreadable != nil:
			i.Unreadable = o.Unreadable.Error()
			doc.Unread++
		default:
			i.Definition = strings.Join(ast.Statements(o.Tree, ast.Style{}), ";\n")
			i.Checksum = canon.Checksum(canon.Object(o.Tree, canon.Env{}))
		}
		doc.Objects = append(doc.Objects, i)
	}
	doc.Duration = time.Since(began).Milliseconds()
	if a.format == formatJSON {
		return a.writeJSON(doc)
	}
	var b strings.Builder
	if doc.AccessUnreadable != "" {
		fmt.Fprintf(&b, "-- %s\n\n", doc.AccessUnreadable)
	}
	for _, i := range doc.Objects {
		switch {
		case i.Unreadable != "" && i.Definition == "":
			fmt.Fprintf(&b, "-- %s %s cannot be read: %s\n\n", i.Kind, i.Name, i.Unreadable)
			continue
		case i.Unreadable != "":
			fmt.Fprintf(&b, "-- %s %s cannot be read: %s\n", i.Kind, i.Name, i.Unreadable)
		case i.Definition == "":
			fmt.Fprintf(&b, "-- %s %s: the server made it, with the engine %s, for which there is no statement\n\n", i.Kind, i.Name, i.Engine)
			continue
		}
		b.WriteString(laidOut(i.Definition) + "\n\n")
	}
	_, err = fmt.Fprint(a.verbatim(), b.String())
	return err
}

// laidOut puts a definition on lines; one that cannot be laid out stays as it is.
func laidOut(definition string) string {
	lines, err := format.SQL([]byte(definition + ";"))
	if err != nil {
		return definition + ";"
	}
	return strings.TrimSuffix(string(lines), "\n")
}

func readAll(ctx context.Context, target catalog.Target, databases []string) (*catalog.Catalog, error) {
	conn, err := catalog.Open(ctx, target)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	// What lives in no database is printed where no database is asked for.
	all := len(databases) == 0
	return catalog.Read(ctx, conn, catalog.Scope{Databases: databases, Access: all, Collections: all})
}

// sorted lists the objects in an order in which they could be created: databases, functions, named
// collections, tables, dictionaries, views, then what says who may do what; by name.
func sorted(live *catalog.Catalog, databases []string) []*catalog.Object {
	var list []*catalog.Object
	for o := range live.All() {
		if o.Kind != ast.KindDatabase || len(databases) == 0 || slices.Contains(databases, o.Name.Name) {
			list = append(list, o)
		}
	}
	rank := map[ast.Kind]int{}
	for i, kind := range ast.Kinds() {
		rank[kind] = i
	}
	rank[ast.KindMaterializedView] = rank[ast.KindView] // by name among each other
	if live.Access != nil {
		list = append(list, live.Access.Opaque...)
	}
	of := func(o *catalog.Object) int {
		if r, known := rank[o.Kind]; known {
			return r
		}
		return len(rank) // a statement of access that cannot be read
	}
	slices.SortFunc(list, func(a, b *catalog.Object) int {
		return cmp.Or(of(a)-of(b), strings.Compare(a.Name.String(), b.Name.String()))
	})
	return list
}
