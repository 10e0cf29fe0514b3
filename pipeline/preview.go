package pipeline

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// Preview is the requests, the price and the duration of a run, and what it leaves out.
type Preview struct {
	Job      string         `json:"job"`
	Date     string         `json:"date"`
	Requests int            `json:"requests"` // expected; there are more where totals are not known yet
	Credits  journal.Price  `json:"credits"`  // the run never spends more than most; 0 if nothing bounds it
	Minutes  float64        `json:"minutes"`  // of the busiest lane, at its limit
	Finish   time.Time      `json:"finish"`
	Lanes    []LanePreview  `json:"lanes"`
	LeftOut  []plan.LeftOut `json:"left_out"`
	Balance  *int           `json:"balance,omitempty"`
	Notes    []string       `json:"notes,omitempty"`

	NothingKnown bool `json:"-"` // no list and no vessel is published yet: the plan has no sizes to go by
}

// LanePreview is the part of one operation.
type LanePreview struct {
	Operation string        `json:"operation"`
	Requests  int           `json:"requests"`
	PerMinute int           `json:"per_minute"`
	Credits   journal.Price `json:"credits"`
	Minutes   float64       `json:"minutes"`
}

// Preview plans a run as Run would, and sends no request but the free one for the balance. It returns
// ErrNoBalance if the service does not report the balance, and a floor is set or no cap is.
func (p *Pipeline) Preview(ctx context.Context, job plan.Job, date string) (Preview, error) {
	p.fill()
	now := p.Now().UTC()
	if date == "" {
		date = now.In(job.Location).Format(time.DateOnly)
	}
	known, err := warehouse.OpenPublished(ctx, p.Dir)
	if err != nil {
		return Preview{}, err
	}
	defer known.Close()
	before, err := p.runsOfNight(known.Runs, job.Name, date)
	if err != nil {
		return Preview{}, err
	}
	account, err := p.account(false)
	if err != nil {
		return Preview{}, err
	}
	spent := account.Spent(job.Name, date, p.Again && account.Renewable(job.Name, date, before.newest()), now)
	if _, note := p.ended(job, before, spent); note != "" {
		return Preview{Job: job.Name, Date: date, Finish: now.Truncate(time.Second), LeftOut: []plan.LeftOut{},
			Notes: []string{note}}, nil
	}
	f, err := p.inputs(ctx, known, job, before, spent, now, p.ping)
	if err != nil {
		return Preview{}, err
	}
	d := plan.Decide(job, f, p.Service.PerMinute)
	v := Preview{Job: job.Name, Date: date, Credits: d.Total(), LeftOut: d.LeftOut, Notes: d.Notes(job, f),
		NothingKnown: len(f.Totals)+len(f.Targets) == 0}
	if len(before.runs) > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("resumes a run that was interrupted: its %d answers are used, and "+
			"their requests are not sent again", len(before.answered)))
	}
	if f.BalanceKnown {
		v.Balance = &f.Balance
	}
	for _, l := range d.Price {
		if l.Requests == 0 && l.Credits.Most == 0 {
			continue
		}
		lane := LanePreview{Operation: l.Operation.Name, Requests: l.Requests, Credits: l.Credits,
			PerMinute: p.Service.PerMinute(l.Operation)}
		lane.Minutes = math.Round(10*float64(lane.Requests)/float64(lane.PerMinute)/plan.Pace) / 10
		v.Requests += lane.Requests
		v.Minutes = max(v.Minutes, lane.Minutes)
		v.Lanes = append(v.Lanes, lane)
	}
	v.Finish = now.Add(time.Duration(v.Minutes * float64(time.Minute))).Truncate(time.Second)
	return v, nil
}

// Explain returns the score of a vessel as tonight's plan of a job would compute it, and when the
// vessel is looked up next. It returns warehouse.ErrNone if nothing is published.
func (p *Pipeline) Explain(ctx context.Context, job plan.Job, vesselID string) (plan.Score, string, error) {
	p.fill()
	w, err := warehouse.Open(ctx, warehouse.Path(p.Dir), warehouse.Options{MemoryMiB: warehouse.DefaultMemoryMiB, Threads: 1})
	if err != nil {
		return plan.Score{}, "", err
	}
	defer w.Close()
	account, err := p.account(false)
	if err != nil {
		return plan.Score{}, "", err
	}
	now := p.Now().UTC()
	f := plan.Inputs{Now: now, Spent: account.Spent(job.Name, now.In(job.Location).Format(time.DateOnly), false, now)}
	if err := readInputs(ctx, &f, w, job); err != nil {
		return plan.Score{}, "", err
	}
	if err := readQuestions(ctx, &f, w, job); err != nil {
		return plan.Score{}, "", err
	}
	for _, t := range f.Targets {
		if t.VesselID == vesselID {
			return plan.NewScorer(job, f).Score(t), turn(job, f, t, p.Service.PerMinute), nil
		}
	}
	return plan.Score{}, "it is not looked up: the job makes no lookups, or the vessel has no IMO or MMSI number", nil
}

// turn returns when a vessel is looked up next, in words.
func turn(job plan.Job, f plan.Inputs, t inputs.Target, perMinute func(api.Operation) int) string {
	id := t.Number()
	if f.Refused[id] {
		return "the service did not know " + id + " at the last lookup; it is looked up again later"
	}
	scorer := plan.NewScorer(job, f)
	if scorer.Score(t).Total == 0 {
		at := scorer.DueAt(t)
		if at.IsZero() {
			return "it is not looked up: the job looks up the vessels of its watch list only (lookup.watched_only)"
		}
		return "due again at " + at.UTC().Format(time.RFC3339)
	}
	d := plan.Decide(job, f, perMinute)
	if i := slices.Index(d.InBulk, id); i >= 0 {
		return fmt.Sprintf("tonight, its position in bulk, number %d of %d", i+1, len(d.InBulk))
	}
	for i, chosen := range d.Positions {
		if chosen == id {
			return fmt.Sprintf("tonight, its position alone, number %d of %d", i+1, len(d.Positions))
		}
	}
	for i, chosen := range d.Lookups {
		if chosen == id {
			return fmt.Sprintf("tonight, number %d of %d", i+1, len(d.Lookups))
		}
	}
	return fmt.Sprintf("due, and not tonight: %d of %d due vessels have a higher score", len(d.Lookups), d.Due)
}
