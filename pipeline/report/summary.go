package report

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// Summary makes the report of a run from its journal alone, so that a replay reports the same.
type Summary struct {
	report      Report
	lanes       map[string]*Lane
	first, last int // numbers of the first and the last intent
	balances    []balance

	counted *journal.Counted // at the end of the run; nil if nobody did

	lost     bool // Salvage found less than was written
	accepted bool // a person accepted the run's issues
}

// balance is a balance that the service reported, in credits, with the number of its entry.
type balance struct{ n, left int }

// NewSummary returns the summary of a segment, to which Add adds the exchanges in their order.
func NewSummary() *Summary {
	return &Summary{lanes: map[string]*Lane{}, first: math.MaxInt, last: -1}
}

// Add counts an exchange of the segment.
func (s *Summary) Add(x journal.Exchange) {
	if x.Kind == journal.KindAccept {
		s.accepted = true // it was appended after the run
		return
	}
	if x.Lost != nil {
		s.lost = true
		s.report.Lost += x.Lost.Entries
	}
	s.report.Finished = latest(s.report.Finished, x.At)
	if x.Request != nil {
		s.report.Finished = latest(s.report.Finished, x.Request.At)
		s.first, s.last = min(s.first, x.Request.N), max(s.last, x.Request.N)
	}
	switch x.Kind {
	case journal.KindPlan:
		s.report.Run, s.report.Job, s.report.Date, s.report.Started = x.Plan.Run, x.Plan.Job, x.Plan.Date, x.At
		s.report.Continues, s.report.Credits.Planned = x.Plan.Continues, x.Plan.Credits.Most
	case journal.KindIntent, journal.KindAnswer:
		s.request(x.Entry)
	case journal.KindBalance:
		s.request(x.Entry)
		s.balance(x.Entry)
	case journal.KindEnd:
		s.report.State, s.report.Stop, s.report.Reason = x.End.State, Stop(x.End.Stop), x.End.Reason
		s.counted = x.End.Counted
		s.report.Work, s.report.LeftOut, s.report.News, s.report.PlanSpent = x.End.Work, x.End.LeftOut, x.End.News, x.End.PlanSpent
	}
}

// request counts a request and its credits: an answer, or an intent without one.
func (s *Summary) request(e journal.Entry) {
	lane := s.lane(e.Operation)
	lane.Requests++
	if e.Kind == journal.KindBalance {
		e.Credits = 0 // the call is free; earlier versions wrote there what the balance settled
	}
	lane.Credits += e.Credits
	s.report.Credits.Spent += e.Credits
	switch e.Outcome {
	case extract.OutcomeOK, extract.OutcomeEmpty:
		lane.Answers++
	case extract.OutcomeLimited:
		lane.Limited++
	}
	if e.Kind == journal.KindIntent || e.Charge == journal.ChargeUnknown {
		s.report.Credits.Unknown += e.Credits
	}
}

// balance keeps the balance that an answer of the free call reports.
func (s *Summary) balance(e journal.Entry) {
	body, err := e.RawBody()
	if err != nil || e.Outcome != extract.OutcomeOK {
		return
	}
	if left, err := api.ParseBalance(body); err == nil {
		s.balances = append(s.balances, balance{e.N, left})
	}
}

// Accepted reports whether a person accepted the run's issues.
func (s *Summary) Accepted() bool { return s.accepted }

// Report returns the report. The balance of the run before its requests is the last one before its
// first intent, and that after them is the last one after its last intent.
func (s *Summary) Report() Report {
	for _, b := range s.balances {
		switch {
		case b.n < s.first:
			s.report.Credits.Before = &b.left
		case b.n > s.last:
			s.report.Credits.After = &b.left
		}
	}
	if s.counted != nil && !s.lost {
		s.report.Credits.Spent, s.report.Credits.Unknown = s.counted.Spent, s.counted.Unknown
	}
	if s.lost && s.report.State == StateDone {
		s.report.State, s.report.Reason = StatePartial,
			"a part of its journal was damaged and is lost; run the job again: it requests what is missing"
	}
	s.report.Lanes = nil
	for _, o := range api.Operations {
		if lane := s.lanes[o.Name]; lane != nil {
			s.report.Lanes = append(s.report.Lanes, *lane)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.lanes)) {
		if _, known := api.OperationNamed(name); !known && name != journal.OperationLost {
			s.report.Lanes = append(s.report.Lanes, *s.lanes[name])
		}
	}
	if lane := s.lanes[journal.OperationLost]; lane != nil {
		s.report.Lanes = append(s.report.Lanes, *lane)
	}
	return s.report
}

func (s *Summary) lane(operation string) *Lane {
	if s.lanes[operation] == nil {
		s.lanes[operation] = &Lane{Operation: operation}
	}
	return s.lanes[operation]
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
