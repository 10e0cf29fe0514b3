package journal

import (
	"encoding/base64"
	"time"
	"unicode/utf8"
)

// Kind is the kind of an entry.
type Kind string

// The kinds of entries, in the order in which a run writes them.
const (
	KindPlan    Kind = "plan"    // what the run decided to request, and its price; the first entry of a segment
	KindIntent  Kind = "intent"  // a priced request that is about to be sent
	KindAnswer  Kind = "answer"  // the answer to an intent, or why there is none
	KindBalance Kind = "balance" // an answer of the free credits call
	KindEnd     Kind = "end"     // how the run ended; the last entry of a segment
	KindAccept  Kind = "accept"  // a person accepted the run's issues; it can follow the end
	KindLost    Kind = "lost"    // entries were lost that were not requests; see Lost
)

// Charge is how the cost of a request is known.
type Charge string

// How the credits of an answer are known.
const (
	ChargePriced  Charge = "priced"  // data came: the documented price
	ChargeFree    Charge = "free"    // the interface text says that it costs nothing
	ChargeAssumed Charge = "assumed" // an error whose price is not documented: taken as free
	ChargeUnknown Charge = "unknown" // it may have been billed: counts as spent until later balances prove otherwise
)

// Entry is one line of a segment. Times are UTC.
type Entry struct {
	N    int       `json:"n"`              // position in the segment, from 0; set by Append
	Safe int       `json:"safe,omitempty"` // how many entries were on disk when this one was written; set by Append
	Kind Kind      `json:"kind"`
	At   time.Time `json:"at"` // when the entry was written

	Plan *Plan `json:"plan,omitempty"`
	End  *End  `json:"end,omitempty"`
	Lost *Lost `json:"lost,omitempty"`

	Operation  string `json:"operation,omitempty"`
	Parameters string `json:"parameters,omitempty"` // canonical: keys sorted, URL encoded
	// intent: the most it can cost; answer: what it counts as. Earlier versions wrote credits below 0 on balances,
	// which nobody counts any more
	Credits int `json:"credits,omitempty"`

	Intent   int       `json:"intent,omitempty"` // answer: N of its intent
	Charge   Charge    `json:"charge,omitempty"`
	Outcome  string    `json:"outcome,omitempty"` // ok, empty, or why there is no data
	Sent     time.Time `json:"sent,omitzero"`
	Received time.Time `json:"received,omitzero"`
	Status   int       `json:"status,omitempty"` // HTTP status; 0 when no answer came
	Error    string    `json:"error,omitempty"`  // of the connection, when no whole answer came
	Body     string    `json:"body,omitempty"`   // the exact body, if it is text: valid UTF-8 without control characters
	Base64   string    `json:"base64,omitempty"` // the exact body, if it is not
}

// SetBody stores the exact bytes of an answer: text in Body, everything else in Base64. JSON has no
// control characters but white space, and each of them would take six bytes in the line of the
// entry, so a body with control characters is not stored as text.
func (e *Entry) SetBody(b []byte) {
	if isText(b) {
		e.Body, e.Base64 = string(b), ""
		return
	}
	e.Body, e.Base64 = "", base64.StdEncoding.EncodeToString(b)
}

func isText(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return false
		}
	}
	return utf8.Valid(b)
}

// RawBody returns the exact bytes of an answer. A body that should be Base64 and is not is an error.
func (e *Entry) RawBody() (string, error) {
	if e.Base64 == "" {
		return e.Body, nil
	}
	b, err := base64.StdEncoding.DecodeString(e.Base64)
	return string(b), err
}

// OK reports whether the entry is an answer with data, even if they have no vessel.
func (e *Entry) OK() bool {
	return e.Kind == KindAnswer && (e.Outcome == "ok" || e.Outcome == "empty")
}

// Plan is the first entry of a segment: which run this is and what it decided to request.
type Plan struct {
	Run       string   `json:"run"` // sorts by time
	Job       string   `json:"job"`
	Date      string   `json:"date"`                // the snapshot date, YYYY-MM-DD in the job's time zone
	Continues []string `json:"continues,omitempty"` // runs of the same night that this one resumes
	// the run has the full cap of the night again, because a person or a slot started a new round
	Anew       bool        `json:"anew,omitempty"`
	Ahead      []string    `json:"ahead,omitempty"` // runs that are dated later than this one: the clock went back since
	Credits    Price       `json:"credits"`
	Budget     int         `json:"budget"` // the most this run may spend; 0 is no cap
	Partitions []Partition `json:"partitions,omitempty"`
	Settle     string      `json:"settle_after,omitempty"` // how long the service may bill late; "" is the default of the account
	Lookups    int         `json:"lookups"`                // lookups of vessels known before the run
	Version    string      `json:"version"`

	Raw []RawOperation `json:"raw,omitempty"` // operations of the plan's questions, whose answers are kept whole
}

