package main

import (
	"context"
	"encoding/json"
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

// readState lists the data files of the current snapshot. It refuses a table that another engine wrote into:
// such files cannot be compared with the manifest, and rows could be there twice.
func readState(ctx context.Context, t target, name string, tbl *table.Table) (state, error) {
	s := state{data: map[string]iceberg.DataFile{}}
	if tbl == nil || tbl.CurrentSnapshot() == nil {
		return s, nil
	}
	files, err := tbl.FS(ctx)
	if err != nil {
		return s, err
	}
	manifests, err := tbl.CurrentSnapshot().Manifests(files)
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
		return liveFile{}, fmt.Errorf("table %s has the file %s, which fleetlake-iceberg did not write: another engine changed the table. Roll it back to a snapshot of fleetlake, or drop it and register again; results of your own belong in a table of your own", name, d.FilePath())
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
