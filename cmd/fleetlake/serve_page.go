package main

import (
	"context"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/schedules/page"
)

// priceAgain prices a run of a job that would pay for its night of today a second time, because that
// night has ended; it returns nil for any other run.
func (s *server) priceAgain(ctx context.Context, name string) (*pipeline.Preview, error) {
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

// dataTroubles is what the page says besides the verdict on the night.
func (s *server) dataTroubles() []page.Trouble {
	troubles, err := dataTroubles(context.Background(), s.config.DataDir, "")
	if err != nil {
		troubles = append(troubles, trouble{title: "The data directory cannot be read", words: err.Error()})
	}
	export, err := exportTroubles(s.config)
	if err != nil {
		export = []trouble{{title: "The state of the export cannot be read", words: err.Error()}}
	}
	troubles = append(troubles, export...)
	var all []page.Trouble
	for _, t := range troubles {
		all = append(all, page.Trouble{Title: t.title, Words: s.withoutPaths(t.words)})
	}
	return all
}
