package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/load/store"
	"github.com/fleetlake/fleetlake/warehouse"
)

// watched is a store that keeps count of what it is asked, and can fail.
type watched struct {
	store.Store
	mu     sync.Mutex
	puts   map[string]int
	before func(operation, key string) error // may be nil
}

func (w *watched) Put(ctx context.Context, key string, src store.Source) error {
	if w.before != nil {
		if err := w.before("put", key); err != nil {
			return err
		}
	}
	err := w.Store.Put(ctx, key, src)
	if err == nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.puts[key]++
	}
	return err
}

func (w *watched) Replace(ctx context.Context, key string, content []byte, version string) error {
	if w.before != nil {
		if err := w.before("replace", key); err != nil {
			return err
		}
	}
	return w.Store.Replace(ctx, key, content, version)
}

func (w *watched) Delete(ctx context.Context, key string) error {
	if w.before != nil {
		if err := w.before("delete", key); err != nil {
			return err
		}
	}
	return w.Store.Delete(ctx, key)
}

// targets open an empty store of each kind.
func targets(t *testing.T) map[string]func(t *testing.T) *watched {
	return map[string]func(t *testing.T) *watched{
		"a directory": directoryStore,
		"S3":          func(t *testing.T) *watched { return watch(t, "s3://lake/fleet", startGateway(t)) },
	}
}

func directoryStore(t *testing.T) *watched {
	t.Helper()
	return watch(t, filepath.Join(t.TempDir(), "out"), store.Options{})
}

func watch(t testing.TB, target string, o store.Options) *watched {
	t.Helper()
	s, err := store.Open(t.Context(), target, o)
	if err != nil {
		t.Fatal(err)
	}
	return &watched{Store: s, puts: map[string]int{}}
}

// startGateway starts an S3 server over a directory of the test, with an empty bucket.
func startGateway(t testing.TB) store.Options {
	t.Helper()
	program, err := exec.LookPath("versitygw")
	if err != nil {
		t.Skip("SKIPPED, S3 IS NOT TESTED: versitygw is not on PATH: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0")
	}
	dir := t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err := errors.Join(err, os.MkdirAll(filepath.Join(dir, "lake"), 0o755)); err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, program, "--port", address, "--quiet", "posix", dir)
	server.Env = append(os.Environ(), "ROOT_ACCESS_KEY=test", "ROOT_SECRET_KEY=not-a-secret")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = server.Wait() // killed
	})
	for range 200 {
		if answer, err := http.Get("http://" + address); err == nil {
			_ = answer.Body.Close()
			return store.Options{Endpoint: "http://" + address, PathStyle: true, AccessKey: "test", SecretKey: "not-a-secret"}
		}
		time.Sleep(20 * time.Millisecond) // another process starts: nothing to wait for but its port
	}
	t.Fatal("versitygw does not answer")
	return store.Options{}
}

