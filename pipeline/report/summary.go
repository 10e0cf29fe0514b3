package report

import (
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// Summary makes the report of a run from its journal alone, so that a replay reports the same.
type Summary struct {
	report  Report
	lanes   map[string]*LaneReport
	pending map[int]journal.Entry // intents without an answer
	asked   bool                  // a priced request was made

	lost     bool // Salvage found less than was written
	accepted bool // a person accepted the run's issues
}

func NewSummary() *Summary {
	return &Summary{lanes: map[string]*LaneReport{}, pending: map[int]journal.Entry{}}
}

// Add counts the next entry.
func (s *Summary) Add(e journal.Entry) {
	if e.Kind == journal.KindAccept {
		s.accepted = true // it was appended after the run
		return
	}
	if e.Lost != nil {
		s.lost = true
		s.report.Lost += e.Lost.Entries
	}
	s.report.Finished = latest(s.report.Finished, e.At)
	switch e.Kind {
	case journal.KindPlan:
		s.report.Run, s.report.Job, s.report.Date, s.report.Started = e.Plan.Run, e.Plan.Job, e.Plan.Date, e.At
		s.report.Continues, s.report.Credits.Planned = e.Plan.Continues, e.Plan.Credits.Most
	case journal.KindIntent:
		s.pending[e.N] = e
		s.asked, s.report.Credits.After = true, nil // a balance before this request is not the balance at the end
	case journal.KindAnswer:
		delete(s.pending, e.Intent)
		s.answer(e)
	case journal.KindBalance:
		s.answer(e)
		s.balance(e)
	case journal.KindEnd:
		s.report.State, s.report.Stop, s.report.Reason = e.End.State, Stop(e.End.Stop), e.End.Reason
		s.report.LeftOut, s.report.News = e.End.LeftOut, e.End.News
		if s.lost && s.report.State == StateDone {
			s.report.State, s.report.Reason = StatePartial, "a part of its journal was damaged and is lost; run the job again: it requests what is missing"
		}
	}
}

// answer counts an answer and its credits.
func (s *Summary) answer(e journal.Entry) {
	lane := s.lane(e.Operation)
	lane.Requests++
	lane.Credits += e.Credits
	s.report.Credits.Spent += e.Credits
	switch {
	case e.Outcome == extract.OutcomeOK, e.Outcome == extract.OutcomeEmpty:
		lane.Answers++
	case e.Outcome == extract.OutcomeLimited:
		lane.Limited++
	}
	if e.Charge == journal.ChargeUnknown {
		s.report.Credits.Unknown += e.Credits
	}
}

// balance records the balance before the first priced request, and after the last.
func (s *Summary) balance(e journal.Entry) {
	body, err := e.RawBody()
	if err != nil || e.Outcome != extract.OutcomeOK {
		return
	}
	left, err := api.ParseBalance(body)
	switch {
	case err != nil:
	case !s.asked:
		s.report.Credits.Before = &left
	default:
		s.report.Credits.After = &left
	}
}

// Accepted reports whether a person accepted the run's issues.
func (s *Summary) Accepted() bool { return s.accepted }

// Report counts the requests that were never answered and returns the report.
func (s *Summary) Report() Report {
	for _, e := range s.pending {
		lane := s.lane(e.Operation)
		lane.Requests++
		lane.Credits += e.Credits
		s.report.Credits.Spent += e.Credits
		s.report.Credits.Unknown += e.Credits
	}
	clear(s.pending)
	for _, o := range api.Operations {
		if lane := s.lanes[o.Name]; lane != nil {
			s.report.Lanes = append(s.report.Lanes, *lane)
		}
	}
	if lane := s.lanes[journal.OperationLost]; lane != nil {
		s.report.Lanes = append(s.report.Lanes, *lane)
	}
	s.lanes = map[string]*LaneReport{}
	return s.report
}

func (s *Summary) lane(operation string) *LaneReport {
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
