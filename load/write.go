package load

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/sourcegraph/conc"
)

// rowGroup is the most rows of a row group. The rows are sorted by vessel, so that an engine that looks for one reads one
// group of a file by its bounds: a third of the CPU that it takes with groups four times as large. For that a file is a
// sixth larger, and a scan of it takes a little more. docs/lake.md has the figures.
const rowGroup = 32_768

// Source is the rows of a run: a transform.Batch. Rows counts those of a table. Write passes them
// on in records and returns the first error of the function.
type Source interface {
	Rows(transform.Table) int
	Write(transform.Table, func(arrow.Record) error) error
}

// mostlyUnique are the columns whose values are nearly all different: the writer would build a
// dictionary for them and discard it.
var mostlyUnique = []string{"vessel_id", "imo", "mmsi", "name", "callsign", "raw", "extra", "latitude", "longitude", "parameters"}

// ofAnAnswer are columns with a value for each answer: where an answer has one row, all differ, and their differences
// are small.
var ofAnAnswer = []string{"entry", "seen_at", "sent_at", "received_at"}

// properties are the same for every file of a table, so that the same rows make the same bytes.
func properties(t transform.Table) *parquet.WriterProperties {
	options := []parquet.WriterProperty{
		parquet.WithCreatedBy("fleetlake"), parquet.WithVersion(parquet.V2_LATEST),
		parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCompressionLevel(1), parquet.WithStats(true),
		parquet.WithMaxRowGroupLength(rowGroup),
	}
	for _, name := range mostlyUnique {
		options = append(options, parquet.WithDictionaryFor(name, false))
	}
	// The rows are sorted by vessel: an IMO number is a little greater than the one before. The differences make
	// the file a seventh smaller.
	options = append(options, parquet.WithEncodingFor("imo", parquet.Encodings.DeltaBinaryPacked))
	if t.Name != transform.Listings.Name && t.Name != transform.Sightings.Name { // whose answers are pages of many vessels
		for _, name := range ofAnAnswer {
			options = append(options, parquet.WithDictionaryFor(name, false),
				parquet.WithEncodingFor(name, parquet.Encodings.DeltaBinaryPacked))
		}
	}
	return parquet.NewWriterProperties(options...)
}

// Write writes the lake files of a run, one for each table that has rows, and returns their
// manifest. Its Run.Rows is the number of rows in all tables. Publish writes the manifest itself,
// after the run's last file. The errors are those of the file system and of src, and name the
// table; files that are written by then have no manifest, and the next Write of the run replaces
// them.
func Write(dir string, run warehouse.Run, src Source) (Manifest, error) {
	m := Manifest{Version: manifestVersion, Schema: SchemaID(), Run: run, Files: []File{}, Coverage: map[string]int{}}
	m.Run.Rows = 0
	for _, t := range transform.Tables {
		if src.Rows(t) == 0 {
			continue
		}
		f, err := m.writeTable(dir, t, src)
		if err != nil {
			return Manifest{}, fmt.Errorf("write lake file of %s, run %s: %w", t.Name, run.ID, err)
		}
		m.Files = append(m.Files, f)
		m.Run.Rows += f.Rows
	}
	return m, nil
}

// notes are the keys and values that a lake file has in its footer. The version of the program is not
// among them: the same journal and columns make the same bytes, whichever version writes them.
func notes(run, table string) [][2]string {
	return [][2]string{{"fleetlake.table", table}, {"fleetlake.run_id", run}, {"fleetlake.schema", SchemaID()}}
}

func (m *Manifest) writeTable(dir string, t transform.Table, src Source) (File, error) {
	f := File{Table: t.Name, Path: lakePath(t.Name, m.Run.Date, m.Run.ID)}
	out, err := create(filepath.Join(lake(dir), filepath.FromSlash(f.Path)))
	if err != nil {
		return File{}, err
	}
	footer := &footerWriter{out: out}
	w, err := pqarrow.NewFileWriter(t.Schema, footer, properties(t), pqarrow.DefaultWriterProps())
	if err != nil {
		out.abandon()
		return File{}, err
	}
	err = onTwoCores(func(emit func(arrow.Record) error) error { return src.Write(t, emit) }, func(r arrow.Record) error {
		f.Rows += r.NumRows()
		if t.Name == transform.Coverage.Name {
			m.countStates(r)
		}
		return w.WriteBuffered(r)
	})
	for _, pair := range notes(m.Run.ID, t.Name) {
		err = errors.Join(err, w.AppendKeyValueMetadata(pair[0], pair[1]))
	}
	if err = errors.Join(err, w.Close()); err == nil {
		err = footer.finish(t.Sort)
	}
	if err != nil {
		out.abandon()
		return File{}, err
	}
	if err := out.commit(); err != nil {
		return File{}, err
	}
	f.Bytes, f.SHA256 = out.size, out.digest()
	return f, nil
}

// onTwoCores calls write with each record that produce emits, in their order, and in another goroutine
// than produce: one record is encoded while the next is made. It returns when both have ended. An error
// of write stops produce at its next record; it is then the error that is returned.
func onTwoCores(produce func(emit func(arrow.Record) error) error, write func(arrow.Record) error) error {
	records := make(chan arrow.Record)
	var failed atomic.Pointer[error]
	var writing conc.WaitGroup
	writing.Go(func() {
		defer func() { // after a panic of write, produce must not wait for ever
			for r := range records {
				r.Release()
			}
		}()
		for r := range records {
			if failed.Load() == nil {
				if err := write(r); err != nil {
					failed.Store(&err)
				}
			}
			r.Release()
		}
	})
	err := func() error {
		defer writing.Wait() // which repeats a panic of write
		defer close(records)
		return produce(func(r arrow.Record) error {
			if err := failed.Load(); err != nil {
				return *err
			}
			r.Retain()
			records <- r
			return nil
		})
	}()
	if failed := failed.Load(); failed != nil {
		return *failed
	}
	return err
}

// countStates counts the partitions of a record of coverage.
func (m *Manifest) countStates(r arrow.Record) {
	state := r.Column(r.Schema().FieldIndices("state")[0]).(*array.String)
	for i := range state.Len() {
		m.Coverage[state.Value(i)]++
	}
}
