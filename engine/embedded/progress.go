package embedded

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
)

// follow reports how much of a file has arrived. The function it returns ends
// the report and waits for its goroutine.
func follow(w io.Writer, file string, p pin) func(error) {
	if w == nil {
		return func(error) {}
	}
	began := time.Now()
	const mb = 1_000_000
	f, isFile := w.(*os.File)
	live := isFile && isatty.IsTerminal(f.Fd())
	if !live {
		fmt.Fprintf(w, "fetching the ClickHouse engine %s (once, %d MB)\n", Version, p.size/mb)
	}
	stop := make(chan struct{})
	var running sync.WaitGroup
	if live {
		running.Go(func() {
			tick := time.NewTicker(200 * time.Millisecond)
			defer tick.Stop()
			for {
				var have int64
				if info, err := os.Stat(file); err == nil {
					have = info.Size()
				}
				fmt.Fprintf(w, "\rfetching the ClickHouse engine %s: %3d of %d MB", Version, have/mb, p.size/mb)
				select {
				case <-stop:
					return
				case <-tick.C:
				}
			}
		})
	}
	return func(err error) {
		close(stop)
		running.Wait()
		if live {
			fmt.Fprint(w, "\r\x1b[K")
		}
		if err == nil {
			fmt.Fprintf(w, "fetched the ClickHouse engine %s in %s\n", Version, time.Since(began).Round(100*time.Millisecond))
		}
	}
}
