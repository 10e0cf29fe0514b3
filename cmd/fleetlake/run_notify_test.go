package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/schedules/notify"
)

// TestRunNotifies has a real webhook receive the events of runs from another scheduler.
func TestRunNotifies(t *testing.T) {
	t.Parallel()
	const date = "2026-11-20"
	for name, c := range map[string]struct {
		prepare func(w *world)
		code    int
		want    []notify.Kind // none is no event
		says    string
	}{
		"nothing of a whole night": {func(*world) {}, exitDone, nil, ""},
		"a partial night": {func(w *world) { w.faults(simulator.Fault{Kind: simulator.Blocked, Operation: "by-type"}) },
			exitUnanswered, []notify.Kind{notify.Failed, notify.Partial}, "3 of 3 partitions of the list were not answered: the operation is blocked for this key"},
		"no credits": {func(w *world) { w.sim.SetBalance(12) }, exitCredits, []notify.Kind{notify.Credits, notify.Partial}, "the credits are used up"},
		"a refused key": {func(w *world) { w.env = append(w.env, "FLEETLAKE_API_KEY=wrong") },
			exitKey, []notify.Kind{notify.Failed}, "refuses the key"},
		"a run that fails": {func(w *world) { // a file where the journal of the date must be
			if err := os.MkdirAll(filepath.Join(w.dir, "fleetlake-data", "journal"), 0o700); err != nil {
				w.t.Fatal(err)
			}
			w.write(filepath.Join("fleetlake-data", "journal", date), "")
		}, exitDisk, []notify.Kind{notify.Failed}, "DATA/journal/" + date},
		"nothing of a data directory that is in use": {func(w *world) {
			unlock, err := datadir.LockFor(filepath.Join(w.dir, "fleetlake-data"), "test")
			if err != nil {
				w.t.Fatal(err)
			}
			w.t.Cleanup(func() { unlock() })
		}, exitLocked, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			notified := make(chan string, 10)
			receiver := newReceiver(t, notified)
			w := newWorld(t, simulator.Config{Vessels: 400})
			w.write("secret", "planted-secret")
			w.configure(1_000_000, smallJob+fmt.Sprintf("\nnotify: {webhook: {url: %s/planted-path, secret_file: secret}}\n", receiver))
			c.prepare(w)
			o := w.must(c.code, "run", "nightly", "--date", date, "--data", filepath.Join(w.dir, "fleetlake-data"))
			close(notified)
			var events []notify.Event
			for text := range notified {
				var e notify.Event
				if err := json.Unmarshal([]byte(text), &e); err != nil || strings.Contains(text, w.dir) || strings.Contains(text, "planted") {
					t.Errorf("%v, or a path or a secret is in the event: %s", err, text)
				}
				events = append(events, e)
			}
			switch {
			case len(events) == 0 && c.want == nil:
			case len(events) != 1, !slices.Equal(events[0].Kinds, c.want), events[0].Job != "nightly", events[0].Date != date, !strings.Contains(events[0].Text(), c.says):
				t.Errorf("events %+v, want %v and %q once", events, c.want, c.says)
			}
			if strings.Contains(o.stderr, "planted") {
				t.Errorf("a secret is on stderr: %s", o.stderr)
			}
		})
	}
}

// TestARunThatCannotNotify ends in the same way, and soon.
func TestARunThatCannotNotify(t *testing.T) {
	t.Parallel()
	refusing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(refusing.Close)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	for name, address := range map[string]string{"refused": refusing.URL, "unanswered": "http://" + silent.Addr().String()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{Vessels: 400})
			w.configure(1_000_000, smallJob+fmt.Sprintf("\nnotify: {webhook: {url: %s/planted-path}}\n", address))
			w.faults(simulator.Fault{Kind: simulator.Blocked, Operation: "by-type"})
			start := time.Now()
			o := w.must(exitUnanswered, "run", "nightly", "--json")
			if took := time.Since(start); took > time.Minute { // all tries together take two
				t.Errorf("took %v", took)
			}
			var r report.Report
			if err := json.Unmarshal([]byte(o.stdout), &r); err != nil || r.State != report.StatePartial {
				t.Errorf("report %v: %s", err, o.stdout)
			}
			if !strings.Contains(o.stderr, "notification not delivered") || strings.Contains(o.stderr, "planted") {
				t.Errorf("does not say so, or has a secret:\n%s", o.stderr)
			}
		})
	}
}

// TestAPanicNotifies checks that the notification leaves before the process dies.
func TestAPanicNotifies(t *testing.T) {
	notified := make(chan string, 1)
	n, err := notify.New(notify.Config{Webhook: newReceiver(t, notified), Log: (&app{stderr: t.Output()}).log()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() != "planted" {
			t.Error("the panic is swallowed")
		}
		n.Close(t.Context())
		if text := <-notified; !strings.Contains(text, "it panicked") || strings.Contains(text, "planted") {
			t.Errorf("notification %s", text)
		}
	}()
	withNotifier(n, config.Config{}, plan.Job{Name: "nightly", Location: time.UTC}, "", func() (report.Report, error) { panic("planted") })
}

func TestRunRefusesASecretThatOthersRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.write("secret", "planted-secret")
	if err := os.Chmod(filepath.Join(w.dir, "secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.configure(1_000_000, smallJob+"\nnotify: {webhook: {url: 'http://127.0.0.1:1', secret_file: secret}}\n")
	if o := w.must(exitUsage, "run", "nightly"); !strings.Contains(o.stderr, "secret_file") || w.sim.Bill().Spent != 0 {
		t.Errorf("billed %d: %s", w.sim.Bill().Spent, o.stderr)
	}
}