// RawOperation is an operation of the service whose answers are kept whole, as the configuration of the run has it:
// all that makes their rows, so that a rebuild needs no configuration.
type RawOperation struct {
	Name    string      `json:"name"`
	Vessel  string      `json:"vessel,omitempty"`  // the parameter that names one vessel
	Rows    string      `json:"rows,omitempty"`    // the JSON path of the list whose elements are rows
	Columns []RawColumn `json:"columns,omitempty"` // of its view
}

// RawColumn is a column of the view of a raw operation.
type RawColumn struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Type string `json:"type"`
}

// Lost replaces entries that Salvage did not find. If there may have been requests among them, its
// entry is an intent without an answer, of all that they may have cost; else it is of KindLost.
type Lost struct {
	Entries int   `json:"entries"` // how many numbers are missing, from N of this entry on
	Offset  int64 `json:"offset"`  // where the damage begins in the file as it was
	Bytes   int64 `json:"bytes"`   // length of the damage
}

// OperationLost is the operation of an intent that replaces lost requests.
const OperationLost = "lost"

// Price is what a plan costs, in credits.
type Price struct {
	Least    int `json:"least"`
	Expected int `json:"expected"`
	Most     int `json:"most"`
}

// Partition is one unit of coverage that a run planned, or skipped and why.
//
// Kind is "country", "type", "type+country" or "status". Value is the country, the type, both as
// "Tug|Malta", or the status with its zone and filters: "moored", "moored/north-sea",
// "moored/north-sea?laden=ballast".
type Partition struct {
	Operation string `json:"operation"`
	Kind      string `json:"kind"`
	Value     string `json:"value"`
	Expected  int    `json:"expected"`          // vessels at the last complete coverage; -1 where unknown
	Check     bool   `json:"check,omitempty"`   // only its total is requested, to find vessels that the other partitions miss
	World     int    `json:"world,omitempty"`   // of a zone that the interface does not require: vessels when the same search was last covered without a zone; 0 where unknown
	Skipped   string `json:"skipped,omitempty"` // why the run does not request it; empty when it does
}

// End is the last entry of a segment.
type End struct {
	State  string `json:"state"`            // done, partial, interrupted, killed
	Stop   string `json:"stop,omitempty"`   // the cause of an early end, in one word
	Reason string `json:"reason,omitempty"` // the same as a sentence, of the service or of this program

	// Counted is what the requests of the run count as at its end; nil where nobody counted, as after a kill.
	Counted *Counted `json:"counted,omitempty"`

	// PlanSpent says that the run spent the most of its own plan, and no cap stopped it.
	PlanSpent bool `json:"plan_spent,omitempty"`

	// what the night asked, by kind, and what became of it; segments of earlier versions have none
	Work    []Work   `json:"work,omitempty"`
	LeftOut []string `json:"left_out,omitempty"` // what has no answer, and why, as lines
	News    []string `json:"news,omitempty"`     // what the service accepts now that it did not, or the reverse
}

// Counted is what requests count as, in credits.
type Counted struct {
	Spent   int `json:"spent"`
	Unknown int `json:"unknown"` // the part of Spent that may not have been billed
}

// Work is what became of the searches of one kind, or of the lookups, in a night up to the end of a run: Asked is the
// sum of Carried, Answered and what is left.
type Work struct {
	What     string `json:"what"` // partitions of the list, status searches, checks, lookups
	Asked    int    `json:"asked"`
	Carried  int    `json:"carried"`  // answered by earlier runs of the night
	Answered int    `json:"answered"` // by this run
	Left     []Left `json:"left,omitempty"`
}

// Done is what the runs of the night have the answers to.
func (w Work) Done() int { return w.Carried + w.Answered }

// Missing is what they have no answers to.
func (w Work) Missing() int { return w.Asked - w.Done() }

// Left is the part of the work that has no answer for one reason.
type Left struct {
	Count int    `json:"count"`
	State string `json:"state"` // left out, cut short, suspect or not answered
	Why   string `json:"why"`
}
