package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/fleetlake/fleetlake/pipeline/report"
)

// faultCase is a fault of the service and what a run may make of it.
type faultCase struct {
	fault    func(call) fault
	codes    []int  // the exit codes that are true
	says     string // a part of the reason, of what is left out or of the error
	patient  bool   // the service recovers: the run has the time to wait for it
	harmless bool   // the changed answers are enough for the night to be done
	most     int    // the most credits that the run may be billed; 0 is the honest bill and its retries
	api      string // more of the section api
	prepare  func(t *testing.T, d *double, w *world)
}

// tinyJob requests four partitions of the list on five pages, four status searches and four lookups.
const tinyJob = `
jobs:
  nightly:
    deadline: %s
    list: {by: country, countries: [Malta, Panama, Cyprus, Tonga]}
    sweep: {statuses: [moored, aground], zones: [north-sea, baltic-sea]}
    lookup: {want: [particulars], max_requests: 4}
`

// tinyList and tinySweep are the requests of the tiny job, in the words of the double's log.
var (
	tinyList  = []string{"country=Malta", "country=Malta&page=2", "country=Panama", "country=Cyprus", "country=Tonga"}
	tinySweep = []string{"navigational_status=moored&world_zone=north-sea", "navigational_status=moored&world_zone=baltic-sea",
		"navigational_status=aground&world_zone=north-sea", "navigational_status=aground&world_zone=baltic-sea"}
)

// tooLittle is the exit code of a run that the service answered too little.
const tooLittle = 9

// Bounds of every run in the table.
const (
	faultDeadline = 6 * time.Second
	faultHarvest  = faultDeadline + 15*time.Second // by the program's own clock: what is in flight may end
	faultProcess  = 5 * time.Minute                // to start, publish and end, beside nine others on a slow and busy machine
	faultMemory   = 512 << 20
	faultBill     = 250 // what a tiny night costs and twice as much for what is tried again
)

// TestServiceFaults runs the real process against each fault. Every run ends by itself, in
// bounded memory and with a harvest of bounded time, and its state, exit code and message agree with the log of the
// service: it is done exactly when everything planned had an honest answer. The report
// brackets the bill, and the key is nowhere.
func TestServiceFaults(t *testing.T) {
	cases := map[string]faultCase{}
	for _, table := range []map[string]faultCase{refusals, connections, bodies, values, passing} {
		for name, c := range table {
			if _, ok := cases[name]; ok {
				t.Fatalf("%q is in two tables", name)
			}
			cases[name] = c
		}
	}
	all := len(cases)
	for _, name := range variants {
		if _, ok := cases[name]; !ok {
			t.Errorf("the variant %q is in no table", name)
		}
		if os.Getenv("FLEETLAKE_LONG") == "" {
			delete(cases, name)
		}
	}
	if os.Getenv("FLEETLAKE_LONG") == "" {
		for i, name := range slices.Sorted(maps.Keys(cases)) {
			if i%3 != 0 { // package pipeline plays hostile services, too, without a process for each
				delete(cases, name)
			}
		}
	}
	if all < 155 || len(cases) < 10 {
		t.Errorf("%d faults of %d, want at least 10 of 155", len(cases), all)
	}
	type trial struct {
		d   *double
		w   *world
		end chan runEnd
	}
	trials := map[string]trial{}
	var work sync.WaitGroup
	defer work.Wait()
	inFlight := make(chan struct{}, 10) // most of them mostly wait
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		d := newDouble(t, tinyFleet())
		d.fault = c.fault
		deadline, api := faultDeadline, ", timeout: 1s, patience: 1s"
		if c.patient {
			deadline, api = time.Minute, ", timeout: 1s, patience: 1m"
		}
		w := newDoubleWorld(t, d, 20_000, 1000, api+c.api, fmt.Sprintf(tinyJob, deadline))
		if c.prepare != nil {
			c.prepare(t, d, w)
		}
		x := trial{d, w, make(chan runEnd, 1)}
		trials[name] = x
		work.Go(func() {
			inFlight <- struct{}{}
			x.end <- w.within(deadline+faultProcess, "run", "nightly", "--date", doubleNight, "--json")
			<-inFlight
		})
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			x := trials[name]
			e := <-x.end
			e.check(t, c, x.d.events())
			if found := filesWith(x.w.dir, shapes(canary)); len(found) > 0 {
				t.Errorf("the key is kept: %q", found)
			}
			if t.Failed() {
				t.Log(e)
			}
		})
	}
}

