package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// text is a source of a text.
func text(s string) Source { return bytesSource([]byte(s)) }

// noise is a source of so many bytes that do not repeat.
func noise(seed uint64, n int) Source {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{byte(seed)}).Read(b)
	return bytesSource(b)
}

// keys lists a store.
func keys(t testing.TB, s Store, prefix string) []string {
	t.Helper()
	all := []string{}
	for o, err := range s.List(t.Context(), prefix) {
		must(t, err)
		all = append(all, o.Key)
	}
	slices.Sort(all)
	return all
}

// read gets an object.
func read(t testing.TB, s Store, key string) (content, version string) {
	t.Helper()
	body, version, err := s.Get(t.Context(), key)
	must(t, err)
	b, err := io.ReadAll(body)
	must(t, errors.Join(err, body.Close()))
	return string(b), version
}

// sumOf hashes what a store has under a key.
func sumOf(t testing.TB, s Store, key string) string {
	t.Helper()
	body, _, err := s.Get(t.Context(), key)
	must(t, err)
	h := sha256.New()
	_, err = io.Copy(h, body)
	must(t, errors.Join(err, body.Close()))
	return hex.EncodeToString(h.Sum(nil))
}

// stores are the implementations, each empty.
func stores(t *testing.T, each func(t *testing.T, open func(t *testing.T, o Options) Store)) {
	t.Run("directory", func(t *testing.T) {
		each(t, func(t *testing.T, o Options) Store {
			s, err := Open(t.Context(), filepath.Join(t.TempDir(), "new", "target"), o)
			must(t, err)
			return s
		})
	})
	t.Run("s3", func(t *testing.T) {
		g := startGateway(t)
		each(t, func(t *testing.T, o Options) Store { return g.open(t, g.endpoint, o) })
	})
}

// part5 is the smallest part that S3 servers take.
const part5 = 5 << 20

// TestBothStoresKeepTheContract runs the sentences over each implementation.
func TestBothStoresKeepTheContract(t *testing.T) {
	stores(t, func(t *testing.T, open func(*testing.T, Options) Store) {
		for sentence, check := range contract {
			t.Run(sentence, func(t *testing.T) { check(t, open(t, Options{})) })
		}
		t.Run("Sent adds up to the bytes of the source, for one request and for parts", func(t *testing.T) {
			var sent atomic.Int64
			s := open(t, Options{Sent: func(n int64) { sent.Add(n) }})
			must(t, s.Put(t.Context(), "a", noise(1, 70_000)))
			must(t, s.Put(t.Context(), "b", noise(2, part5*2+1)))
			if got, want := sent.Load(), int64(70_000+part5*2+1); got != want {
				t.Errorf("%d bytes counted, want %d", got, want)
			}
		})
	})
}

