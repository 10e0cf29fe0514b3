package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// WithoutPath removes the path of the data directory from words that leave this machine.
func WithoutPath(dir, words string) string {
	if whole, err := filepath.Abs(dir); err == nil {
		words = strings.ReplaceAll(words, whole, "DATA")
	}
	if filepath.IsAbs(dir) {
		words = strings.ReplaceAll(words, dir, "DATA")
	}
	return words
}

// LockFor makes this process the writer of a data directory, for a verb with its arguments; the returned function
// releases it.
func LockFor(dir, verb string) (unlock func() error, err error) {
	host, _ := os.Hostname() // only words
	return Lock(dir, fmt.Sprintf("`fleetlake %s` (process %d on %s, since %s)", verb, os.Getpid(), host,
		time.Now().UTC().Format(time.RFC3339)))
}

// Nearest returns a directory, or the nearest one above it that exists.
func Nearest(dir string) string {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	for {
		if _, err := os.Stat(whole); !errors.Is(err, fs.ErrNotExist) || whole == filepath.Dir(whole) {
			return whole
		}
		whole = filepath.Dir(whole)
	}
}
