package load

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse"
)

// manifestVersion is the version of the manifest's format.
const manifestVersion = 1

// ErrNewer says that a lake was written by a newer program. Its manifests are
// not damaged: a rebuild by this program would lose what only the newer one knows.
var ErrNewer = errors.New("it was written by a newer fleetlake: use that one, or restore a copy of the data directory from before it")

// Manifest lists what a run wrote to the lake. Files that no manifest names are not data. The file of a
// manifest has a check beside these members.
type Manifest struct {
	Version  int            `json:"version"`
	Schema   string         `json:"schema"` // which columns the files have; see SchemaID
	Run      warehouse.Run  `json:"run"`
	Files    []File         `json:"files"`
	Coverage map[string]int `json:"coverage"` // partitions by state

	// Accepted says that a person has accepted the run's issues; see ErrIssues.
	Accepted bool `json:"issues_accepted,omitempty"`

	// Contents describes the warehouse file whose latest run this is.
	Contents *Contents `json:"warehouse,omitempty"`
}

// Contents is how many rows the tables of a warehouse file have, by their names, so that a later
// check can see whether rows were lost. Runs identifies the file.
type Contents struct {
	Runs   string           `json:"runs"` // SHA-256 of the ids of its runs, in order, a line each
	Tables map[string]int64 `json:"tables"`
}

// contentsOf counts a file, and names its latest run.
func contentsOf(ctx context.Context, w *warehouse.Warehouse) (c *Contents, last string, err error) {
	runs, err := w.Published(ctx)
	if err != nil {
		return nil, "", err
	}
	ids := slices.Sorted(maps.Keys(runs))
	h := sha256.New()
	for _, id := range ids {
		fmt.Fprintln(h, id)
		last = id
	}
	c = &Contents{Runs: hex.EncodeToString(h.Sum(nil))}
	c.Tables, err = w.Tables(ctx)
	return c, last, err
}

// File is one file of the lake. Its SHA-256 is in hexadecimal digits.
type File struct {
	Table  string `json:"table"`
	Path   string `json:"path"` // below lake/, with slashes
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// file returns the file of a table.
func (m Manifest) file(table string) (File, bool) {
	i := slices.IndexFunc(m.Files, func(f File) bool { return f.Table == table })
	if i < 0 {
		return File{}, false
	}
	return m.Files[i], true
}

// dropFile drops the file of a table.
func (m *Manifest) dropFile(table string) {
	m.Files = slices.DeleteFunc(slices.Clone(m.Files), func(f File) bool { return f.Table == table })
}

func lake(dir string) string      { return filepath.Join(dir, "lake") }
func manifests(dir string) string { return filepath.Join(lake(dir), "_manifests") }

// lakePath returns the path of a run's file of a table, below lake/.
func lakePath(table, date, run string) string {
	return table + "/snapshot_date=" + date + "/" + run + ".parquet"
}

// write writes the manifest. It is called after the run's files are written.
func (m Manifest) write(dir string) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("write manifest of %s: %w", m.Run.ID, err)
	}
	b = bytes.TrimSuffix(b, []byte("\n}"))
	return writeFile(filepath.Join(manifests(dir), m.Run.ID+".json"), fmt.Appendf(b, "%s%x%s", checkKey, sha256.Sum256(b), checkEnd))
}

// The last member of a manifest is the SHA-256 of the text before it: each byte of a manifest says
// something that nothing else in the lake does.
const (
	checkKey = ",\n  \"check\": \""
	checkEnd = "\"\n}\n"
)

// undamaged reports whether a manifest is as it was written. One without a check counts as undamaged.
func undamaged(text []byte) bool {
	i := bytes.LastIndex(text, []byte(checkKey))
	return i < 0 || string(text[i+len(checkKey):]) == fmt.Sprintf("%x%s", sha256.Sum256(text[:i]), checkEnd)
}

// Manifests returns the manifests of a data directory by the ids of their runs; none if there is no
// lake. It returns ErrNewer if a newer program wrote one of them, and an error that names the file
// if one is not what Publish wrote.
func Manifests(dir string) (map[string]Manifest, error) {
	entries, err := os.ReadDir(manifests(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read manifests: %w", err)
	}
	all := make(map[string]Manifest, len(entries))
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		m, err := readManifest(filepath.Join(manifests(dir), e.Name()))
		if err != nil {
			return nil, err
		}
		all[m.Run.ID] = m
	}
	return all, nil
}

func readManifest(path string) (Manifest, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return Manifest{}, fmt.Errorf("read manifest: %w", err)
	}
	if !undamaged(b) {
		return Manifest{}, fmt.Errorf("read manifest %s: it is not what was written", path)
	}
	var m Manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return Manifest{}, fmt.Errorf("read manifest %s: %w", path, err)
	}
	switch {
	case m.Version > manifestVersion:
		return Manifest{}, fmt.Errorf("read manifest %s: version %d, and this program knows %d: %w", path, m.Version, manifestVersion, ErrNewer)
	case m.Version != manifestVersion:
		return Manifest{}, fmt.Errorf("read manifest %s: version %d, and there is only %d", path, m.Version, manifestVersion)
	}
	for _, f := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			return Manifest{}, fmt.Errorf("read manifest %s: file %q is outside the lake", path, f.Path)
		}
	}
	return m, nil
}

// SchemaID names the columns of all lake tables, their ids, names and types, and the rules by which
// their values were read, by 16 hexadecimal digits of a hash.
func SchemaID() string {
	h := sha256.New()
	fmt.Fprintf(h, "rules %d\n", transform.Rules)
	for _, t := range transform.Tables {
		fmt.Fprintf(h, "%s\n%s\n", t.Name, t.Schema)
	}
	fmt.Fprintf(h, "%v\n", vesselIDs) // in the order of the names
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// LakePath returns where a file of a manifest is.
func LakePath(dir string, f File) string { return filepath.Join(lake(dir), filepath.FromSlash(f.Path)) }
