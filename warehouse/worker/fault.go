package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fleetlake/fleetlake/warehouse"
)

// Errors of a query, besides warehouse.ErrStatement, ErrFiles, ErrRoom, ErrNone and ErrDamaged.
var (
	ErrBusy    = errors.New("too many queries at the same time: try again later")
	ErrTime    = errors.New("the query took too long")
	ErrRows    = errors.New("the answer has too many rows")
	ErrBytes   = errors.New("the answer has too many bytes")
	ErrStalled = errors.New("the client did not take the rows in time")
	ErrEnded   = errors.New("the query ended the process that ran it")
	ErrClosed  = errors.New("the server stops")
)

// fault is an error of a query as a process reports it.
type fault string

// faults are the errors that a process reports, the more special ones first.
var faults = []struct {
	name fault
	err  error
}{
	{"interrupted", context.Canceled},
	{"files", warehouse.ErrFiles},
	{"statement", warehouse.ErrStatement},
	{"room", warehouse.ErrRoom},
	{"rows", ErrRows},
	{"bytes", ErrBytes},
	{"none", warehouse.ErrNone},
	{"damaged", warehouse.ErrDamaged},
}

// failed is the fault of all other errors.
const failed fault = "failed"

// endOf is how a request ended that returned an error.
func endOf(err error) end {
	if err == nil {
		return end{}
	}
	for _, f := range faults {
		if errors.Is(err, f.err) {
			return end{f.name, bounded(err.Error())}
		}
	}
	return end{failed, bounded(err.Error())}
}

// bounded is the beginning of a text: a statement can make an error of any size.
func bounded(text string) string {
	if len(text) <= maxMessage {
		return text
	}
	return strings.ToValidUTF8(text[:maxMessage], "") + fmt.Sprintf("... (%d bytes)", len(text))
}

// reported is an error in the words of the process.
type reported struct {
	words string
	err   error
}

func (r *reported) Error() string { return r.words }
func (r *reported) Unwrap() error { return r.err }

// error is the error that a process reported; nil if it reported none.
func (e end) error() error {
	if e.Fault == "" {
		return nil
	}
	for _, f := range faults {
		if f.name == e.Fault && errors.Is(f.err, warehouse.ErrFiles) {
			return &reported{e.Message, errors.Join(f.err, warehouse.ErrStatement)} // as warehouse does
		}
		if f.name == e.Fault {
			return &reported{e.Message, f.err}
		}
	}
	return errors.New(e.Message)
}

// Outcomes are the words of Outcome.
var Outcomes = []string{"done", "refused", "memory", "time", "rows", "bytes", "stalled", "cancelled", "crashed", "busy", "stopped", "failed"}

// Outcome is a word for how a query ended, for metrics.
func Outcome(err error) string {
	for word, is := range map[string]error{
		"refused": warehouse.ErrStatement, "memory": warehouse.ErrRoom, "time": ErrTime, "rows": ErrRows, "bytes": ErrBytes,
		"stalled": ErrStalled, "cancelled": context.Canceled, "crashed": ErrEnded, "busy": ErrBusy, "stopped": ErrClosed,
	} {
		if errors.Is(err, is) {
			return word
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "cancelled" // by the client's own limit
	}
	if err != nil {
		return "failed"
	}
	return "done"
}
