package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// recorder is a target that remembers what it gets, and answers as act does.
type recorder struct {
	key string
	act func(ctx context.Context, n int) error // n counts from 1; nil accepts

	mu  sync.Mutex
	got []Event
}

func (r *recorder) id() string   { return hashOf(r.key) }
func (r *recorder) name() string { return r.key }

func (r *recorder) send(ctx context.Context, e Event) error {
	r.mu.Lock()
	r.got = append(r.got, e)
	n := len(r.got)
	r.mu.Unlock()
	if r.act == nil {
		return nil
	}
	return r.act(ctx, n)
}

// ids are those of what it got, in order.
func (r *recorder) ids() (all []string) {
	for _, e := range r.got {
		all = append(all, e.ID)
	}
	return all
}

// process is a notifier of a data directory from its start to its end, which comes within a time.
func process(dir string, within time.Duration, lost *int, log *bytes.Buffer, targets []target, events ...Event) {
	n := begin(Config{Dir: dir, Log: slog.New(slog.NewTextHandler(log, nil)), Lost: func() { *lost++ }}, targets)
	for _, e := range events {
		n.Send(e)
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	n.Close(ctx)
}

// TestWhatIsLeftTheNextProcessSends has a receiver that is away while the first process lives.
func TestWhatIsLeftTheNextProcessSends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, lost, log := t.TempDir(), 0, &bytes.Buffer{}
		there := &recorder{key: "there"}
		away := &recorder{key: "away", act: func(_ context.Context, n int) error {
			if n <= 2 {
				return errors.New("down")
			}
			return nil
		}}
		began := time.Now()
		process(dir, 10*time.Second, &lost, log, []target{there, away}, event())
		if took := time.Since(began); took != 2*time.Second { // the third try would be too late
			t.Errorf("the process ended after %v", took)
		}
		if !strings.Contains(log.String(), "not delivered yet: the next start sends it") {
			t.Errorf("log: %s", log)
		}
		time.Sleep(time.Hour)
		process(dir, 10*time.Second, &lost, log, []target{there, away}, event()) // the same event, which the first had queued
		process(dir, 10*time.Second, &lost, log, []target{there, away}, event(), numbered(1))
		id := event().ID
		once, again := []string{id, "event 1"}, []string{id, id, id, "event 1"}
		if !slices.Equal(there.ids(), once) || !slices.Equal(away.ids(), again) || lost != 0 {
			t.Errorf("one got %v, the other %v, %d lost", there.ids(), away.ids(), lost)
		}
	})
}

