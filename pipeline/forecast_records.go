package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/gofrs/flock"
)

// ForecastsName is the file of a data directory that has the kept forecasts, one a line of JSON. Nothing derives it:
// rebuild and rollback leave it as it is, and a forecast that is lost is not scored.
const ForecastsName = "forecasts.ndjson"

func forecastsPath(dir string) string { return filepath.Join(dir, ForecastsName) }

// ReadForecasts returns the forecasts that were kept in a data directory, the oldest first, and how many lines of the
// file are damaged.
func ReadForecasts(dir string) (records []forecast.Record, damaged int, err error) {
	text, err := os.ReadFile(forecastsPath(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("read the kept forecasts: %w", err)
	}
	records, damaged = forecast.ParseRecords(text)
	return records, damaged, nil
}

// KeepForecast appends a forecast to those that are kept, unless there is one of the same run, job and settings. It
// needs no lock of the data directory: forecasts are made while a run writes. A line that a crash cut off is ended
// first.
func KeepForecast(dir string, r forecast.Record) (err error) {
	f, err := os.OpenFile(forecastsPath(dir), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("keep the forecast: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	l := flock.New(forecastsPath(dir), flock.SetFlag(os.O_RDWR))
	if err := l.Lock(); err != nil {
		return fmt.Errorf("lock the kept forecasts: %w", err)
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	text, err := os.ReadFile(forecastsPath(dir))
	if err != nil {
		return fmt.Errorf("keep the forecast: %w", err)
	}
	records, _ := forecast.ParseRecords(text)
	for _, kept := range records {
		if kept.Run == r.Run && kept.Job == r.Job && kept.Settings == r.Settings {
			return nil
		}
	}
	line, err := r.Line()
	if err != nil {
		return err
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := f.Write(line); err != nil {
		return fmt.Errorf("keep the forecast: %w", err)
	}
	return f.Sync()
}
