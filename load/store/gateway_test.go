package store

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const (
	testAccess = "fleetlake-test"
	testSecret = "wJalrXUtnFEMIbPxRfiCYEXAMPLEKEY"
	testBucket = "lake"
)

// gateway is a real S3 server over a directory, which is the bucket.
type gateway struct {
	endpoint string
	dir      string
	prefixes int // so that each test has its own
}

// startGateway starts versitygw on a free port of the loopback, with its objects in a directory of
// the test, or skips the test and says why.
func startGateway(t testing.TB) *gateway {
	t.Helper()
	return startGatewayIn(t, t.TempDir())
}

func startGatewayIn(t testing.TB, dir string) *gateway {
	t.Helper()
	program, err := exec.LookPath("versitygw")
	if err != nil {
		t.Skip("SKIPPED, S3 IS NOT TESTED: versitygw is not on PATH: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0")
	}
	must(t, os.MkdirAll(filepath.Join(dir, testBucket), 0o755))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := l.Addr().String()
	must(t, l.Close())

	var log bytes.Buffer
	ctx, cancel := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, program, "--port", address, "--quiet", "posix", dir)
	server.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+testAccess, "ROOT_SECRET_KEY="+testSecret)
	server.Stdout, server.Stderr = &log, &log
	must(t, server.Start())
	t.Cleanup(func() {
		cancel()
		_ = server.Wait() // killed
	})
	g := &gateway{endpoint: "http://" + address, dir: filepath.Join(dir, testBucket)}
	for range 200 {
		if answer, err := http.Get(g.endpoint); err == nil {
			_ = answer.Body.Close()
			return g
		}
		time.Sleep(20 * time.Millisecond) // another process starts: nothing to wait for but its port
	}
	t.Fatalf("versitygw does not answer:\n%s", &log)
	return nil
}

// options are those of a client of the gateway.
func (g *gateway) options(endpoint string) Options {
	return Options{Endpoint: endpoint, PathStyle: true, AccessKey: testAccess, SecretKey: testSecret}
}

// open opens a prefix of its own, by way of an endpoint: the gateway or a proxy before it. Parts are
// of the smallest size, and delays short.
func (g *gateway) open(t testing.TB, endpoint string, o Options) *bucket {
	t.Helper()
	g.prefixes++
	return g.openPrefix(t, endpoint, fmt.Sprintf("fleet/%d", g.prefixes), o)
}

func (g *gateway) openPrefix(t testing.TB, endpoint, prefix string, o Options) *bucket {
	t.Helper()
	want := g.options(endpoint)
	want.Bandwidth, want.Sent, want.Warn = o.Bandwidth, o.Sent, o.Warn
	s, err := Open(t.Context(), "s3://"+testBucket+"/"+prefix, want)
	must(t, err)
	b := s.(*bucket)
	b.whole = part5
	b.retries.first, b.retries.most, b.retries.patience = time.Millisecond, 20*time.Millisecond, 2*time.Second
	return b
}
