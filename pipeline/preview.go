package pipeline

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Preview is what a run of a job would ask, cost and take, and what it leaves out.
type Preview struct {
	Job      string        `json:"job"`
	Date     string        `json:"date"`
	Requests int           `json:"requests"` // expected; more where totals are not known yet
	Credits  journal.Price `json:"credits"`  // most is what the run is held to; 0 where nothing bounds it
	Minutes  float64       `json:"minutes"`  // of the busiest lane, at its limit
	Finish   time.Time     `json:"finish"`
	Lanes    []LanePreview `json:"lanes"`
	LeftOut  []LeftOut     `json:"left_out"`
	Balance  *int          `json:"balance,omitempty"`
	Notes    []string      `json:"notes,omitempty"`
}

// LanePreview is the part of one operation.
type LanePreview struct {
	Operation string        `json:"operation"`
	Requests  int           `json:"requests"`
	PerMinute int           `json:"per_minute"`
	Credits   journal.Price `json:"credits"`
	Minutes   float64       `json:"minutes"`
}

// Preview plans a run as Run would, and asks nothing but the free balance.
func (p *Pipeline) Preview(ctx context.Context, job Job, date string) (Preview, error) {
	p.fill()
	now := p.Now().UTC()
	if date == "" {
		date = now.In(job.Location).Format(time.DateOnly)
	}
	before, err := p.night(ctx, job.Name, date)
	if err != nil {
		return Preview{}, err
	}
	if _, note := p.over(job, before); note != "" {
		return Preview{Job: job.Name, Date: date, Finish: now.Truncate(time.Second), LeftOut: []LeftOut{}, Notes: []string{note}}, nil
	}
	before, _ = p.granted(before)
	f, err := p.facts(ctx, job, before, now, p.ping)
	if err != nil {
		return Preview{}, err
	}
	d := decide(job, f, p.Service.PerMinute)
	v := Preview{Job: job.Name, Date: date, Credits: d.total(), LeftOut: d.leftOut, Notes: d.notes(job, f)}
	if len(before.runs) > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("goes on from a run that was cut off: what its %d answers tell is not asked again", len(before.answered)))
	}
	if f.balanceKnown {
		v.Balance = &f.balance
	}
	for _, l := range d.price {
		if l.requests == 0 && l.credits.Most == 0 {
			continue
		}
		lane := LanePreview{Operation: l.operation.Name, Requests: l.requests, Credits: l.credits, PerMinute: p.Service.PerMinute(l.operation)}
		lane.Minutes = math.Round(10*float64(lane.Requests)/float64(lane.PerMinute)/pace) / 10
		v.Requests += lane.Requests
		v.Minutes = max(v.Minutes, lane.Minutes)
		v.Lanes = append(v.Lanes, lane)
	}
	v.Finish = now.Add(time.Duration(v.Minutes * float64(time.Minute))).Truncate(time.Second)
	return v, nil
}

// Explain scores a vessel for a job as tonight's plan would.
func (p *Pipeline) Explain(ctx context.Context, job Job, vesselID string) (Score, string, error) {
	p.fill()
	w, err := warehouse.Open(ctx, warehouse.Path(p.Dir), warehouse.Options{MemoryMiB: warehouse.DefaultMemoryMiB, Threads: 1})
	if err != nil {
		return Score{}, "", err
	}
	defer w.Close()
	f := inputs{now: p.Now().UTC()}
	if err := f.read(ctx, w, job); err != nil {
		return Score{}, "", err
	}
	for _, t := range f.targets {
		if t.VesselID == vesselID {
			return newScorer(job, f).score(t), turn(job, f, t, p.Service.PerMinute), nil
		}
	}
	return Score{}, "it is not looked up: the job wants no lookups, or the vessel has no number to ask for", nil
}

// turn says when a vessel is looked up next.
func turn(job Job, f inputs, t warehouse.Target, perMinute func(api.Operation) int) string {
	id := askFor(t)
	if f.refused[id] {
		return "the service did not know " + id + " when it was last asked for; it is asked for again later"
	}
	if newScorer(job, f).score(t).Total == 0 {
		return "due again at " + seenAt(job.Lookup, t).Add(job.Lookup.MaxAge).UTC().Format(time.RFC3339)
	}
	d := decide(job, f, perMinute)
	for i, chosen := range d.lookups {
		if chosen == id {
			return fmt.Sprintf("tonight, number %d of %d", i+1, len(d.lookups))
		}
	}
	return fmt.Sprintf("due, and not tonight: %d of %d due vessels are worth more by credit", len(d.lookups), d.due)
}
