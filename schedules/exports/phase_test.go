package exports

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/load/export"
)

func TestAnExportIsDueUntilItHasWhatIsPublished(t *testing.T) {
	if o := emptyLake(t).run(); o.Exported || o.Failed || o.State != (State{}) {
		t.Errorf("before the first night: %+v", o)
	}
	l := newLake(t)
	first := l.first
	o := l.run()
	if s := o.State.Success; !o.Exported || s == nil || s.Run != first || s.SnapshotDate != "2026-11-20" || s.Files == 0 || s.Bytes == 0 || !s.At.Equal(l.now) || s.Target != l.settings.Target {
		t.Fatalf("the first night: %+v %+v", o, o.State.Success)
	}
	if _, err := os.Stat(filepath.Join(l.settings.Target, "current.json")); err != nil {
		t.Error(err)
	}
	if again := l.run(); again.Exported || again.State.Success == nil {
		t.Errorf("a second export of the same night: %+v", again)
	}
	second := l.publish(21)
	if o := l.run(); !o.Exported || o.State.Success.Run != second {
		t.Errorf("the second night: %+v", o)
	}
	for name, change := range map[string]func(*Settings){
		"with the warehouse":  func(s *Settings) { s.Options.Warehouse = true },
		"into another target": func(s *Settings) { s.Target += "-2" },
		"with a bandwidth":    func(s *Settings) { s.Store.Bandwidth = 1 << 30 },
		"with another secret": func(s *Settings) { s.Store.SecretKey = "planted" },
	} {
		change(&l.settings)
		want := name == "with the warehouse" || name == "into another target"
		if o := l.run(); o.Exported != want || o.Failed {
			t.Errorf("%s: exported %v, want %v", name, o.Exported, want)
		}
	}
	l.settings.Target = ""
	if o := l.run(); o.Exported || o.Failed {
		t.Errorf("without a target: %+v", o)
	}
}

