package page

import (
	"context"
	"fmt"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/wording"
)

// firstRun is what will happen to a job that no night has of yet, and when.
type firstRun struct {
	Job   string
	At    time.Time
	Price string // in words; empty if it is not known
}

// firstRuns are the next slots of a data directory without a night, each job once.
func (s *site) firstRuns(ctx context.Context, next []SlotView) (all []firstRun) {
	seen := map[string]bool{}
	for _, slot := range next {
		if seen[slot.Job] {
			continue
		}
		seen[slot.Job] = true
		all = append(all, firstRun{Job: slot.Job, At: slot.At, Price: s.price(ctx, slot.Job)})
	}
	return all
}

// price is what a run of a job would cost now, in words; empty if it is not known.
func (s *site) price(ctx context.Context, job string) string {
	if s.Price == nil {
		return ""
	}
	p, err := s.Price(ctx, job)
	if err != nil || p == nil {
		return ""
	}
	return priceWords(*p)
}

// priceWords is what a run is expected to ask and to cost.
func priceWords(p pipeline.Preview) string {
	words := fmt.Sprintf("about %s credits", wording.Count(p.Credits.Expected))
	if p.Credits.Most > p.Credits.Expected {
		words += fmt.Sprintf(", and %s at most", wording.Count(p.Credits.Most))
	}
	return words
}
