package pipeline

import (
	"math"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// summary makes the report of a run from its journal alone, so that a replay reports the same.
type summary struct {
	Report
	lanes       map[string]*LaneReport
	first, last int // numbers of the first and the last intent
	balances    []balance

	lost     bool // Salvage found less than was written
	accepted bool // a person accepted the run's issues
}

// balance is a balance that the service reported, in credits, with the number of its entry.
type balance struct{ n, left int }

func newSummary() *summary {
	return &summary{lanes: map[string]*LaneReport{}, first: math.MaxInt, last: -1}
}

// add counts an exchange.
func (s *summary) add(x journal.Exchange) {
	if x.Kind == journal.KindAccept {
		s.accepted = true // it was appended after the run
		return
	}
	if x.Lost != nil {
		s.lost = true
		s.Lost += x.Lost.Entries
	}
	s.Finished = latest(s.Finished, x.At)
	if x.Request != nil {
		s.Finished = latest(s.Finished, x.Request.At)
		s.first, s.last = min(s.first, x.Request.N), max(s.last, x.Request.N)
	}
	switch x.Kind {
	case journal.KindPlan:
		s.Run, s.Job, s.Date, s.Started = x.Plan.Run, x.Plan.Job, x.Plan.Date, x.At
		s.Continues, s.Credits.Planned = x.Plan.Continues, x.Plan.Credits.Most
	case journal.KindIntent, journal.KindAnswer:
		s.request(x.Entry)
	case journal.KindBalance:
		s.request(x.Entry)
		s.balance(x.Entry)
	case journal.KindEnd:
		s.State, s.Stop, s.Reason = x.End.State, Stop(x.End.Stop), x.End.Reason
		s.LeftOut, s.News = x.End.LeftOut, x.End.News
	}
}

// request counts a request and its credits: an answer, or an intent without one.
func (s *summary) request(e journal.Entry) {
	lane := s.lane(e.Operation)
	lane.Requests++
	lane.Credits += e.Credits
	s.Credits.Spent += e.Credits
	switch e.Outcome {
	case extract.OutcomeOK, extract.OutcomeEmpty:
		lane.Answers++
	case extract.OutcomeLimited:
		lane.Limited++
	}
	if e.Kind == journal.KindIntent || e.Charge == journal.ChargeUnknown {
		s.Credits.Unknown += e.Credits
	}
}

// balance keeps the balance that an answer of the free call reports.
func (s *summary) balance(e journal.Entry) {
	body, err := e.RawBody()
	if err != nil || e.Outcome != extract.OutcomeOK {
		return
	}
	if left, err := api.ParseBalance(body); err == nil {
		s.balances = append(s.balances, balance{e.N, left})
	}
}

// finish returns the report. The balance of the run before its requests is the last one before its
// first intent, and that after them is the last one after its last intent.
func (s *summary) finish() Report {
	for _, b := range s.balances {
		switch {
		case b.n < s.first:
			s.Credits.Before = &b.left
		case b.n > s.last:
			s.Credits.After = &b.left
		}
	}
	if s.lost && s.State == StateDone {
		s.State, s.Reason = StatePartial, "a part of its journal was damaged and is lost; run the job again: it requests what is missing"
	}
	for _, o := range api.Operations {
		if lane := s.lanes[o.Name]; lane != nil {
			s.Lanes = append(s.Lanes, *lane)
		}
	}
	if lane := s.lanes[journal.OperationLost]; lane != nil {
		s.Lanes = append(s.Lanes, *lane)
	}
	return s.Report
}

func (s *summary) lane(operation string) *LaneReport {
	if s.lanes[operation] == nil {
		s.lanes[operation] = &LaneReport{Operation: operation}
	}
	return s.lanes[operation]
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
