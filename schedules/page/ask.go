package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// askPath is the path of the form for a statement.
const askPath = "/ask"

// askForm is more bytes than the form has, with each byte of a statement written as three.
const askForm = 4 * maxStatement

// Sizes of a statement and of the part of its answer that the page has: a browser takes no more.
const maxStatement, AskRows = 8 << 10, 1000

// Sizes of what the page holds of an answer: all of its cells, one cell beside its text, and the text of one cell.
const AskBytes, AskCellBytes, askText = 2 << 20, 64, 1000

// Beginning is a text as a cell has it: a long one is cut off, and says how long it is.
func Beginning(text string) string {
	if len(text) <= askText {
		return text
	}
	return strings.ToValidUTF8(text[:askText], "") + "… (" + wording.Count(len(text)) + " bytes)"
}

// Table is the answer of a statement: its first rows, AskRows of them at most. A value without a row is nil.
type Table struct {
	Columns []TableColumn
	Rows    [][]*string
	Total   int64
}

// TableColumn is a column of an answer, with its type as DuckDB or Arrow names it.
type TableColumn struct {
	Name, Type string
	Number     bool
}

// AskView is the form for one statement, and its answer.
type AskView struct {
	SQL     string
	Name    string // of the worked query in the form; empty if it is a person's own
	Worked  []warehouse.WorkedQuery
	Own     []warehouse.WorkedQuery // of a person's own
	Wrong   string                  // what is wrong with the files of others
	Fields  []AskField              // the parameters of the worked query
	Answer  *Table
	Problem string // why there is no answer, with the line marked
	Foreign bool   // the statement comes from elsewhere, and a person has to run it
	Took    string
	Bars    []Share    // the answer as bars, if each row has a text and a number
	Tables  []AskTable // what there is to ask for
	Line    *LineChart // or over the nights, if it has a date and a number

	Waits iter.Seq[string] // what to say while the statement is not answered; nil if it is
}

// AskField is a parameter of the worked query in the form.
type AskField struct {
	warehouse.Parameter
	Value   string
	Choices []string // the values that it can have; empty if these are no list, or a long one
}

// fieldPrefix begins the names of the fields of parameters: a form has other fields, too.
const fieldPrefix = "param."

// Cell is a value of the answer as people read it. A file has it as it came.
func (v AskView) Cell(column int, value string) string {
	if v.Answer.Columns[column].Number {
		return shown.Number(value)
	}
	return shown.Printable(value)
}

// Page is the page of what a value of the answer names, by the name of its column; empty if it has none.
func (v AskView) Page(column int, value string) string {
	return shown.LinkOf(v.Answer.Columns[column].Name, value)
}

// Address is a link that asks the same question.
func (v AskView) Address() string { return askPath + "?" + url.Values{"sql": {v.SQL}}.Encode() }

// Missing is how many rows the page leaves out.
func (v AskView) Missing() int { return int(v.Answer.Total) - len(v.Answer.Rows) }

