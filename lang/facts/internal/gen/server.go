package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/dfe-engine/dfe/engine/embedded"
)

// embeddedURL starts the embedded engine on a temporary directory and returns its HTTP address and what stops it.
func embeddedURL(ctx context.Context) (string, func(), error) {
	server, err := embedded.Start(ctx, embedded.Options{Progress: os.Stderr})
	if err != nil {
		return "", nil, err
	}
	stop := func() {
		if err := server.Close(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
		}
	}
	return server.URL(), stop, nil
}

func (g *generator) exec(sql string) error {
	request, err := http.NewRequestWithContext(g.ctx, http.MethodPost, g.url, strings.NewReader(sql))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%.200s: %.2000s %v", sql, body, err)
	}
	return nil
}
