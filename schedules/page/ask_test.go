package page

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// TestParametersOfAWorkedQuery: the page has a field for each, passes its value on, and refuses what no value can be.
func TestParametersOfAWorkedQuery(t *testing.T) {
	var asked string
	c := open(t, Config{Dir: harvested(t), Ask: func(_ context.Context, text string, _ func(worker.Progress)) (Table, error) {
		asked = text
		return Table{}, nil
	}})
	for name, q := range map[string]struct {
		query  string
		status int
		asked  string // is in the SQL that was run; empty if none was
		shown  string
	}{
		"without values":              {"query=gone_dark", http.StatusOK, "getvariable('zone')", `name="param.zone" value=""`},
		"the values to choose from":   {"query=gone_dark", http.StatusOK, "getvariable('zone')", `<option value="red-sea">`},
		"a value":                     {"query=gone_dark&param.zone=red-sea", http.StatusOK, "world_zone = 'red-sea'", `name="param.zone" value="red-sea"`},
		"a value of a night":          {"query=known_then&param.night=2026-11-21", http.StatusOK, "coalesce('2026-11-21',", "2026-11-21"},
		"a mistyped zone":             {"query=gone_dark&param.zone=red-see", http.StatusBadRequest, "", "the nearest: red-sea"},
		"a quote":                     {"query=gone_dark&param.zone=x'+OR+1=1--", http.StatusBadRequest, "", "no zone of the data"},
		"a date outside the data":     {"query=known_then&param.night=2019-01-01", http.StatusBadRequest, "", "the nights from 2026-11-20 to 2026-11-22"},
		"what is no date":             {"query=known_then&param.night=yesterday", http.StatusBadRequest, "", "want a night, such as 2026-11-22"},
		"a parameter that it has not": {"query=gone_dark&param.zoen=red-sea", http.StatusBadRequest, "", "no parameter"},
	} {
		asked = ""
		status, _, text := c.ask("GET", "/ask?"+q.query, nil)
		if status != q.status || !strings.Contains(text, q.shown) || (asked != "") != (q.asked != "") || !strings.Contains(asked, q.asked) {
			t.Errorf("%s: status %d, asked %q, and %q is on the page: %v", name, status, asked, q.shown, strings.Contains(text, q.shown))
		}
	}
}

