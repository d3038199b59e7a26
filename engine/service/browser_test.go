package service_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/service"
)

// browser starts a real Chromium, for the length of the test.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		const missing = "the page is tested in a real browser and none is on PATH: install Debian's package chromium"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.DisableGPU)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium's sandbox refuses root
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // waits for the process, which owns the directory
		cancel()
	})
	return ctx
}

// complaints collects what a browser says against a page: what its policy stopped, and errors.
type complaints struct {
	mu   sync.Mutex
	said []string
}

func (c *complaints) hear(event any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		c.said = append(c.said, e.Entry.Text)
	case *runtime.EventExceptionThrown:
		c.said = append(c.said, e.ExceptionDetails.Text)
	}
}

func (c *complaints) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	said := c.said
	c.said = nil
	return said
}

// looks are the states of the page that people see.
func looks(t *testing.T) map[string]*service.Service {
	running := &fake{ends: []engine.Report{failed()}}
	s := service.New(service.Options{Engine: running, Release: "2026.11.2"})
	s.Pass(t.Context())
	objects := shop(ledger.Unchanged)
	for _, o := range objects[14:] {
		o.Outcome, o.Action, o.Checksum = engine.Pending, "", ""
	}
	now := ended(engine.Running, "", objects)
	now.Step, now.Started = "applying", time.Now().Add(-2300*time.Millisecond)
	running.now = &now
	gate := make(chan struct{})
	entered := make(chan struct{})
	running.within = func(context.Context, int) { close(entered); <-gate }
	var wg sync.WaitGroup
	wg.Go(func() { s.Pass(context.WithoutCancel(t.Context())) })
	<-entered
	t.Cleanup(func() { close(gate); wg.Wait() })

	observed := ended(engine.Observed, "the lease of schema is held by dfe-7c9f in claim 4f1d2a, first seen 3m0s ago and renewed 6s ago; nothing was applied", nil)
	missing := ended(engine.Failed, "the server is no member of a cluster that a schema can be applied to: it has no Keeper, and lacks the macros {cluster}, {shard} and {replica}; configure them, or pin another platform with DFE_ENGINE_CLICKHOUSE_PLATFORM", nil)
	missing.Code = "clickhouse_not_replicated"
	unread := ended(engine.Failed, "the schema tree has a fault: tables/orders.hcl:3,1-9: Unsupported block type", nil)
	unread.SchemaRelease = ""
	faulty := service.New(service.Options{Engine: &fake{ends: []engine.Report{unread}, fault: errors.New(unread.Error)}, Release: "2026.11.2"})
	faulty.Pass(t.Context())
	off := service.New(service.Options{Engine: &fake{}, Off: true, Release: "2026.11.2"})
	off.Run(t.Context())
	return map[string]*service.Service{
		"converged": passed(t, ended(engine.Converged, "", shop(ledger.Applied))), "refusals": passed(t, withRefusals()), "failed": passed(t, failed()),
		"unreachable": passed(t, unreachable()), "missing": passed(t, missing), "unread": faulty, "observed": passed(t, observed), "running": s, "off": off, "many": passed(t, many()),
		"topics": passed(t, onBus()),
	}
}

// many is a schema of three hundred objects in six databases.
func many() engine.Report {
	var objects []*engine.ObjectReport
	for d := range 6 {
		db := []string{"web", "billing", "telemetry", "support", "archive", "machine_learning"}[d]
		objects = append(objects, object(ast.KindDatabase, db, ledger.Unchanged))
		for i := range 49 {
			name := fmt.Sprintf("%s.%s_%02d", db, []string{"events", "sessions", "measurements", "snapshots"}[i%4], i)
			switch {
			case i < 30:
				objects = append(objects, object(ast.KindTable, name, ledger.Unchanged))
			case i < 40:
				objects = append(objects, object(ast.KindView, name, ledger.Unchanged, objects[len(objects)-20].Name, objects[len(objects)-29].Name))
			default:
				from := objects[len(objects)-1].Name
				if d > 0 {
					from = fmt.Sprintf("%s.%s_%02d", []string{"web", "billing", "telemetry", "support", "archive"}[d-1], "events", i%10*4%28)
				}
				objects = append(objects, writing(object(ast.KindMaterializedView, name, ledger.Unchanged, from), objects[len(objects)-40].Name))
			}
		}
	}
	return ended(engine.Converged, "", objects)
}

