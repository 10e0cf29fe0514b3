package pipeline

import (
	"errors"
	"strings"
	"sync"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// requestLog notes what became of the requests of a harvest, for its progress and its view of the night.
type requestLog struct {
	mu       sync.Mutex
	taken    map[api.Operation]int         // requests that were taken from the queue, and are not queued again
	carried  map[api.Operation]int         // requests that an earlier run of the night has the answers to
	answered map[api.Operation]int         // requests that this run has the answers to
	failed   map[api.Operation]int         // requests that were sent and not answered
	swept    map[string]bool               // status searches with an answer, by request key
	silent   map[string]bool               // searches of which a request was sent and not answered, by searchKey
	tooLarge map[string]bool               // of these, those of which an answer was too large
	unread   map[api.Operation]int         // requests that failed because their answer was too large
	ended    map[api.Operation]report.Fate // why a lane sends no more requests
}

func newRequestLog() *requestLog {
	return &requestLog{taken: map[api.Operation]int{}, carried: map[api.Operation]int{},
		answered: map[api.Operation]int{}, failed: map[api.Operation]int{},
		swept: map[string]bool{}, silent: map[string]bool{}, tooLarge: map[string]bool{}, unread: map[api.Operation]int{},
		ended: map[api.Operation]report.Fate{}}
}

// take notes so many more requests that were taken from a queue; below 0 that were queued again.
func (l *requestLog) take(o api.Operation, more int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken[o] += more
}

// carry notes a request that an earlier run of the night has the answer to.
func (l *requestLog) carry(o api.Operation, r api.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.carried[o]++
	l.swept[r.Key()] = o == api.ByStatus
}

// sent notes a request that was sent. That the service does not know a vessel is an answer.
func (l *requestLog) sent(o api.Operation, r api.Request, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var refused *extract.Error
	switch {
	case extract.TooLarge(err):
		l.failed[o]++
		l.unread[o]++
		l.silent[searchKey(r)], l.tooLarge[searchKey(r)] = true, true
	case err == nil, extract.Judge(err) == extract.Skip:
		l.answered[o]++
		if o == api.ByStatus {
			l.swept[r.Key()] = true
		}
	case errors.As(err, &refused):
		l.failed[o]++
		l.silent[searchKey(r)] = true
	default: // it was not sent
		l.taken[o]--
	}
}

// repeat notes answers that turned out to be wrong: their requests are sent again.
func (l *requestLog) repeat(o api.Operation, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answered[o], l.taken[o] = l.answered[o]-n, l.taken[o]-n
}

// end notes why a lane sends no more requests; the first reason stays.
func (l *requestLog) end(o api.Operation, why report.Fate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.ended[o]; !known {
		l.ended[o] = why
	}
}

// done counts the requests of a lane that have ended, and underWay those that were taken and have not.
func (l *requestLog) done(o api.Operation) (done, underWay int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	done = l.carried[o] + l.answered[o] + l.failed[o]
	return done, l.taken[o] - done
}

// searchKey names the search of a request: the pages of a partition are one.
func searchKey(r api.Request) string {
	if r.Operation == api.ByType {
		return keyOf(r.Parameters.Get("type_specific"), r.Parameters.Get("country"))
	}
	return r.Key()
}

// night returns the view of the night when no more requests are sent.
func (h *harvest) night() *report.Night {
	n := &report.Night{}
	h.addQuestions(n)
	for _, what := range []string{plan.PartitionsOfList, plan.StatusSearches, plan.ListChecks} {
		for _, l := range h.work.decided.LeftOut {
			if l.What == what && (l.Why == plan.NoTime || what == plan.ListChecks) {
				n.Add(what, l.Count, report.Fate{State: report.LeftOut, Cause: report.CauseTime, Why: l.Why.Reason()})
			}
		}
		h.addSearches(n, what)
	}
	h.addLookups(n, plan.PositionsLeft, plan.PositionAlone, h.positions.left(), 0)
	h.addLookups(n, plan.LookupsLeft, h.lookups.operation, h.lookups.left(), h.lookups.withoutRoom())
	return n
}

// addSearches adds the partitions, the status searches or the checks. Checks are asked only if the list is complete:
// there is nothing else to compare them with.
func (h *harvest) addSearches(n *report.Night, what string) {
	switch what {
	case plan.StatusSearches:
		for _, s := range h.work.decided.Sweeps {
			n.Add(what, 1, h.fateOfSweep(s))
		}
		for _, s := range h.work.decided.Waiting {
			if s.Lane == api.ByStatus {
				n.Add(what, 1, h.fateOfSweep(s.Sweep))
			}
		}
	case plan.PartitionsOfList:
		for _, p := range h.listing.cover {
			n.Add(what, 1, h.fateOfPartition(p))
		}
	case plan.ListChecks:
		for _, p := range h.listing.checks {
			if h.listing.whole {
				n.Add(what, 1, h.fateOfPartition(p))
			}
		}
	}
}

// fateOfSweep returns what became of a status search.
func (h *harvest) fateOfSweep(s plan.StatusSearch) report.Fate {
	key := s.Request().Key()
	_, carried := h.work.before.answered[key]
	switch {
	case carried:
		return report.CarriedOver
	case h.requests.swept[key]:
		return report.Answered
	}
	return h.fateOfRest(api.ByStatus, key, h.spending.work.lacking[key], report.LeftOut)
}

// fateOfPartition returns what became of a partition.
func (h *harvest) fateOfPartition(p *paging) report.Fate {
	key := keyOf(p.Type, p.Country)
	switch {
	case p.complete() && p.Unpaid == 0:
		return report.CarriedOver
	case p.complete():
		return report.Answered
	case p.ended, p.verdict().Contradiction != "" && !p.short:
		return report.Fate{State: report.Suspect, Cause: report.CauseDoubt, Why: "their totals and pages contradict each other"}
	}
	state := report.LeftOut
	if p.got > 0 {
		state = report.CutShort
	}
	return h.fateOfRest(api.ByType, key, p.short || h.spending.work.lacking[key], state)
}

// fateOfRest returns why a search has not all its answers, of which it may have some.
func (h *harvest) fateOfRest(o api.Operation, key string, lacking bool, state string) report.Fate {
	switch {
	case lacking:
		return report.Fate{State: state, Cause: report.CauseCredits, Why: h.lacksCredits()}
	case h.requests.tooLarge[key]:
		return tooLarge
	case h.requests.silent[key]:
		return h.unanswered(o)
	}
	why := h.whyEnded(o)
	why.State = state
	return why
}

// addLookups adds the lookups of an operation: those in the queue were not sent, and those without room not queued.
func (h *harvest) addLookups(n *report.Night, what string, o api.Operation, queued, withoutRoom int) {
	if what == plan.PositionsLeft && !h.work.job.Lookup.PositionsAlone() {
		return
	}
	prefix, carried := api.Lookup(o, "").Key(), 0
	for key := range h.work.before.answered {
		if strings.HasPrefix(key, prefix) {
			carried++
		}
	}
	n.Add(what, carried, report.CarriedOver)
	n.Add(what, h.requests.answered[o], report.Answered)
	n.Add(what, h.requests.unread[o], tooLarge)
	n.Add(what, h.requests.failed[o]-h.requests.unread[o], h.unanswered(o))
	n.Add(what, queued, h.whyEnded(o))
	noRoom := plan.NoTime
	if h.work.job.Lookup.MaxRequests > 0 {
		noRoom = plan.MostRequests
	}
	for _, l := range h.work.decided.LeftOut {
		if l.What == what {
			noRoom = l.Why
			if what == plan.PositionsLeft {
				withoutRoom += l.Count
			}
		}
	}
	n.Add(what, withoutRoom, report.Fate{State: report.LeftOut, Cause: report.CauseTime, Why: noRoom.Reason()})
}

// noAnswer is why requests have none that the service did not refuse for a reason of its own.
const noAnswer = "the service did not answer as it should"

// tooLarge is the fate of a request whose answer is larger than is read of one.
var tooLarge = report.Fate{State: report.Unanswered, Cause: report.CauseService, Why: "the answer was too large to be read"}

// unanswered returns why requests of a lane that were sent have no answer: for the reason that the service gave when
// it refused the lane or the run, if it did.
func (h *harvest) unanswered(o api.Operation) report.Fate {
	f := report.Fate{State: report.Unanswered, Cause: report.CauseService, Why: noAnswer}
	if why := h.whyEnded(o); why.Cause == report.CauseService {
		f.Why = why.Why
	}
	return f
}

// whyEnded returns why a lane sent no more of its requests.
func (h *harvest) whyEnded(o api.Operation) report.Fate {
	f := report.Fate{State: report.LeftOut, Cause: report.CauseEnd}
	ended, itself := h.requests.ended[o]
	switch {
	case itself:
		return ended
	case h.broken != nil:
		f.Why = "answers could not be stored any more"
	case h.stop == report.StopSignal:
		f.Why = "the run was stopped by request"
	case h.stop == report.StopDeadline:
		f.Why = "the deadline of the run was over"
	case h.stop == report.StopKey:
		f.Cause, f.Why = report.CauseService, "the service refuses the key"
	case h.stop == report.StopCredits:
		f.Cause, f.Why = report.CauseService, "the service says that the credits are used up"
	default:
		f.Cause, f.Why = report.CauseService, noAnswer
	}
	return f
}

// laneEnd returns why the requests of a lane that an error ended are left out.
func (h *harvest) laneEnd(stop report.Stop) report.Fate {
	f := report.Fate{State: report.LeftOut, Cause: report.CauseService, Why: noAnswer}
	switch stop {
	case report.StopBudget:
		f.Cause, f.Why = report.CauseCredits, h.lacksCredits()
	case report.StopBlocked:
		f.Why = "the operation is blocked for this key"
	}
	return f
}
