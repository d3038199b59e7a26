package service

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limits of the HTTP server. Requests have no body worth waiting for, and no answer takes long but that of a ping.
const (
	readHeaderWait = 5 * time.Second
	readWait       = 10 * time.Second
	writeWait      = 30 * time.Second
	idleWait       = 2 * time.Minute
	maxHeaderBytes = 16 << 10
	// drainWait is how long answers under way may take once the server is told to stop: as long as the executor follows up
	// the statement at hand.
	drainWait = 20 * time.Second
)

// errStopping is why a call is ended before its time: the server was told to stop.
var errStopping = errors.New("the service was told to stop")

// served is the key under which the context of a request has the one that Serve was given: a call that takes long ends
// with it, and short answers do not.
type served struct{}

// stopping ends what a call does, after the statement at hand, once the server that it came by is told to stop. The
// caller releases it.
func stopping(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	server, ok := ctx.Value(served{}).(context.Context)
	if !ok {
		return ctx, func() { cancel(nil) }
	}
	release := context.AfterFunc(server, func() { cancel(errStopping) })
	return ctx, func() { release(); cancel(nil) }
}

// Serve answers at a listener until the context ends, and returns when no answer is under way any more. A call that
// changes something ends after the statement at hand, and is answered so. The listener is closed. A nil log is silent.
func Serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: readHeaderWait, ReadTimeout: readWait, WriteTimeout: writeWait, IdleTimeout: idleWait,
		MaxHeaderBytes: maxHeaderBytes, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context {
			return context.WithValue(context.WithoutCancel(ctx), served{}, ctx)
		},
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainWait)
	defer cancel()
	err := server.Shutdown(draining)
	if err != nil {
		err = errors.Join(err, server.Close())
	}
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
