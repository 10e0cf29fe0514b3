package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sourcegraph/conc/pool"
)

// TestATenthOfTheRequestsFails writes, reads, replaces and deletes through a proxy that answers 503,
// resets connections, stalls, and loses answers. Everything succeeds, and nothing twice.
func TestATenthOfTheRequestsFails(t *testing.T) {
	g := startGateway(t)
	p := startProxy(t, g)
	var sent atomic.Int64
	s := g.open(t, p.URL, Options{Sent: func(n int64) {
		if sent.Add(n); n <= 0 {
			t.Errorf("counted %d bytes", n)
		}
	}, Warn: func(text string) { t.Log(text) }})
	must(t, s.checkConditions(t.Context()))
	fails, stalls := oneInTen(busy, reset, lost), 0
	p.change(func() {
		p.fault = func(r *http.Request) trouble {
			how := fails(r)
			// Stalls cost the test a wait each: of ten minutes where the store puts parts together.
			if how == busy && stalls < 2 && purpose(r) != "POST upload" {
				stalls++
				return stalled
			}
			return how
		}
	})

	sources := map[string]Source{}
	for i := range 60 {
		sources[fmt.Sprintf("small/%d", i)] = noise(uint64(i), 1000+i)
	}
	for i := range 2 {
		sources[fmt.Sprintf("large/%d", i)] = noise(uint64(100+i), 4*part5+i)
	}
	var want int64
	puts := pool.New().WithMaxGoroutines(4)
	for key, src := range sources {
		want += src.Bytes
		puts.Go(func() {
			if err := s.Put(t.Context(), key, src); err != nil {
				t.Error(err)
			}
		})
	}
	puts.Wait()
	if got := sent.Load(); got != want {
		t.Errorf("%d bytes counted, want %d", got, want)
	}
	for key, src := range sources {
		if got := sumOf(t, s, key); got != src.SHA256 {
			t.Errorf("%s has other content", key)
		}
	}
	if got := keys(t, s, ""); len(got) != len(sources) {
		t.Errorf("%d objects of %d", len(got), len(sources))
	}
	addLines(t, s)
	for key := range sources {
		must(t, s.Delete(t.Context(), key))
	}
	if got := keys(t, s, ""); len(got) != 1 {
		t.Errorf("left %v", got)
	}
	p.mu.Lock()
	t.Logf("requests: %v, of which passed: %v", p.arrived, p.answered)
	p.mu.Unlock()
}