// TestOwnQueriesOnThePage: they are listed with the address of their CSV, which a spreadsheet reads, and take values.
func TestOwnQueriesOnThePage(t *testing.T) {
	var asked string
	own := warehouse.WorkedQuery{Name: "my_ships", Title: "Ships & <mine>", Text: "SELECT getvariable('flag')", Own: true, Params: []warehouse.Parameter{{Name: "flag", Kind: warehouse.ParamFlag}}}
	c := open(t, Config{Dir: harvested(t),
		Own: func() ([]warehouse.WorkedQuery, error) {
			return []warehouse.WorkedQuery{own}, errors.New("queries/broken.sql: no such kind")
		},
		Ask: func(_ context.Context, text string, _ func(worker.Progress)) (Table, error) {
			asked = text
			return Table{}, nil
		},
		AskFile: func(_ context.Context, text, format string, to io.Writer) error {
			asked = text
			_, err := io.WriteString(to, "flag\nPA\n")
			return err
		},
	})
	_, _, text := c.ask("GET", "/ask", nil)
	for _, want := range []string{"Ships &amp; &lt;mine&gt;", `href="/ask?query=my_ships&amp;format=csv"`, "queries/broken.sql: no such kind"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if status, _, _ := c.ask("GET", "/ask?query=my_ships&param.flag=PA", nil); status != http.StatusOK || asked != "SELECT 'PA'" {
		t.Errorf("status %d, asked %q", status, asked)
	}
	asked = ""
	status, header, text := c.ask("GET", "/ask?query=my_ships&param.flag=LR&format=csv", nil)
	if status != http.StatusOK || asked != "SELECT 'LR'" || text != "flag\nPA\n" || !strings.HasPrefix(header.Get("Content-Type"), "text/csv") {
		t.Errorf("as CSV: status %d, asked %q, %v: %s", status, asked, header, text)
	}
	if _, _, text := c.ask("GET", "/ask?query=my_ships&param.flag=LR&format=csv&bom=1", nil); text != "\ufeffflag\nPA\n" {
		t.Errorf("with a byte order mark: %q", text)
	}
	if status, _, text := c.ask("GET", "/ask?query=my_ships&param.flag=Panama", nil); status != http.StatusBadRequest || !strings.Contains(text, "no flag of the data") {
		t.Errorf("a wrong value: status %d", status)
	}
}

// TestAFileThatThereIsNotIsWords: who asks for a file, as a spreadsheet does, gets the error as text, and no page.
func TestAFileThatThereIsNotIsWords(t *testing.T) {
	c := open(t, Config{Dir: harvested(t), Ask: func(context.Context, string, func(worker.Progress)) (Table, error) { return Table{}, nil },
		AskFile: func(context.Context, string, string, io.Writer) error {
			return errors.New("Binder Error: planted\n  LINE 1")
		},
		Answer: func(context.Context, warehouse.Statement, string) (string, func() error, error) {
			return "", nil, worker.ErrBusy
		}})
	for address, want := range map[string]struct {
		status int
		words  string
	}{
		"/ask?sql=SELECT+nope&format=csv":                {http.StatusBadRequest, "Binder Error: planted\n  LINE 1"},
		"/ask?sql=SELECT+1&format=json":                  {http.StatusBadRequest, "want csv or parquet"},
		"/ask?query=no_such_query&format=csv":            {http.StatusNotFound, `no worked query "no_such_query"`},
		"/ask?format=csv":                                {http.StatusBadRequest, "want sql=STATEMENT or query=NAME"},
		"/ask?query=gone_dark&param.zon=x&format=csv":    {http.StatusBadRequest, `has no parameter "zon"`},
		"/ask?query=gone_dark&param.zone=red&format=csv": {http.StatusBadRequest, "red-sea"},
		"/list/vessels?format=xlsx":                      {http.StatusBadRequest, "want csv, json or parquet"},
		"/list/vessels?format=csv&flagg=PA":              {http.StatusBadRequest, "no such column"},
		"/list/vessels?format=csv":                       {http.StatusServiceUnavailable, "Many read at the same time"},
		"/list/nothing?format=csv":                       {http.StatusNotFound, "There is no such page"},
	} {
		status, h, text := c.ask("GET", address, nil)
		if status != want.status || !strings.HasPrefix(h.Get("Content-Type"), "text/plain") || !strings.Contains(text, want.words) || strings.Contains(text, "<") {
			t.Errorf("%s: status %d, %s: %s", address, status, h.Get("Content-Type"), text)
		}
	}
}

// TestAnAnswerLeadsOn from what it names to its page, and from nothing else.
func TestAnAnswerLeadsOn(t *testing.T) {
	cell := func(text string) *string { return &text }
	c := open(t, Config{Dir: t.TempDir(), Ask: func(context.Context, string, func(worker.Progress)) (Table, error) {
		return Table{Total: 2, Columns: []TableColumn{{Name: "vessel_id"}, {Name: "flag"}, {Name: "world_zone"}, {Name: "manager"}, {Name: "run_id"}, {Name: "name"}}, Rows: [][]*string{
			{cell("IMO9218301"), cell("PA"), cell("red-sea"), cell("A & B"), cell("20261120T020000.422Z-4bed"), cell("EVER")},
			{cell(`"><script>`), nil, cell(strings.Repeat("x", 900)), cell(""), cell("javascript:alert(1)"), cell("/list")},
		}}, nil
	}})
	_, answer, _ := strings.Cut(c.get("/ask?sql=SELECT+1"), "<tbody>")
	answer, _, _ = strings.Cut(answer, "</tbody>")
	for _, want := range []string{`<a href="/vessel/IMO9218301"><bdi>IMO9218301`, `<a href="/list/vessels?flag=PA&amp;listed=true">`, `<a href="/zone/red-sea">`,
		`<a href="/company?name=A&#43;%26&#43;B">`, `<a href="/runs/20261120T020000.422Z-4bed">`, `<td><bdi>EVER</bdi></td>`, `<a href="/vessel/%22%3E%3Cscript%3E">`} {
		if !strings.Contains(answer, want) {
			t.Errorf("no %s in\n%s", want, answer)
		}
	}
	if n := strings.Count(answer, "<a "); n != 6 {
		t.Errorf("%d links:\n%s", n, answer)
	}
}
