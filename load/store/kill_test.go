package store

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestHelperPutter is another process that puts a file until it is killed: the target, the endpoint and
// the file are in the environment.
func TestHelperPutter(t *testing.T) {
	target, file := os.Getenv("STORE_TARGET"), os.Getenv("STORE_FILE")
	if target == "" {
		t.Skip("runs in another process")
	}
	var s Store
	if prefix, ok := strings.CutPrefix(target, "s3://"+testBucket+"/"); ok {
		g := &gateway{}
		s = g.openPrefix(t, os.Getenv("STORE_ENDPOINT"), prefix, Options{})
	} else {
		var err error
		s, err = Open(t.Context(), target, Options{Bandwidth: 4 << 20}) // it would take seconds
		must(t, err)
	}
	f, err := os.Open(file)
	must(t, err)
	b, err := os.ReadFile(file)
	must(t, err)
	must(t, s.Put(t.Context(), "facts/large", Source{f, int64(len(b)), bytesSource(b).SHA256}))
}

// startPutter starts the other process.
func startPutter(t *testing.T, target, endpoint, file string) (kill func()) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run", "^TestHelperPutter$")
	c.Env = append(os.Environ(), "STORE_TARGET="+target, "STORE_ENDPOINT="+endpoint, "STORE_FILE="+file)
	must(t, c.Start())
	kill = sync.OnceFunc(func() {
		must(t, c.Process.Kill())
		_ = c.Wait() // it says that it was killed
	})
	t.Cleanup(kill)
	return kill
}

// saved writes a source to a file.
func saved(t *testing.T, src Source) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "source")
	b := make([]byte, src.Bytes)
	_, err := src.File.ReadAt(b, 0)
	must(t, err)
	must(t, os.WriteFile(path, b, 0o600))
	return path
}

// TestAKilledUploadIsResumed kills a process in the middle of a multipart upload, three times, and puts
// the same object again: each part is sent once.
func TestAKilledUploadIsResumed(t *testing.T) {
	const parts, perLife = 8, 2
	g := startGateway(t)
	p := startProxy(t, g)
	src := noise(1, parts*part5-1000)
	file := saved(t, src)
	passed := map[string]bool{}
	for life := 1; life <= 3; life++ {
		enough := make(chan struct{})
		admitted, done := 0, 0
		whole := p.pass
		fault := func(r *http.Request) trouble {
			if purpose(r) != "part" {
				return none
			}
			if admitted == perLife {
				return stalled
			}
			admitted++
			return none
		}
		pass := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			whole.ServeHTTP(w, r)
			if purpose(r) != "part" {
				return
			}
			p.change(func() {
				n := r.URL.Query().Get("partNumber")
				if passed[n] {
					t.Errorf("part %s was sent again in life %d", n, life)
				}
				passed[n] = true
				if done++; done == perLife {
					close(enough)
				}
			})
		})
		p.change(func() { p.fault, p.pass = fault, pass })
		kill := startPutter(t, "s3://"+testBucket+"/killed", p.URL, file)
		select {
		case <-enough:
		case <-time.After(30 * time.Second):
			t.Fatalf("life %d has not sent its parts", life)
		}
		kill()
		p.change(func() { p.pass = whole })
	}
	var sent atomic.Int64
	s := g.openPrefix(t, p.URL, "killed", Options{Sent: func(n int64) { sent.Add(n) }})
	p.change(func() {
		p.fault, p.arrived, p.bytes = func(*http.Request) trouble { return none }, map[string]int{}, 0
	})
	if got := keys(t, s, ""); len(got) != 0 {
		t.Errorf("an unfinished upload is visible: %v", got)
	}
	must(t, s.Put(t.Context(), "facts/large", src))
	rest := parts - 3*perLife
	if arrived, _ := p.count("part"); arrived != rest || p.bytes > int64(rest*part5)+10_000 {
		t.Errorf("%d parts and %d bytes were sent, want %d parts", arrived, p.bytes, rest)
	}
	if got := sumOf(t, s, "facts/large"); got != src.SHA256 || sent.Load() != src.Bytes {
		t.Errorf("has %s, and %d of %d bytes are counted", got, sent.Load(), src.Bytes)
	}
	left, err := s.uploads(t.Context(), "facts/large")
	if err != nil || len(left) != 0 {
		t.Errorf("left %d uploads, %v", len(left), err)
	}
}

// TestUploadsOfOtherContentAreNotResumed leaves uploads whose parts are not those of the source.
func TestUploadsOfOtherContentAreNotResumed(t *testing.T) {
	g := startGateway(t)
	src, other := noise(1, 2*part5+1), noise(2, 2*part5+1)
	for name, first := range map[string]Source{"other content": other, "a part of other size": noise(1, part5+1), "no parts": text("")} {
		t.Run(name, func(t *testing.T) {
			s := g.open(t, g.endpoint, Options{})
			parts, err := s.cut(t.Context(), first)
			must(t, err)
			id, err := s.create(t.Context(), "a", first)
			must(t, err)
			for _, p := range parts {
				must(t, s.send(t.Context(), "a", id, p))
			}
			_, err = s.create(t.Context(), "ab", first) // of another key, which only begins like this one
			must(t, err)
			must(t, s.Put(t.Context(), "a", src))
			if got := sumOf(t, s, "a"); got != src.SHA256 {
				t.Error("has other content")
			}
			ours, err := s.uploads(t.Context(), "a")
			must(t, err)
			theirs, err := s.uploads(t.Context(), "ab")
			if err != nil || len(ours) != 0 || len(theirs) != 1 {
				t.Errorf("left %d uploads of the key and %d of another, %v", len(ours), len(theirs), err)
			}
		})
	}
}

// TestAKilledCopyIsRemoved kills a process in the middle of a copy. Its temporary file is in no listing,
// stays while there is a writer, and is removed by the next Open or List.
func TestAKilledCopyIsRemoved(t *testing.T) {
	src := noise(1, 32<<20)
	file := saved(t, src)
	for name, look := range map[string]func(t *testing.T, target string, s Store){
		"by Open": func(t *testing.T, target string, _ Store) {
			_, err := Open(context.Background(), target, Options{})
			must(t, err)
		},
		"by List": func(t *testing.T, _ string, s Store) {
			if got := keys(t, s, ""); !slices.Equal(got, []string{"other"}) {
				t.Errorf("listed %v", got)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			target := t.TempDir()
			s, err := Open(t.Context(), target, Options{})
			must(t, err)
			must(t, s.Put(t.Context(), "other", text("other")))
			kill := startPutter(t, target, "", file)
			parts := func() []string {
				all, err := filepath.Glob(filepath.Join(target, "facts", ".fleetlake-*.part"))
				must(t, err)
				return all
			}
			for range 3000 {
				if all := parts(); len(all) == 1 {
					if info, err := os.Stat(all[0]); err == nil && info.Size() > 0 {
						break
					}
				}
				time.Sleep(5 * time.Millisecond) // another process is at work: nothing else to wait for
			}
			look(t, target, s)
			if len(parts()) != 1 {
				t.Fatal("a file is gone that has a writer, or there is no writer")
			}
			kill()
			look(t, target, s)
			if _, err := os.Stat(filepath.Join(target, "facts")); !os.IsNotExist(err) {
				t.Errorf("left %v, %v", parts(), err)
			}
			must(t, s.Put(t.Context(), "facts/large", text(fmt.Sprint("written again ", name))))
		})
	}
}