// askPage serves the form for one statement that reads, and runs it in a process of its own.
func (s *site) askPage(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, askForm)
	w.Header().Set("Content-Security-Policy", policy+mayRunScripts)
	if isAhead(r) {
		http.Error(w, "statements are not run ahead of a person", http.StatusServiceUnavailable)
		return
	}
	w = forFile(w, r)
	v := AskView{SQL: strings.ReplaceAll(r.FormValue("sql"), "\r\n", "\n"), Worked: warehouse.Queries()}
	wrong := s.chosen(r, &v)
	if err := s.tablesOf(r.Context(), &v); err != nil && !errors.Is(err, warehouse.ErrNone) {
		s.Log.Warn("the tables of the form cannot be read", "error", err)
	}
	format := r.FormValue("format")
	status := http.StatusOK
	switch {
	case format != "" && format != "csv" && format != "parquet":
		v.Problem, status = fmt.Sprintf("format %q: want csv or parquet", shown.Shortened(format)), http.StatusBadRequest
	case r.FormValue("query") != "" && v.Name == "":
		v.Problem, status = fmt.Sprintf("there is no worked query %q: %s lists them", shown.Shortened(r.FormValue("query")), askPath), http.StatusNotFound
	case format != "" && r.FormValue("sql") == "" && v.Name == "":
		v.Problem, status = "there is no statement: want sql=STATEMENT or query=NAME", http.StatusBadRequest
	case r.FormValue("sql") == "" && v.Name == "", r.FormValue("edit") != "", r.Method == http.MethodHead:
	case !isOwn(r):
		v.Foreign = true
		if format != "" {
			status = http.StatusForbidden
		}
	case wrong != nil:
		v.Problem, status = s.problem(wrong), http.StatusBadRequest
	case len(v.SQL) > maxStatement:
		v.Problem, v.SQL = fmt.Sprintf("The statement has more than %d bytes: `fleetlake query --file` takes any.", maxStatement), ""
		status = http.StatusBadRequest
	case format == "csv" || format == "parquet":
		err := s.stream(w, r, "answer", format, func(to io.Writer) error { return s.AskFile(r.Context(), v.SQL, format, to) })
		if err == nil {
			return
		}
		status = s.failed(&v, err)
	default:
		s.answer(w, r, v)
		return
	}
	if _, ok := w.(inWords); ok && status != http.StatusOK {
		s.say(w, status, "The statement has no answer", cmp.Or(v.Problem, "It comes from another site. Open it without its format, and run it there."))
		return
	}
	send(w, status, s.page(s.askView(&v)))
}

func (s *site) askView(v *AskView) view {
	return view{Kind: "ask", Title: "Ask", Version: s.Version, Now: s.Now(), Ask: v}
}

// chosen puts the worked query that a request names into the form; its error is what is wrong with the values.
func (s *site) chosen(r *http.Request, v *AskView) (wrong error) {
	if s.Own != nil {
		var err error
		if v.Own, err = s.Own(); err != nil {
			v.Wrong = err.Error()
		}
	}
	for _, q := range slices.Concat(v.Worked, v.Own) {
		if q.Name == r.FormValue("query") {
			v.Name = q.Name
			wrong = s.fillIn(r, v, q)
		}
	}
	return wrong
}

// failed notes why there is no answer, and returns the status that says so.
func (s *site) failed(v *AskView, err error) int {
	v.Problem = s.problem(err)
	if errors.Is(err, worker.ErrBusy) {
		return http.StatusServiceUnavailable
	}
	return http.StatusBadRequest
}

// isAhead reports whether a browser asks for a page that nobody has opened: it would run a statement twice.
func isAhead(r *http.Request) bool { return strings.Contains(r.Header.Get("Sec-Purpose"), "prefetch") }

// AskTable is a table or view with its columns, and a statement that shows its first rows.
type AskTable struct {
	Name    string
	Columns []string
	Link    string
}

// tablesOf reads what there is to ask for.
func (s *site) tablesOf(ctx context.Context, v *AskView) error {
	return s.look(ctx, func(ctx context.Context, file *warehouse.Warehouse) error {
		return each(ctx, file, "columns", func(r record) {
			if n := len(v.Tables); n == 0 || v.Tables[n-1].Name != r.Text(0) {
				v.Tables = append(v.Tables, AskTable{Name: r.Text(0), Link: askPath + "?" + url.Values{"sql": {"SELECT *\nFROM " + r.Text(0) + "\nLIMIT 100"}}.Encode()})
			}
			last := &v.Tables[len(v.Tables)-1]
			last.Columns = append(last.Columns, r.Text(1))
		})
	})
}

