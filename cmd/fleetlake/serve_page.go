package main

import (
	"context"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/schedules/page"
)

// anew prices a run of a job now, if it would buy a second time what its night of today has
// bought: a night that was done, or that ended by itself.
func (s *server) anew(ctx context.Context, name string) (*pipeline.Preview, error) {
	job, _, err := s.config.Job(name)
	if err != nil {
		return nil, err
	}
	date := time.Now().In(job.Location).Format(time.DateOnly)
	p := *s.pipeline
	if p.Again, err = s.again(schedules.Slot{Job: name, Date: date, Again: true}); err != nil || !p.Again {
		return nil, err
	}
	preview, err := p.Preview(ctx, job, date)
	return &preview, err
}

// standing is what the page says beside every night.
func (s *server) standing() []page.Trouble {
	troubles, err := standing(context.Background(), s.config.DataDir, "")
	if err != nil {
		troubles = append(troubles, trouble{title: "The data directory cannot be read", words: err.Error()})
	}
	var all []page.Trouble
	for _, t := range troubles {
		all = append(all, page.Trouble{Title: t.title, Words: s.withoutPaths(t.words)})
	}
	return all
}
