package crash

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/load/export"
	"github.com/fleetlake/fleetlake/load/store"
)

// exportKills is how often an export is killed.
const exportKills = 20

// pollInterval is how often the store is looked at: a store does not report what it gets, and looking all the
// time would slow the exports down.
const pollInterval = 5 * time.Millisecond

// exportTarget is where the tests export to.
type exportTarget struct {
	args  []string // of the verb
	store store.Store
	puts  func() map[string]int // of objects that were stored, by key; nil if nobody counts
	gate  *gate                 // before the store; nil if there is none
}

// gate counts the requests to a store, and kills the program at one of them.
type gate struct {
	mu       sync.Mutex
	requests int    // so far
	at       int    // the request at which it kills, from 1; 0 is none
	sent     bool   // it kills when the store has carried the request out, and before it has the request otherwise
	kill     func() // ends the program
}

// pass passes a request on, or kills the program.
func (g *gate) pass(w http.ResponseWriter, r *http.Request, next http.Handler) {
	g.mu.Lock()
	g.requests++
	mine, sent, kill := g.requests == g.at, g.sent, g.kill
	g.mu.Unlock()
	if mine && !sent {
		kill()
		panic(http.ErrAbortHandler)
	}
	if mine {
		next.ServeHTTP(httptest.NewRecorder(), r)
		kill()
		panic(http.ErrAbortHandler)
	}
	next.ServeHTTP(w, r)
}

// TestKilledExportsEndComplete kills exports of a new night at twenty places, while a reader looks at
// current.json all the time.
func TestKilledExportsEndComplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 120, Seed: 3})
	w.configure(1_000_000, crashJob)
	w.must(exitDone, "run", "nightly", "--date", "2026-11-19")
	var targets = map[string]exportTarget{"a directory": w.directoryTarget()}
	if target, ok := w.bucketTarget(); ok {
		targets["S3"] = target
	} else {
		t.Log("SKIPPED, S3 IS NOT TESTED: versitygw is not on PATH: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0")
	}
	for _, target := range targets {
		w.must(exitDone, append([]string{"export", "--warehouse"}, target.args...)...)
	}
	w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
	for name, target := range targets {
		t.Run(name, func(t *testing.T) { w.killExports(t, target) })
	}
}

// killExports kills exports until one ends.
func (w *world) killExports(t *testing.T, target exportTarget) {
	seen := &exportReader{t: t, store: target.store, contents: map[string]string{}, exports: map[string]bool{}}
	first := seen.look()
	stop := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(pollInterval):
				seen.look()
			}
		}
	})
	args := append([]string{"export", "--bandwidth", "200kB"}, target.args...)
	before, kills := count(t, target.store), 0
	for new := 0; ; new++ {
		p := w.start(args...)
		ended := make(chan outcome)
		go func() {
			o, _ := p.wait() // the state of the store says how it ended
			ended <- o
		}()
		o := w.killAt(p, ended, kills < exportKills, func() bool { return count(t, target.store) >= before+new })
		if seen.look().Export != first.Export {
			break
		}
		if kills++; kills > exportKills {
			t.Fatalf("the export after %d kills did not end:\n%s", kills-1, o.stderr)
		}
	}
	t.Logf("%d kills", kills)
	if kills < exportKills/2 {
		t.Errorf("only %d kills", kills)
	}
	w.must(exitDone, append([]string{"export", "--warehouse"}, target.args...)...)
	close(stop)
	reader.Wait()
	if len(seen.exports) < 2 || len(seen.exports) > 3 { // the last with a newer warehouse file, which it may not have seen
		t.Errorf("the reader saw the exports %v", seen.exports)
	}
	w.must(exitDone, append([]string{"export", "verify", "--hash"}, target.args...)...)
	if target.puts == nil {
		return
	}
	for key, n := range target.puts() {
		if n > 1 && (strings.HasPrefix(key, "facts/") || strings.HasPrefix(key, "history/") || strings.HasPrefix(key, "warehouse/")) {
			t.Errorf("%s was uploaded %d times", key, n)
		}
	}
}

