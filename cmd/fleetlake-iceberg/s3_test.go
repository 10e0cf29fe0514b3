package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// gateway serves the directory of an export as the bucket of a real S3 server, and returns the address. Without
// the program the test skips, and says so.
func (e *export) gateway() string {
	e.t.Helper()
	program, err := exec.LookPath("versitygw")
	if err != nil {
		e.t.Skip("SKIPPED, S3 IS NOT TESTED: versitygw is not on PATH: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		e.t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	server := exec.Command(program, "--port", address, "--quiet", "posix", filepath.Dir(e.dir))
	server.Env = append(os.Environ(), "ROOT_ACCESS_KEY=access-key", "ROOT_SECRET_KEY=secret-key-of-the-test")
	if err := server.Start(); err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	for range 400 {
		if answer, err := http.Get("http://" + address); err == nil {
			answer.Body.Close()
			return "http://" + address
		}
		time.Sleep(25 * time.Millisecond) // another process starts to listen, which nothing announces
	}
	e.t.Fatal("versitygw does not answer")
	return ""
}

func TestABucketIsATarget(t *testing.T) {
	e := newExport(t)
	t.Setenv("FLEETLAKE_EXPORT_ACCESS_KEY", "access-key")
	t.Setenv("FLEETLAKE_EXPORT_SECRET_KEY", "secret-key-of-the-test")
	target := "s3://" + filepath.Base(e.dir)
	catalogFile := filepath.Join(t.TempDir(), "catalog.db")
	flags := []string{target, "--endpoint", e.gateway(), "--path-style", "--catalog-file", catalogFile}
	var said strings.Builder
	do := func(verb string, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(context.Background(), append(append([]string{verb}, flags...), args...), &out, &errs); code != 0 {
			t.Fatalf("%s: exit %d: %s", verb, code, &errs)
		}
		said.WriteString(out.String())
		return out.String()
	}
	one := e.night("run-1", "2026-11-19", 1, 2)
	e.night("run-2", "2026-11-20", 3)
	e.history("run-2", "PA")
	e.publish()
	do("register")
	e.unlist(one)
	e.night("run-1", "2026-11-19", 1, 2, 7)
	e.publish()
	do("register")
	do("compact", "--min-files", "2")
	do("expire", "--older-than", "0s", "--grace", "0s")
	if out := do("register"); !strings.Contains(out, "changed: 0 of 2") {
		t.Errorf("register after the expiry: %s", out)
	}
	var status statusReport
	if err := json.Unmarshal([]byte(do("status", "--json")), &status); err != nil {
		t.Fatal(err)
	}
	facts := status.Tables[0]
	if facts.Rows != 4 || facts.Files != 1 || facts.Compacted != 1 || facts.Snapshots != 1 || !strings.HasPrefix(facts.Metadata, target+"/_iceberg/facts/listings/metadata/") {
		t.Errorf("status %+v", facts)
	}
	if _, err := os.Stat(filepath.Join(e.dir, one.Path)); err != nil {
		t.Errorf("a file of the plain lake is gone: %v", err)
	}
	if pinned := e.pinned(); len(pinned) != 3 {
		t.Errorf("pinned %v, want the three files that current.json lists", pinned)
	}
	catalog, err := os.ReadFile(catalogFile)
	if err != nil {
		t.Fatal(err)
	}
	said.Write(catalog)
	for _, content := range e.files() {
		said.WriteString(content)
	}
	if strings.Contains(said.String(), "secret-key-of-the-test") {
		t.Error("a secret stands in the output, the catalog or a file")
	}
}

func TestABucketNeedsKeysAndACatalog(t *testing.T) {
	for want, args := range map[string][]string{
		"FLEETLAKE_EXPORT_ACCESS_KEY": {"register", "s3://lake"},
		"names no bucket":             {"register", "s3://"},
		"name one TARGET":             {"register"},
		"there is no verb":            {"registre", "s3://lake"},
		"write days as in 7d":         {"expire", "s3://lake", "--older-than", "soon"},
	} {
		var out, errs bytes.Buffer
		if code := run(context.Background(), args, &out, &errs); code == 0 || !strings.Contains(errs.String(), want) {
			t.Errorf("%v: exit %d: %s", args, code, &errs)
		}
	}
}
