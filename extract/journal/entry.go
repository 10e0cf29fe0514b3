package journal

import (
	"encoding/base64"
	"time"
	"unicode/utf8"
)

// Kind says what an entry records.
type Kind string

// The kinds of entries, in the order in which a run writes them.
const (
	KindPlan    Kind = "plan"    // what was decided and its price; the first entry of a segment
	KindIntent  Kind = "intent"  // a priced request that is about to be sent
	KindAnswer  Kind = "answer"  // what came of an intent, also when nothing came
	KindBalance Kind = "balance" // an answer of the free credits call
	KindEnd     Kind = "end"     // how the run ended; the last entry of a segment
	KindAccept  Kind = "accept"  // a person accepted the run's issues; it can follow the end
	KindLost    Kind = "lost"    // entries that were lost, and were no requests; see Lost
)

// Charge says how we know what a request cost.
type Charge string

// How the credits of an answer are known.
const (
	ChargePriced  Charge = "priced"  // data came: the documented price
	ChargeFree    Charge = "free"    // the interface text says that it costs nothing
	ChargeAssumed Charge = "assumed" // an error whose price is not documented: taken as free
	ChargeUnknown Charge = "unknown" // it may have been billed: counts as spent. On a balance: credits below zero, which were not
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
	Credits    int    `json:"credits,omitempty"`    // intent: the most it can cost; answer: what it is counted as; balance: below 0, what it shows not to have been billed of earlier requests of unknown outcome

	Intent   int       `json:"intent,omitempty"` // answer: N of its intent
	Charge   Charge    `json:"charge,omitempty"`
	Outcome  string    `json:"outcome,omitempty"` // ok, empty, or why there is no data
	Sent     time.Time `json:"sent,omitzero"`
	Received time.Time `json:"received,omitzero"`
	Status   int       `json:"status,omitempty"` // HTTP status; 0 when no answer came
	Error    string    `json:"error,omitempty"`  // what the connection said, when no whole answer came
	Body     string    `json:"body,omitempty"`   // the exact body, if it is text: valid UTF-8 without control characters
	Base64   string    `json:"base64,omitempty"` // the exact body, if it is not
}

// SetBody keeps the exact bytes of an answer. JSON holds no control characters but white space.
// A body that does is not JSON, and each of them would take six bytes in the line of the entry.
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

// RawBody returns the exact bytes of an answer.
func (e *Entry) RawBody() ([]byte, error) {
	if e.Base64 == "" {
		return []byte(e.Body), nil
	}
	return base64.StdEncoding.DecodeString(e.Base64)
}

// OK reports whether the entry is an answer that carries data, even if the data are none.
func (e *Entry) OK() bool {
	return e.Kind == KindAnswer && (e.Outcome == "ok" || e.Outcome == "empty")
}

// Plan is the first entry of a segment: which run this is and what it decided to ask.
type Plan struct {
	Run        string      `json:"run"` // sorts by time
	Job        string      `json:"job"`
	Date       string      `json:"date"`                // the snapshot date, YYYY-MM-DD in the job's time zone
	Continues  []string    `json:"continues,omitempty"` // runs of the same night that this one goes on from
	Anew       bool        `json:"anew,omitempty"`      // the cap of the night was granted anew, as a person or a slot asked
	Credits    Price       `json:"credits"`
	Budget     int         `json:"budget"` // the most this run may spend; 0 is no cap
	Partitions []Partition `json:"partitions,omitempty"`
	Lookups    int         `json:"lookups"` // lookups of vessels known before the run
	Version    string      `json:"version"`
}

// Lost stands where Salvage found no entry. If requests may have been among what was lost, its
// entry is an intent without an answer, for all that they may have cost; else it is of KindLost.
type Lost struct {
	Entries int   `json:"entries"` // how many numbers are missing, from N of this entry on
	Offset  int64 `json:"offset"`  // where the damage begins in the file as it was
	Bytes   int64 `json:"bytes"`   // and how long it is
}

// OperationLost is the operation of an intent that stands for requests that were lost.
const OperationLost = "lost"

// Price is what a plan costs, in credits.
type Price struct {
	Least    int `json:"least"`
	Expected int `json:"expected"`
	Most     int `json:"most"`
}

// Partition is one unit of coverage that a run planned, or left out and why.
//
// Kind is "country", "type" or "status". Value is the country, the type, or the status with
// its zone and filters: "moored", "moored/north-sea", "moored/north-sea?laden=ballast".
type Partition struct {
	Operation string `json:"operation"`
	Kind      string `json:"kind"`
	Value     string `json:"value"`
	Expected  int    `json:"expected"`          // vessels at the last complete coverage; -1 where unknown
	Check     bool   `json:"check,omitempty"`   // asked for its total, to find vessels that the cover does not show
	Skipped   string `json:"skipped,omitempty"` // why it is not asked tonight; empty when it is
}

// End is the last entry of a segment.
type End struct {
	State   string   `json:"state"`              // done, partial, interrupted, killed
	Stop    string   `json:"stop,omitempty"`     // what ended it early, in one word
	Reason  string   `json:"reason,omitempty"`   // and in the service's words, or ours
	LeftOut []string `json:"left_out,omitempty"` // what was not asked, and why
	News    []string `json:"news,omitempty"`     // what the service accepts now that it did not, or the reverse
}