// killAt kills a process as soon as it has come to a place, and returns how it ended.
func (w *world) killAt(p *process, ended <-chan outcome, kill bool, place func() bool) outcome {
	for kill {
		select {
		case o := <-ended:
			return o
		case <-time.After(pollInterval):
			if place() {
				p.cmd.Process.Kill()
				kill = false
			}
		}
	}
	return <-ended
}

// exportReader reads what current.json lists.
type exportReader struct {
	t        *testing.T
	store    store.Store
	mu       sync.Mutex
	contents map[string]string // SHA-256 by path
	exports  map[string]bool
}

// look reads current.json, which must be whole, and every file that it lists, which must be right.
func (r *exportReader) look() (m export.Manifest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b, err := readObject(r.store, "current.json")
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		r.t.Errorf("current.json: %v", err)
		return m
	}
	if r.exports[m.Export] {
		return m
	}
	r.exports[m.Export] = true
	check := func(path, want string) {
		if _, read := r.contents[path]; !read {
			b, err := readObject(r.store, path)
			if err != nil {
				r.t.Errorf("%s: %v", path, err)
			}
			sum := sha256.Sum256(b)
			r.contents[path] = hex.EncodeToString(sum[:])
		}
		if got := r.contents[path]; got != want {
			r.t.Errorf("%s has the SHA-256 %s, current.json has %s", path, got, want)
		}
	}
	for _, f := range m.Files {
		check(f.Path, f.SHA256)
	}
	check(m.Warehouse.Path, m.Warehouse.SHA256)
	return m
}

func readObject(s store.Store, key string) ([]byte, error) {
	body, _, err := s.Get(context.Background(), key)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(body)
	return b, errors.Join(err, body.Close())
}

// count counts the objects of a store.
func count(t *testing.T, s store.Store) (n int) {
	for _, err := range s.List(context.Background(), "") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// directoryTarget is a directory. Nobody counts: it refuses a second object of the same name.
func (w *world) directoryTarget() exportTarget {
	dir := filepath.Join(w.t.TempDir(), "out")
	s, err := store.Open(context.Background(), dir, store.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	return exportTarget{args: []string{dir}, store: s}
}

// bucketTarget is a bucket of versitygw behind a proxy that counts. It is false without that program.
func (w *world) bucketTarget() (exportTarget, bool) {
	program, err := exec.LookPath("versitygw")
	if err != nil {
		return exportTarget{}, false
	}
	dir := w.t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err := errors.Join(err, os.MkdirAll(filepath.Join(dir, "lake"), 0o755)); err != nil {
		w.t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	ctx, cancel := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, program, "--port", address, "--quiet", "posix", dir)
	server.Env = append(os.Environ(), "ROOT_ACCESS_KEY=test", "ROOT_SECRET_KEY=planted-secret")
	if err := server.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { cancel(); server.Wait() })
	for range 200 {
		if answer, err := http.Get("http://" + address); err == nil {
			answer.Body.Close()
			break
		}
		time.Sleep(20 * time.Millisecond) // another process starts: nothing to wait for but its port
	}
	var mu sync.Mutex
	puts := map[string]int{}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: address})
			r.Out.Host = r.In.Host
		},
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Method == http.MethodPut && r.StatusCode == http.StatusOK && r.Request.URL.RawQuery == "x-id=PutObject" {
				mu.Lock()
				defer mu.Unlock()
				puts[strings.TrimPrefix(r.Request.URL.Path, "/lake/fleet/")]++
			}
			return nil
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {},
	}
	before := &gate{}
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { before.pass(rw, r, proxy) }))
	w.t.Cleanup(front.Close)
	w.env = append(w.env, "FLEETLAKE_EXPORT_ACCESS_KEY=test", "FLEETLAKE_EXPORT_SECRET_KEY=planted-secret")
	s, err := store.Open(context.Background(), "s3://lake/fleet", store.Options{Endpoint: "http://" + address, PathStyle: true, AccessKey: "test", SecretKey: "planted-secret"})
	if err != nil {
		w.t.Fatal(err)
	}
	all := func() map[string]int { mu.Lock(); defer mu.Unlock(); return maps.Clone(puts) }
	return exportTarget{args: []string{"s3://lake/fleet", "--endpoint", front.URL, "--path-style"}, store: s, puts: all, gate: before}, true
}
