package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/load/export"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/schedules/exports"
	"github.com/fleetlake/fleetlake/schedules/health"
	"github.com/fleetlake/fleetlake/schedules/notify/tell"
)

// wantTarget is how long the doctor waits for the target of the export.
const wantTarget = time.Minute

// exportPhase is the export of the configuration.
func exportPhase(cfg config.Config, log *slog.Logger) *exports.Phase {
	return &exports.Phase{Dir: cfg.DataDir, Log: log, Settings: func() (exports.Settings, error) {
		s, err := cfg.Export.Settings()
		s.Options.Program = version()
		if err == nil {
			s.Options.Source, err = identityOf(cfg.DataDir)
		}
		return s, err
	}}
}

// identityOf names a data directory for the manifest of an export.
func identityOf(dir string) (export.Identity, error) {
	id, err := datadir.ID(dir)
	if err != nil {
		return export.Identity{}, err
	}
	host, err := os.Hostname()
	if err != nil {
		return export.Identity{}, fmt.Errorf("name this machine: %w", err)
	}
	whole, err := filepath.Abs(dir)
	return export.Identity{ID: id, Host: host, Directory: whole}, err
}

// exportAfterRun is the last phase of `fleetlake run`. Its failure is the exit code, unless the run has
// a graver one.
func (a *app) exportAfterRun(ctx context.Context, phase *exports.Phase, t tell.Teller, quiet bool) error {
	if ctx.Err() != nil {
		return nil // the next run exports
	}
	o, err := t.Export(ctx, phase)
	switch {
	case ctx.Err() != nil && a.code == exitDone:
		a.code = exitInterrupted
	case ctx.Err() != nil:
	case err != nil:
		return err
	case o.Failed && (a.code == exitDone || a.code == exitPartial):
		a.code = exitExport
	case o.Exported && !quiet:
		_, err := fmt.Fprintf(a.stdout, "exported  %s\n", health.ExportedWords(*o.State.Success))
		return err
	}
	return nil
}

// exportNow runs the phase for `fleetlake export` without a target and without another selection: it
// counts as the export of the night, and ends a series of failures.
func (a *app) exportNow(ctx context.Context, o *exportOptions) error {
	dir, err := a.lake()
	if err != nil {
		return err
	}
	cfg, err := a.config()
	if err != nil {
		return err
	}
	n, stopNotifier, err := newNotifier(cfg, a.log())
	if err != nil {
		return err
	}
	defer stopNotifier()
	print, stop := console.PrintTransfer(a.stderr)
	defer stop()
	progress := &transfers{print: print}
	phase, settings := exportPhase(cfg, a.log()), exportPhase(cfg, nil).Settings
	phase.Dir, phase.Always = dir, true
	phase.Settings = func() (exports.Settings, error) {
		s, err := settings()
		s.Options.Progress, s.Store.Sent = progress.report, progress.sent
		s.Store.Bandwidth = cmp.Or(int64(o.bandwidth), s.Store.Bandwidth)
		return s, err
	}
	done, err := tellerOf(cfg, n, a.log()).Export(ctx, phase)
	stop()
	if err != nil {
		return err
	}
	if done.Failed {
		a.code = exitExport
		return nil
	}
	o.target = cfg.Export.Target
	done.Report.Notices = nil // they are logged
	return a.reportExport(done.Report, *o)
}

// targetThere checks that the target of the export is no place of the data directory, that it can be reached, and that
// the program for Iceberg is found.
func targetThere(ctx context.Context, c config.Config) (string, error) {
	if !strings.Contains(c.Export.Target, "://") && within(c.Export.Target, c.DataDir) {
		return "", fmt.Errorf("export.target: %s is inside the data directory %s, which holds what the program alone writes; choose a directory beside it", c.Export.Target, c.DataDir)
	}
	s, err := exportPhase(c, nil).Settings()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, wantTarget)
	defer cancel()
	words, err := s.Check(ctx)
	if err == nil && s.Iceberg.Program != "" {
		if _, err = exec.LookPath(s.Iceberg.Program); err != nil {
			err = fmt.Errorf("export.iceberg.program: %w", err)
		}
	}
	if err != nil {
		return "", err
	}
	state, err := exports.ReadState(c.DataDir)
	if state.Failing() {
		words += "; " + health.FailureWords(c.DataDir, *state.Failure)
	}
	return words, err
}

// within reports whether a path is a directory or inside it. A path that cannot be resolved is taken as it is written.
func within(path, dir string) bool {
	resolved := func(p string) string {
		existing := datadir.Nearest(p)
		whole, err := filepath.Abs(p)
		if err != nil {
			return p
		}
		if real, err := filepath.EvalSymlinks(existing); err == nil {
			return real + strings.TrimPrefix(whole, existing)
		}
		return whole
	}
	relative, err := filepath.Rel(resolved(dir), resolved(path))
	return err == nil && relative != ".." && !strings.HasPrefix(relative, "../")
}
