package page

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
)

// nightOf is the date of the n-th night that the test publishes, from 1.
func nightOf(n int) string {
	return time.Date(2026, 11, 19+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// versionIn finds in a page the number of nights that its version has, and returns an error if two parts of the
// page are of different versions. Each version has one more run, on the night after.
var versionIn = map[string]func(body string) (int, error){
	"/list/runs": func(body string) (int, error) {
		total := regexp.MustCompile(`1 to \d+ of (\d+)</b>`).FindStringSubmatch(body)
		newest := regexp.MustCompile(`<bdi>(20\d\d-\d\d-\d\d)</bdi>`).FindStringSubmatch(body)
		if total == nil || newest == nil {
			return 0, fmt.Errorf("no rows: %.300s", body)
		}
		n, _ := strconv.Atoi(total[1])
		if newest[1] != nightOf(n) {
			return n, fmt.Errorf("%d rows, the newest of %s", n, newest[1])
		}
		return n, nil
	},
	"/changes.atom": func(body string) (int, error) {
		var f atomFeed
		if err := xml.Unmarshal([]byte(body), &f); err != nil || len(f.Entries) == 0 {
			return 0, fmt.Errorf("no entries: %v", err)
		}
		n := 0
		for nightOf(n+1) <= f.Entries[0].Title[:10] {
			n++
		}
		for i, e := range f.Entries {
			if e.Title[:10] != nightOf(n-i) || f.Updated != f.Entries[0].Updated {
				return n, fmt.Errorf("%s after %d entries of %s", e.Title, i, f.Entries[0].Title)
			}
		}
		if len(f.Entries) != min(n, feedNights) {
			return n, fmt.Errorf("%d entries on night %d", len(f.Entries), n)
		}
		return n, nil
	},
}

// TestPagesWhileNightsArePublished has readers that ask again and again while nights are published: none gets an
// error, each answer is of one version, and of none that was replaced before it was asked for. FLEETLAKE_LONG
// has 20 readers and 200 nights, or as many as it says.
func TestPagesWhileNightsArePublished(t *testing.T) {
	readers, nights := 4, 3
	if long := os.Getenv("FLEETLAKE_LONG"); long != "" {
		readers, nights = 20, 200
		if n, err := strconv.Atoi(long); err == nil && n > 1 {
			nights = n
		}
	}
	dir, _ := pipelinetest.Night(t)
	h, err := New(Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() { h.Prepare(ctx) })
	server := httptest.NewServer(h)
	defer server.Close()
	var published, answers atomic.Int64
	published.Store(1)
	read := func(path string) bool {
		least := int(published.Load())
		r, err := http.Get(server.URL + path)
		if err != nil {
			t.Error(err)
			return false
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != http.StatusOK {
			t.Errorf("%s: %d, %v\n%.300s", path, r.StatusCode, err, body)
			return false
		}
		answers.Add(1)
		version := versionIn[path]
		if version == nil {
			return true
		}
		most := int(published.Load()) + 1 // a night that is being published
		if n, err := version(string(body)); err != nil || n < least || n > most {
			t.Errorf("%s: night %d, want %d to %d: %v", path, n, least, most, err)
			return false
		}
		return true
	}
	for range readers {
		group.Go(func() {
			for ctx.Err() == nil {
				for _, path := range []string{"/list/runs", "/changes.atom", "/", "/search?q=QUEEN", "/dictionary", "/list/vessels"} {
					if !read(path) {
						return
					}
				}
			}
		})
	}
	for i := range nights {
		pipelinetest.Publish(t, dir, 21+i)
		published.Add(1)
	}
	last := answers.Load() + int64(6*readers)
	for !t.Failed() && answers.Load() < last {
		time.Sleep(10 * time.Millisecond) // until each has seen the end; others count
	}
	cancel()
	group.Wait()
	t.Logf("%d answers to %d readers beside %d nights", answers.Load(), readers, nights)
}
