package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/flight/flightsql"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/fleetlake/fleetlake/schedules/notify"
)

// hostileNames are what anybody may send by radio as the name of a vessel.
var hostileNames = []string{
	"<script>alert(1)</script>", `"><img src=x onerror=alert(2)>`, "</title></style><script src=//e.example>", "<!--<![CDATA[ ]]>",
	"\u202eTFEL OT THGIR\u2066", "\u200fMARK\u200e\u200b\ufeff", strings.Repeat("LONG NAME ", 1000), "A NUL\x00AND\nTWO\r\nLINES\x1b[31m\x07",
	"=cmd|' /C calc'!A0", "+1+cmd|' /C calc'!A0", "-2+3+cmd", "@SUM(1+1)*cmd", `"quoted", comma; and 'apostrophe'`, `| pipe \| [link](javascript:alert(3)) ![x](//e.example)`,
	"'; DROP TABLE vessels; --", "%s%d{{.}}${x}$(id)`id`", "NULL", "\u0000", "ZALGO\u0336\u0337\u0338\u0301\u0302", "😀🏴‍☠️",
}

// names reads the vessels with hostile names: what each is called in the warehouse, by its id.
type names = map[string]string

// TestHostileNamesAreShownHarmlessly sends such names through a harvest of two nights into every output: what
// programs read has exactly the names of the warehouse, and what people read has no markup, no control
// character and none that changes the direction of a text.
func TestHostileNamesAreShownHarmlessly(t *testing.T) {
	t.Parallel()
	notified := make(chan string, 100)
	d := newDouble(t, tinyFleet())
	watch := make([]string, len(hostileNames))
	for i := range watch {
		watch[i] = `"` + d.fleet[i].imo + `"`
	}
	job := strings.Replace(fmt.Sprintf(tinyJob, "1h"), "max_requests: 4}", "max_requests: 4, watch: ["+strings.Join(watch, ", ")+"]}", 1)
	w := newDoubleWorld(t, d, 20_000, 3000, ", timeout: 5s", strings.Replace(job, "{by: country,", "{by: country, max_age: 0s,", 1)+
		fmt.Sprintf("    schedule: '0 0 1 1 *'\nserve: {listen: '127.0.0.1:0'}\nflight: {listen: '127.0.0.1:0'}\nqueries: {time: 20m}\nnotify: {webhook: {url: %s}}\n", newReceiver(t, notified)))
	today := time.Now().UTC()
	w.must(exitDone, "run", "nightly", "--date", today.AddDate(0, 0, -1).Format(time.DateOnly))
	d.mu.Lock()
	for i, name := range hostileNames {
		d.fleet[i].name = name
	}
	d.mu.Unlock()
	w.must(exitDone, "run", "nightly", "--date", today.Format(time.DateOnly))

	ids := make([]string, len(hostileNames))
	for i := range ids {
		ids[i] = "'IMO" + d.fleet[i].imo + "'"
	}
	sql := "SELECT vessel_id, name FROM vessels WHERE vessel_id IN (" + strings.Join(ids, ", ") + ") ORDER BY vessel_id"
	want := jsonNames(t, w.must(exitDone, "query", "--format", "json", sql).stdout)
	if len(want) != len(hostileNames) || want["IMO"+d.fleet[0].imo] != "<SCRIPT>ALERT(1)</SCRIPT>" || len(want["IMO"+d.fleet[6].imo]) != 9999 {
		t.Fatalf("the names in the warehouse: %q", want)
	}
	t.Run("the terminal", func(t *testing.T) { hostileQueries(t, w.of(t), sql, want) })
	var sent []string
	for len(notified) > 0 {
		sent = append(sent, <-notified)
	}
	t.Run("notifications", func(t *testing.T) { hostileNews(t, sent) })
	s := w.serve()
	page, address := s.page(), s.flightAddress()
	t.Run("the pages", func(t *testing.T) { hostilePages(t, page, d, want) })
	t.Run("files of the page", func(t *testing.T) { hostileFiles(t, page, sql, want) })
	t.Run("Flight SQL", func(t *testing.T) { hostileFlight(t, address, sql, want) })
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.ends()
}

func jsonNames(t *testing.T, text string) names {
	t.Helper()
	var rows []struct {
		ID   string  `json:"vessel_id"`
		Name *string `json:"name"`
	}
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	all := names{}
	for _, r := range rows {
		if all[r.ID] = "no name"; r.Name != nil {
			all[r.ID] = *r.Name
		}
	}
	return all
}

