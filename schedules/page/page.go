package page

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"sync/atomic"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/listen/times"
	"github.com/fleetlake/fleetlake/schedules/published"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/turns"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// Config is what the page shows and who may see it.
type Config struct {
	Dir    string                             // the data directory
	Hosts  []string                           // Host values that are ours besides the loopback names, without a port
	Token  string                             // for actions, and for everything on another address than loopback; may be empty
	RunNow func(job string, again bool) error // starts a run and does not wait for it; nil is no such action

	// Schedule asks the scheduler what it does, and what comes next; its error says that there is no answer. The page
	// asks once for each rendering. Nil is a scheduler without jobs.
	Schedule func() (Schedule, error)

	// PriceAgain prices a run that would pay for the job's night of today a second time, because that
	// night has ended; it returns nil for any other run. The page asks before it starts such a run.
	PriceAgain func(ctx context.Context, job string) (*pipeline.Preview, error)

	// Price prices a run of a job that would begin now; it sends no request. Nil is not known.
	Price func(ctx context.Context, job string) (*pipeline.Preview, error)

	// Troubles lists what is wrong with the data directory, whatever the state of the night, besides a scheduler that
	// does not answer; may be nil.
	Troubles func() []Trouble

	// Scores scores a vessel in each job's plan for tonight, without a request; nil offers no scores.
	Scores func(ctx context.Context, vesselID string) ([]wording.VesselScore, error)

	// Answer writes the answer of a statement to a temporary file as csv, json or parquet, and returns its
	// path; done removes it. Nil offers no files.
	Answer func(ctx context.Context, s warehouse.Statement, format string) (path string, done func() error, err error)

	// Ask runs a statement of a person within limits, apart from this process, and AskFile writes its whole
	// answer as csv or parquet. Nil offers no form.
	Ask     func(ctx context.Context, sql string, tell func(worker.Progress)) (Table, error)
	AskFile func(ctx context.Context, sql, format string, to io.Writer) error
	Own     func() ([]warehouse.WorkedQuery, error) // worked queries of a person's own, and what is wrong with others; may be nil

	Times times.Limits // zero are those of statements of a minute

	// Forecast returns what budgets of one of the ForecastJobs buy, or nil while it is being computed. It does
	// not wait. Nil offers no forecast.
	Forecast     func(job string) (*Forecast, error)
	ForecastJobs []string

	Watch []string // the vessels whose news has a feed of its own, by IMO number or MMSI

	Export  func() string    // what to say of the last export, while none is under way; nil or empty is nothing
	Stop    func() error     // stops the run after the requests in flight; nil is no such action
	Metrics http.Handler     // at /metrics; nil is none
	Share   http.Handler     // at /warehouse/; nil is none
	Healthy func() error     // the process does its work; nil is always
	Ready   func() error     // it can take on work; nil is always
	Now     func() time.Time // nil is time.Now
	Caps    Caps             // caps of the credits; charts draw them
	Version string           // of the program; may be empty
	Log     *slog.Logger     // of wrong tokens; nil discards

	// Spending returns what was spent, and what the caps leave to the next runs; nil is unknown.
	Spending func() (pipeline.Spending, error)

	TrustLoopback bool           // who asks on loopback needs no token to read: there is no proxy on it
	Proxies       []netip.Prefix // whose X-Forwarded-For says who asks
}

// Caps are limits in credits; 0 is none.
type Caps struct{ PerRun, PerDay, PerMonth, Floor int }

// Schedule is what the scheduler has in memory, and nobody can read from the disk.
type Schedule struct {
	Live      Live
	Slots     []SlotView // the next slots, and the latest that did not run
	Exporting *time.Time // since when an export is under way; nil without one
}

// Live is the run that is under way. Without a job nothing runs.
type Live struct {
	Job, Date string
	Started   time.Time
	Progress  pipeline.Progress
}

// SlotView is a slot of the schedule.
type SlotView struct {
	Job, Date string
	At        time.Time
	State     string // next, missed or failed
	Reason    string // why it did not run
	MadeUpBy  string // the run that made up for the slot, in words; set by the page
}

// site is the state of the handler.
type site struct {
	Config
	files        published.Files                        // the published file, kept open between pages
	form         string                                 // stands in the forms, and proves that a POST comes from one of them
	news         *published.Cache[string, *feedNews]    // of the newest nights
	reports      *published.Cache[string, *NightReport] // by the id of a run; the newest without one
	status       shared
	tokens       tokens
	looks        *turns.Turns                       // of the pages that read the published file
	requests     *turns.Turns                       // of all but those that follow
	scrapes      *turns.Turns                       // of the metrics
	probes       *turns.Turns                       // of monitors
	dictionaries *published.Cache[struct{}, []byte] // without what the tables have in them
	counted      atomic.Pointer[[]byte]             // the same with it, of the version that was counted last; nil without one

	prepared os.FileInfo // the version that prepare has seen; only prepare uses it
}

// Handler serves the pages.
type Handler struct {
	http.Handler
	site *site
}

