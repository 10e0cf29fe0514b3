package vectors_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/vectors"
	"github.com/google/go-cmp/cmp"
	"github.com/marcboeker/go-duckdb/mapping"
)

func TestMain(m *testing.M) { os.Exit(pipelinetest.Run(m)) }

// opened is a warehouse with a night.
func opened(t *testing.T) *warehouse.Warehouse {
	t.Helper()
	dir, _ := pipelinetest.Night(t)
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{MemoryMiB: 256, Threads: 1, Confine: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// records reads an answer.
func records(t *testing.T, w *warehouse.Warehouse, text string, each func(arrow.Record)) {
	t.Helper()
	a, err := w.Answer(t.Context(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer a.Close()
	var columns vectors.Columns
	err = a.Vectors(t.Context(), "FROM temp.fleetlake_answer LIMIT 0", func(r *mapping.Result) error { columns = vectors.ColumnsOf(r, a.Names); return nil })
	if err != nil {
		t.Fatal(err)
	}
	err = a.Vectors(t.Context(), "SELECT "+columns.Select()+" FROM temp.fleetlake_answer", func(r *mapping.Result) error {
		for i := range mapping.ResultChunkCount(*r) {
			chunk := mapping.ResultGetChunk(*r, i)
			record, err := columns.Record(chunk)
			mapping.DestroyDataChunk(&chunk)
			if err != nil {
				return err
			}
			each(record)
			record.Release()
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// TestTypes has each type of DuckDB with its least and greatest values, NULL, and values between.
func TestTypes(t *testing.T) {
	w := opened(t)
	for values, want := range map[string]string{
		"(true), (false), (NULL)":                                                                     "bool: true false (null)",
		"((-128)::TINYINT), (127::TINYINT), (NULL)":                                                   "int8: -128 127 (null)",
		"((-32768)::SMALLINT), (NULL), (32767::SMALLINT)":                                             "int16: -32768 (null) 32767",
		"((-2147483648)::INTEGER), (2147483647::INTEGER), (NULL)":                                     "int32: -2147483648 2147483647 (null)",
		"(-9223372036854775808), (9223372036854775807), (NULL)":                                       "int64: -9223372036854775808 9223372036854775807 (null)",
		"(0::UTINYINT), (255::UTINYINT)":                                                              "uint8: 0 255",
		"(0::USMALLINT), (65535::USMALLINT)":                                                          "uint16: 0 65535",
		"(0::UINTEGER), (4294967295::UINTEGER)":                                                       "uint32: 0 4294967295",
		"(0::UBIGINT), (18446744073709551615::UBIGINT)":                                               "uint64: 0 18446744073709551615",
		"(-9999999999999999999999::HUGEINT), (9999999999999999999999::HUGEINT), (NULL), (0::HUGEINT)": "decimal(38, 0): -9999999999999999999999 9999999999999999999999 (null) 0",
		"(1.5::FLOAT), ('nan'::FLOAT), ('-inf'::FLOAT)":                                               "float32: 1.5 NaN -Inf",
		"(1.5::DOUBLE), (NULL), (1e300)":                                                              "float64: 1.5 (null) 1e+300",
		"(-99.99::DECIMAL(4, 2)), (99.99::DECIMAL(4, 2)), (NULL)":                                     "decimal(4, 2): -99.99 99.99 (null)",
		"(-9999999.99::DECIMAL(9, 2)), (0.01)":                                                        "decimal(9, 2): -9999999.99 0.01",
		"(-9999999999999999.99::DECIMAL(18, 2)), (0.01)":                                              "decimal(18, 2): -9999999999999999.99 0.01",
		"(-999999999999999999999999.99::DECIMAL(38, 2)), (0.01)":                                      "decimal(38, 2): -999999999999999999999999.99 0.01",
		"(DATE '2026-11-20'), (DATE '0001-01-01'), (NULL)":                                            "date32: 2026-11-20 0001-01-01 (null)",
		"(TIME '23:59:59.999999'), (NULL)":                                                            "time64[us]: 23:59:59.999999 (null)",
		"(TIMESTAMP '2026-11-20 02:00:00.000001'), (NULL)":                                            "timestamp[us]: 2026-11-20 02:00:00.000001Z (null)",
		"(TIMESTAMP_S '1969-12-31 23:59:59')":                                                         "timestamp[s]: 1969-12-31 23:59:59Z",
		"(TIMESTAMP_MS '2026-11-20 02:00:00.001')":                                                    "timestamp[ms]: 2026-11-20 02:00:00.001Z",
		"(TIMESTAMP_NS '2026-11-20 02:00:00.000000001')":                                              "timestamp[ns]: 2026-11-20 02:00:00.000000001Z",
		"(TIMESTAMPTZ '2026-11-20 02:00:00+01'), (NULL)":                                              "timestamp[us, tz=UTC]: 2026-11-20 01:00:00Z (null)",
		"('short'), ('just twelve!'), ('more than twelve'), (''), (NULL), ('ß→🚢')":                    "utf8: short just twelve! more than twelve  (null) ß→🚢",
		"('\\x00\\xFF'::BLOB), (NULL)":                                                                "binary: AP8= (null)",
		"('{\"a\": 1}'::JSON)":                                                                        `utf8: {"a": 1}`,
		"('a'::ENUM('a', 'b')), (NULL)":                                                               "utf8: a (null)",
		"('00000000-0000-0000-0000-00000000000f'::UUID)":                                              "utf8: 00000000-0000-0000-0000-00000000000f",
		"(INTERVAL 25 HOUR), (NULL)":                                                                  "utf8: 25:00:00 (null)",
		"('101'::BIT)":                                                                                "utf8: 101",
		"(340282366920938463463374607431768211455::UHUGEINT)":                                         "utf8: 340282366920938463463374607431768211455",
		"('12:00:00+02'::TIMETZ)":                                                                     "utf8: 12:00:00+02",
		"([1, NULL, 3]), (NULL), ([]), ([4])":                                                         "list<item: int32, nullable>: [1,null,3] (null) [] [4]",
		"([['a', NULL], NULL]), ([[]])":                                                               `list<item: list<item: utf8, nullable>, nullable>: [["a",null],null] [[]]`,
		"([true, NULL]), ([false])":                                                                   "list<item: bool, nullable>: [true,null] [false]",
		"({'a': 1, 'b': 'x'}), (NULL), ({'a': NULL, 'b': 'y'})":                                       `struct<a: int32, b: utf8>: {"a":1,"b":"x"} (null) {"a":null,"b":"y"}`,
		"([{'a': 1.5}, NULL]), (NULL), ([{'a': NULL}])":                                               `list<item: struct<a: decimal(2, 1)>, nullable>: [{"a":"1.5"},null] (null) [{"a":null}]`,
		"([1, 2]::INTEGER[2]), (NULL), ([3, NULL]::INTEGER[2])":                                       "fixed_size_list<item: int32, nullable>[2]: [1,2] (null) [3,null]",
		"(MAP {'a': 1, 'b': NULL}), (NULL), (MAP {})":                                                 `map<utf8, int32, items_nullable>: [{"key":"a","value":1},{"key":"b","value":null}] (null) []`,
		"([INTERVAL 1 DAY])":                                                                          "utf8: [1 day]",
		"({'a': 'x'::ENUM('x')})":                                                                     "utf8: {'a': x}",
		"(union_value(n := 1))":                                                                       "utf8: 1",
	} {
		var got strings.Builder
		records(t, w, "SELECT * FROM (VALUES "+values+") AS t(a)", func(r arrow.Record) {
			fmt.Fprintf(&got, "%s:", r.Column(0).DataType())
			for i := range int(r.NumRows()) {
				got.WriteString(" " + r.Column(0).ValueStr(i))
			}
		})
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", values, diff)
		}
	}
}

// TestNestedValuesFollowTheirRows has lists and structs over several chunks, in an order that is not
// that of their elements, with NULL among them.
func TestNestedValuesFollowTheirRows(t *testing.T) {
	w := opened(t)
	row := 0
	records(t, w, `SELECT i, CASE WHEN i % 3 = 0 THEN NULL ELSE [i, i + 1] END AS l, {'n': i, 's': repeat('x', i % 20)} AS s,
		MAP {i: [i]} AS m FROM range(10000) AS r(i) ORDER BY (i * 7919) % 10000`, func(r arrow.Record) {
		for k := range int(r.NumRows()) {
			i := 0
			fmt.Sscan(r.Column(0).ValueStr(k), &i)
			list := fmt.Sprintf("[%d,%d]", i, i+1)
			if i%3 == 0 {
				list = "(null)"
			}
			want := []string{list, fmt.Sprintf(`{"n":%d,"s":"%s"}`, i, strings.Repeat("x", i%20)), fmt.Sprintf(`[{"key":%d,"value":[%d]}]`, i, i)}
			got := []string{r.Column(1).ValueStr(k), r.Column(2).ValueStr(k), r.Column(3).ValueStr(k)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("row %d (-want +got):\n%s", row, diff)
			}
			row++
		}
	})
	if row != 10_000 {
		t.Errorf("%d rows", row)
	}
}

// TestNamesAreKept has names that SQL has to quote.
func TestNamesAreKept(t *testing.T) {
	w := opened(t)
	var got []string
	records(t, w, `SELECT 1 AS "a b", INTERVAL 1 DAY AS "say ""hi""", 2 AS "select", 3 AS rowid`, func(r arrow.Record) {
		for _, f := range r.Schema().Fields() {
			got = append(got, f.Name)
		}
	})
	if diff := cmp.Diff([]string{"a b", `say "hi"`, "select", "rowid"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
