package export

import "time"

// Options are what an export takes along. The zero value exports everything but the warehouse file.
type Options struct {
	Since     string   // the first night, YYYY-MM-DD, whose facts are brought up to date; "" is all
	Tables    []string // as facts.positions, positions, facts, history or ready; none is all
	DryRun    bool     // only plan
	Warehouse bool     // also the published warehouse file
	Replace   bool     // also replace the export of another data directory

	Source   Identity         // the data directory; without an id its runs say whether an export is its own
	Program  string           // its version, for the manifest
	Now      func() time.Time // nil is the clock
	Progress func(Progress)   // may be nil; it is called by several goroutines, one at a time
}

// stamp is what a manifest says of the program that writes it.
type stamp struct {
	program string
	at      time.Time
}

func (o Options) stamp() stamp { return stamp{o.Program, clock(o.Now)} }

// clock returns the time in UTC and in milliseconds, from the clock if there is no other.
func clock(now func() time.Time) time.Time {
	if now == nil {
		now = time.Now
	}
	return now().UTC().Truncate(time.Millisecond)
}

func (o Options) report(p Progress) {
	if o.Progress != nil {
		o.Progress(p)
	}
}

// Progress is how far an operation is. Before an upload its amounts are zero.
type Progress struct {
	Phase           string // plan, history, upload, merge, delete or check
	Files, AllFiles int
	Bytes, AllBytes int64
}

// Report is what an export did, or would do.
type Report struct {
	Export       string   `json:"export,omitempty"` // its id; empty if nothing changed
	DryRun       bool     `json:"dry_run,omitempty"`
	Runs         int      `json:"runs"` // whose facts are listed
	Listed       int      `json:"listed"`
	Files        int      `json:"files"` // uploaded
	Bytes        int64    `json:"bytes"`
	Skipped      int      `json:"skipped"` // that were there
	SkippedBytes int64    `json:"skipped_bytes"`
	Requests     int64    `json:"requests"` // to the store
	Seconds      float64  `json:"seconds"`
	Uploads      []Upload `json:"uploads,omitempty"`
	Notices      []string `json:"notices,omitempty"`
}

// Upload is a file that an export uploads.
type Upload struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}
