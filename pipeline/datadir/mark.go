package datadir

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// ErrMark reports that a data directory is not the one that was used before.
var ErrMark = errors.New("this is not the data directory that was used before: is its volume mounted? no request is " +
	"sent, since everything would be paid for again")

// mark is the content of the file fleetlake.id. A data directory that was used has this file, and the
// empty directory below a volume that is not mounted does not.
type mark struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
}

func markPath(dir string) string { return filepath.Join(dir, "fleetlake.id") }

// Mark returns the id of a data directory: 16 hexadecimal digits. It writes a random one, with the time now, if the
// directory has none, because it is new, or because an earlier version of fleetlake used it; a directory that is
// absent is created. A mark that fleetlake has not written is an error that says so, and stays as it is.
func Mark(dir string, now time.Time) (string, error) {
	m, err := readMark(dir)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return m.ID, err
	}
	var b [8]byte
	rand.Read(b[:])
	m = mark{ID: hex.EncodeToString(b[:]), Created: now.UTC()}
	text, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("mark data directory: %w", err)
	}
	if err := durable.MkdirAll(dir, 0o750); err != nil {
		return "", fmt.Errorf("mark data directory: %w", err)
	}
	if err := durable.WriteFile(markPath(dir), append(text, '\n'), 0o640); err != nil {
		return "", fmt.Errorf("mark data directory: %w", err)
	}
	return m.ID, nil
}

// ID returns the id of a data directory; empty if it has none.
func ID(dir string) (string, error) {
	m, err := readMark(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return m.ID, err
}

// CheckMark returns ErrMark if a data directory has no mark, or another id than this one. An empty id accepts any
// mark.
func CheckMark(dir, id string) error {
	m, err := readMark(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s has no file fleetlake.id: %w", dir, ErrMark)
	case err != nil:
		return err
	case id != "" && m.ID != id:
		return fmt.Errorf("%s has the id %s, and had %s: %w", dir, m.ID, id, ErrMark)
	}
	return nil
}

func readMark(dir string) (m mark, err error) {
	b, err := os.ReadFile(markPath(dir))
	if err != nil {
		return m, fmt.Errorf("read the mark of the data directory: %w", err)
	}
	if err := json.Unmarshal(b, &m); err != nil || m.ID == "" {
		return m, fmt.Errorf("%s is not what fleetlake wrote; delete it, and the next run writes it again", markPath(dir))
	}
	return m, nil
}
