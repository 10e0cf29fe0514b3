package warehouse

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

const orderHeader = "# The published files of this directory, in the order in which they were published. Their times do\n" +
	"# not say it: the clock may have been wrong. Files without a line are older than all others.\n"

func orderPath(dir string) string { return filepath.Join(versions(dir), "order") }

// readOrder returns the names of the versions of a data directory in the order in which they were published. It has
// none that were published before there was such a file, and may have some that are no longer there, or that a crash
// kept from being there.
func readOrder(dir string) ([]string, error) {
	f, err := os.Open(orderPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the order of versions: %w", err)
	}
	defer f.Close()
	var names []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" && !strings.HasPrefix(line, "#") {
			names = append(names, line)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the order of versions: %w", err)
	}
	return names, nil
}

// recordOrder notes that a version is the latest. It is called before the version is there: a crash then leaves a name
// without a file, and never a file without its place.
func recordOrder(dir, latest string) error {
	names, err := readOrder(dir)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		_, err := os.Lstat(filepath.Join(versions(dir), name))
		return name == latest || errors.Is(err, fs.ErrNotExist)
	})
	text := orderHeader + strings.Join(append(names, latest), "\n") + "\n"
	if err := durable.WriteFile(orderPath(dir), []byte(text), 0o644); err != nil {
		return fmt.Errorf("write the order of versions: %w", err)
	}
	return nil
}
