package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/load/store"
)

// format is the version of the layout and of the manifest.
const format = 2

// Keys of a store that are no data.
const (
	currentKey   = "current.json"
	manifestsKey = "_fleetlake/manifests/"
	pinsKey      = "_fleetlake/pins/"
	icebergKey   = "_iceberg/"
)

// ErrNewer says that a newer program wrote the export.
var ErrNewer = errors.New("it was written by a newer fleetlake: use that one, or another target")

// Manifest describes an export: current.json.
type Manifest struct {
	Format       int              `json:"format"`
	Export       string           `json:"export"` // its id
	At           time.Time        `json:"at"`
	Previous     string           `json:"previous,omitempty"` // the id of the one that it has replaced
	Program      string           `json:"program"`
	Run          string           `json:"run"`              // the latest published run
	SnapshotDate string           `json:"snapshot_date"`    // its night
	Source       *Identity        `json:"source,omitempty"` // the data directory; nil in an export of an earlier program
	FactsSince   string           `json:"facts_since,omitempty"`
	Runs         []ListedRun      `json:"runs"` // those whose facts are listed
	Tables       map[string]Table `json:"tables"`
	Files        []File           `json:"files"`
	Warehouse    *WarehouseFile   `json:"warehouse,omitempty"`
	Documents    []Document       `json:"documents"`

	// Expiring are files that an expiry removes, or has removed. An export does not rely on them.
	Expiring []string `json:"expiring,omitempty"`
}

// ListedRun is a run whose facts are listed.
type ListedRun struct {
	Run          string `json:"run"`
	Job          string `json:"job"`
	SnapshotDate string `json:"snapshot_date"`
	State        string `json:"state"`
}

// Table describes the columns of the files of a table, in their order.
type Table struct {
	Comment string   `json:"comment"`
	Sort    []string `json:"sort"` // the columns by which each file is sorted
	Columns []Column `json:"columns"`
}

// Column is a column of a table. Its id is in the files, and never changes.
type Column struct {
	ID      int    `json:"id"`
	Name    string `json:"name"`
	Type    string `json:"type"` // string, int, long, double, boolean, date or timestamptz
	Comment string `json:"comment"`
}

// File is a Parquet file of a table. One that Compact has written has First, Last and Sources,
// and no run.
type File struct {
	Table        string   `json:"table"`
	Path         string   `json:"path"`
	Rows         int64    `json:"rows"`
	Bytes        int64    `json:"bytes"`
	SHA256       string   `json:"sha256"`
	Run          string   `json:"run,omitempty"`
	SnapshotDate string   `json:"snapshot_date,omitempty"`
	First        string   `json:"first,omitempty"`
	Last         string   `json:"last,omitempty"`
	Sources      []Source `json:"sources,omitempty"`
}

// Source is a file of a night that a merged file replaces.
type Source struct {
	Run          string `json:"run"`
	SnapshotDate string `json:"snapshot_date"`
	SHA256       string `json:"sha256"`
}

// WarehouseFile is the published warehouse of a run.
type WarehouseFile struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Run    string `json:"run"`
}

// Document is a file for readers, which an export replaces when its content changes.
type Document struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Facts reports whether the file has rows of nights, and no derived table.
func (f File) Facts() bool { return strings.HasPrefix(f.Table, factsPrefix) }

// paths returns every path that the manifest lists, but not the documents.
func (m Manifest) paths() map[string]int64 {
	all := make(map[string]int64, len(m.Files)+1)
	for _, f := range m.Files {
		all[f.Path] = f.Bytes
	}
	if m.Warehouse != nil {
		all[m.Warehouse.Path] = m.Warehouse.Bytes
	}
	return all
}

func (m Manifest) encoded() ([]byte, error) {
	b, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, fmt.Errorf("encode the manifest: %w", err)
	}
	return append(b, '\n'), nil
}

// readCurrent reads the manifest in force, and its version in the store. Without one it returns an
// empty manifest and the version "".
func readCurrent(ctx context.Context, s store.Store) (Manifest, string, error) {
	m, version, err := readManifest(ctx, s, currentKey)
	if errors.Is(err, store.ErrNotFound) {
		return Manifest{}, "", nil
	}
	return m, version, err
}

// readManifest reads a manifest. It returns ErrNewer for one of a later format.
func readManifest(ctx context.Context, s store.Store, key string) (m Manifest, version string, err error) {
	b, version, err := read(ctx, s, key)
	if err != nil {
		return m, "", err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, "", fmt.Errorf("read %s: %w: is it of fleetlake?", key, err)
	}
	if m.Format > format {
		return m, "", fmt.Errorf("read %s: format %d, and this program knows %d: %w", key, m.Format, format, ErrNewer)
	}
	if m.Format != format {
		return m, "", fmt.Errorf("read %s: format %d, want %d: is it of fleetlake?", key, m.Format, format)
	}
	return m, version, nil
}

// read returns the content of a small object, and its version.
func read(ctx context.Context, s store.Store, key string) ([]byte, string, error) {
	body, version, err := s.Get(ctx, key)
	if err != nil {
		return nil, "", err
	}
	b, err := io.ReadAll(body)
	if err := errors.Join(err, body.Close()); err != nil {
		return nil, "", fmt.Errorf("read %s: %w", key, err)
	}
	return b, version, nil
}
