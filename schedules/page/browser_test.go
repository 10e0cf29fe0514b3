package page

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// screenshots names a directory in the environment that gets a picture of each page that the
// browser test opens, for people to look at.
const screenshots = "FLEETLAKE_SCREENSHOTS"

// axe names the script of axe-core in the environment, which judges whether everybody can use a page.
const axe = "FLEETLAKE_AXE"

// browser is a headless chromium that knows no name but this machine's address.
type browser struct {
	ctx      context.Context
	mu       sync.Mutex
	requests []string
	problems []string // of the console
}

// newBrowser starts one, or skips the test.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-headless-shell", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no chromium is installed: the pages are not opened in a browser")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{ctx: ctx}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	return b
}

// hear records the requests and the errors of the browser.
func (b *browser) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *log.EventEntryAdded:
		b.problems = append(b.problems, e.Entry.Text)
	case *runtime.EventConsoleAPICalled:
		b.problems = append(b.problems, fmt.Sprint(e.Type))
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, e.ExceptionDetails.Text)
	}
}

// open loads a page.
func (b *browser) open(t *testing.T, name, url string) {
	t.Helper()
	b.mu.Lock()
	b.requests, b.problems = nil, nil
	b.mu.Unlock()
	if err := chromedp.Do(b.ctx, chromedp.Navigate(url)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// look shows the page in a scheme at a width, and takes a screenshot if the environment asks for one.
func (b *browser) look(t *testing.T, name, scheme string, width int64) {
	t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}}
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(width, 900)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	dir := os.Getenv(screenshots)
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%s-%d.png", name, scheme, width)), picture, 0o644)
	}
	if err != nil {
		t.Logf("no picture of %s at %d pixels: %v", name, width, err) // the dictionary is too long for one
	}
}

// press presses a key.
func (b *browser) press(t *testing.T, key string, with ...chromedp.Modifier) {
	t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(key, chromedp.KeyModifiers(with...))); err != nil {
		t.Fatalf("%q: %v", key, err)
	}
}

// until waits until an expression is true in the page, which a navigation may replace meanwhile.
func (b *browser) until(t *testing.T, js string) {
	t.Helper()
	for range 500 {
		is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("Boolean("+js+")"))
		if err == nil && is {
			return
		}
		time.Sleep(20 * time.Millisecond) // between two looks at another process
	}
	t.Fatalf("never: %s, at %s", js, evaluate[string](t, b, "location.href + '\\n' + document.body.innerText.slice(0, 500)"))
}

// evaluate runs a script in the page.
func evaluate[T any](t *testing.T, b *browser, js string, opts ...chromedp.EvaluateOption) T {
	t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](js, opts...))
	if err != nil {
		t.Fatalf("%.200s: %v", js, err)
	}
	return v
}
