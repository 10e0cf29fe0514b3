package crash

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/load/store"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
)

// TestUploadsAreKilled kills exports to a real S3 server before and after each of some requests, and repeats
// them: the second export lists what an undisturbed one does, uploads nothing twice but what was in flight, and
// leaves nothing else. With FLEETLAKE_LONG it kills at all requests.
func TestUploadsAreKilled(t *testing.T) {
	t.Parallel()
	s := byName("first night")
	s.prepare(t)
	w := newWorld(t, crashFleet)
	if err := pipelinetest.CopyTree(w.dir, s.after()); err != nil {
		t.Fatal(err)
	}
	w.configure(1_000_000, crashJob)
	bucket, ok := w.bucketTarget()
	if !ok {
		t.Skip("versitygw is not on PATH: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0")
	}
	export := append([]string{"export", "--warehouse"}, bucket.args...)
	w.must(exitDone, export...)
	want, requests := objects(t, bucket.store), bucket.gate.requests
	empty(t, bucket.store)
	at, most := []int{}, 2
	for i := range requests {
		at = append(at, i+1)
	}
	if os.Getenv("FLEETLAKE_LONG") != "" {
		most = requests
	}
	for _, n := range spread(at, most) {
		for _, sent := range []bool{false, true} {
			words := map[bool]string{false: "before", true: "after"}[sent]
			t.Run(fmt.Sprintf("killed %s request %d of %d", words, n, requests), func(t *testing.T) {
				same := *w
				same.t = t
				same.killUpload(bucket, export, n, sent, want)
			})
		}
	}
}

// killUpload kills an export at a request, repeats it, and empties the bucket.
func (w *world) killUpload(bucket exportTarget, export []string, n int, sent bool, want []string) {
	p := w.prepare(export...)
	before := bucket.puts()
	g := bucket.gate
	g.mu.Lock()
	g.at, g.sent, g.kill = g.requests+n, sent, func() { p.cmd.Process.Kill() }
	g.mu.Unlock()
	if err := p.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	late := time.AfterFunc(endsWithin, func() { p.cmd.Process.Kill() })
	o, err := p.wait()
	if !late.Stop() || err != nil || o.code != exitKilled && o.code != exitDone {
		w.t.Errorf("%v, exit code %d: %s", err, o.code, o.stderr)
	}
	g.mu.Lock()
	g.at = 0
	g.mu.Unlock()
	again := w.must(exitDone, export...)
	if got := objects(w.t, bucket.store); !slices.Equal(got, want) {
		w.t.Errorf("objects that an undisturbed export does not leave: %q; that are missing: %q", notIn(got, want), notIn(want, got))
	}
	w.must(exitDone, append([]string{"export", "verify", "--hash"}, bucket.args...)...)
	twice := 0
	for key, n := range bucket.puts() {
		if n-before[key] > 1 {
			twice++
		}
	}
	if twice > inFlight {
		w.t.Errorf("%d objects were uploaded twice, and %d can be in flight\n%s", twice, inFlight, again.stdout)
	}
	empty(w.t, bucket.store)
}

// objects returns the names of the objects of a store, without what is different in each export.
func objects(t testing.TB, s store.Store) (names []string) {
	t.Helper()
	for o, err := range s.List(context.Background(), "") {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, hashNames.ReplaceAllString(runNames.ReplaceAllString(o.Key, "RUN"), "HASH"))
	}
	slices.Sort(names)
	return names
}

// empty removes all objects of a store.
func empty(t testing.TB, s store.Store) {
	t.Helper()
	for o, err := range s.List(context.Background(), "") {
		if err == nil {
			err = s.Delete(context.Background(), o.Key)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
