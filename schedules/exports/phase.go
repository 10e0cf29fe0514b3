package exports

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/sourcegraph/conc/panics"

	"github.com/fleetlake/fleetlake/load/export"
	"github.com/fleetlake/fleetlake/load/store"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Settings say where and what to export.
type Settings struct {
	Target  string // a directory or s3://bucket/prefix; empty is no export
	Store   store.Options
	Options export.Options
	Within  time.Duration // the deadline of an export, with all that follows it
	Compact bool          // merge the files of closed months
	Iceberg Iceberg
	Expire  Expire
}

// Expire says which files of the target are removed after an export.
type Expire struct {
	After     time.Duration // since a file is no longer listed; 0 removes none
	KeepFacts time.Duration // older nights leave the list; 0 keeps all
}

// Phase is the export of a data directory.
type Phase struct {
	Dir string
	// Settings are read for each export, so that credentials can be replaced while the program runs. Its
	// error is a failure of the export.
	Settings func() (Settings, error)
	Log      *slog.Logger
	Now      func() time.Time // nil is time.Now
	Always   bool             // also if the last success is of what is published
}

// Outcome is how an export ended.
type Outcome struct {
	State     State
	Report    export.Report
	Exported  bool // it was due and succeeded
	Failed    bool
	Notify    bool // people should be notified of the failure
	Recovered bool // the export before failed
}

// errLate is the cause of a deadline.
var errLate = errors.New("the deadline has passed")

// Run exports what is published, if an export is due. A failure is part of the outcome, and is in
// export.json. The error is that of a context that ended, after which the export is still due, or of
// export.json, which cannot be written.
func (p *Phase) Run(ctx context.Context) (Outcome, error) {
	state, err := ReadState(p.Dir)
	if err != nil {
		p.Log.Warn("export.json is not readable and is written anew", "error", err)
	}
	s, err := p.Settings()
	if err == nil && s.Target == "" {
		return Outcome{State: state}, nil
	}
	var done Success
	var report export.Report
	if err == nil {
		done.Settings = s.hash()
		done.Warehouse, err = published(p.Dir)
		if err == nil && (done.Warehouse == "" || !p.Always && !state.due(done)) {
			return Outcome{State: state}, nil
		}
	}
	if err == nil {
		p.Log.Info("export started", "target", s.Target)
		report, err = p.within(ctx, s, &done)
	}
	if ctx.Err() != nil {
		p.Log.Info("export interrupted: the next run or start completes it")
		return Outcome{State: state}, fmt.Errorf("export: %w", ctx.Err())
	}
	return p.end(done, report, err)
}

// end stores and logs how an export ended. It reads the state again, because another process may have
// exported meanwhile.
func (p *Phase) end(done Success, report export.Report, err error) (Outcome, error) {
	state, _ := ReadState(p.Dir) // the zero state if it cannot be read, which was logged
	o := Outcome{Report: report, Exported: err == nil, Failed: err != nil}
	if err != nil {
		o.Notify = state.failed(p.now(), err.Error())
		p.Log.Error("export failed: the night stays published, and the next run exports it", "error", err, "times", state.Failure.Times)
	} else {
		done.At = p.now()
		o.Recovered = state.succeeded(done)
		p.notices(report.Notices)
		p.Log.Info("export done", "run", done.Run, "files", done.Files, "bytes", done.Bytes, "skipped", report.Skipped, "took", done.Seconds)
	}
	o.State = state
	return o, state.write(p.Dir)
}

// due reports whether the last success is not what would be exported now.
func (s State) due(next Success) bool {
	return s.Failing() || s.Success == nil || s.Success.Warehouse != next.Warehouse || s.Success.Settings != next.Settings
}

// within exports and runs the program for Iceberg, until the deadline. A panic is an error.
func (p *Phase) within(ctx context.Context, s Settings, done *Success) (report export.Report, err error) {
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, s.Within, errLate)
	defer cancel()
	if crash := panics.Try(func() { report, err = p.export(ctx, s, done) }); crash != nil {
		p.Log.Error("export panicked", "panic", fmt.Sprint(crash.Value), "stack", string(crash.Stack))
		err = errors.New("it panicked; the log has the stack")
	}
	if err != nil && errors.Is(context.Cause(ctx), errLate) {
		err = fmt.Errorf("not done within %v (export.within): %w", s.Within, err)
	}
	done.Files, done.Bytes, done.Seconds = report.Files, report.Bytes, time.Since(began).Seconds()
	return report, err
}