// check compares the end of a run with its case and the log of the double.
func (e runEnd) check(t *testing.T, c faultCase, log []event) {
	t.Helper()
	if harvest := e.report.Finished.Sub(e.report.Started); !c.patient && harvest > faultHarvest {
		t.Errorf("harvested for %v, want at most %v", harvest, faultHarvest)
	}
	if e.hung {
		t.Errorf("did not end by itself in %v", e.took)
	}
	if e.rss > faultMemory {
		t.Errorf("took %d MiB, want at most %d", e.rss>>20, faultMemory>>20)
	}
	if !slices.Contains(c.codes, e.code) {
		t.Errorf("exit code %d, want one of %v", e.code, c.codes)
	}
	if (e.code == exitDone) != (e.report.State == report.StateDone) {
		t.Errorf("exit code %d with the state %q", e.code, e.report.State)
	}
	missing := unanswered(log)
	switch {
	case e.code == exitDone && len(missing) > 0 && !c.harmless:
		t.Errorf("is done, but these had no honest answer: %q", missing)
	case e.code == exitPartial && len(missing) == 0:
		t.Error("is partial, but everything was answered")
	}
	if bill, most := spent(log), max(c.most, faultBill); bill > most {
		t.Errorf("billed %d, want at most %d", bill, most)
	}
	if e.report.State != "" {
		e.inMoney(t, log)
	}
	e.checkWords(t, c)
}

// checkWords checks the messages: one sentence with the reason, no stack, no key.
func (e runEnd) checkWords(t *testing.T, c faultCase) {
	t.Helper()
	reason := e.report.Reason
	if e.report.State == "" {
		reason = lastLines(e.stderr, 1)
	}
	if e.code != exitDone && reason == "" {
		t.Error("no reason is given")
	}
	if len(reason) > 600 || strings.ContainsFunc(reason, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(reason) {
		t.Errorf("the reason is no sentence of one line: %.700q", reason)
	}
	if said := reason + "\n" + strings.Join(e.report.LeftOut, "\n"); !strings.Contains(strings.ToLower(said), c.says) {
		t.Errorf("does not say %q: %.700s", c.says, said)
	}
	for _, text := range []string{e.stdout, e.stderr} {
		for _, shape := range shapes(canary) {
			if strings.Contains(text, shape) {
				t.Errorf("contains the key as %s", shape)
			}
		}
		for line := range strings.Lines(text) {
			if len(line) > 4096 {
				t.Errorf("a line of %d bytes: %.200s", len(line), line)
			}
		}
	}
	if !e.hung && (strings.Contains(e.stderr, "panic") || strings.Contains(e.stderr, "goroutine ")) {
		t.Errorf("panicked: %.3000s", e.stderr)
	}
}

// unanswered lists what of the tiny night had no honest answer.
func unanswered(log []event) (missing []string) {
	list, sweep := answered(log, typeSearch), answered(log, statusSearch)
	for _, asked := range tinyList {
		if list[asked] == 0 {
			missing = append(missing, asked)
		}
	}
	for _, asked := range tinySweep {
		if sweep[asked] == 0 {
			missing = append(missing, asked)
		}
	}
	if n := len(answered(log, particulars)); n < 4 {
		missing = append(missing, fmt.Sprintf("%d of 4 lookups", 4-n))
	}
	return missing
}

// shapes are the key as it may be found in texts: plain and in the usual encodings.
func shapes(key string) []string {
	asJSON, _ := json.Marshal(key)
	return []string{key, strings.ReplaceAll(key, `"`, `\"`), url.QueryEscape(key), url.PathEscape(key), strings.Trim(string(asJSON), `"`),
		base64.StdEncoding.EncodeToString([]byte(key)), base64.URLEncoding.EncodeToString([]byte(key))}
}

// later makes a fault when it is needed: each process of the tests initializes the tables.
func later(make func() func(call) fault) func(call) fault {
	once := sync.OnceValue(make)
	return func(c call) fault { return once()(c) }
}

// echo is an error text with every shape of the key in it, like a gateway that repeats a request.
func echo(status int) fault {
	return says(status, fmt.Sprintf("<html>%s<pre>x-api-key: %s</pre></html>", http.StatusText(status), strings.Join(shapes(canary), "\n")), "Content-Type", "text/html")
}
