package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/sourcegraph/conc/pool"
)

// BenchmarkPut puts a file of 1 GiB, and 1,000 files of 16 KiB by 8 writers, into a directory and into
// the real S3 server, and prints megabytes and files a second, requests, the growth of memory, and how
// much longer it takes than a plain copy of the same files with a sync of each. Run it by
//
//	go test ./load/store -run '^$' -bench Put -benchtime 1x
func BenchmarkPut(b *testing.B) {
	for name, c := range map[string]struct{ files, bytes int }{"1 file of 1 GiB": {1, 1 << 30}, "1000 files of 16 KiB": {1000, 16 << 10}} {
		dir := b.TempDir()
		sources := make([]Source, c.files)
		for i := range sources {
			sources[i] = fileOf(b, filepath.Join(dir, fmt.Sprint(i)), uint64(i), c.bytes)
		}
		start := time.Now()
		copyAll(b, b.TempDir(), sources)
		plain := time.Since(start)
		b.Run(name+"/directory", func(b *testing.B) {
			for b.Loop() {
				s, err := Open(b.Context(), b.TempDir(), Options{})
				must(b, err)
				putAll(b, s, sources, plain)
			}
		})
		b.Run(name+"/s3", func(b *testing.B) {
			g := startGateway(b)
			for b.Loop() {
				s := g.open(b, g.endpoint, Options{})
				s.whole, s.retries = wholeBytes, defaultRetries(Options{Warn: func(text string) { b.Log(text) }})
				var requests atomic.Int64
				s.client = s3.New(s.client.Options(), func(o *s3.Options) { o.HTTPClient = &countingClient{o.HTTPClient, &requests} })
				putAll(b, s, sources, plain)
				b.ReportMetric(float64(requests.Load()), "requests")
			}
		})
	}
}

// countingClient counts requests.
type countingClient struct {
	s3.HTTPClient
	requests *atomic.Int64
}

func (c *countingClient) Do(r *http.Request) (*http.Response, error) {
	c.requests.Add(1)
	return c.HTTPClient.Do(r)
}

// fileOf writes a file of noise and returns its source.
func fileOf(b *testing.B, path string, seed uint64, bytes int) Source {
	b.Helper()
	block := noise(seed, min(bytes, 1<<20))
	sum := sha256.New()
	f, err := os.Create(path)
	must(b, err)
	b.Cleanup(func() { _ = f.Close() })
	for range bytes / int(block.Bytes) {
		_, err := io.Copy(io.MultiWriter(f, sum), io.NewSectionReader(block.File, 0, block.Bytes))
		must(b, err)
	}
	return Source{f, int64(bytes), hexSum(sum)}
}

// copyAll is a plain copy by 8 writers.
func copyAll(b *testing.B, dir string, sources []Source) {
	p := pool.New().WithMaxGoroutines(8)
	for i, src := range sources {
		p.Go(func() {
			f, err := os.Create(filepath.Join(dir, fmt.Sprint(i)))
			must(b, err)
			_, err = io.Copy(f, io.NewSectionReader(src.File, 0, src.Bytes))
			must(b, errors.Join(err, f.Sync(), f.Close()))
		})
	}
	p.Wait()
}

// putAll puts the sources by 8 writers and reports what it took.
func putAll(b *testing.B, s Store, sources []Source, plain time.Duration) {
	b.Helper()
	runtime.GC()
	stop, most := make(chan struct{}), make(chan uint64)
	go func() {
		var highest uint64
		var m runtime.MemStats
		for tick := time.NewTicker(10 * time.Millisecond); ; {
			select {
			case <-tick.C:
				runtime.ReadMemStats(&m)
				highest = max(highest, m.HeapInuse+m.StackInuse)
			case <-stop:
				most <- highest
				return
			}
		}
	}()
	start := time.Now()
	p := pool.New().WithMaxGoroutines(8)
	var bytes int64
	for i, src := range sources {
		bytes += src.Bytes
		p.Go(func() { must(b, s.Put(b.Context(), fmt.Sprintf("facts/%d", i), src)) })
	}
	p.Wait()
	took := time.Since(start)
	close(stop)
	b.ReportMetric(float64(bytes)/1e6/took.Seconds(), "MB/s")
	b.ReportMetric(float64(len(sources))/took.Seconds(), "files/s")
	b.ReportMetric(float64(<-most)/1e6, "MB-memory")
	b.ReportMetric(took.Seconds()/plain.Seconds(), "x-copy")
}
