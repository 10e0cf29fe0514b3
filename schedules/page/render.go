package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/page/lists"
	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/schedules/page/vessel"
	"github.com/fleetlake/fleetlake/warehouse"
)

//go:embed templates/*.html templates/style.css templates/ask.js templates/fresh.js templates/icon.svg templates/coast.svg
var files embed.FS

// templates are parsed when the first page is made: most commands of the program make none.
var templates = sync.OnceValue(func() *template.Template {
	t := template.New("").Funcs(template.FuncMap{
		"n": wording.Count, "took": wording.Duration, "clock": shown.Clock, "moment": shown.Moment, "machine": shown.MachineTime,
		"day": shown.LongDay, "short": shown.ShortDay, "since": shown.Since, "plural": wording.Counted, "sanitize": func(text string) string { return shown.Sanitize(text, "") },
		"text": wording.Value, "plural64": func(n int64, noun string) string { return wording.Counted(int(n), noun) }, "sub": func(a, b int) int { return a - b },
	})
	for _, from := range []embed.FS{files, lists.Templates, vessel.Templates} {
		template.Must(t.ParseFS(from, "templates/*.html"))
	}
	return t
})

// The stylesheet and the icon never change while the program runs.
var (
	style = sync.OnceValue(makeStyle)
	icon  = mustRead("templates/icon.svg")
)

// Paths of the scripts, which few pages load and none needs: Ctrl+Enter for a statement, and the next state of a page that
// says that it is soon out of date.
const askScript, freshScript = "/ask.js", "/fresh.js"

func mustRead(name string) []byte {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return b
}

// makeStyle adds to the stylesheet what follows from tables: where the zones are on the map, and
// what the filter of the map selects.
func makeStyle() []byte {
	b := bytes.NewBuffer(mustRead("templates/style.css"))
	b.WriteString("@media (min-width:60rem){\n")
	for _, z := range zonesOfMap {
		fmt.Fprintf(b, ".z-%s{grid-area:%d/%d}\n", z.Value, z.Row, z.Column)
	}
	b.WriteString("}\n")
	for _, s := range statusesOfFilter {
		fmt.Fprintf(b, ".s-%[1]s{fill:var(--%[1]s);background:var(--%[1]s)}\n.map:has(#f-%[1]s:checked){--hue:var(--%[1]s)}\n"+
			".map:has(#f-%[1]s:checked) .all{display:none}.map:has(#f-%[1]s:checked) .n-%[1]s{display:inline}\n"+
			".map:has(#f-%[1]s:checked) .stack rect:not(.s-%[1]s){opacity:.18}\n.map:has(#f-%[1]s:checked) .zone{--m:0%%}\n", s.Value)
		for l := 1; l <= levels; l++ {
			fmt.Fprintf(b, ".map:has(#f-%[1]s:checked) .%[1]s-%[2]d{--m:var(--m%[2]d)}\n", s.Value, l)
		}
	}
	return b.Bytes()
}

func always(content []byte) func() []byte { return func() []byte { return content } }

// asset serves a file that belongs to the pages.
func asset(kind string, content func() []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "private, max-age=300")
		w.Write(content())
	}
}

// statusPage serves the page for people.
func (s *site) statusPage(w http.ResponseWriter, r *http.Request) {
	status, body := s.status.get(s.Now(), func() (int, []byte) { return s.renderStatus(r.Context()) })
	send(w, status, body)
}

// attach is the SQL with which DuckDB reads the warehouse from here; empty if it is not offered.
func (s *site) attach() string {
	const attach = "ATTACH 'http://…/warehouse/fleet.duckdb' AS fleet (READ_ONLY);"
	switch {
	case s.Share == nil:
		return ""
	case s.Token == "":
		return attach
	}
	return "CREATE SECRET (TYPE http, SCOPE 'http://…', BEARER_TOKEN '…'); " + attach
}