// addLines lets writers add lines to one object, by versions, and wants each line once. A writer that
// learns that the object was changed reads it again: its own line may be there, if its answer was lost
// and the next writer was faster than its second attempt.
func addLines(t *testing.T, s Store) {
	must(t, s.Replace(t.Context(), "lines", nil, ""))
	var wait sync.WaitGroup
	want := []string{}
	for w := range 30 {
		want = append(want, fmt.Sprintf("line %02d", w))
	}
	for lines := range slices.Chunk(want, 10) {
		wait.Go(func() {
			for _, line := range lines {
				for {
					content, version := read(t, s, "lines")
					if strings.Contains(content, line) {
						break
					}
					if err := s.Replace(t.Context(), "lines", []byte(content+line+"\n"), version); err != nil && !errors.Is(err, ErrChanged) {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	wait.Wait()
	content, _ := read(t, s, "lines")
	got := strings.Split(strings.TrimSpace(content), "\n")
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestALostAnswerIsNoOtherWriter loses the answer of each request that ends a write.
func TestALostAnswerIsNoOtherWriter(t *testing.T) {
	g := startGateway(t)
	p := startProxy(t, g)
	s := g.open(t, p.URL, Options{})
	for name, c := range map[string]struct {
		kind  string
		write func() error
	}{
		"one request":     {"PUT", func() error { return s.Put(t.Context(), "one", text("one")) }},
		"parts":           {"POST upload", func() error { return s.Put(t.Context(), "parts", noise(1, part5+1)) }},
		"a first version": {"PUT", func() error { return s.Replace(t.Context(), "current", []byte("1"), "") }},
		"a next version": {"PUT", func() error {
			_, version := read(t, s, "current-2")
			return s.Replace(t.Context(), "current-2", []byte("2"), version)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			must(t, s.checkConditions(t.Context()))
			if name == "a next version" {
				must(t, s.Replace(t.Context(), "current-2", []byte("1"), ""))
			}
			times := 0
			p.change(func() {
				p.fault = func(r *http.Request) trouble {
					if purpose(r) == c.kind {
						if times++; times == 1 {
							return lost
						}
					}
					return none
				}
			})
			if err := c.write(); err != nil || times != 2 {
				t.Errorf("%v after %d requests", err, times)
			}
		})
	}
	t.Run("but other content is another writer", func(t *testing.T) {
		direct := g.openPrefix(t, g.endpoint, "fleet/1", Options{})
		p.change(func() {
			p.fault = func(r *http.Request) trouble {
				if purpose(r) != "PUT" {
					return none
				}
				p.fault = func(*http.Request) trouble { return none }
				if err := direct.Put(context.Background(), "raced", text("them")); err != nil {
					t.Error(err)
				}
				return busy
			}
		})
		if err := s.Put(t.Context(), "raced", text("ours")); !errors.Is(err, ErrExists) {
			t.Errorf("got %v", err)
		}
	})
}

// TestABodyContinuesOverANewConnection cuts each answer after some bytes.
func TestABodyContinuesOverANewConnection(t *testing.T) {
	g := startGateway(t)
	src := noise(1, 3<<20)
	must(t, g.openPrefix(t, g.endpoint, "p", Options{}).Put(t.Context(), "a", src))
	p := startProxy(t, g)
	whole, gets := p.pass, 0
	p.change(func() {
		p.pass = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && !r.URL.Query().Has("list-type") {
				gets++
				w = &cutWriter{w, 1 << 20}
			}
			whole.ServeHTTP(w, r)
		})
	})
	s := g.openPrefix(t, p.URL, "p", Options{})
	if got := sumOf(t, s, "a"); got != src.SHA256 || gets != 4 && gets != 3 {
		t.Errorf("read %s in %d requests", got, gets)
	}
	t.Run("unless the object was replaced meanwhile", func(t *testing.T) {
		direct := g.openPrefix(t, g.endpoint, "p", Options{})
		body, version, err := s.Get(t.Context(), "a")
		must(t, err)
		must(t, direct.Replace(t.Context(), "a", []byte("other"), version))
		buffer := make([]byte, 1<<20)
		for err == nil {
			_, err = body.Read(buffer)
		}
		if !errors.Is(err, ErrChanged) {
			t.Errorf("got %v", err)
		}
		must(t, body.Close())
	})
}

// cutWriter ends the connection after so many bytes of an answer.
type cutWriter struct {
	http.ResponseWriter
	left int
}

func (w *cutWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		panic(http.ErrAbortHandler)
	}
	return w.ResponseWriter.Write(p)
}

func (w *cutWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// TestALimitOnTheBandwidthIsKept measures what arrives.
func TestALimitOnTheBandwidthIsKept(t *testing.T) {
	g := startGateway(t)
	p := startProxy(t, g)
	s := g.open(t, p.URL, Options{Bandwidth: 20 << 20})
	start := time.Now()
	must(t, s.Put(t.Context(), "large", noise(1, 2*part5))) // half a second
	took := time.Since(start)
	if took < 450*time.Millisecond {
		t.Errorf("10 MiB at 20 MiB a second took %v", took)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes < 2*part5 || p.bytes > 2*part5+10_000 { // the request that completes has a body too
		t.Errorf("%d bytes arrived of %d", p.bytes, 2*part5)
	}
}

// readerAt counts the bytes that are read from a source.
type readerAt struct {
	io.ReaderAt
	bytes atomic.Int64
}

func (r *readerAt) ReadAt(p []byte, at int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, at)
	r.bytes.Add(int64(n))
	return n, err
}

// TestContentIsCheckedOnItsWay wants both checks in each request with content, each source read once to
// hash it and once to send it, and content that was damaged on the way to be sent again.
func TestContentIsCheckedOnItsWay(t *testing.T) {
	g := startGateway(t)
	p := startProxy(t, g)
	s := g.open(t, p.URL, Options{})
	must(t, s.checkConditions(t.Context()))
	for name, size := range map[string]int{"one request": 10_000, "parts": part5 + 1000} {
		t.Run(name, func(t *testing.T) {
			for _, how := range []trouble{none, damaged} {
				src := noise(uint64(how), size)
				counted := &readerAt{ReaderAt: src.File}
				src.File = counted
				fails := 0
				p.change(func() {
					p.fault = func(r *http.Request) trouble {
						if kind := purpose(r); kind != "PUT" && kind != "part" {
							return none
						}
						if hash := r.Header.Get("X-Amz-Content-Sha256"); len(hash) != 64 || r.Header.Get("Content-Md5") == "" {
							t.Errorf("content with sha256 %q and md5 %q", hash, r.Header.Get("Content-Md5"))
						}
						if fails++; fails == 1 {
							return how
						}
						return none
					}
				})
				key := fmt.Sprint(name, how)
				must(t, s.Put(t.Context(), key, src))
				if read := counted.bytes.Load(); how == none && read != 2*src.Bytes {
					t.Errorf("%d bytes were read of %d", read, src.Bytes)
				}
				if got := sumOf(t, s, key); got != src.SHA256 {
					t.Error("has other content")
				}
			}
		})
	}
}
