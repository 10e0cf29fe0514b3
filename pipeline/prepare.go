package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/transform"
)

// prepare makes the free calls, which also reveal a bad key, and fills the lanes.
func (h *harvest) prepare(ctx context.Context, inFlight int) {
	if err := h.client.Await(ctx); err != nil {
		h.log.Warn("balance before the run not read", "error", err)
		if extract.Judge(err) == extract.StopRun {
			h.handle(api.Request{Operation: api.Credits}, err, func() {})
		}
	}
	if len(h.work.decided.Cover) > 0 && ctx.Err() == nil {
		h.probe(ctx)
	}
	whole := h.work.unfiltered() && !slices.ContainsFunc(h.work.decided.LeftOut,
		func(l plan.LeftOut) bool { return l.What == plan.PartitionsOfList && l.Why == plan.NoTime })
	h.listing = newListing(h.work.decided, whole)
	h.listing.ahead = max(h.listing.ahead, inFlight)
	h.listing.answered = func(key string) bool { _, ok := h.work.before.answered[key]; return ok }
	h.lookups, h.positions = newLookups(h.work), newQueue()
	for _, number := range h.work.decided.Positions {
		h.positions.push(false, api.Lookup(plan.PositionAlone, number))
	}
	h.sweep, h.sightings = newQueue(), transform.NewSearchReader()
	if h.lookups.wanted || len(h.work.decided.Checks) > 0 {
		h.listing.onVessel = func(v transform.Listed) { h.lookups.observe(v, api.Sweep{}) }
	}
	h.listing.queue.answered, h.sweep.answered = h.listing.answered, h.listing.answered
	h.lanes = append(h.lanesOfQuestions(), h.lanesOfRun()...)
	lookups := map[api.Operation]*queue{plan.PositionAlone: h.positions}
	lookups[h.lookups.operation] = h.lookups.queue // positions alone are bought beside another operation
	h.spending.begin(h.listing, h.sweep, lookups, h.candidates())
}

// probe reads the accepted lists of types and countries and adapts the plan to them: it adds new
// values and drops removed ones.
func (h *harvest) probe(ctx context.Context) {
	lists, err := h.client.ReadAccepted(ctx)
	if err != nil {
		h.log.Warn("accepted values not read: the known lists are used", "error", err)
		if refused := (*extract.Error)(nil); errors.As(err, &refused) && extract.Judge(err) == extract.StopRun {
			h.handle(api.Request{Operation: api.ByType}, err, func() {})
		}
		return
	}
	types, countries := without(lists.Types, api.Types), without(lists.Countries, api.Countries)
	if len(types)+len(countries) > mostNews {
		h.news = append(h.news, fmt.Sprintf("the service accepts %d types and countries that are unknown here: the "+
			"known lists are used", len(types)+len(countries)))
		return
	}
	for _, v := range types {
		h.gained("type", v, plan.Partition{Type: v, Expected: -1, Nights: plan.MostNights, Pages: 1, Unpaid: 1})
	}
	for _, v := range countries {
		h.gained("country", v, plan.Partition{Country: v, Expected: -1, Nights: plan.MostNights, Pages: 1, Unpaid: 1})
	}
	for _, v := range without(api.Types, lists.Types) {
		h.lost("type", v, func(p plan.Partition) bool { return strings.EqualFold(p.Type, v) })
	}
	for _, v := range without(api.Countries, lists.Countries) {
		h.lost("country", v, func(p plan.Partition) bool { return strings.EqualFold(p.Country, v) })
	}
}

// mostNews is how many values the accepted lists may gain in a night. More values come from another
// service, or a hostile one.
const mostNews = 1000

// gained adds a partition to the cover or the checks, whichever has its kind, if the job lists every value.
func (h *harvest) gained(list, value string, p plan.Partition) {
	h.news = append(h.news, fmt.Sprintf("%s %q is accepted now", list, value))
	for _, side := range []*[]plan.Partition{&h.work.decided.Cover, &h.work.decided.Checks} {
		if h.work.unfiltered() && len(*side) > 0 && (*side)[0].Name().Kind == p.Name().Kind {
			*side = append(*side, p)
		}
	}
}

// lost drops the partitions of a value that is no longer accepted.
func (h *harvest) lost(list, value string, is func(plan.Partition) bool) {
	h.news = append(h.news, fmt.Sprintf("%s %q is no longer accepted", list, value))
	h.work.decided.Cover, h.work.decided.Checks = slices.DeleteFunc(h.work.decided.Cover, is),
		slices.DeleteFunc(h.work.decided.Checks, is)
	h.work.decided.Waiting = slices.DeleteFunc(h.work.decided.Waiting,
		func(s plan.Search) bool { return s.Lane.Name == api.ByType.Name && is(s.Partition) })
}

// sighted counts an answer of the sweep and looks for new vessels in it.
func (h *harvest) sighted(r api.Request, a extract.Answer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lookups.wanted && a.Rows > 0 {
		s := api.Sweep{Status: r.Parameters.Get("navigational_status"), Zone: r.Parameters.Get("world_zone")}
		h.sightings.Each(a.Entry, func(v transform.Listed) { h.lookups.observe(v, s) })
	}
}

// without returns the values of a that are not in b, ignoring case and outer spaces.
func without(a, b []string) []string {
	in := make(map[string]bool, len(b))
	for _, v := range b {
		in[strings.ToLower(strings.TrimSpace(v))] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(v string) bool { return in[strings.ToLower(strings.TrimSpace(v))] })
}

// limit is the most of the plan of a run. A cap that is used up is recorded as 0, like no cap.
func (w work) limit() credits.Limit {
	if w.recorded.Budget == 0 {
		return w.decided.Allowance.Limit
	}
	return credits.AtMost(w.recorded.Budget)
}

// recentSends calls f with the answer, or else the intent, of each request that any run sent in the last
// minutes, so that a new process counts the requests of the old one towards the rate limits.
func recentSends(root string, now time.Time, f func(journal.Entry)) error {
	paths, err := journal.Segments(root)
	if err != nil {
		return err
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("look for recent requests: %w", err)
		}
		if now.Sub(info.ModTime()) > 5*time.Minute {
			continue
		}
		for x, err := range journal.Exchanges(path) {
			if err != nil && !errors.Is(err, journal.ErrDamaged) {
				return err
			}
			if !x.SentAt().IsZero() {
				f(x.Entry)
			}
		}
	}
	return nil
}
