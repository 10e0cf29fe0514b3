package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/klauspost/compress/zstd"
	_ "github.com/marcboeker/go-duckdb/v2"
)

// unpackJournal writes the answers of a segment as others would have them: requests.txt has the counts of
// frames and syncs and then each request, pages.ndjson a body a line, pages.ndjson.zst the same compressed,
// and pages/ a file for each body. It prints how many requests and vessels there are.
// Arguments: the directory to write, and the segment.
func unpackJournal(_ context.Context, dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "pages"), 0o755); err != nil {
		return err
	}
	whole, err := os.Create(filepath.Join(dir, "pages.ndjson"))
	if err != nil {
		return err
	}
	packed, err := os.Create(whole.Name() + ".zst")
	if err != nil {
		return err
	}
	enc, err := zstd.NewWriter(packed, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	var requests strings.Builder
	frames, syncs, rows, safe, answers := 0, 0, 0, 0, 0
	lines := bufio.NewWriterSize(io.MultiWriter(whole, enc), 1<<20)
	for e, err := range journal.Read(os.Args[2]) {
		if err != nil {
			return err
		}
		frames++
		if e.Safe != safe { // each sync makes more entries safe
			syncs, safe = syncs+1, e.Safe
		}
		operation, known := api.OperationNamed(e.Operation)
		if e.Kind != journal.KindAnswer || !known || !e.OK() {
			continue
		}
		answers++
		rows += strings.Count(e.Body, `"typeSpecific":`)
		fmt.Fprintf(&requests, "%s?%s\n", operation.Path, e.Parameters)
		lines.WriteString(e.Body)
		lines.WriteByte('\n')
		if err := os.WriteFile(filepath.Join(dir, "pages", fmt.Sprintf("%06d.json", answers)), []byte(e.Body), 0o600); err != nil {
			return err
		}
	}
	fmt.Println(answers, rows, frames, syncs)
	err = os.WriteFile(filepath.Join(dir, "requests.txt"), []byte(fmt.Sprintf("%d %d\n%s", frames, syncs, requests.String())), 0o600)
	return errors.Join(err, lines.Flush(), enc.Close(), packed.Close(), whole.Close())
}

// Columns of the answers, for the ways in which DuckDB is told them.
const (
	itemColumns   = `{items: 'STRUCT("name" VARCHAR, mmsi VARCHAR, imo VARCHAR, callsign VARCHAR, country VARCHAR, countryIso VARCHAR, shipType VARCHAR, typeSpecific VARCHAR)[]'}`
	detailColumns = `{detail: 'STRUCT("name" VARCHAR, mmsi VARCHAR, imo VARCHAR, callsign VARCHAR, country VARCHAR, countryIso VARCHAR, shipType VARCHAR, typeSpecific VARCHAR,
		length VARCHAR, beam VARCHAR, deadweight VARCHAR, grossTonnage VARCHAR, netTonnage VARCHAR, yearOfBuilt VARCHAR, grain VARCHAR, bale VARCHAR, freshWater VARCHAR, teu VARCHAR,
		draught VARCHAR, eni VARCHAR, etaUtc VARCHAR, speed VARCHAR, atdUtc VARCHAR, latitude VARCHAR, longitude VARCHAR, course VARCHAR, heading VARCHAR, destination VARCHAR, hull VARCHAR,
		builder VARCHAR, material VARCHAR, placeOfBuild VARCHAR, positionReceived VARCHAR, ballastWater VARCHAR, crudeOil VARCHAR, gas VARCHAR, unlocodeDestination VARCHAR,
		unlocodeLastport VARCHAR, lastPort VARCHAR, navigationalStatus VARCHAR, updateTime VARCHAR, dataSource VARCHAR,
		engine STRUCT(fuelType VARCHAR, Propeller VARCHAR, engineType VARCHAR, engineBuilder VARCHAR, "enginePower(kW)" VARCHAR),
		management STRUCT("P&I" VARCHAR, ism VARCHAR, ismWeb VARCHAR, manager VARCHAR, ismEmail VARCHAR, ismAddress VARCHAR, ismWebsite VARCHAR, managerEmail VARCHAR, managerAddress VARCHAR,
		managerWebsite VARCHAR, registeredOwner VARCHAR, registeredOwnerEmail VARCHAR, ClassificationSociety VARCHAR, registeredOwnerAddress VARCHAR, registeredOwnerWebsite VARCHAR))'}`
)

