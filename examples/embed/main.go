// Command embed is a small web program that carries its own schema: it makes it true before it serves its first
// request, and shows what became of it beside its own routes. See the README beside it.
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/access"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/engine/service"
	"github.com/dfe-engine/dfe/rules"
)

//go:embed schema
var files embed.FS

func main() {
	url := flag.String("url", "", "the ClickHouse server; without it, one runs in this process and is gone at the end")
	listen := flag.String("listen", "127.0.0.1:8481", "address to answer at")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *url, *listen, slog.New(slog.NewTextHandler(os.Stderr, nil))); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url, listen string, log *slog.Logger) (err error) {
	o := engine.Options{Target: catalog.Target{URL: url}, Wait: time.Minute, Release: "embed-1.0.0", Log: log}
	if url == "" {
		local, err := embedded.Start(ctx, embedded.Options{Access: access.New(), Progress: os.Stderr, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, local.Close(context.WithoutCancel(ctx))) }()
		o.Target.URL, o.Platform = local.URL(), rules.Embedded
	}
	if o.TreeFS, err = fs.Sub(files, "schema"); err != nil {
		return err
	}
	e, err := engine.New(o)
	if err != nil {
		return err
	}

	// The schema comes first: a program that starts without it would fail at its first insert.
	schema := service.New(service.Options{Engine: e, Release: o.Release, Log: log})
	report, err := schema.Pass(ctx)
	if err != nil {
		return fmt.Errorf("the schema is %s: %w", report.State, err)
	}

	settings, err := clickhouse.ParseDSN(o.Target.URL)
	if err != nil {
		return err
	}
	db, err := clickhouse.Open(settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	routes := http.NewServeMux()
	routes.Handle("/schema/", http.StripPrefix("/schema", schema))
	routes.Handle("/", visits(db))
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	fmt.Printf("schema release %s is %s; http://%s/ counts visits, http://%s/schema/ shows the schema\n", report.SchemaRelease, report.State, l.Addr(), l.Addr())
	return service.Serve(ctx, l, routes, log)
}

// visits records a visit of each page that is asked for, and answers how often that was.
func visits(db driver.Conn) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := visit(r.Context(), db, r.URL.Path)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		fmt.Fprintf(w, "%s was visited %d times\n", r.URL.Path, n)
	})
}

func visit(ctx context.Context, db driver.Conn, page string) (n uint64, err error) {
	if err := db.Exec(ctx, "INSERT INTO visits.raw (page, visitor) VALUES (?, 1)", page); err != nil {
		return 0, err
	}
	err = db.QueryRow(ctx, "SELECT sum(visits) FROM visits.by_page WHERE page = ?", page).Scan(&n)
	return n, err
}