const (
	overflow = `document.documentElement.scrollWidth - document.documentElement.clientWidth`
	// contrast lists texts whose colour is nearer to their background than WCAG 2 AA allows (4.5 : 1). Backgrounds that
	// are translucent are laid over what is behind them.
	contrast = `(() => {
	const seen = new Map();
	const parse = c => { if (!seen.has(c)) seen.set(c, pixel(c)); return seen.get(c) };
	const pixel = c => { const s = document.createElement('canvas').getContext('2d', {willReadFrequently: true}); s.clearRect(0,0,1,1); s.fillStyle = c; s.fillRect(0,0,1,1); const d = s.getImageData(0,0,1,1).data; return [d[0], d[1], d[2], d[3]/255] };
	const over = (a, b) => [0,1,2].map(i => a[i]*a[3] + b[i]*(1-a[3])).concat(1);
	const lum = c => { const f = c.slice(0,3).map(v => { v /= 255; return v <= 0.03928 ? v/12.92 : ((v+0.055)/1.055)**2.4 }); return 0.2126*f[0] + 0.7152*f[1] + 0.0722*f[2] };
	const behind = e => { const layers = []; for (; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor)); let c = [255,255,255,1]; for (const l of layers.reverse()) c = over(l, c); return c };
	const bad = new Set();
	for (const e of document.querySelectorAll('body *:not(svg):not(svg *)')) {
		if (!e.checkVisibility() || ![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())) continue;
		const bg = behind(e), fg = over(parse(getComputedStyle(e).color), bg);
		const [x, y] = [lum(fg), lum(bg)].sort((a, b) => b - a);
		const ratio = (x + 0.05) / (y + 0.05);
		if (ratio < 4.5) bad.add(e.tagName + '.' + e.className + ' ' + ratio.toFixed(2));
	}
	return [...bad];
	})()`
	// spills lists texts of the picture that leave their box, and boxes that lie on each other.
	spills = `(() => {
	const bad = [];
	for (const svg of document.querySelectorAll('svg.picture')) {
		if (!svg.checkVisibility()) continue;
		const boxes = [...svg.querySelectorAll('a.box')].map(a => [a, a.querySelector('rect').getBBox()]);
		for (const [a, r] of boxes) for (const text of a.querySelectorAll('text')) {
			const b = text.getBBox();
			if (b.x < r.x || b.x + b.width > r.x + r.width || b.y + b.height > r.y + r.height + 1) bad.push('spilt: ' + text.textContent);
		}
		for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) {
			const [a, p] = boxes[i], [b, q] = boxes[j];
			if (p.x < q.x + q.width && q.x < p.x + p.width && p.y < q.y + q.height && q.y < p.y + p.height) bad.push('overlaid: ' + a.textContent + ' and ' + b.textContent);
		}
	}
	return bad;
	})()`
	// unnamed lists what a screen reader would find without a name, ids that are given twice, and links that lead nowhere.
	unnamed = `(() => {
	const bad = [], ids = new Set();
	for (const e of document.querySelectorAll('[id]')) { if (ids.has(e.id)) bad.push('twice: ' + e.id); ids.add(e.id) }
	for (const e of document.querySelectorAll('a[href^="#"]')) if (!ids.has(decodeURIComponent(e.getAttribute('href').slice(1)))) bad.push('leads nowhere: ' + e.getAttribute('href'));
	for (const e of document.querySelectorAll('[aria-labelledby]')) for (const id of e.getAttribute('aria-labelledby').split(' ')) if (!ids.has(id)) bad.push('label missing: ' + id);
	for (const e of document.querySelectorAll('table')) if (!e.querySelector('thead th[scope=col]')) bad.push('a table without column headings');
	if (document.querySelectorAll('h1').length != 1) bad.push('not one h1');
	return bad;
	})()`
)

func TestThePageHoldsInARealBrowser(t *testing.T) {
	ctx := browser(t)
	var heard complaints
	if err := chromedp.Listen(ctx, heard.hear); err != nil {
		t.Fatal(err)
	}
	for name, s := range looks(t) {
		server := httptest.NewServer(still(s))
		t.Cleanup(server.Close)
		for _, screen := range []screen{
			{"desktop", 1280, 900, "light"}, {"phone", 390, 844, "light"}, {"desktop-dark", 1280, 900, "dark"}, {"phone-dark", 360, 740, "dark"},
		} {
			seen, err := look(ctx, server.URL+"/", screen)
			if err != nil {
				t.Fatalf("%s on %s: %v", name, screen.name, err)
			}
			seen.Browser = heard.take()
			shot := seen.Shot
			seen.Shot = nil
			if diff := cmp.Diff(findings{}, seen, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s on %s: %s", name, screen.name, diff)
			}
			if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name+"-"+screen.name+".png"), shot, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

type screen struct {
	name          string
	width, height int64
	scheme        string
}

// findings is what is wrong with a page on a screen, and how it looks.
type findings struct {
	Overflow                          int // pixels that the page is wider than the screen
	Pale, Picture, Structure, Browser []string
	Shot                              []byte
}

func look(ctx context.Context, url string, on screen) (f findings, err error) {
	mobile := func(p *emulation.SetDeviceMetricsOverrideParams, _ *emulation.SetTouchEmulationEnabledParams) {
		p.Mobile = on.width < 600
	}
	dark := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: on.scheme}}}
	unfold := func(open string) chromedp.Action[chromedp.Void] {
		return chromedp.Evaluate[chromedp.Void]("for (const d of document.querySelectorAll('details')) d.open = " + open)
	}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, dark); err != nil {
		return f, err
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(on.width, on.height, mobile), chromedp.Navigate(url), unfold("true")); err != nil {
		return f, err
	}
	ask := func(what string) (list []string) {
		if err == nil {
			list, err = chromedp.Run(ctx, chromedp.Evaluate[[]string](what))
		}
		return list
	}
	f.Pale, f.Picture, f.Structure = ask(contrast), ask(spills), ask(unnamed)
	if err != nil {
		return f, err
	}
	if f.Overflow, err = chromedp.Run(ctx, chromedp.Evaluate[int](overflow)); err != nil {
		return f, err
	}
	if err := chromedp.Do(ctx, unfold("false")); err != nil {
		return f, err
	}
	f.Shot, err = chromedp.Run(ctx, chromedp.FullScreenshot(100))
	return f, err
}

// still is a service whose page does not refresh itself while it is looked at.
func still(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := httptest.NewRecorder()
		h.ServeHTTP(got, r)
		maps.Copy(w.Header(), got.Header())
		w.WriteHeader(got.Code)
		_, _ = w.Write(regexp.MustCompile(`<meta http-equiv="refresh"[^>]*>`).ReplaceAll(got.Body.Bytes(), nil))
	})
}
