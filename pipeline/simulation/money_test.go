package simulation

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/credits"
	accounts "github.com/fleetlake/fleetlake/pipeline/ledger"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// money is what the service billed, by its own account, and what the journal knew before a run.
type money struct {
	w      *world
	byDay  map[string]int // billed credits, by the day of the clock of the machine
	billed int            // before the run
	was    ledger         // before the run
	lost   int            // credits that the service billed for answers which the journal does not have any more
}

// ledger is what the account of the journal counts towards the caps at one moment.
type ledger = credits.Spent

func newMoney(w *world) money { return money{w: w, byDay: map[string]int{}} }

// ledger asks the account of the journal, which has its own tests, for the night of a job, and for the day and the
// month of a moment. What the service billed is compared with it.
func (m *money) ledger(job plan.Job, at time.Time) ledger {
	account, err := accounts.Read(filepath.Join(m.w.p.Dir, "journal"))
	m.w.must(err)
	return account.Spent(job.Name, at.In(job.Location).Format(time.DateOnly), false, at)
}

func (m *money) before(job plan.Job) {
	m.billed, m.was = m.w.sim.Bill().Spent, m.ledger(job, m.w.now())
}

// after checks what a run spent, by the account of the service and by the journal.
func (m *money) after(job plan.Job, r report.Report, err error) {
	w, now, bill := m.w, m.w.now(), m.w.sim.Bill()
	billed, is := bill.Spent-m.billed, m.ledger(job, now)
	day := now.UTC().Format(time.DateOnly)
	before := m.byDay[day]
	month := 0
	for d, credits := range m.byDay {
		if strings.HasPrefix(d, day[:len("2026-01")]) {
			month += credits
		}
	}
	m.byDay[day] += billed
	last, night := m.newest(), m.was.Night
	for _, s := range w.journalNow() { // a run of a clock that was ahead may be newer
		if s.Run == r.Run && s.Anew {
			night = 0 // it began the night anew
		}
	}
	m.within("night", job.Budget, night, is.Night, night, night+billed)
	m.within("day", job.PerDay, m.was.Day, is.Day, before, before+billed)
	m.within("month", job.PerMonth, m.was.Month, is.Month, month, month+billed)
	if billed > 0 && bill.Balance < job.Floor {
		w.fail("money", "the balance is %d, below its floor of %d, after a run of %d credits", bill.Balance, job.Floor, billed)
	}
	m.balanced(bill.Spent)
	m.once()
	if last != nil && err == nil && r.Run == last.Run {
		m.capOfPlan(last, billed)
		w.checkEnd(job, r, last, m.room(job, bill.Balance, is))
	}
}

// within checks a cap by the journal and by the account of the service: a run may leave what was spent
// before it, and else at most the cap.
func (m *money) within(what string, most, knownBefore, known, billedBefore, billed int) {
	if most > 0 && (known > max(most, knownBefore) || billed > max(most, billedBefore)) {
		m.w.fail("money", "the cap of the %s is %d: the journal counts %d after %d, the service %d after %d", what, most, known, knownBefore, billed, billedBefore)
	}
}

// newest is the segment of the last run that has one.
func (m *money) newest() (last *segment) {
	for _, s := range m.w.journalNow() {
		if last == nil || s.Run > last.Run {
			last = s
		}
	}
	return last
}

// capOfPlan checks that a run cost no more than the plan that its segment begins with.
func (m *money) capOfPlan(s *segment, billed int) {
	if known := s.spent(time.Time{}).credits; s.Budget > 0 && (known > s.Budget || billed > s.Budget) {
		m.w.fail("money", "%s planned %d credits at most: the journal counts %d, the service %d", s.Run, s.Budget, known, billed)
	}
}

// balanced compares the whole account of the service with the whole journal.
func (m *money) balanced(billed int) {
	all := m.all()
	if billed -= m.lost; billed > all.credits || billed < all.credits-all.unknown {
		m.w.fail("money", "the service billed %d; the journal counts %d, of which %d may not be billed", billed, all.credits, all.unknown)
	}
}

// all sums up the whole journal.
func (m *money) all() (sum spending) {
	for _, s := range m.w.journalNow() {
		one := s.spent(time.Time{})
		sum.credits, sum.unknown = sum.credits+one.credits, sum.unknown+one.unknown
	}
	return sum
}

// forget makes the account that of a journal which has lost its older segments.
func (m *money) forget() {
	clear(m.byDay)
	for _, s := range m.w.journalNow() {
		for _, b := range s.bills {
			m.byDay[b.at.UTC().Format(time.DateOnly)] += b.credits
		}
	}
	m.lost = m.w.sim.Bill().Spent - m.all().credits
}

// once checks that the journal has each answer that the service sent whole since the last run exactly once.
// Those that were on their way when a process was killed may be missing.
func (m *money) once() {
	w := m.w
	type key struct{ operation, parameters, body string }
	had, lost := map[key]int{}, map[key]int{}
	w.service.mu.Lock()
	for _, s := range w.service.sent {
		k := key{s.operation, s.parameters, s.body}
		had[k]++
		for _, at := range w.kills {
			if !s.at.Before(at) && s.at.Before(at.Add(70*time.Second)) {
				lost[k]++
				break
			}
		}
	}
	w.service.sent = nil
	w.service.mu.Unlock()
	for _, s := range w.journalNow() {
		for _, e := range s.entries[s.compared:] {
			if e.ok() && !strings.Contains(e.Parameters, "accepted-values") {
				had[key{e.Operation, e.Parameters, e.text()}]--
			}
		}
		s.compared = len(s.entries)
	}
	for k, n := range had {
		switch {
		case n < 0:
			w.fail("money", "%s %s: the journal has an answer that the service did not send whole, or has it twice", k.operation, k.parameters)
		case n > lost[k]:
			w.fail("money", "%s %s: the journal lacks an answer that the service sent whole", k.operation, k.parameters)
		}
	}
}

// room is how many credits a run could still have spent when it ended; negative is no limit.
func (m *money) room(job plan.Job, balance int, is ledger) int {
	room := balance - job.Floor
	for _, c := range []struct{ most, spent int }{{job.Budget, is.Night}, {job.PerDay, is.Day}, {job.PerMonth, is.Month}} {
		if c.most > 0 {
			room = min(room, c.most-c.spent)
		}
	}
	return room
}