// New returns the handler of the status page. Without a token the caller serves it on loopback
// only; whatever else it is bound to, other names are refused. The caller runs Prepare beside it.
func New(c Config) (*Handler, error) {
	if c.Dir == "" {
		return nil, errors.New("status page without a data directory")
	}
	if err := checkHosts(c.Hosts, c.Token); err != nil {
		return nil, err
	}
	fill(&c)
	s := &site{Config: c, form: rand.Text(), files: published.Files{Dir: c.Dir},
		looks:    turns.New(looksAtOnce, looksWaiting),
		requests: turns.New(requestsAtOnce, requestsWaiting),
		scrapes:  turns.New(scrapesAtOnce, scrapesWaiting),
		probes:   turns.New(probesAtOnce, probesWaiting),
	}
	s.reports, s.news, s.dictionaries = reportsOf(&s.files), newsOf(&s.files, c.Watch), dictionariesOf(&s.files)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.statusPage)
	mux.HandleFunc("GET /live", s.livePage)
	mux.HandleFunc("GET /runs/{id}", s.settled(s.runPage))
	mux.HandleFunc("GET /runs/{id}/file", s.runFile)
	mux.HandleFunc("GET /changes.atom", s.changesFeed)
	mux.HandleFunc("GET /changes.ndjson", s.changesLines)
	mux.HandleFunc("GET /watch.atom", s.watchFeed)
	if c.Ask != nil {
		mux.HandleFunc("GET "+askPath, s.askPage)
		mux.HandleFunc("POST "+askPath, s.askPage)
		mux.HandleFunc("GET "+askScript, asset("text/javascript; charset=utf-8", always(mustRead("templates/ask.js"))))
	}
	if c.Forecast != nil {
		mux.HandleFunc("GET /forecast", s.forecastPage)
	}
	mux.HandleFunc("GET /search", s.settled(s.searchPage))
	mux.HandleFunc("GET /list", s.listsPage)
	mux.HandleFunc("GET /list/{name}", s.settled(s.listPage))
	mux.HandleFunc("GET /company", s.settled(s.companyPage))
	mux.HandleFunc("GET /nights/{date}", s.settled(s.nightPage))
	mux.HandleFunc("GET /zone/{zone}", s.settled(s.zonePage))
	mux.HandleFunc("GET /fleet", s.settled(s.fleetPage))
	mux.HandleFunc("GET /vessel/{number}", s.settled(s.vesselPage))
	mux.HandleFunc("GET /dictionary", s.dictionaryPage)
	mux.HandleFunc("GET /style.css", asset("text/css; charset=utf-8", style))
	mux.HandleFunc("GET "+freshScript, asset("text/javascript; charset=utf-8", always(mustRead("templates/fresh.js"))))
	mux.HandleFunc("GET /coast.svg", asset("image/svg+xml", always(coast)))
	mux.HandleFunc("GET /icon.svg", asset("image/svg+xml", always(icon)))
	mux.HandleFunc("GET /favicon.ico", asset("image/svg+xml", always(icon)))
	mux.HandleFunc("GET /healthz", s.probe(c.Healthy))
	mux.HandleFunc("GET /readyz", s.probe(c.Ready))
	mux.HandleFunc("POST /run", s.postRun)
	mux.HandleFunc("POST /stop", s.postStop)
	mux.HandleFunc("GET /", s.notFound)
	if c.Metrics != nil {
		mux.Handle("GET /metrics", c.Metrics)
	}
	if c.Share != nil {
		mux.Handle("GET /warehouse/", c.Share)
	}
	return &Handler{s.guard(compressed(mux)), s}, nil
}

// reportsOf caches the reports of the published file.
func reportsOf(files *published.Files) *published.Cache[string, *NightReport] {
	return &published.Cache[string, *NightReport]{Dir: files.Dir, Files: files, Read: nightReport}
}

// Trouble is something that a person should know, and what to do about it.
type Trouble struct{ Title, Words string }

// fill sets the defaults of fields that the caller left empty.
func fill(c *Config) {
	if c.Schedule == nil {
		c.Schedule = func() (Schedule, error) { return Schedule{}, nil }
	}
	if c.PriceAgain == nil {
		c.PriceAgain = func(context.Context, string) (*pipeline.Preview, error) { return nil, nil }
	}
	if c.Troubles == nil {
		c.Troubles = func() []Trouble { return nil }
	}
	if c.Export == nil {
		c.Export = func() string { return "" }
	}
	if c.Times == (times.Limits{}) {
		c.Times = times.Of(time.Minute)
	}
	always := func() error { return nil }
	if c.Healthy == nil {
		c.Healthy = always
	}
	if c.Ready == nil {
		c.Ready = always
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
}

// probe returns a handler for monitors: a line, and a status that they understand. Only those who
// may read the page learn why something is wrong.
func (s *site) probe(check func() error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if err := check(); err != nil {
			words := "not ready; the page says why"
			if s.mayAsk(r, hostName(r.Host)) {
				words = s.sanitize(err.Error())
			} else {
				s.countWrongToken(r)
			}
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprintln(w, words)
			return
		}
		fmt.Fprintln(w, "ok")
	}
}
