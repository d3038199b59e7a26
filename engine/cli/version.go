package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/lang/facts"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/stdlib"
)

// release is the engine's own, from what the Go tool recorded: the module's version, or the commit of a checkout.
func release() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "dev"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "dev-" + s.Value[:12]
		}
	}
	return "dev"
}

type versions struct {
	Version  int    `json:"version"`
	Engine   string `json:"engine"`
	Schemas  string `json:"schemas"`
	Embedded string `json:"embedded"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (a *app) versionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the releases this program carries",
		Example: "  dfe version --format json",
		RunE: func(*cobra.Command, []string) error {
			core, diags := tree.Load(stdlib.FS, tree.Options{})
			if diags.HasErrors() {
				return diags
			}
			v := versions{1, release(), core.Release, embedded.Version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			if a.format == formatJSON {
				return json.NewEncoder(a.exact.Out).Encode(v)
			}
			_, err := fmt.Fprint(a.Out, columns([][]string{
				{"dfe", v.Engine}, {"core schema release", v.Schemas}, {"embedded ClickHouse", facts.Version() + ", as libchdb " + v.Embedded}, {"go", v.Go + " " + v.Platform},
			}, nil))
			return err
		},
	}
	a.formatFlag(cmd)
	return cmd
}