// export exports and fails the test if that fails.
func export(t testing.TB, dir string, s store.Store, o Options) Report {
	t.Helper()
	r, err := Run(t.Context(), dir, s, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// current reads current.json.
func current(t testing.TB, s store.Store) Manifest {
	t.Helper()
	m, version, err := readCurrent(t.Context(), s)
	if err != nil || version == "" {
		t.Fatalf("current.json: version %q, %v", version, err)
	}
	return m
}

// keys lists a store.
func keys(t testing.TB, s store.Store, prefix string) (all []string) {
	t.Helper()
	for o, err := range s.List(t.Context(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o.Key)
	}
	slices.Sort(all)
	return all
}

// content reads an object.
func content(t testing.TB, s store.Store, key string) []byte {
	t.Helper()
	body, _, err := s.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	b, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// put writes an object of somebody else.
func put(t testing.TB, s store.Store, key, text string) {
	t.Helper()
	if err := s.Put(t.Context(), key, store.Source{File: strings.NewReader(text), Bytes: int64(len(text)), SHA256: sum([]byte(text))}); err != nil {
		t.Fatal(err)
	}
}

// whole checks that each file of a manifest is in the store and has its content, and returns the
// paths of copies on disk by table.
func whole(t testing.TB, s store.Store, m Manifest) map[string][]string {
	t.Helper()
	dir, byTable := t.TempDir(), map[string][]string{}
	for i, f := range m.Files {
		b := content(t, s, f.Path)
		if int64(len(b)) != f.Bytes || sum(b) != f.SHA256 {
			t.Errorf("%s has %d bytes and the SHA-256 %s, current.json has %d and %s", f.Path, len(b), sum(b), f.Bytes, f.SHA256)
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.parquet", i))
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		byTable[f.Table] = append(byTable[f.Table], path)
	}
	for _, d := range m.Documents {
		if b := content(t, s, d.Path); sum(b) != d.SHA256 {
			t.Errorf("%s is not as current.json has it", d.Path)
		}
	}
	if w := m.Warehouse; w != nil {
		if b := content(t, s, w.Path); sum(b) != w.SHA256 {
			t.Errorf("%s is not as current.json has it", w.Path)
		}
	}
	return byTable
}

// reader opens the published warehouse of a data directory for queries.
func reader(t testing.TB, dir string) *warehouse.Warehouse {
	t.Helper()
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// answer returns the answer of a query as JSON.
func answer(t testing.TB, w *warehouse.Warehouse, sql string) string {
	t.Helper()
	rows, err := w.Query(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	var b strings.Builder
	for values, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(values)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// equalRows compares the files of an export with the lake and the warehouse: rows and a checksum over
// all columns, table by table.
func equalRows(t testing.TB, dir string, s store.Store) {
	t.Helper()
	m := current(t, s)
	byTable := whole(t, s, m)
	w := reader(t, dir)
	for _, name := range slices.Sorted(maps.Keys(m.Tables)) {
		paths := byTable[name]
		namespace, short, _ := strings.Cut(name, ".")
		var want string
		if namespace == "facts" {
			lake, err := filepath.Glob(filepath.Join(dir, "lake", short, "*", "*.parquet"))
			if err != nil {
				t.Fatal(err)
			}
			if len(lake) == 0 && len(paths) == 0 {
				continue
			}
			want = checksum(t, w, "read_parquet("+list(lake)+", hive_partitioning = false)", m.Tables[name])
		} else {
			want = checksum(t, w, short, m.Tables[name])
		}
		if len(paths) == 0 {
			t.Errorf("%s has no files", name)
			continue
		}
		if got := checksum(t, w, "read_parquet("+list(paths)+", hive_partitioning = false)", m.Tables[name]); got != want {
			t.Errorf("%s: the export has %s, the data directory %s", name, got, want)
		}
	}
}

func list(paths []string) string { return "['" + strings.Join(paths, "', '") + "']" }

// checksum counts rows and values, and adds the hashes of whole rows.
func checksum(t testing.TB, w *warehouse.Warehouse, from string, table Table) string {
	var columns, counts []string
	for _, c := range table.Columns {
		name := `"` + c.Name + `"`
		counts = append(counts, "count("+name+")")
		if c.Type == "timestamptz" {
			name = "epoch_us(" + name + ")"
		}
		columns = append(columns, name)
	}
	return answer(t, w, "SELECT count(*), sum(hash("+strings.Join(columns, ", ")+")::HUGEINT)::VARCHAR, "+strings.Join(counts, ", ")+" FROM "+from)
}

// errKilled stands for a process that ends.
var errKilled = errors.New("killed")

// tree returns the content of a store by key.
func tree(t testing.TB, s store.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, key := range keys(t, s, "") {
		all[key] = sum(content(t, s, key))
	}
	return all
}

// listed returns the paths of a table's files in current.json.
func listed(m Manifest, table string) (paths []string) {
	for _, f := range m.Files {
		if f.Table == table {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// onceEach fails if an object was stored twice.
func (w *watched) onceEach(t testing.TB) {
	t.Helper()
	for key, n := range w.puts {
		if n > 1 {
			t.Errorf("%s was uploaded %d times", key, n)
		}
	}
}