func (s *site) renderStatus(ctx context.Context) (int, []byte) {
	now := s.Now()
	v := view{Kind: "status", Title: "Status", Version: s.Version, Now: now, Form: s.form, Attach: s.attach(), CanStop: s.Config.Stop != nil}
	schedule, silent := s.Config.Schedule()
	s.scheduled(&v, schedule)
	v.Startable = s.startable(ctx, schedule)
	v.Export = s.export(schedule)
	report, err := s.reports.Get(ctx, "", now)
	switch {
	case err != nil && !errors.Is(err, warehouse.ErrNone):
		v.Verdict = s.trouble(err)
		return http.StatusServiceUnavailable, s.page(v)
	case report == nil:
		v.Verdict = Verdict{Level: "none", Title: "No night yet", Lines: []string{"The first run fills this page."}}
		v.First = s.firstRuns(ctx, v.Next)
	default:
		v.ofNight(report, upToYesterday(report.Days, now, v.Past), s.Caps.PerRun)
		madeUp(v.Past, report.Runs)
		v.Verdict = verdictNow(report.Night, now, v.Past)
		v.Lasts = lasts(report, s.Caps.Floor)
	}
	if s.Spending != nil {
		spending, err := s.Spending()
		if err != nil {
			v.Verdict = v.Verdict.with([]Trouble{{"What was spent cannot be read", s.sanitize(err.Error())}})
		} else {
			v.Spending, v.Meters = &spending, meters(spending)
		}
	}
	if silent != nil {
		v.Verdict = v.Verdict.with([]Trouble{{"The scheduler does not answer", "What runs now, and what comes next, is not known. The log says more."}})
	}
	v.Verdict = v.Verdict.with(s.Troubles())
	s.tidy(&v)
	return http.StatusOK, s.page(v)
}

// tidy removes the paths of this machine from the reasons of runs.
func (s *site) tidy(v *view) {
	for i, line := range v.Verdict.Lines {
		v.Verdict.Lines[i] = s.sanitize(line)
	}
}

// export is what the page says of exports.
func (s *site) export(now Schedule) string {
	if now.Exporting != nil {
		return "An export is under way, since " + now.Exporting.UTC().Format("15:04") + " UTC."
	}
	return s.sanitize(s.Config.Export())
}

// scheduled shows what runs, and sorts the slots into what comes and what did not run.
func (s *site) scheduled(v *view, now Schedule) {
	v.Live = now.Live
	for _, slot := range now.Slots {
		slot.Reason = s.sanitize(slot.Reason)
		if slot.State == "next" {
			v.Next = append(v.Next, slot)
		} else {
			v.Past = append(v.Past, slot)
		}
	}
	slices.SortStableFunc(v.Next, func(a, b SlotView) int { return a.At.Compare(b.At) })
	slices.SortStableFunc(v.Past, func(a, b SlotView) int { return b.At.Compare(a.At) })
}

// startable are the jobs that can be run now, with their prices unless a run is under way, which changes them.
func (s *site) startable(ctx context.Context, now Schedule) (all []startable) {
	if s.RunNow == nil {
		return nil
	}
	for _, job := range now.jobs() {
		one := startable{Job: job}
		if now.Live.Job == "" {
			one.Price = s.price(ctx, job)
		}
		all = append(all, one)
	}
	return all
}

// madeUp notes for each slot without a good run the first later run of its night that was done.
func madeUp(past []SlotView, runs []Run) {
	for i, slot := range past {
		for _, r := range runs { // the newest first
			if r.Job == slot.Job && r.Date == slot.Date && r.State == report.StateDone && r.Started.After(slot.At) {
				past[i].MadeUpBy = "the run of " + shown.Moment(r.Started) + " was done"
			}
		}
	}
}

// trouble says what is wrong with the published file, and what to do.
func (s *site) trouble(err error) Verdict {
	v := Verdict{Level: "bad", Title: "The warehouse cannot be read", Lines: []string{s.sanitize(err.Error())}}
	if errors.Is(err, warehouse.ErrDamaged) {
		v.Title = "The warehouse is damaged"
		v.Lines = []string{"Nothing that was paid for is lost: the journal has every answer, and the warehouse is built from it.",
			"Run `fleetlake rollback` to publish the previous version."}
	}
	return v
}

// Seconds after which the frame is out of date.
const freshWhileRunning, freshWhileIdle = 3, 30

// livePage serves the frame with the run that is under way; it refreshes itself.
func (s *site) livePage(w http.ResponseWriter, r *http.Request) {
	v := view{Kind: "live", Title: "Now", Now: s.Now()}
	schedule, _ := s.Config.Schedule() // the page around this frame says if there is no answer
	s.scheduled(&v, schedule)
	if report, err := s.reports.Get(r.Context(), "", v.Now); err == nil && report != nil {
		v.Newer = r.FormValue("seen") != report.Night.ID()
	}
	if v.Refresh = freshWhileIdle; v.Live.Job != "" {
		v.Refresh = freshWhileRunning
	}
	mayFetch(w)
	if r.FormValue("whole") != "" {
		v.Kind += " whole"
	}
	send(w, http.StatusOK, render("live.html", v))
}

// runPage serves the report of one run's night.
func (s *site) runPage(w http.ResponseWriter, r *http.Request) {
	if v, ok := s.oneRun(w, r); ok {
		v.Kind = "run"
		send(w, http.StatusOK, s.page(v))
	}
}