// TestALateAnswerIsAskedForWithTheSameID has a receiver that takes an event and answers after the longest try.
func TestALateAnswerIsAskedForWithTheSameID(t *testing.T) {
	for name, c := range map[string]struct {
		answersAfter time.Duration
		want         int
	}{
		"in time":  {tryFor - time.Second, 1},
		"too late": {tryFor + time.Second, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := &recorder{key: "slow", act: func(_ context.Context, n int) error {
					if n == 1 {
						time.Sleep(c.answersAfter)
					}
					return nil
				}}
				lost := 0
				process(t.TempDir(), time.Minute, &lost, &bytes.Buffer{}, []target{slow}, event())
				if want := slices.Repeat([]string{event().ID}, c.want); !slices.Equal(slow.ids(), want) || lost != 0 {
					t.Errorf("got %v, want %v; %d lost", slow.ids(), want, lost)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}

// TestAReceiverThatIsDownForAWeek has a process start each hour: the tries are few, and end.
func TestAReceiverThatIsDownForAWeek(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, lost, log := t.TempDir(), 0, &bytes.Buffer{}
		down := &recorder{key: "down", act: func(context.Context, int) error { return errors.New("down") }}
		process(dir, 3*time.Second, &lost, log, []target{down}, event())
		for hour := range 7 * 24 {
			time.Sleep(time.Hour)
			process(dir, 3*time.Second, &lost, log, []target{down})
			if want := map[bool]int{true: 1}[hour >= int(KeepFor/time.Hour)]; lost != want && hour != int(KeepFor/time.Hour)-1 {
				t.Fatalf("%d lost after %d hours, want %d", lost, hour+1, want)
			}
		}
		if n := len(down.got); n < 15 || n > 25 || strings.Count(log.String(), "not accepted within 72h") != 1 {
			t.Errorf("%d tries, log: %s", n, log)
		}
		if text, err := os.ReadFile(filepath.Join(dir, FileName)); err != nil || strings.Contains(string(text), "waiting") {
			t.Errorf("the outbox still has %s, %v", text, err)
		}
	})
}

// TestAReceiverThatIsNoLongerThere holds neither the outbox nor the others.
func TestAReceiverThatIsNoLongerThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, lost := t.TempDir(), 0
		gone := &recorder{key: "gone", act: func(context.Context, int) error { return errors.New("down") }}
		process(dir, time.Second, &lost, &bytes.Buffer{}, []target{gone}, event())
		next := &recorder{key: "next"}
		process(dir, time.Second, &lost, &bytes.Buffer{}, []target{next}, numbered(1))
		text, err := os.ReadFile(filepath.Join(dir, FileName))
		if err != nil || strings.Contains(string(text), "waiting") || lost != 0 || fmt.Sprint(next.ids()) != "[event 1]" {
			t.Errorf("%v, %d lost, the other got %v, the outbox has %s", err, lost, next.ids(), text)
		}
	})
}

// TestTheOutboxHasNoSecret looks for pieces of addresses while events wait.
func TestTheOutboxHasNoSecret(t *testing.T) {
	dir := t.TempDir()
	n, err := New(Config{Dir: dir, Log: slog.New(slog.DiscardHandler), Secret: "planted-secret",
		Webhook: "http://127.0.0.1:1/planted-path?t=planted-token",
		URLs:    []string{"generic://planted-user:planted-password@127.0.0.1:1/planted-path?disabletls=yes"}})
	if err != nil {
		t.Fatal(err)
	}
	n.Send(event())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	n.Close(ended)
	text, err := os.ReadFile(filepath.Join(dir, FileName))
	info, statErr := os.Stat(filepath.Join(dir, FileName))
	if err := errors.Join(err, statErr); err != nil || !strings.Contains(string(text), event().ID) {
		t.Fatalf("%v, the outbox has %s", err, text)
	}
	if strings.Contains(string(text), "planted") || strings.Contains(string(text), "127.0.0.1") {
		t.Errorf("the outbox has %s", text)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

// TestAKilledTryCounts begins tries and never ends them, as a process that is killed in each.
func TestAKilledTryCounts(t *testing.T) {
	path, start := filepath.Join(t.TempDir(), FileName), time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	open := func() *outbox { return &outbox{path: path, warn: func(err error) { t.Error(err) }} }
	open().add(event(), []string{"a"}, nil, start)
	var tried []time.Duration
	for second := time.Duration(0); second < 10*time.Minute; second += time.Second {
		begun, lost, _ := open().due([]string{"a"}, start.Add(second))
		if len(lost) > 0 {
			t.Fatal("lost")
		}
		for range begun {
			tried = append(tried, second)
		}
	}
	if want := []time.Duration{0, 12 * time.Second, 37 * time.Second, 107 * time.Second, 417 * time.Second}; !slices.Equal(tried, want) {
		t.Errorf("tries at %v, want %v", tried, want)
	}
	// After the clock was a year ahead, as it was for the event and for its next try, it is not kept for a year.
	open().add(numbered(1), []string{"a"}, nil, start.AddDate(1, 0, 0))
	if begun, _, _ := open().due([]string{"a"}, start.Add(time.Hour)); len(begun) != 2 {
		t.Errorf("%d tries, want 2", len(begun))
	}
	if _, lost, _ := open().due([]string{"a"}, start.Add(KeepFor)); len(lost) != 0 {
		t.Errorf("%d lost within %v", len(lost), KeepFor)
	}
	if _, lost, _ := open().due([]string{"a"}, start.Add(KeepFor+time.Hour+time.Second)); len(lost) != 2 {
		t.Errorf("%d lost after %v, want 2", len(lost), KeepFor)
	}
}

// TestProcessesShareAnOutbox has several add and begin side by side: none is lost, and none is begun twice.
func TestProcessesShareAnOutbox(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), FileName), time.Now()
	var mu sync.Mutex
	begun := map[string]int{}
	var processes sync.WaitGroup
	for p := range 4 {
		processes.Go(func() {
			o := &outbox{path: path, warn: func(err error) { t.Error(err) }}
			for i := range 5 {
				o.add(numbered(i*4+p), []string{"a"}, nil, now)
				o.add(numbered(i*4), []string{"a"}, nil, now) // each adds these
				some, _, _ := o.due([]string{"a"}, now)
				mu.Lock()
				for _, b := range some {
					begun[b.event.ID]++
				}
				mu.Unlock()
			}
		})
	}
	processes.Wait()
	for i := range 20 {
		if n := begun[numbered(i).ID]; n != 1 {
			t.Errorf("event %d was begun %d times", i, n)
		}
	}
}

