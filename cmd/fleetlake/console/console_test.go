package console

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"iter"
	"math"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/google/go-cmp/cmp"
)

// decimal, interval and anyMap have the shapes of the driver's types.
type decimal struct {
	Width, Scale uint8
	Value        *big.Int
}

func (d decimal) String() string {
	digits := d.Value.String()
	return digits[:len(digits)-int(d.Scale)] + "." + digits[len(digits)-int(d.Scale):]
}

type interval struct {
	Days   int32 `json:"days"`
	Months int32 `json:"months"`
	Micros int64 `json:"micros"`
}

type anyMap map[any]any

func rowsOf(rows ...[]any) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

func TestValues(t *testing.T) {
	moment := time.Date(2026, 11, 20, 3, 4, 5, 120000000, time.FixedZone("CET", 3600))
	huge, _ := new(big.Int).SetString("170141183460469231731687303715884105727", 10)
	for name, c := range map[string]struct {
		value      any
		typ        string
		text, json string
	}{
		"null":                     {nil, "", "", "null"},
		"true":                     {true, "BOOLEAN", "true", "true"},
		"a small integer":          {int32(-7), "INTEGER", "-7", "-7"},
		"the largest integer":      {int64(math.MaxInt64), "BIGINT", "9223372036854775807", "9223372036854775807"},
		"unsigned":                 {uint64(math.MaxUint64), "UBIGINT", "18446744073709551615", "18446744073709551615"},
		"a huge integer":           {huge, "HUGEINT", huge.String(), huge.String()},
		"a double":                 {12.5, "DOUBLE", "12.5", "12.5"},
		"a double with all digits": {math.Nextafter(0.3, 1), "DOUBLE", "0.30000000000000004", "0.30000000000000004"},
		"a float":                  {float32(0.1), "FLOAT", "0.1", "0.1"},
		"no number":                {math.NaN(), "DOUBLE", "NaN", "null"},
		"endless":                  {math.Inf(-1), "DOUBLE", "-Inf", "null"},
		"text":                     {`EVER "GIVEN" <&>`, "VARCHAR", `EVER "GIVEN" <&>`, `"EVER \"GIVEN\" <&>"`},
		"text of digits":           {"002345678", "VARCHAR", "002345678", `"002345678"`},
		"a moment in UTC":          {moment, "TIMESTAMPTZ", "2026-11-20T02:04:05.12Z", `"2026-11-20T02:04:05.12Z"`},
		"moments in UTC":           {[]any{moment}, "TIMESTAMPTZ[]", `["2026-11-20T02:04:05.12Z"]`, `["2026-11-20T02:04:05.12Z"]`},
		"a time of no zone":        {moment.UTC(), "TIMESTAMP", "2026-11-20T02:04:05.12", `"2026-11-20T02:04:05.12"`},
		"a moment of no type":      {moment, "", "2026-11-20T02:04:05.12Z", `"2026-11-20T02:04:05.12Z"`},
		"a date":                   {time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), "DATE", "2026-11-20", `"2026-11-20"`},
		"a time of day":            {time.Date(1, 1, 1, 2, 30, 0, 0, time.UTC), "TIME", "02:30:00", `"02:30:00"`},
		"bytes":                    {[]byte{0, 255}, "BLOB", "00ff", `"00ff"`},
		"a UUID":                   {[]byte("0123456789abcdef"), "UUID", "30313233-3435-3637-3839-616263646566", `"30313233-3435-3637-3839-616263646566"`},
		"a decimal":                {decimal{18, 3, big.NewInt(1234567)}, "DECIMAL(18,3)", "1234.567", "1234.567"},
		"an interval":              {interval{1, 2, 3}, "INTERVAL", `{"days":1,"months":2,"micros":3}`, `{"days":1,"months":2,"micros":3}`},
		"a list":                   {[]any{int32(1), nil, "x"}, "VARCHAR[]", `[1,null,"x"]`, `[1,null,"x"]`},
		"a list of dates":          {[]any{moment}, "DATE[]", `["2026-11-20"]`, `["2026-11-20"]`},
		"no items":                 {[]any{}, "INTEGER[]", "[]", "[]"},
		"a struct, keys sorted":    {map[string]any{"b": huge, "a": []any{1.5}}, "STRUCT(b HUGEINT, a DOUBLE[])", `{"a":[1.5],"b":` + huge.String() + `}`, `{"a":[1.5],"b":` + huge.String() + `}`},
		"a map, keys sorted":       {anyMap{int32(2): "x", int32(1): nil}, "MAP(INTEGER, VARCHAR)", `{"1":null,"2":"x"}`, `{"1":null,"2":"x"}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := cellText(c.value, c.typ); got != c.text {
				t.Errorf("text %s, want %s", got, c.text)
			}
			if got := string(appendJSON(nil, c.value, c.typ)); got != c.json || !json.Valid([]byte(got)) {
				t.Errorf("JSON %s, want %s", got, c.json)
			}
		})
	}
}

func TestRenderRows(t *testing.T) {
	columns := []Column{{"name", "VARCHAR"}, {"teu", "INTEGER"}, {"seen", "DATE"}}
	day := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	rows := [][]any{{"EVER GIVEN", int32(20124), day}, {"A, \"B\"\nC\x1b[31m", nil, nil}}
	for name, c := range map[string]struct {
		format  string
		width   int
		columns []Column
		rows    [][]any
		want    string
	}{
		"a table": {"table", 0, columns, rows, `
┌───────────────────┬───────┬────────────┐
│ name              │   teu │ seen       │
├───────────────────┼───────┼────────────┤
│ EVER GIVEN        │ 20124 │ 2026-11-20 │
│ A, "B"\nC\x1b[31m │       │            │
└───────────────────┴───────┴────────────┘
2 rows
`},
		"a table on a narrow terminal": {"table", 38, columns, rows, `
┌───────────────┬───────┬────────────┐
│ name          │   teu │ seen       │
├───────────────┼───────┼────────────┤
│ EVER GIVEN    │ 20124 │ 2026-11-20 │
│ A, "B"\nC\x1… │       │            │
└───────────────┴───────┴────────────┘
2 rows
`},
		"a table of one row": {"table", 0, columns[1:2], [][]any{{int32(20124)}}, `
┌───────┐
│   teu │
├───────┤
│ 20124 │
└───────┘
1 row
`},
		"CSV":                             {"csv", 0, columns, rows, "\nname,teu,seen\nEVER GIVEN,20124,2026-11-20\n\"A, \"\"B\"\"\nC\x1b[31m\",,\n"},
		"CSV of nothing":                  {"csv", 0, columns, nil, "\nname,teu,seen\n"},
		"CSV of one empty column":         {"csv", 0, columns[1:2], [][]any{{nil}, {int32(1)}}, "\nteu\n\n1\n"},
		"CSV of NULL and of what is none": {"csv", 0, []Column{{"a", ""}, {"b, c", ""}}, [][]any{{nil, ""}, {" x", "y\r"}, {"é", `\.`}}, "\na,\"b, c\"\n,\"\"\n\" x\",\"y\r\"\né,\"\\.\"\n"},
		"NDJSON":                          {"ndjson", 0, columns, rows[:1], "\n" + `{"name":"EVER GIVEN","teu":20124,"seen":"2026-11-20"}` + "\n"},
		"NDJSON of nothing":               {"ndjson", 0, columns, nil, "\n"},
		"Markdown":                        {"markdown", 0, []Column{{"a|b", "VARCHAR"}, {"n", "UBIGINT"}, {"d", "DOUBLE"}, {"l", "INTEGER[]"}}, [][]any{{"x|y\n<b>", "7", "12.0", "[1, 2]"}, {nil, nil, nil, nil}}, "\n| a\\|b | n | d | l |\n|---|--:|--:|---|\n| x\\|y\\\\n&lt;b> | 7 | 12 | [1, 2] |\n|  |  |  |  |\n"},
		"Markdown with a link":            {"markdown", 0, columns[:1], [][]any{{`\| ![x](//e)`}}, "\n| name |\n|---|\n| \\\\\\| ![x]\\(//e) |\n"},
		"CSV for a spreadsheet":           {Spreadsheet, 0, []Column{{"=a", "VARCHAR"}, {"n", "INTEGER"}}, [][]any{{"=1+1", "-1"}, {"+1", nil}, {"-1", "1"}, {"@a", "1"}, {"a=1", "1"}, {"", "1"}, {"\t=1", "1"}, {"\r=1", "1"}}, "\n'=a,n\n'=1+1,-1\n'+1,\n'-1,1\n'@a,1\na=1,1\n\"\",1\n'\t=1,1\n\"'\r=1\",1\n"},
		"CSV for programs":                {"csv", 0, columns[:1], [][]any{{"=1+1"}}, "\nname\n=1+1\n"},
		"Markdown of nothing":             {"markdown", 0, columns[:1], nil, "\n| name |\n|---|\n"},
		"JSON that is written already":    {"json", 0, []Column{{"a", "HUGEINT"}, {"b", "JSON"}}, [][]any{{json.RawMessage("9007199254740993"), json.RawMessage(`{"z":1,"a":2}`)}}, "\n[\n" + `{"a":9007199254740993,"b":{"z":1,"a":2}}` + "\n]\n"},
		"texts of numbers, aligned": {"table", 0, []Column{{"mass", "DOUBLE"}, {"n", "DECIMAL(18,3)"}, {"t", "VARCHAR"}}, [][]any{{"12.0", "1.500", "1.0"}}, `
┌──────┬───────┬─────┐
│ mass │     n │ t   │
├──────┼───────┼─────┤
│   12 │ 1.500 │ 1.0 │
└──────┴───────┴─────┘
1 row
`},
		"JSON":                          {"json", 0, columns, rows, "\n" + `[` + "\n" + `{"name":"EVER GIVEN","teu":20124,"seen":"2026-11-20"},` + "\n" + `{"name":"A, \"B\"\nC\u001b[31m","teu":null,"seen":null}` + "\n]\n"},
		"JSON of nothing":               {"json", 0, columns, nil, "\n[]\n"},
		"JSON of columns with one name": {"json", 0, []Column{{"a", ""}, {"a", ""}, {"a_1", ""}}, [][]any{{1, 2, 3}}, "\n[\n" + `{"a":1,"a_1":2,"a_1_1":3}` + "\n]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			n, err := WriteRows(&out, c.format, c.width, c.columns, rowsOf(c.rows...))
			if err != nil || n != len(c.rows) {
				t.Errorf("%d rows and %v, want %d", n, err, len(c.rows))
			}
			if diff := cmp.Diff(c.want, "\n"+out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRenderedRowsReadBack(t *testing.T) {
	columns := []Column{{"a", ""}, {"b", ""}}
	rows := rowsOf([]any{"x\r\ny", int64(math.MaxInt64)}, []any{nil, 0.5}, []any{`"`, "\ufeff"})
	var text strings.Builder
	if _, err := WriteRows(&text, "csv", 0, columns, rows); err != nil {
		t.Fatal(err)
	}
	if records, err := csv.NewReader(strings.NewReader(text.String())).ReadAll(); err != nil || len(records) != 4 {
		t.Errorf("CSV reads back as %q, %v", records, err)
	}
	text.Reset()
	if _, err := WriteRows(&text, "json", 0, columns, rows); err != nil {
		t.Fatal(err)
	}
	var objects []map[string]any
	d := json.NewDecoder(strings.NewReader(text.String()))
	d.UseNumber()
	if err := d.Decode(&objects); err != nil || len(objects) != 3 || objects[0]["b"] != json.Number("9223372036854775807") {
		t.Errorf("JSON reads back as %v, %v", objects, err)
	}
}

func TestRenderRowsPassesErrorsOn(t *testing.T) {
	broken := errors.New("the query was interrupted")
	rows := func(yield func([]any, error) bool) { _ = yield([]any{1}, nil) && yield(nil, broken) }
	for _, format := range Formats {
		if _, err := WriteRows(&strings.Builder{}, format, 0, []Column{{"a", ""}}, rows); !errors.Is(err, broken) {
			t.Errorf("%s: got %v, want %v", format, err, broken)
		}
	}
	if _, err := WriteRows(&strings.Builder{}, "xml", 0, nil, rowsOf()); err == nil || !strings.Contains(err.Error(), "table, csv, json, ndjson, markdown") {
		t.Errorf("got %v, want the formats", err)
	}
	closed, err := os.Create(t.TempDir() + "/full")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for _, format := range Formats {
		if _, err := WriteRows(closed, format, 0, []Column{{"a", ""}}, rowsOf([]any{1})); err == nil {
			t.Errorf("%s: a file that cannot be written gives no error", format)
		}
	}
}

func TestSqueeze(t *testing.T) {
	for name, c := range map[string]struct {
		widths []int
		whole  []bool
		width  int
		want   []int
	}{
		"no limit":             {[]int{100, 3}, []bool{false, false}, 0, []int{100, 3}},
		"room enough":          {[]int{10, 3}, []bool{false, false}, 20, []int{10, 3}},
		"the widest gives":     {[]int{100, 3}, []bool{false, false}, 27, []int{17, 3}},
		"two wide ones share":  {[]int{50, 50, 5}, []bool{false, false, false}, 55, []int{20, 20, 5}},
		"not below readable":   {[]int{20, 20}, []bool{false, false}, 10, []int{8, 8}},
		"one is shown whole":   {[]int{25, 20, 5}, []bool{true, false, false}, 50, []int{25, 10, 5}},
		"no other can give":    {[]int{25, 8}, []bool{true, false}, 20, []int{25, 8}},
		"a table of no column": {[]int{}, []bool{}, 10, []int{}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, squeeze(c.widths, c.whole, c.width)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPrintable(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"a plain name":             {"EVER GIVEN", "EVER GIVEN"},
		"letters of other scripts": {"СЕВЕР 北 Å", "СЕВЕР 北 Å"},
		"a colour":                 {"\x1b[31mred", `\x1b[31mred`},
		"a C1 control":             {"\u009b2J", `\u009b2J`},
		"text turned around":       {"\u202eabc", `\u202eabc`},
		"a new line":               {"a\nb", `a\nb`},
	} {
		if got := wording.Printable(c.in); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestRenderReport(t *testing.T) {
	start := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	number := func(n int) *int { return &n }
	for name, c := range map[string]struct {
		report report.Report
		want   string
	}{
		"a whole night": {
			report.Report{
				Run: "20261120T020000.123Z-7f3a", Job: "nightly", Date: "2026-11-20", State: "done", Started: start, Finished: start.Add(16*time.Minute + 40*time.Second),
				Lanes:    []report.Lane{{Operation: "by-status"}, {Operation: "by-type", Requests: 1361, Answers: 1360, Limited: 1, Credits: 13600}, {Operation: "credits", Requests: 2, Answers: 2}},
				Credits:  report.Credits{Planned: 14000, Spent: 13600, Unknown: 10, Before: number(100000), After: number(86400)},
				Coverage: map[string]int{"complete": 270, "suspect": 1, "odd": 2, "failed": 0},
				Rows:     map[string]int{"listings": 135900, "requests": 1361, "issues": 0},
				Issues:   []report.Issue{{Dataset: "listings", Field: "imo", Reason: "check digit", Count: 12}, {Dataset: "listings", Field: "flag", Reason: "unknown country", Count: 1234}},
				News:     []string{"type gained: Foiler"},
			}, `
nightly for 2026-11-20: done, harvest in 16m40s (run 20261120T020000.123Z-7f3a)
  operation     requests   answers   limited   credits
  by-type          1,361     1,360         1    13,600
  credits              2         2         0         0
  credits   13,600 spent of at most 14,000 planned, 10 of them perhaps not billed; balance 86,400, before 100,000
  covered   270 complete, 1 suspect, 2 odd
  rows      135,900 listings, 1,361 requests
  issues    1,234 × listings.flag: unknown country
            12 × listings.imo: check digit
  news      type gained: Foiler
`,
		},
		"a night that ended early": {
			report.Report{
				Run: "r2", Job: "nightly", Date: "2026-11-20", State: "partial", Stop: report.StopBudget, Reason: "5,000 credits", Continues: []string{"r0", "r1"}, Started: start, Finished: start.Add(time.Second),
				LeftOut: strings.Split("a b c d e f g h i", " "),
				Work:    []journal.Work{{What: "status searches", Asked: 1249, Carried: 98, Answered: 1000, Left: []journal.Left{{Count: 151}}}, {What: "lookups", Asked: 7, Answered: 7}},
			}, `
nightly for 2026-11-20: partial, harvest in 1s (run r2)
  continues r0, r1
  stopped   there were not enough credits for the whole plan (5,000 credits)
  requests  none
  of the night                                   asked   earlier  answered      left
  status searches                                1,249        98     1,000       151
  lookups                                            7         0         7         0
  credits   0 spent of at most 0 planned
  covered   none
  rows      none
  left out  a
            b
            c
            d
            e
            f
            and 3 more
`,
		},
		"words of the service that would move the cursor": {
			report.Report{Job: "j", Date: "d", State: "partial", Run: "r", Stop: "other", Reason: "no\x1b[2J"}, `
j for d: partial, harvest in 0s (run r)
  stopped   other (no\x1b[2J)
  requests  none
  credits   0 spent of at most 0 planned
  covered   none
  rows      none
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if err := WriteReport(&out, c.report); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, "\n"+out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEveryStopHasWords(t *testing.T) {
	for _, stop := range []report.Stop{report.StopBudget, report.StopCredits, report.StopKey, report.StopDeadline, report.StopSignal, report.StopService, report.StopBlocked} {
		if words := stopWords(stop); words == "" || words == string(stop) {
			t.Errorf("%s has none", stop)
		}
	}
}