func (p *Phase) export(ctx context.Context, s Settings, done *Success) (export.Report, error) {
	var err error
	done.Target = s.Target
	if done.Run, done.SnapshotDate, err = warehouse.LatestRun(ctx, warehouse.Path(p.Dir)); err != nil {
		return export.Report{}, err
	}
	s.Store.Warn = func(words string) { p.Log.Warn("export", "notice", words) }
	to, err := store.Open(ctx, s.Target, s.Store)
	if err != nil {
		return export.Report{}, err
	}
	report, err := export.Run(ctx, p.Dir, to, s.Options)
	if errors.Is(err, export.ErrExpiring) && s.Expire.After > 0 { // that of an earlier phase, which was killed
		if err = p.expire(ctx, s, to); err == nil {
			report, err = export.Run(ctx, p.Dir, to, s.Options)
		}
	}
	if err == nil {
		err = p.upkeep(ctx, s, to)
	}
	return report, err
}

// upkeep does what follows an export. The program for Iceberg tables comes before the expiry, because
// it says which files its tables need.
func (p *Phase) upkeep(ctx context.Context, s Settings, to store.Store) error {
	if s.Compact {
		r, err := export.Compact(ctx, p.Dir, to, s.Options)
		if err != nil {
			return err
		}
		p.notices(r.Notices)
		p.Log.Info("export compacted", "files", r.Files, "bytes", r.Bytes)
	}
	if err := s.register(ctx, p.Log); err != nil {
		return err
	}
	if s.Expire.After == 0 {
		return nil
	}
	return p.expire(ctx, s, to)
}

// expire removes what the target no longer lists, and completes an expiry that was killed.
func (p *Phase) expire(ctx context.Context, s Settings, to store.Store) error {
	r, err := export.Expire(ctx, to, export.ExpireOptions{Grace: s.Expire.After, KeepFacts: s.Expire.KeepFacts, Program: s.Options.Program, Now: s.Options.Now})
	if err != nil {
		return err
	}
	p.notices(r.Notices)
	p.Log.Info("export expired", "files", r.Files, "bytes", r.Bytes, "unlisted", r.Unlisted)
	return nil
}

func (p *Phase) notices(all []string) {
	for _, notice := range all {
		p.Log.Warn("export", "notice", notice)
	}
}

// Check reads from the target whether it can be reached, and writes nothing. It returns what the
// target has, in words.
func (s Settings) Check(ctx context.Context) (string, error) {
	to, err := store.Open(ctx, s.Target, s.Store)
	if err != nil {
		return "", err
	}
	body, _, err := to.Get(ctx, "current.json")
	if errors.Is(err, store.ErrNotFound) {
		return s.Target + ", without an export yet", s.checkDirectory()
	}
	if err != nil {
		return "", err
	}
	defer body.Close()
	var current struct {
		Run    string
		Source *export.Identity
	}
	if err := json.NewDecoder(body).Decode(&current); err != nil {
		return "", fmt.Errorf("read current.json of %s: %w", s.Target, err)
	}
	if err := current.Source.Check(&s.Options.Source); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, with an export of %s", s.Target, cmp.Or(current.Run, "no run")), s.checkDirectory()
}

// published is the fingerprint of the published file; empty if there is none.
func published(dir string) (string, error) {
	f, err := os.Open(warehouse.Path(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("open the published warehouse: %w", err)
	}
	defer f.Close()
	return warehouse.Fingerprint(f)
}

// hash names the settings that decide what is exported to where. No secret is part of it.
func (s Settings) hash() string {
	b, err := json.Marshal([]any{s.Target, s.Store.Endpoint, s.Store.Region, s.Store.PathStyle, s.Options.Since, s.Options.Tables, s.Options.Warehouse, s.Compact, s.Iceberg, s.Expire})
	if err != nil {
		panic(err) // texts and truth values always encode
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

func (p *Phase) now() time.Time {
	if p.Now == nil {
		return time.Now().UTC()
	}
	return p.Now().UTC()
}