// TestTheOutboxIsBounded fills it to its bounds and one further.
func TestTheOutboxIsBounded(t *testing.T) {
	o, now := &outbox{warn: func(error) {}}, time.Now()
	for i := range queued {
		if lost := o.add(numbered(i), []string{"a", "b"}, nil, now); len(lost) > 0 {
			t.Fatalf("event %d pushed out %v", i, lost)
		}
	}
	if lost := o.add(numbered(queued), []string{"a", "b"}, nil, now); len(lost) != 2 || lost[0].event.ID != "event 0" {
		t.Errorf("pushed out %v, want the oldest for both receivers", lost)
	}
	var ids []string
	for i := range keptIDs + 1 {
		ids = append(ids, fmt.Sprint(i))
	}
	if got := remembered(ids[:1], ids[1:keptIDs], keptIDs); len(got) != keptIDs || got[0] != "0" {
		t.Errorf("%d ids from %s", len(got), got[0])
	}
	if got := remembered(ids[:keptIDs], ids[keptIDs:], keptIDs); len(got) != keptIDs || got[0] != "1" {
		t.Errorf("%d ids from %s", len(got), got[0])
	}
}

// TestTroubleWithTheFile never keeps an event from being sent, and what another process stored is kept.
func TestTroubleWithTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", FileName)
	warned := 0
	o := &outbox{path: path, warn: func(error) { warned++ }}
	now := time.Now()
	o.add(numbered(1), []string{"a"}, []string{"news 1"}, now) // the directory is not mounted
	o.add(numbered(2), []string{"a"}, nil, now)
	if begun, _, _ := o.due([]string{"a"}, now); len(begun) != 2 || warned != 1 {
		t.Fatalf("%d begun, %d warnings", len(begun), warned)
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	other := &outbox{path: path, warn: func(err error) { t.Error(err) }}
	other.add(numbered(3), []string{"a"}, []string{"news 3"}, now)
	o.ended(try{numbered(1), "a"}, true, now)
	for id, want := range map[string]bool{"event 1": true, "event 2": true, "event 3": true, "news 1": true, "news 3": true, "event 4": false} {
		if got := other.known([]string{id})[id]; got != want {
			t.Errorf("%s is known: %v", id, got)
		}
	}
	if left, stored := other.left(); len(left) != 2 || !stored {
		t.Errorf("left %v", left)
	}
	if err := os.WriteFile(path, []byte("{torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.add(numbered(4), []string{"a"}, nil, now)
	if left, stored := o.left(); len(left) != 1 || !stored || warned != 2 {
		t.Errorf("after damage: %v, stored %v, %d warnings", left, stored, warned)
	}
}