// runFile serves the same as one file, to keep or to mail.
func (s *site) runFile(w http.ResponseWriter, r *http.Request) {
	if v, ok := s.oneRun(w, r); ok {
		w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="fleetlake-%s.html"`, v.Night.ID()))
		send(w, http.StatusOK, renderFile(v))
	}
}

func (s *site) oneRun(w http.ResponseWriter, r *http.Request) (view, bool) {
	id, now := r.PathValue("id"), s.Now()
	if !shown.RunID.MatchString(id) {
		s.notFound(w, r)
		return view{}, false
	}
	report, err := s.reports.Get(r.Context(), id, now)
	switch {
	case errors.Is(err, warehouse.ErrNoRun), errors.Is(err, warehouse.ErrNone), err == nil && report == nil:
		s.notFound(w, r)
		return view{}, false
	case err != nil:
		t := s.trouble(err)
		s.say(w, http.StatusServiceUnavailable, t.Title, t.Lines...)
		return view{}, false
	}
	v := runView(report, now, s.Version)
	s.tidy(&v)
	return v, true
}

func runView(report *NightReport, now time.Time, version string) view {
	v := view{Title: report.Night.Job + " for " + report.Night.Date, Version: version, Now: now}
	v.ofNight(report, report.Days, 0)
	v.Verdict = verdictOf(report.Night)
	return v
}

// renderFile renders one file that contains all it needs and may load nothing.
func renderFile(v view) []byte {
	sum := sha256.Sum256(style())
	v.Kind, v.Style = "file", template.CSS(style())
	v.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; base-uri 'none'; form-action 'none'"
	return render("page.html", v)
}

// notFound answers for pages that do not exist.
func (s *site) notFound(w http.ResponseWriter, _ *http.Request) {
	s.say(w, http.StatusNotFound, "There is no such page", "The run may not be published, or the address may be mistyped.")
}

// inWords is the response to a program that asked for a file: what it gets instead is text, and no page.
type inWords struct{ http.ResponseWriter }

// Unwrap is for http.ResponseController.
func (w inWords) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// forFile is the response to a request, in words if it asks for a file.
func forFile(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	if r.FormValue("format") == "" {
		return w
	}
	return inWords{w}
}

// say answers with a few words and the way back.
func (s *site) say(w http.ResponseWriter, status int, title string, lines ...string) {
	if _, ok := w.(inWords); ok {
		http.Error(w, strings.Join(append([]string{title + "."}, lines...), "\n"), status)
		return
	}
	send(w, status, s.page(view{Kind: "note", Title: title, Version: s.Version, Now: s.Now(),
		Verdict: Verdict{Level: "none", Title: title, Lines: lines}}))
}

// navItem is a place of the navigation, which is the same on every page.
type navItem struct {
	Title, Link string
	Here        bool
}

// page renders a page with the navigation.
func (s *site) page(v view) []byte { return render("page.html", s.framed(v)) }

// framed adds the navigation.
func (s *site) framed(v view) view {
	kind := strings.Fields(v.Kind)[0]
	add := func(title, link string, kinds ...string) {
		v.Nav = append(v.Nav, navItem{title, link, slices.Contains(kinds, kind)})
	}
	add("Tonight", "/", "status", "run")
	add("Fleet", "/fleet", "series")
	add("Lists", "/list", "list", "lists", "search", "vessel", "company")
	if s.Config.Forecast != nil && len(s.ForecastJobs) > 0 {
		add("Forecast", "/forecast", "forecast")
	}
	if v.CanAsk = s.Config.Ask != nil; v.CanAsk {
		add("Ask", askPath, "ask")
	}
	add("Dictionary", "/dictionary")
	return v
}

// render executes a template. One that does not fit its data is a bug.
func render(name string, v view) []byte {
	var b bytes.Buffer
	if err := templates().ExecuteTemplate(&b, name, v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func send(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if status >= http.StatusBadRequest { // what is wrong now may be right the next time
		w.Header().Del("ETag")
		w.Header().Set("Cache-Control", "no-store")
	}
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(status)
	w.Write(body) // a client that disconnected needs no answer
}

// IconURL is the icon for the single file.
func (view) IconURL() template.URL {
	return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(icon))
}

// Is reports whether the page is of one of these kinds.
func (v view) Is(kinds string) bool {
	return slices.Contains(strings.Fields(kinds), strings.Fields(v.Kind)[0])
}

// Whole reports whether the frame has room for the details of the run.
func (v view) Whole() bool { return strings.HasSuffix(v.Kind, "whole") }

// sanitize removes the paths of this machine from a text, and control characters that would hide or
// reverse the text around them.
func (s *site) sanitize(text string) string { return shown.Sanitize(text, s.Dir) }