func csvNames(t *testing.T, text string) names {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	all := names{}
	for _, r := range rows[1:] {
		if all[r[0]] = r[1]; r[1] == "" {
			all[r[0]] = "no name"
		}
	}
	return all
}

func parquetNames(t *testing.T, content []byte) names {
	t.Helper()
	f, err := file.NewParquetReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := r.ReadTable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	read := array.NewTableReader(table, 0)
	defer read.Release()
	all := names{}
	for read.Next() {
		addNames(all, read.Record().Column(0), read.Record().Column(1))
	}
	return all
}

// addNames adds the names of two columns of a record.
func addNames(all names, ids, values interface {
	Len() int
	IsNull(int) bool
	ValueStr(int) string
}) {
	for i := range ids.Len() {
		if all[ids.ValueStr(i)] = values.ValueStr(i); values.IsNull(i) {
			all[ids.ValueStr(i)] = "no name"
		}
	}
}

// harmless checks a text that people read.
func harmless(t *testing.T, what, text string) {
	t.Helper()
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r == '\u200b' || r == '\ufeff' {
			at := strings.IndexRune(text, r)
			t.Errorf("%s has the character %U: %q", what, r, text[max(0, at-80):min(len(text), at+80)])
			return
		}
	}
}

// hostileQueries checks what the verbs print.
func hostileQueries(t *testing.T, w *world, sql string, want names) {
	if got := csvNames(t, w.csv(sql)); !maps.Equal(got, want) {
		t.Errorf("CSV: %s", cmp.Diff(want, got))
	}
	lines := strings.Split(strings.TrimSpace(w.must(exitDone, "query", "--format", "ndjson", sql).stdout), "\n")
	if got := jsonNames(t, "["+strings.Join(lines, ",")+"]"); len(lines) != len(want) || !maps.Equal(got, want) {
		t.Errorf("NDJSON: %s", cmp.Diff(want, got))
	}
	path := filepath.Join(t.TempDir(), "names.parquet")
	w.must(exitDone, "query", "--out", path, sql)
	if content, err := os.ReadFile(path); err != nil || !maps.Equal(parquetNames(t, content), want) {
		t.Errorf("Parquet: %v", err)
	}
	table := w.must(exitDone, "query", "--format", "table", sql).stdout
	harmless(t, "a table", table)
	markdown := strings.Split(strings.TrimSpace(w.must(exitDone, "query", "--format", "markdown", sql).stdout), "\n")
	harmless(t, "Markdown", strings.Join(markdown, "\n"))
	if len(markdown) != len(want)+2 {
		t.Errorf("Markdown has %d lines for %d vessels", len(markdown), len(want))
	}
	for _, line := range markdown {
		bare := strings.NewReplacer(`\\`, "", `\|`, "", `\(`, "").Replace(line)
		if strings.Count(bare, "|") != 3 || strings.Contains(bare, "<") || strings.Contains(bare, "](") {
			t.Errorf("a line of Markdown with markup or other cells: %s", line)
		}
	}
	explained := 0
	for id, name := range want {
		if explained++; explained > 5 { // each is two processes; the order of a map is another one each time
			break
		}
		harmless(t, "explain", w.must(exitDone, "explain", id).stdout)
		var e struct{ Name string }
		if err := json.Unmarshal([]byte(w.must(exitDone, "explain", "--json", id).stdout), &e); err != nil || e.Name != name && name != "no name" {
			t.Errorf("explain of %s names it %q, want %q: %v", id, e.Name, name, err)
		}
	}
	harmless(t, "status", w.must(exitDone, "status").stdout)
}

// hostileNews checks what recipients were sent.
func hostileNews(t *testing.T, sent []string) {
	found := 0
	for _, body := range sent {
		var e notify.Event
		if err := json.Unmarshal([]byte(body), &e); err != nil {
			t.Fatal(err)
		}
		text := e.Text()
		harmless(t, "a notification", text)
		found += strings.Count(text, "renamed, DOUBLE ")
		if n := len([]rune(text)); n > 20_000 {
			t.Errorf("a notification has %d characters", n)
		}
	}
	if found < len(hostileNames)/2 {
		t.Errorf("%d vessels were renamed, says %q", found, sent)
	}
}

