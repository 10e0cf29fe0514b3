package pipeline

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/credits"
)

// cappedSpending returns the spending of a run without searches.
func cappedSpending(most int) *spending {
	account := credits.NewAccount()
	account.Begin(credits.Run{ID: "r"})
	return newSpending(account, "r", credits.AtMost(most), 0)
}

// TestSpendingWaitsUntilOthersTurnOutCheaper has two lookups in flight that use up the cap, and one that waits.
func TestSpendingWaitsUntilOthersTurnOutCheaper(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(s *spending, stop context.CancelFunc)
		want error
	}{
		"one is not sent":   {func(s *spending, _ context.CancelFunc) { s.Cancel(api.Particulars, 1, 0) }, nil},
		"one costs nothing": {func(s *spending, _ context.CancelFunc) { s.Count(api.Particulars, answerOf(1, 0, "free"), 0) }, nil},
		"both cost their price": {func(s *spending, _ context.CancelFunc) {
			countAll(s, answerOf(1, 1, "priced"), answerOf(2, 1, "priced"))
		}, extract.ErrBudget},
		"the run is stopped": {func(_ *spending, stop context.CancelFunc) { stop() }, context.Canceled},
		"nobody knows, and never": {func(s *spending, _ context.CancelFunc) {
			countAll(s, answerOf(1, 1, "unknown"), answerOf(2, 1, "unknown"))
		}, extract.ErrBudget},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := cappedSpending(2)
				for range 2 {
					if err := s.Reserve(t.Context(), api.Particulars); err != nil {
						t.Fatal(err)
					}
				}
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				third := make(chan error, 1)
				go func() { third <- s.Reserve(ctx, api.Particulars) }()
				synctest.Wait()
				if len(third) > 0 {
					t.Fatalf("the third does not wait: %v", <-third)
				}
				c.end(s, stop)
				synctest.Wait()
				if len(third) == 0 {
					t.Fatal("the third waits for ever")
				}
				if err := <-third; !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
			})
		})
	}
}

func answerOf(n, cost int, charge journal.Charge) journal.Entry {
	at := time.Now()
	return journal.Entry{N: n, Kind: journal.KindAnswer, At: at, Sent: at, Credits: cost, Charge: charge}
}

func countAll(s *spending, entries ...journal.Entry) {
	for _, e := range entries {
		s.Count(api.Particulars, e, 0)
	}
}

// TestSpendingCountsEntriesInTheOrderOfTheSegment counts a balance that followed a request before that request, as
// happens when both wait for the disk: the balance does not tell of a time before it.
func TestSpendingCountsEntriesInTheOrderOfTheSegment(t *testing.T) {
	s := cappedSpending(9)
	if err := s.Reserve(t.Context(), api.Particulars); err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	balance := func(n, left int, asked time.Time) journal.Entry {
		e := journal.Entry{N: n, Kind: journal.KindBalance, At: asked, Sent: asked, Outcome: "ok"}
		e.SetBody(fmt.Appendf(nil, `{"detail":{"credits":%d}}`, left))
		return e
	}
	unknown := journal.Entry{N: 2, Kind: journal.KindAnswer, At: at, Sent: at, Credits: 1, Charge: journal.ChargeUnknown}
	s.Count(api.Credits, balance(3, 100, at.Add(time.Hour)), 0)
	s.Count(api.Particulars, unknown, 0)
	if spent := s.account.Run("r"); spent.Counted() != 0 {
		t.Errorf("%+v counts before the first entry does", spent)
	}
	s.Count(api.Credits, balance(1, 100, at.Add(-time.Hour)), 0)
	if spent := s.account.Run("r"); spent.Unknown != 1 || spent.Counted() != 0 {
		t.Errorf("got %+v, want one credit that was not billed", spent)
	}
}

// TestABalanceIsReadWhenTheServiceAnswersAfterAnUnknownOutcome counts answers, and checks after each whether a reading of
// the balance is asked for: while the service does not answer, it would take the place of a probe.
func TestABalanceIsReadWhenTheServiceAnswersAfterAnUnknownOutcome(t *testing.T) {
	s := cappedSpending(9)
	ok := func(n int) journal.Entry {
		e := answerOf(n, 1, journal.ChargePriced)
		e.Outcome = extract.OutcomeOK
		return e
	}
	for n, step := range []struct {
		answer func(n int) journal.Entry
		asked  bool
	}{
		{ok, false},
		{func(n int) journal.Entry { return answerOf(n, 1, journal.ChargeUnknown) }, false},
		{func(n int) journal.Entry { return answerOf(n, 0, journal.ChargeFree) }, false},
		{ok, true},
		{ok, false},
	} {
		if err := s.Reserve(t.Context(), api.Particulars); err != nil {
			t.Fatal(err)
		}
		countAll(s, step.answer(n+1))
		asked := false
		select {
		case <-s.answers:
			asked = true
		default:
		}
		if asked != step.asked {
			t.Errorf("after answer %d a reading is asked for: %v, want %v", n+1, asked, step.asked)
		}
	}
}
