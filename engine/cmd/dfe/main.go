// Command dfe is the controller of a ClickHouse deployment's schema. See package engine/cli.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/dfe-engine/dfe/engine/cli"
	"github.com/dfe-engine/dfe/engine/embedded/cluster"
)

func main() {
	cluster.Run() // a member of `dfe embedded --members` is this program again
	// A reader that went away is an error of writing, after which everything is put away, and not the end at once.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for a clean end; the second is not held back.
	context.AfterFunc(ctx, stop)
	code := cli.Run(ctx, cli.Process{Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Environ: os.Environ}, os.Args[1:])
	os.Exit(code)
}
