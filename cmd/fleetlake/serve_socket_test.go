package main

import (
	"context"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
)

// getOn asks a page on a Unix socket.
func getOn(t *testing.T, socket, path, header, value string) (int, string) {
	t.Helper()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}
	q, err := http.NewRequestWithContext(t.Context(), "GET", "http://localhost"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set(header, value)
	transport := &http.Transport{DialContext: dial, DisableKeepAlives: true}
	answer, err := (&http.Client{Transport: transport, Timeout: 30 * time.Second}).Do(q)
	if err != nil {
		t.Fatal(err)
	}
	return contentOf(t, answer)
}

// TestServeOnSockets: page and Flight SQL on Unix sockets, which replace those of a killed process. Whoever may open them
// needs no token to read; whom a proxy asks for does. A restarted network process serves them, and they go with serve.
func TestServeOnSockets(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("/tmp", "fleetlake-sockets-") // a path that is short enough
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	page, sql := filepath.Join(dir, "page.sock"), filepath.Join(dir, "sql.sock")
	for _, path := range []string{page, sql} {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		l.Close()
	}
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.has("    list: {by: none}\n    sweep: {statuses: []}\n    lookup: {want: []}\n", time.Now().UTC().Format(time.DateOnly))
	w.write("token", "planted-token-of-the-page\n")
	w.configure(1_000_000, smallJob+"\n    schedule: '0 0 1 1 *'\n    missed: skip\n"+
		"serve: {listen: 'unix:"+page+"', token_file: token}\nflight: {listen: 'unix:"+sql+"'}\n")
	d := w.serve()
	if address := d.page(); address != "unix:"+page {
		t.Errorf("the log says %s", address)
	}
	check := func() {
		t.Helper()
		for _, path := range []string{"/", "/healthz", "/list/vessels?format=csv"} {
			if status, text := getOn(t, page, path, "Accept", "*/*"); status != http.StatusOK {
				t.Errorf("%s: status %d: %s", path, status, text)
			}
		}
		if status, _ := getOn(t, page, "/", "X-Forwarded-For", "10.0.0.1"); status != http.StatusUnauthorized {
			t.Errorf("for somebody behind a proxy: status %d", status)
		}
		if got, err := asked(t, "unix://"+sql, "", "SELECT 42"); err != nil || got != "42" {
			t.Errorf("Flight SQL: %s, %v", got, err)
		}
	}
	check()
	if err := syscall.Kill(d.networkProcess(0), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	check()
	for _, path := range []string{page, sql} {
		if info, err := os.Stat(path); err != nil || info.Mode() != fs.ModeSocket|0o660 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	if code, _ := d.ends(); code != exitDone {
		t.Errorf("exit code %d: %s", code, d.said())
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v stay, %v", left, err)
	}
}

// TestDoctorLooksAtSockets before `serve` is started.
func TestDoctorLooksAtSockets(t *testing.T) {
	w := newWorld(t, simulator.Config{Vessels: 1})
	for address, want := range map[string]string{
		"unix:/tmp":                    "FAIL  page             /tmp is there already and no socket",
		"unix:/tmp/none-at-all/p.sock": "FAIL  page             make the socket /tmp/none-at-all/p.sock: its directory does not exist",
		"unix:/tmp/none-at-all.sock":   "ok    page             unix:/tmp/none-at-all.sock",
	} {
		w.configure(1_000_000, smallJob+"\nserve: {listen: '"+address+"'}\n")
		if out := w.fleetlake("doctor"); !strings.Contains(out.stdout, want) {
			t.Errorf("%s: expected %s in\n%s", address, want, out.stdout)
		}
	}
}
