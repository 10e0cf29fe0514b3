package simulation

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// entry is one line of a segment, as `zstdcat FILE | jq` shows it.
type entry struct {
	N        int
	Kind     string
	At       time.Time
	Sent     time.Time
	Received time.Time
	Credits  int
	Charge   string
	Intent   int
	Outcome  string

	Operation, Parameters string
	Body, Base64          string

	Plan *planned
	End  *struct {
		State, Stop, Reason string
		LeftOut             []string `json:"left_out"`
		Counted             *struct{ Spent, Unknown int }
	}
}

// planned is the plan of a run.
type planned struct {
	Run, Job, Date string
	Continues      []string
	Anew           bool
	Budget         int
	Partitions     []struct {
		Operation, Kind, Value string
		Expected               int
		Check                  bool
		Skipped                string
	}
}

// ok reports whether an entry is an answer with data, even if they have no vessel.
func (e entry) ok() bool { return e.Kind == "answer" && (e.Outcome == "ok" || e.Outcome == "empty") }

// text is the body of an answer.
func (e entry) text() string {
	if e.Base64 == "" {
		return e.Body
	}
	b, err := base64.StdEncoding.DecodeString(e.Base64)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// segment is the entries of one run.
type segment struct {
	planned
	entries  []entry
	state    string    // how it ended; "" without an end
	counted  *spending // by the run itself at its end; nil if it did not
	size     int64
	bills    []bill
	answers  []answered
	compared int // entries that were compared with what the service sent
}

// bill is what one request cost. An intent without an answer counts as spent, and nobody knows whether it is.
type bill struct {
	at      time.Time
	credits int
	unknown bool
}

// answered is one page of a search, or a status search.
type answered struct {
	search
	number int
	page
}

// started is when the run began, by its id.
func (s *segment) started() time.Time {
	stamp, _, _ := strings.Cut(s.Run, "-")
	at, err := time.Parse("20060102T150405.000Z", stamp)
	if err != nil {
		panic(err)
	}
	return at
}

// reading is what the journal has, by the path of each segment below it.
type reading map[string]*segment

func newReading() reading { return reading{} }

// decoder is made outside of every bubble.
var decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))

// journalNow reads what is new in the journal, and returns its segments in the order of their runs.
func (w *world) journalNow() (all []*segment) {
	for _, path := range w.segments() {
		info, err := os.Stat(path)
		w.must(err)
		name := filepath.Base(path)
		if w.journal[name] == nil || w.journal[name].size != info.Size() {
			b, err := os.ReadFile(path)
			w.must(err)
			before := w.journal[name]
			w.journal[name] = parse(b)
			w.journal[name].size = info.Size()
			if before != nil {
				w.journal[name].compared = before.compared
			}
		}
		if w.journal[name].Run != "" {
			all = append(all, w.journal[name])
		}
	}
	return all
}

// parse reads a segment up to its first torn entry.
func parse(b []byte) *segment {
	s := &segment{}
	text, _ := decoder.DecodeAll(b, nil)
	for line := range bytes.Lines(text) {
		var e entry
		if json.Unmarshal(line, &e) != nil {
			break
		}
		s.entries = append(s.entries, e)
		if e.Plan != nil {
			s.planned = *e.Plan
		}
		if e.End != nil {
			s.state = e.End.State
			if c := e.End.Counted; c != nil {
				s.counted = &spending{c.Spent, c.Unknown}
			}
		}
	}
	s.index()
	return s
}

// index lists what the requests of a segment cost, and the pages that they brought.
func (s *segment) index() {
	answeredIntents := map[int]bool{}
	for _, e := range s.entries {
		if e.Kind == "answer" {
			answeredIntents[e.Intent] = true
		}
	}
	for _, e := range s.entries {
		at := e.Sent
		if at.IsZero() {
			at = e.At
		}
		switch {
		case e.Kind == "intent" && !answeredIntents[e.N], e.Charge == "unknown":
			s.bills = append(s.bills, bill{at, e.Credits, true})
		case e.Kind == "answer":
			s.bills = append(s.bills, bill{at, e.Credits, false})
		}
		if k, number := searchOf(e.Operation, e.Parameters); e.ok() && number > 0 {
			if p, whole := readPage(e.text()); whole {
				s.answers = append(s.answers, answered{k, number, p})
			}
		}
	}
}

// spending is what requests cost by the journal.
type spending struct{ credits, unknown int }

// spent sums up what a segment's requests cost: those that were sent since a moment, if it is not zero.
func (s *segment) spent(since time.Time) (sum spending) {
	if s.counted != nil && since.IsZero() {
		return *s.counted // less what balances proved during the run
	}
	for _, b := range s.bills {
		if b.at.Before(since) {
			continue
		}
		sum.credits += b.credits
		if b.unknown {
			sum.unknown += b.credits
		}
	}
	return sum
}