// duckdbWays are the ways in which DuckDB can read the answers, by their names. Each makes a table and a
// Parquet file of the rows as they came: what the derive half would cost without any of its rules.
var duckdbWays = map[string]string{
	"one file, small buffers":      `read_json('%s/pages.ndjson', format = 'newline_delimited', maximum_object_size = 1048576, columns = %s)`,
	"one file, columns given":      `read_json('%s/pages.ndjson', format = 'newline_delimited', columns = %s)`,
	"one file, inferred":           `read_json('%s/pages.ndjson')`,
	"one zstd file, columns given": `read_json('%s/pages.ndjson.zst', format = 'newline_delimited', compression = 'zstd', columns = %s)`,
	"one zstd file, inferred":      `read_json('%s/pages.ndjson.zst', compression = 'zstd')`,
	"a file each, columns given":   `read_json('%s/pages/*.json', columns = %s)`,
	"a file each, inferred":        `read_json('%s/pages/*.json')`,
}

// duckdbAlone has DuckDB read the answers in one way. Arguments: the directory that unpackJournal
// wrote, the way, how many threads, and the key that holds the vessels: items or detail.
func duckdbAlone(ctx context.Context, dir string) error {
	read, key := duckdbWays[os.Args[2]], os.Args[4]
	columns := map[string]string{"items": itemColumns, "detail": detailColumns}[key]
	if strings.Contains(read, "columns = ") {
		read = fmt.Sprintf(read, dir, columns)
	} else {
		read = fmt.Sprintf(read, dir)
	}
	db, err := sql.Open("duckdb", filepath.Join(dir, "alone.duckdb")+"?memory_limit=2GB&preserve_insertion_order=false&threads="+os.Args[3])
	if err != nil {
		return err
	}
	defer db.Close()
	for _, statement := range []string{
		`CREATE TABLE vessels AS SELECT unnest(` + key + `, recursive := true) FROM ` + read,
		`COPY vessels TO '` + filepath.Join(dir, "alone.parquet") + `' (FORMAT parquet, COMPRESSION zstd)`,
		`CHECKPOINT`,
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	var rows int
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM vessels`).Scan(&rows); err != nil {
		return err
	}
	fmt.Println(rows)
	return errors.Join(os.Remove(filepath.Join(dir, "alone.duckdb")), os.Remove(filepath.Join(dir, "alone.parquet")))
}

// compareFiles has DuckDB write the rows of each lake file again, in their order and with the same codec,
// and prints bytes, DuckDB's bytes and the table of each. Arguments: a directory to write to, the lake, and
// the snapshot date.
func compareFiles(ctx context.Context, dir string) error {
	db, err := sql.Open("duckdb", "?memory_limit=2GB&threads=1&preserve_insertion_order=true")
	if err != nil {
		return err
	}
	defer db.Close()
	files, err := filepath.Glob(filepath.Join(os.Args[2], "*", "snapshot_date="+os.Args[3], "*.parquet"))
	if err != nil {
		return err
	}
	copied := filepath.Join(dir, "copied.parquet")
	for _, path := range files {
		if _, err := db.ExecContext(ctx, `COPY (SELECT * FROM read_parquet('`+path+`', hive_partitioning = false)) TO '`+copied+`' (FORMAT parquet, COMPRESSION zstd)`); err != nil {
			return err
		}
		ours, err := os.Stat(path)
		if err != nil {
			return err
		}
		theirs, err := os.Stat(copied)
		if err != nil {
			return err
		}
		fmt.Println(ours.Size(), theirs.Size(), filepath.Base(filepath.Dir(filepath.Dir(path))))
	}
	return os.RemoveAll(copied)
}