// fillIn puts a worked query with the values of its fields into the form. It returns an error for a value that its
// parameter cannot have, and for a field that is none of the query.
func (s *site) fillIn(r *http.Request, v *AskView, q warehouse.WorkedQuery) error {
	params := map[string]string{}
	for field := range r.Form {
		name, ok := strings.CutPrefix(field, fieldPrefix)
		if !ok {
			continue
		}
		if !slices.ContainsFunc(q.Params, func(p warehouse.Parameter) bool { return p.Name == name }) {
			v.SQL = q.Text
			return fmt.Errorf("%s: the worked query %s has no parameter %q", field, q.Name, name)
		}
		if value := strings.TrimSpace(r.Form.Get(field)); value != "" {
			params[name] = value
		}
	}
	v.SQL = q.With(params)
	for _, p := range q.Params {
		v.Fields = append(v.Fields, AskField{Parameter: p, Value: params[p.Name]})
	}
	if len(q.Params) == 0 {
		return nil
	}
	return s.look(r.Context(), func(ctx context.Context, file *warehouse.Warehouse) (err error) {
		for i := range v.Fields {
			if v.Fields[i].Choices, err = file.Choices(ctx, v.Fields[i].Parameter); err != nil {
				return err
			}
		}
		return file.CheckParams(ctx, q, params)
	})
}

// isOwn reports whether a request comes from a form or link of this page, an address that a person typed, or a program.
// A page elsewhere can send the browser of an analyst here, with the token that the browser keeps. Browsers say where a
// request comes from: by Sec-Fetch-Site where the connection is trusted, by Origin with a form (which the guard checks),
// and by the Referer of our own pages, which another page cannot forge. Every browser calls itself Mozilla.
func isOwn(r *http.Request) bool {
	if r.Method == http.MethodPost {
		return true
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin" || site == "none"
	}
	if !strings.Contains(r.UserAgent(), "Mozilla/") {
		return true
	}
	from, err := url.Parse(r.Referer())
	return err == nil && from.Host == r.Host && r.Host != ""
}

// problem is an error of a statement for people: DuckDB's words, in which a line is marked.
func (s *site) problem(err error) string {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		marked := strings.TrimLeft(line, " ")
		lines = append(lines, strings.Repeat(" ", len(line)-len(marked))+s.sanitize(strings.TrimRight(marked, "\n")))
	}
	return strings.Join(lines, "\n")
}

// Sizes of the drawings of an answer.
const mostBars, mostNights = 40, 400

// draw makes a drawing of an answer that has the shape of one: two columns, of which the second is a number.
func (v *AskView) draw() {
	a := v.Answer
	if len(a.Columns) != 2 || !a.Columns[1].Number || a.Columns[0].Number || len(a.Rows) < 2 || v.Missing() > 0 {
		return
	}
	if strings.HasPrefix(strings.ToLower(a.Columns[0].Type), "date") && len(a.Rows) <= mostNights {
		one := Series{Title: a.Columns[1].Name}
		for _, row := range a.Rows {
			p := SeriesPoint{}
			if row[0] != nil {
				p.Date = *row[0]
			}
			if row[1] != nil {
				n, err := strconv.ParseFloat(*row[1], 64)
				p.Value, p.Known = n, err == nil && n >= 0
			}
			one.Points = append(one.Points, p)
		}
		c := lineChart("answer", one)
		v.Line = &c
		return
	}
	if len(a.Rows) > mostBars {
		return
	}
	longest := 0.0
	values := make([]float64, len(a.Rows))
	for i, row := range a.Rows {
		if row[1] == nil {
			continue
		}
		n, err := strconv.ParseFloat(*row[1], 64)
		if err != nil || n < 0 {
			return // no bar is shorter than nothing
		}
		values[i], longest = n, max(longest, n)
	}
	for i, row := range a.Rows {
		bar := Share{Name: "NULL", Words: "NULL"}
		if row[0] != nil {
			bar.Name = *row[0]
		}
		if row[1] != nil {
			bar.Words = shown.Number(*row[1])
		}
		if longest > 0 {
			bar.Percent = 100 * values[i] / longest
		}
		v.Bars = append(v.Bars, bar)
	}
}
