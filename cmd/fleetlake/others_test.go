package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/extract/simulator"
)

// TestADirectoryThatOthersMayWriteIsSaid, and no other one.
func TestADirectoryThatOthersMayWriteIsSaid(t *testing.T) {
	for mode, want := range map[os.FileMode]string{
		0o700: "", 0o755: "", 0o750: "", 0o770: "its group (mode 0770)", 0o775: "its group (mode 0775)", 0o777: "everybody (mode 0777)",
		0o757: "everybody (mode 0757)", 0o777 | os.ModeSticky: "", 0o775 | os.ModeSticky: "",
	} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		got := othersMayWrite(dir)
		if (got == "") != (want == "") || !strings.Contains(got, want) || got != "" && !strings.HasSuffix(got, "chmod go-w "+dir) {
			t.Errorf("%v: %q, want %q", mode, got, want)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(file, "none"), "s3://bucket/x"} {
		if got := othersMayWrite(path); got != "" {
			t.Errorf("%s: %q", path, got)
		}
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if all := openToOthers(config.Config{DataDir: dir, Export: config.Export{Target: dir}}); len(all) != 2 {
		t.Errorf("the data directory and the target of the export: %q", all)
	}
}

// TestEveryVerbSaysWhereOthersMayWrite: doctor, run, export and query with a file.
func TestEveryVerbSaysWhereOthersMayWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 100})
	w.configure(100_000, "    list: {by: country, countries: [Malta]}\n    sweep: {statuses: []}\n    lookup: {want: []}\n")
	if o := w.must(exitDone, "run", "nightly", "--date", "2026-11-20"); strings.Contains(o.stderr, "chmod go-w") {
		t.Errorf("without such a directory: %s", o.stderr)
	}
	open, lake, data := t.TempDir(), t.TempDir(), "fleetlake-data"
	for _, dir := range []string{filepath.Join(w.dir, data), open, lake} {
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, args := range map[string][]string{
		"doctor": {"doctor"}, "run": {"run", "nightly", "--date", "2026-11-21"}, "query": {"query", "--out", filepath.Join(open, "x.csv"), "SELECT 1"}, "export": {"export", lake},
	} {
		o := w.must(exitDone, args...)
		dir := map[string]string{"query": open, "export": lake, "doctor": data, "run": data}[name]
		if said := o.stdout + o.stderr; !strings.Contains(said, dir+" may be written by everybody (mode 0777)") || !strings.Contains(said, "chmod go-w "+dir) {
			t.Errorf("%s: %s", name, said)
		}
	}
	if o := w.must(exitDone, "doctor"); !strings.Contains(o.stdout, "WARN  permissions") {
		t.Errorf("doctor: %s", o.stdout)
	}
}