var contract = map[string]func(*testing.T, Store){
	"an empty target has no objects": func(t *testing.T, s Store) {
		if got := keys(t, s, ""); len(got) != 0 {
			t.Errorf("listed %v", got)
		}
		if _, _, err := s.Get(t.Context(), "current.json"); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "current.json") {
			t.Errorf("got %v", err)
		}
	},
	"what was put is read and listed": func(t *testing.T, s Store) {
		for key, src := range map[string]Source{"a/b/c d=é.parquet": text("one"), "a/empty": text(""), "large": noise(3, part5+7)} {
			must(t, s.Put(t.Context(), key, src))
			if got := sumOf(t, s, key); got != src.SHA256 {
				t.Errorf("%s has other content", key)
			}
			for o, err := range s.List(t.Context(), key) {
				if must(t, err); o.Key != key || o.Bytes != src.Bytes || o.Modified.IsZero() {
					t.Errorf("listed %+v", o)
				}
			}
		}
		if got, want := keys(t, s, ""), []string{"a/b/c d=é.parquet", "a/empty", "large"}; !slices.Equal(got, want) {
			t.Errorf("listed %q", got)
		}
	},
	"a listing begins with its prefix, which may end inside a name": func(t *testing.T, s Store) {
		for _, key := range []string{"facts/a/1", "facts/a/2", "facts/ab", "facts-1", "z"} {
			must(t, s.Put(t.Context(), key, text(key)))
		}
		got := map[string][]string{}
		for _, prefix := range []string{"", "facts", "facts/", "facts/a", "facts/a/", "facts/a/2", "none/", "none", "z/", "../", "/"} {
			got[prefix] = keys(t, s, prefix)
		}
		want := map[string][]string{
			"": {"facts-1", "facts/a/1", "facts/a/2", "facts/ab", "z"}, "facts": {"facts-1", "facts/a/1", "facts/a/2", "facts/ab"},
			"facts/": {"facts/a/1", "facts/a/2", "facts/ab"}, "facts/a": {"facts/a/1", "facts/a/2", "facts/ab"}, "facts/a/": {"facts/a/1", "facts/a/2"},
			"facts/a/2": {"facts/a/2"}, "none/": {}, "none": {}, "z/": {}, "../": {}, "/": {},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	},
	"a listing may end early": func(t *testing.T, s Store) {
		must(t, s.Put(t.Context(), "a", text("a")))
		must(t, s.Put(t.Context(), "b", text("b")))
		n := 0
		for range s.List(t.Context(), "") {
			n++
			break
		}
		if n != 1 {
			t.Errorf("%d objects", n)
		}
	},
	"put never replaces, not even by the same content": func(t *testing.T, s Store) {
		for key, first := range map[string]Source{"a": text("first"), "large": noise(4, part5+1)} {
			must(t, s.Put(t.Context(), key, first))
			for _, next := range []Source{first, text("second"), noise(5, part5+9)} {
				if err := s.Put(t.Context(), key, next); !errors.Is(err, ErrExists) || !strings.Contains(err.Error(), key) {
					t.Errorf("put again: %v", err)
				}
			}
			if got := sumOf(t, s, key); got != first.SHA256 {
				t.Errorf("%s was replaced", key)
			}
		}
	},
	"a source that is not what it says leaves nothing": func(t *testing.T, s Store) {
		for name, src := range map[string]Source{
			"other content":            {text("one").File, 3, text("two").SHA256},
			"other content of a part":  {noise(6, part5+1).File, part5 + 1, text("two").SHA256},
			"too short":                {text("one").File, 4, text("one").SHA256},
			"too short by a part":      {text("one").File, part5 + 4, text("one").SHA256},
			"no hash":                  {text("one").File, 3, ""},
			"a hash of other length":   {text("one").File, 3, "abcd"},
			"no file":                  {nil, 3, text("one").SHA256},
			"fewer bytes than nothing": {text("one").File, -1, text("one").SHA256},
		} {
			if err := s.Put(t.Context(), "a", src); err == nil || !strings.Contains(err.Error(), "/a: ") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := keys(t, s, ""); len(got) != 0 {
			t.Errorf("left %v", got)
		}
	},
	"replace writes the first version, and the next one of the version that was read": func(t *testing.T, s Store) {
		must(t, s.Replace(t.Context(), "d/current.json", []byte("1"), ""))
		content, first := read(t, s, "d/current.json")
		must(t, s.Replace(t.Context(), "d/current.json", []byte("2"), first))
		after, second := read(t, s, "d/current.json")
		if content != "1" || after != "2" || first == second || first == "" {
			t.Errorf("read %q of version %q, then %q of %q", content, first, after, second)
		}
		for name, version := range map[string]string{"the earlier version": first, "no version": "", "no version of this store": `"0123"`} {
			if err := s.Replace(t.Context(), "d/current.json", []byte("3"), version); !errors.Is(err, ErrChanged) {
				t.Errorf("%s: %v", name, err)
			}
		}
		must(t, s.Delete(t.Context(), "d/current.json"))
		if err := s.Replace(t.Context(), "d/current.json", []byte("4"), second); !errors.Is(err, ErrChanged) {
			t.Errorf("deleted meanwhile: %v", err)
		}
		if got := keys(t, s, ""); len(got) != 0 {
			t.Errorf("left %v", got)
		}
	},
	"delete removes an object, and one that is not there": func(t *testing.T, s Store) {
		for _, key := range []string{"a/b/1", "a/b/2", "a/c/3"} {
			must(t, s.Put(t.Context(), key, text(key)))
		}
		for range 2 {
			must(t, s.Delete(t.Context(), "a/b/1"))
			must(t, s.Delete(t.Context(), "a/c/3"))
			must(t, s.Delete(t.Context(), "never/was"))
		}
		if got := keys(t, s, ""); !slices.Equal(got, []string{"a/b/2"}) {
			t.Errorf("left %v", got)
		}
		must(t, s.Put(t.Context(), "a/b/1", text("again")))
	},
	"keys that are no path below the target are refused": func(t *testing.T, s Store) {
		for _, key := range []string{"", ".", "..", "../a", "a/../b", "/a", "a/", "a//b", `a\b`, "a\x00", "a\nb", ".fleetlake-write.lock", "a/.fleetlake-x"} {
			_, _, getErr := s.Get(t.Context(), key)
			for op, err := range map[string]error{
				"get": getErr, "put": s.Put(t.Context(), key, text("a")),
				"replace": s.Replace(t.Context(), key, []byte("a"), ""), "delete": s.Delete(t.Context(), key),
			} {
				if err == nil || !strings.Contains(err.Error(), "key ") {
					t.Errorf("%s %q: %v", op, key, err)
				}
			}
		}
		if got := keys(t, s, ""); len(got) != 0 {
			t.Errorf("wrote %v", got)
		}
	},
	"a cancelled context ends everything, and leaves nothing": func(t *testing.T, s Store) {
		must(t, s.Put(t.Context(), "there", text("there")))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _, getErr := s.Get(ctx, "there")
		var listErr error
		for _, err := range s.List(ctx, "") {
			listErr = err
		}
		for op, err := range map[string]error{
			"get": getErr, "list": listErr, "put": s.Put(ctx, "a", text("a")), "put parts": s.Put(ctx, "b", noise(7, part5+1)),
			"replace": s.Replace(ctx, "c", []byte("a"), ""),
		} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", op, err)
			}
		}
		if got := keys(t, s, ""); !slices.Equal(got, []string{"there"}) {
			t.Errorf("left %v", got)
		}
	},
	"deleting what is no object removes nothing": func(t *testing.T, s Store) {
		must(t, s.Put(t.Context(), "a/b", text("b")))
		for _, key := range []string{"a", "a/b/c"} {
			must(t, s.Delete(t.Context(), key))
		}
		if got := keys(t, s, ""); !slices.Equal(got, []string{"a/b"}) {
			t.Errorf("left %v", got)
		}
	},
	"of writers who race to put the same content one wins, and the others learn that it is there": func(t *testing.T, s Store) {
		for key, size := range map[string]int{"small": 100, "large": 2*part5 + 1} {
			src := noise(8, size)
			won := race(t, 4, ErrExists, func(int) error { return s.Put(t.Context(), key, src) })
			// More than one may: a request that the server failed under the race is repeated, and finds its
			// own content (see decide).
			if got := sumOf(t, s, key); len(won) == 0 || got != src.SHA256 {
				t.Errorf("%s: %v won", key, won)
			}
		}
	},
	"of writers who race to put a key exactly one wins": func(t *testing.T, s Store) {
		for key, size := range map[string]int{"small": 100, "large": part5 + 1} {
			sources := []Source{noise(8, size), noise(9, size), noise(10, size), noise(11, size)}
			won := race(t, len(sources), ErrExists, func(i int) error { return s.Put(t.Context(), key, sources[i]) })
			if got := sumOf(t, s, key); len(won) != 1 || got != sources[won[0]].SHA256 {
				t.Errorf("%s: %v won", key, won)
			}
		}
	},
	"of writers who race to replace a version exactly one wins": func(t *testing.T, s Store) {
		must(t, s.Replace(t.Context(), "current.json", []byte("0"), ""))
		_, version := read(t, s, "current.json")
		won := race(t, 6, ErrChanged, func(i int) error {
			return s.Replace(t.Context(), "current.json", bytes.Repeat([]byte{'a' + byte(i)}, 1000), version)
		})
		content, _ := read(t, s, "current.json")
		if len(won) != 1 || content != strings.Repeat(string(rune('a'+won[0])), 1000) {
			t.Errorf("%v won, and it reads %.5q", won, content)
		}
	},
}

// race starts writers at once and returns who succeeded. The others must fail as wanted.
func race(t *testing.T, n int, lost error, write func(i int) error) (won []int) {
	t.Helper()
	var (
		mu    sync.Mutex
		start = make(chan struct{})
		wait  sync.WaitGroup
	)
	for i := range n {
		wait.Go(func() {
			<-start
			err := write(i)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, i)
			} else if !errors.Is(err, lost) {
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	close(start)
	wait.Wait()
	return won
}
