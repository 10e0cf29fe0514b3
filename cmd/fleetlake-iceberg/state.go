package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/apache/arrow-go/v18/parquet/file"
	iceberg "github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
)

// partsKey is the entry of a Parquet footer that says which parts a compacted file has.
const partsKey = "fleetlake.parts"

// compactedPrefix begins the name of every file that compact wrote.
const compactedPrefix = "fleetlake-"

// state is a table as its current snapshot has it.
type state struct {
	files []liveFile
	data  map[string]iceberg.DataFile // by the path of the file
}

// errForeign says that another engine changed a table of ours.
var errForeign = errors.New("another engine changed the table")

// readState lists the data files of the current snapshot. It returns errForeign for a table that another engine wrote
// into: such files cannot be compared with the manifest, and rows could be there twice.
func readState(ctx context.Context, t target, name string, tbl *table.Table) (state, error) {
	if tbl == nil {
		return state{data: map[string]iceberg.DataFile{}}, nil
	}
	return readSnapshot(ctx, t, name, tbl, tbl.CurrentSnapshot())
}

// readSnapshot does the same for any snapshot; nil is one of an empty table.
func readSnapshot(ctx context.Context, t target, name string, tbl *table.Table, of *table.Snapshot) (state, error) {
	s := state{data: map[string]iceberg.DataFile{}}
	if of == nil {
		return s, nil
	}
	files, err := tbl.FS(ctx)
	if err != nil {
		return s, err
	}
	manifests, err := of.Manifests(files)
	if err != nil {
		return s, fmt.Errorf("read snapshot of %s: %w", name, err)
	}
	for _, m := range manifests {
		for entry, err := range m.Entries(files, true) {
			if err != nil {
				return s, fmt.Errorf("read manifest %s: %w", m.FilePath(), err)
			}
			live, err := readFile(t, name, files, entry.DataFile())
			if err != nil {
				return s, err
			}
			s.files = append(s.files, live)
			s.data[live.path] = entry.DataFile()
		}
	}
	return s, nil
}

func readFile(t target, name string, files iceio.IO, d iceberg.DataFile) (liveFile, error) {
	key, inside := t.key(d.FilePath())
	exported := strings.HasPrefix(key, strings.Replace(name, ".", "/", 1)+"/")
	compacted := path.Dir(key) == folder(name)+"/data" && strings.HasPrefix(path.Base(key), compactedPrefix)
	if !inside || d.ContentType() != iceberg.EntryContentData || !exported && !compacted {
		return liveFile{}, fmt.Errorf("table %s has the file %s, which fleetlake-iceberg did not write: %w. "+
			"`fleetlake-iceberg register --roll-back` takes it back to its last snapshot of fleetlake; results of your own belong in a table of your own",
			name, d.FilePath(), errForeign)
	}
	live := liveFile{path: key, bytes: d.FileSizeBytes(), rows: d.Count()}
	if !compacted {
		return live, nil
	}
	parts, err := readParts(files, d.FilePath())
	if err != nil {
		return liveFile{}, fmt.Errorf("read the parts of %s: %w", d.FilePath(), err)
	}
	live.parts = parts
	return live, nil
}

// readParts reads the footer of a compacted file.
func readParts(files iceio.IO, uri string) ([]part, error) {
	f, err := files.Open(uri)
	if err != nil {
		return nil, err
	}
	r, err := file.NewParquetReader(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	defer r.Close()
	text := r.MetaData().KeyValueMetadata().FindValue(partsKey)
	if text == nil {
		return nil, fmt.Errorf("its footer has no %s", partsKey)
	}
	var parts []part
	if err := json.Unmarshal([]byte(*text), &parts); err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("its footer names no part")
	}
	return parts, nil
}