// hostilePages checks the pages and feeds.
func hostilePages(t *testing.T, address string, d *double, want names) {
	paths := []string{"/", "/changes.atom", "/watch.atom", "/list/vessels", "/list/renamings", "/list/changes", "/list/issues", "/search?q=DOUBLE", "/fleet", "/metrics", "/live?whole=1"}
	for i, name := range hostileNames {
		paths = append(paths, "/vessel/IMO"+d.fleet[i].imo, "/search?q="+url.QueryEscape(name[:min(len(name), 200)]))
	}
	vessels := 0
	for _, path := range paths {
		status, body := get(t, strings.TrimSuffix(address, "/")+path)
		if status != 200 {
			t.Errorf("%s: %d\n%.200s", path, status, body)
			continue
		}
		harmless(t, path, body)
		text := strings.ReplaceAll(body, `<script src="/fresh.js" defer></script>`, "") // ours
		if strings.HasSuffix(path, ".atom") {
			text = feedContents(t, path, body)
		}
		for _, tag := range []string{"<script", "<img src", "<!--<!", "onerror=alert(2)>", "\"javascript:"} {
			if strings.Contains(strings.ToLower(text), tag) {
				t.Errorf("%s has %s", path, tag)
			}
		}
		if strings.HasPrefix(path, "/vessel/") {
			vessels++
			name := want[strings.TrimPrefix(path, "/vessel/")]
			if plain := !strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(unicode.Cf, r) }); plain && name != "no name" && !strings.Contains(html.UnescapeString(body), name) {
				t.Errorf("%s does not name %q", path, name)
			}
		}
	}
	if vessels != len(hostileNames) {
		t.Errorf("%d pages of vessels", vessels)
	}
}

// feedContents are the contents of the entries of a feed, as a reader shows them.
func feedContents(t *testing.T, path, body string) string {
	var f struct {
		Entries []struct {
			Title   string `xml:"title"`
			Content string `xml:"content"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal([]byte(body), &f); err != nil || len(f.Entries) == 0 {
		t.Errorf("%s: %d entries, %v", path, len(f.Entries), err)
	}
	all := ""
	for _, e := range f.Entries {
		harmless(t, path, e.Title+e.Content)
		all += e.Content
	}
	return all
}

// hostileFiles checks the files that a browser gets from a list and from a statement.
func hostileFiles(t *testing.T, address, sql string, want names) {
	address = strings.TrimSuffix(address, "/")
	for what, path := range map[string]string{"a list": "/list/vessels?sort=vessel_id&", "a statement": "/ask?sql=" + url.QueryEscape(sql) + "&"} {
		for _, format := range []string{"csv", "json", "parquet"} {
			if what == "a statement" && format == "json" {
				continue // it has none
			}
			status, body := get(t, address+path+"format="+format)
			if status != 200 {
				t.Errorf("%s as %s: %d %.200s", what, format, status, body)
				continue
			}
			var got names
			switch format {
			case "json":
				got = jsonNames(t, body)
			case "parquet":
				got = parquetNames(t, []byte(body))
			case "csv":
				got = spreadsheetNames(t, what, body)
			}
			for id, name := range want {
				if what == "a list" && format == "parquet" {
					break // its columns are in another order
				}
				if got[id] != name {
					t.Errorf("%s as %s: %s is %q, want %q", what, format, id, got[id], name)
				}
			}
		}
	}
}

// spreadsheetNames are the names in a CSV file for people, whose cells a spreadsheet must not take for formulas:
// an apostrophe before a text makes it one.
func spreadsheetNames(t *testing.T, what, body string) names {
	all := names{}
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := 1
	for i, name := range rows[0] {
		if name == "name" {
			column = i
		}
	}
	for _, r := range rows[1:] {
		for i, cell := range r {
			if cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) && strings.ContainsAny(cell, "cCsS") {
				t.Errorf("%s: a formula in the column %s: %s", what, rows[0][i], cell)
			}
		}
		name := r[column]
		if len(name) > 1 && name[0] == '\'' && strings.ContainsRune("=+-@", rune(name[1])) {
			name = name[1:]
		}
		if all[r[0]] = name; name == "" {
			all[r[0]] = "no name"
		}
	}
	return all
}

// hostileFlight checks what a client of Flight SQL gets.
func hostileFlight(t *testing.T, address, sql string, want names) {
	c, err := flightsql.NewClient(address, nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	info, err := c.Execute(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.DoGet(t.Context(), info.GetEndpoint()[0].GetTicket())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	got := names{}
	for r.Next() {
		addNames(got, r.Record().Column(0), r.Record().Column(1))
	}
	if err := r.Err(); err != nil && err != io.EOF || !maps.Equal(got, want) {
		t.Errorf("%v %s", err, cmp.Diff(want, got))
	}
}
