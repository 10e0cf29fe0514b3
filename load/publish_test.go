package load

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse"
)

var _ Source = (*transform.Batch)(nil)

// TestMain lets the test binary be the other process that reads while we publish.
func TestMain(m *testing.M) {
	if path := os.Getenv("FLEETLAKE_TEST_READ"); path != "" {
		if err := readUntilInputEnds(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if flag.Parse(); testing.Short() {
		fmt.Println("left out: the tests of this package publish nights, which takes longer than -short allows")
		return
	}
	var err error
	if sharedDirs, err = os.MkdirTemp("", "fleetlake-load-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(sharedDirs)
	os.Exit(code)
}

// readUntilInputEnds queries the published file in a loop until its input ends. Every vessel's
// name must be that of the same night.
func readUntilInputEnds(path string) error {
	ended := make(chan struct{})
	go func() { io.Copy(io.Discard, os.Stdin); close(ended) }()
	for reads := 0; ; reads++ {
		select {
		case <-ended:
			fmt.Println(reads)
			return nil
		default:
		}
		if err := readOnce(path); err != nil {
			return fmt.Errorf("read %d: %w", reads, err)
		}
		if reads == 0 {
			fmt.Println("reading")
		}
	}
}

func readOnce(path string) error {
	w, err := warehouse.Open(context.Background(), path, warehouse.Options{})
	if err != nil {
		return err
	}
	defer w.Close()
	rows, err := w.Query(context.Background(), "SELECT count(*), min(name), max(name), (SELECT 'NIGHT ' || strftime(max(snapshot_date), '%d') FROM runs) FROM vessels")
	if err != nil {
		return err
	}
	defer rows.Close()
	for v, err := range rows.All() {
		if err != nil {
			return err
		}
		if v[0] != int64(50) || v[1] != v[3] || v[2] != v[3] {
			return fmt.Errorf("half a night: %v", v)
		}
	}
	return nil
}

// fifty is a night in which fifty vessels have its name.
func fifty(date string) run {
	var rows []row
	for i := range 50 {
		rows = append(rows, row{"imo": 9000000 + i, "name": "NIGHT " + date})
	}
	return night(date, listings(rows...))
}

func TestPublishWhileAnotherProcessReads(t *testing.T) {
	dir := t.TempDir()
	publish(t, dir, fifty("01"))
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	reader := exec.Command(exe)
	reader.Env = append(os.Environ(), "FLEETLAKE_TEST_READ="+warehouse.Path(dir))
	var failure strings.Builder
	reader.Stderr = &failure
	in, err := reader.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := reader.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan() // it has read once
	for date := 2; date <= 4; date++ {
		publish(t, dir, fifty(fmt.Sprintf("%02d", date)))
	}
	in.Close()
	lines.Scan()
	reads := lines.Text()
	if err := reader.Wait(); err != nil {
		t.Fatalf("%v: %s", err, failure.String())
	}
	t.Logf("%s reads during 3 publishes", reads)
}

// state is every table except what depends on the run: the run of each row, and the ledger.
func state(t *testing.T, dir string) string {
	t.Helper()
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var b strings.Builder
	for _, sql := range []string{
		"SELECT * EXCLUDE (run_id, entry) FROM registration ORDER BY ALL",
		"SELECT * EXCLUDE (run_id, entry) FROM particulars ORDER BY ALL",
		"SELECT * EXCLUDE (run_id, entry) FROM positions ORDER BY ALL",
		"SELECT * EXCLUDE (run_id) FROM listed ORDER BY ALL",
		"SELECT * EXCLUDE (run_id, entry) FROM episodes ORDER BY ALL",
		"SELECT * FROM internal.latest ORDER BY ALL",
		"SELECT * EXCLUDE (run_id) FROM vessel_aliases ORDER BY ALL",
		"SELECT * EXCLUDE (run_id, entry) FROM identity_conflicts ORDER BY ALL",
		"SELECT * EXCLUDE (run_id) FROM second_mmsi_claims ORDER BY ALL",
		"SELECT * EXCLUDE (run_id) FROM vessels ORDER BY ALL",
	} {
		fmt.Fprintf(&b, "%s\n%s\n", sql, ask(t.Context(), t, w, sql))
	}
	return b.String()
}

// fourNights are nights with rows of every kind, which do not depend on the run that has them.
func fourNights() []run {
	liberia := with(ever, row{"mmsi": "636016000", "flag": "LR", "country": "Liberia"})
	late := row{"mmsi": "244660000", "name": "WATERLAND", "country": "Netherlands", "flag": "NL"}
	at := row{"imo": 9811000, "mmsi": "353136000", "position_at": "20 01:00", "latitude": 30.0, "longitude": 32.5, "navigational_status": "moored"}
	moored := row{"mmsi": "353136000", "navigational_status": "moored", "world_zone": "red-sea"}
	return []run{
		night("20", listings(ever, late, with(ever, row{"imo": 9400000, "mmsi": "353000001"})), particulars(with(ever, row{"length_m": 399.9})), positions(at), sightings(moored), swept("moored/red-sea")),
		night("21", listings(with(ever, row{"name": "EVER FREE", "seen_at": "21 02:10"}), with(late, row{"imo": 9500000, "seen_at": "21 02:20"}), with(late, row{"seen_at": "21 02:05"})), sightings(moored)),
		night("22", listings(ever, liberia, with(ever, row{"imo": 9500000})), particulars(with(ever, row{"length_m": 400.0, "seen_at": "22 02:30"})), covered("country")),
		night("23", listings(liberia), positions(with(at, row{"position_at": "23 01:00"})), sightings(with(moored, row{"navigational_status": "drifting", "world_zone": nil})), covered("type")),
	}
}

// split divides a run into runs of the same night, a row here and a row there.
func split(r run, n int) []run {
	parts := make([]run, n)
	for i := range parts {
		parts[i] = run{id: fmt.Sprintf("%s-part%d", r.runID(), i), date: r.date, rows: map[string][]row{}}
	}
	for table, rows := range r.rows {
		for i, row := range rows {
			p := &parts[(i+len(table))%n]
			p.rows[table] = append(p.rows[table], row)
		}
	}
	return parts
}

func TestANightIsTheSameInAnyNumberOfRuns(t *testing.T) {
	want := state(t, fourNightsAtOnce(t))
	ways := map[string]func(dir string){
		"each night in two runs, published one by one": func(dir string) {
			for _, r := range fourNights() {
				publish(t, dir, split(r, 2)...)
			}
		},
		"a night in six runs, more than versions are kept": func(dir string) {
			all := fourNights()
			publishAtOnce(t, dir, all[:2]...)
			publish(t, dir, split(all[2], warehouse.Versions+1)...)
			publish(t, dir, all[3])
		},
		"the nights backwards": func(dir string) {
			all := fourNights()
			slices.Reverse(all)
			publish(t, dir, all...)
		},
		"every run twice": func(dir string) {
			publishAtOnce(t, dir, fourNights()...)
			publish(t, dir, fourNights()...)
		},
		"without the versions": func(dir string) {
			all := fourNights()
			publishAtOnce(t, dir, all[:3]...)
			if err := os.RemoveAll(filepath.Join(dir, "warehouse", "versions")); err != nil {
				t.Fatal(err)
			}
			publish(t, dir, all[3])
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			way(dir)
			if got := state(t, dir); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			fleets, err := filepath.Glob(filepath.Join(lake(dir), vessels, "*", "*.parquet"))
			if err != nil || len(fleets) != len(fourNights()) {
				t.Errorf("%d fleets in the lake, want one a night: %v", len(fleets), err)
			}
		})
	}
}

func TestPublishNeedsTheLake(t *testing.T) {
	dir := oneNight(t)
	if err := os.RemoveAll(lake(dir)); err != nil {
		t.Fatal(err)
	}
	r := split(night("20", listings(nameless)), 1)[0]
	m := write(t, dir, r)
	if err := Publish(t.Context(), dir, Options{}, m); !errors.Is(err, ErrLake) {
		t.Errorf("got %v, want %v", err, ErrLake)
	}
}

func TestPublishRefusesADamagedLakeFile(t *testing.T) {
	dir := oneNight(t)
	r := night("21", listings(nameless))
	m := write(t, dir, r)
	path := filepath.Join(lake(dir), m.Files[0].Path)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b[:len(b)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Publish(t.Context(), dir, Options{}, m); err == nil {
		t.Error("no error")
	}
	if got := query(t, dir, "SELECT count(*) FROM runs"); got != "1" {
		t.Errorf("%s runs are published, want 1", got)
	}
}

// TestABaseLacksNoNight publishes the nights in such an order that, of the files without rows of the
// last night, the latest lacks the first.
func TestABaseLacksNoNight(t *testing.T) {
	t.Parallel()
	dir, all := t.TempDir(), fourNights()
	last := split(all[3], 2)
	publish(t, dir, all[2], last[0], all[0], all[1], last[1])
	if got, want := state(t, dir), state(t, fourNightsAtOnce(t)); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