// TestAFailedExportIsMadeUpFor has a target that is a file, and then a directory.
func TestAFailedExportIsMadeUpFor(t *testing.T) {
	l := newLake(t)
	if err := os.WriteFile(l.settings.Target, []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	start := l.now
	for i, c := range []struct {
		after  time.Duration
		notify bool
	}{{0, true}, {time.Hour, false}, {remindAfter - time.Second, false}, {remindAfter, true}, {remindAfter + time.Hour, false}} {
		l.now = start.Add(c.after)
		o := l.run()
		f := o.State.Failure
		if !o.Failed || o.Exported || o.Recovered || o.Notify != c.notify || !o.State.Failing() || f.Times != i+1 || !f.First.Equal(start) || !f.At.Equal(l.now) || f.Reason == "" {
			t.Errorf("try %d after %v: %+v %+v", i, c.after, o, f)
		}
		stored, err := ReadState(l.dir)
		if err != nil || stored.Failure == nil || *stored.Failure != *f {
			t.Errorf("stored: %+v, %v", stored.Failure, err)
		}
	}
	if got, err := os.ReadFile(l.settings.Target); err != nil || string(got) != "a file" {
		t.Errorf("the file of others: %q, %v", got, err)
	}
	if err := os.Remove(l.settings.Target); err != nil {
		t.Fatal(err)
	}
	l.now = l.now.Add(time.Minute)
	o := l.run() // nothing was published since
	if !o.Exported || !o.Recovered || o.State.Failing() || o.State.Failure == nil {
		t.Fatalf("repaired: %+v", o)
	}
	if o := l.run(); o.Exported || o.Recovered {
		t.Errorf("after that: %+v", o)
	}
	l.now, l.broken = l.now.Add(time.Minute), errors.New("planted: no credentials")
	if o := l.run(); !o.Failed || !o.Notify || o.State.Failure.Times != 1 || o.State.Failure.Reason != "planted: no credentials" {
		t.Errorf("a new series: %+v", o.State.Failure)
	}
}

func TestADamagedStateIsWrittenAnew(t *testing.T) {
	l := newLake(t)
	if err := os.WriteFile(statePath(l.dir), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadState(l.dir); err == nil || !strings.Contains(err.Error(), statePath(l.dir)) {
		t.Errorf("got %v, want an error with the path", err)
	}
	if o := l.run(); !o.Exported {
		t.Errorf("%+v", o)
	}
	if s, err := ReadState(l.dir); err != nil || s.Success == nil {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestAPanicIsAFailure(t *testing.T) {
	l := newLake(t)
	l.settings.Options.Progress = func(export.Progress) { panic("planted") }
	if o := l.run(); !o.Failed || strings.Contains(o.State.Failure.Reason, "planted") || !strings.Contains(l.log.String(), "planted") {
		t.Errorf("%+v\n%s", o.State.Failure, l.log.String())
	}
}

func TestTheProgramForIcebergIsPartOfThePhase(t *testing.T) {
	l := newLake(t)
	t.Setenv("FLEETLAKE_API_KEY", "planted-key")
	t.Setenv("CREDENTIALS_DIRECTORY", "/planted")
	l.settings.Store.AccessKey, l.settings.Store.SecretKey = "planted-access", "planted-secret"
	t.Setenv("FLEETLAKE_ICEBERG_TOKEN", "planted-catalog")
	l.act("fail")
	l.settings.Iceberg.Arguments = []string{"--warehouse", "lake"}
	o := l.run()
	if !o.Failed || !strings.Contains(o.State.Failure.Reason, "the catalog is locked") || !strings.Contains(o.State.Failure.Reason, "exit status 3") {
		t.Errorf("failure: %+v", o.State.Failure)
	}
	l.act("succeed")
	l.settings.Iceberg.Catalog = "https://catalog.example.org"
	if o := l.run(); !o.Exported || !o.Recovered {
		t.Errorf("%+v", o)
	}
	log := l.log.String()
	for _, want := range []string{"called with register " + l.settings.Target + " --catalog-file sqlite.db --warehouse lake", "FLEETLAKE_ICEBERG_TOKEN=[redacted]", "--catalog-uri https://catalog.example.org", "FLEETLAKE_EXPORT_ACCESS_KEY=[redacted]", "FLEETLAKE_EXPORT_SECRET_KEY=[redacted]"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q", want)
		}
	}
	for _, never := range []string{"planted", "FLEETLAKE_API_KEY", "CREDENTIALS_DIRECTORY", "SESSION_TOKEN"} {
		if strings.Contains(log, never) {
			t.Errorf("the log has %q:\n%s", never, log)
		}
	}
	l.publish(21)
	l.settings.Iceberg.Program = "no-such-program"
	if o := l.run(); !o.Failed || !strings.Contains(o.State.Failure.Reason, "export.iceberg.program") {
		t.Errorf("a program that is missing: %+v", o.State.Failure)
	}
}

// TestAnExportIsCompactedAndExpired has nights of two months: the files of the first become one, and
// what they replace is removed after its time.
func TestAnExportIsCompactedAndExpired(t *testing.T) {
	l := newLake(t)
	l.publish(21)
	l.publish(31) // of November: the 1st of December
	l.settings.Options.Now = func() time.Time { return l.now }
	l.settings.Compact, l.settings.Expire.After = true, 48*time.Hour
	nights := filepath.Join(l.settings.Target, "facts", "*", "night=*", "*.parquet")
	l.run()
	if months, err := filepath.Glob(filepath.Join(l.settings.Target, "facts", "*", "snapshot_month=2026-11", "*.parquet")); err != nil || len(months) == 0 {
		t.Errorf("no month is merged: %v", err)
	}
	before, err := filepath.Glob(nights)
	if err != nil {
		t.Fatal(err)
	}
	l.now = l.now.Add(49 * time.Hour)
	l.settings.Options.Warehouse = true // so that an export is due
	if o := l.run(); !o.Exported {
		t.Fatalf("%+v", o.State.Failure)
	}
	if after, err := filepath.Glob(nights); err != nil || len(before) == 0 || len(after) >= len(before) {
		t.Errorf("files of nights: %d, then %d, %v", len(before), len(after), err)
	}
}

// TestAnExpiryThatWasKilledIsCompleted has a target in which an expiry has announced a file, and was killed before it
// removed it: the export that wants it again completes the expiry, if there is one in the configuration.
func TestAnExpiryThatWasKilledIsCompleted(t *testing.T) {
	l := newLake(t)
	l.run()
	current := filepath.Join(l.settings.Target, "current.json")
	text, err := os.ReadFile(current)
	if err != nil {
		t.Fatal(err)
	}
	var m export.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	wanted := m.Files[0].Path
	m.Files, m.Expiring = m.Files[1:], []string{wanted}
	if text, err = json.Marshal(m); err == nil {
		err = os.WriteFile(current, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	l.settings.Options.Warehouse = true // so that an export is due
	if o := l.run(); !o.Failed || !strings.Contains(o.State.Failure.Reason, wanted) {
		t.Errorf("without an expiry: %+v", o.State)
	}
	l.settings.Expire.After = 48 * time.Hour
	if o := l.run(); !o.Exported {
		t.Fatalf("with an expiry: %+v", o.State.Failure)
	}
	if _, err := os.Stat(filepath.Join(l.settings.Target, wanted)); err != nil {
		t.Error(err)
	}
}

// TestTheDeadlineEndsAnExport has a program that hangs. An export without it is faster than the
// deadline.
func TestTheDeadlineEndsAnExport(t *testing.T) {
	l := newLake(t)
	l.act("hang")
	l.settings.Within = 4 * time.Second
	began := time.Now()
	o := l.run()
	if took := time.Since(began); !o.Failed || took < l.settings.Within || took > 2*l.settings.Within {
		t.Errorf("after %v: %+v", took, o)
	}
	if reason := o.State.Failure.Reason; !strings.Contains(reason, "not done within 4s (export.within)") {
		t.Errorf("reason: %s", reason)
	}
	l.settings.Iceberg = Iceberg{}
	if o := l.run(); !o.Exported {
		t.Errorf("without the program: %+v", o.State.Failure)
	}
}

// TestAStopLeavesTheExportDue stops an export in the middle: that is no failure, and the next one
// completes it.
func TestAStopLeavesTheExportDue(t *testing.T) {
	l := newLake(t)
	mark := l.act("hang")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := l.phase().Run(ctx)
		ended <- err
	}()
	await(t, mark)
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if s, err := ReadState(l.dir); err != nil || s != (State{}) {
		t.Errorf("a stop is stored: %+v, %v", s, err)
	}
	if !strings.Contains(l.log.String(), "stopped by a signal") {
		t.Error("the program was not asked to stop")
	}
	l.act("succeed")
	if o := l.run(); !o.Exported || o.Recovered || o.State.Success.Files != 0 {
		t.Errorf("the next: %+v %+v", o, o.State.Success)
	}
}

func TestCheckWritesNothing(t *testing.T) {
	l := newLake(t)
	run := l.first
	parent := filepath.Dir(l.settings.Target)
	if words, err := l.settings.Check(t.Context()); err != nil || !strings.Contains(words, "without an export yet") {
		t.Errorf("%q, %v", words, err)
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) != 0 {
		t.Errorf("the check wrote %v, %v", entries, err)
	}
	l.run()
	if words, err := l.settings.Check(t.Context()); err != nil || !strings.Contains(words, run) {
		t.Errorf("%q, %v", words, err)
	}
	for name, target := range map[string]string{
		"a file":        filepath.Join(l.settings.Target, "current.json"),
		"below a file":  filepath.Join(l.settings.Target, "current.json", "target"),
		"another store": "ftp://example.org/lake",
	} {
		if words, err := (Settings{Target: target}).Check(t.Context()); err == nil {
			t.Errorf("%s: %q", name, words)
		}
	}
}

// TestLinesOfAProgramAreBounded writes lines that are too long and too many.
func TestLinesOfAProgramAreBounded(t *testing.T) {
	l := emptyLake(t)
	out := &lineLog{log: l.phase().Log, hide: Settings{}.hider()}
	out.Write([]byte(strings.Repeat("x", 3*maxLine) + "\n"))
	for _, part := range []string{"one li", "ne\ntwo", "\n\n", "the end"} {
		out.Write([]byte(part))
	}
	out.flush()
	if out.lines != 6 || out.last != "the end" || !strings.Contains(l.log.String(), `line="one line"`) {
		t.Errorf("%d lines, the last %q", out.lines, out.last)
	}
	out.Write([]byte(strings.Repeat("more\n", 2*maxLines)))
	if got := strings.Count(l.log.String(), "msg=iceberg"); got != maxLines {
		t.Errorf("%d lines in the log, want %d", got, maxLines)
	}
	if out.Write([]byte(strings.Repeat("y", 100*maxLine))); len(out.rest) > maxLine {
		t.Errorf("%d bytes are kept", len(out.rest))
	}
}
