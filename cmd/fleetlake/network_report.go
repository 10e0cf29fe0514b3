//go:build !no_network

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fleetlake/fleetlake/schedules/page"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// writeHTMLReport writes the report of a run's night as one HTML file, whole or not at all.
func writeHTMLReport(ctx context.Context, path string, w *warehouse.Warehouse, run string) error {
	var b bytes.Buffer
	if err := page.WriteRun(ctx, &b, w, run, version(), time.Now()); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".report-*.part")
	if err != nil {
		return fmt.Errorf("write report %s: %w", path, err)
	}
	defer os.Remove(f.Name()) // renamed already on success
	_, err = f.Write(b.Bytes())
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return fmt.Errorf("write report %s: %w", path, err)
	}
	if err := durable.Replace(f.Name(), path); err != nil {
		return fmt.Errorf("write report %s: %w", path, err)
	}
	return nil
}
