package export

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/load/store"
)

// target is what a store has when an export is planned.
type target struct {
	current Manifest
	version string           // of current.json; "" if there is none
	present map[string]int64 // sizes of all objects by key
}

// readTarget reads the manifest in force, and after it the list of objects: what the manifest lists
// cannot be missing in the list because of its age.
func readTarget(ctx context.Context, s store.Store) (*target, error) {
	t := &target{present: map[string]int64{}}
	var err error
	if t.current, t.version, err = readCurrent(ctx, s); err != nil {
		return nil, err
	}
	for o, err := range s.List(ctx, "") {
		if err != nil {
			return nil, err
		}
		t.present[o.Key] = o.Bytes
	}
	return t, nil
}

// check refuses a target that is no export, and a data directory that is not the one of the export.
func (t *target) check(src *source, o Options) error {
	if t.version == "" {
		ours := false
		for key := range t.present {
			ours = ours || written.MatchString(key)
		}
		if _, earlier := t.present["_fleetlake_export"]; earlier {
			return ErrEarlier
		}
		if len(t.present) > 0 && !ours {
			return ErrTarget
		}
		return nil
	}
	if o.Replace {
		return nil
	}
	return t.checkIdentity(src, o.Source.known())
}

// written are the names that an export gives to its files, so that one which was interrupted before
// it wrote a manifest is recognised.
var written = regexp.MustCompile(`^(facts/[a-z_]+/(?:night|snapshot_date)=[0-9-]{10}/[0-9A-Za-z.-]+-[0-9a-f]{16}\.parquet` +
	`|facts/[a-z_]+/snapshot_month=[0-9-]{7}/[0-9a-f]{16}\.parquet` +
	`|(?:history|ready)/[a-z_]+/[0-9a-f]{16}\.parquet|warehouse/fleet-.+-[0-9a-f]{16}\.duckdb|_fleetlake/.+|_iceberg/.+|current\.json)$`)

// strangers reports objects that no export wrote, a line each.
func (t *target) strangers() []string {
	var lines []string
	for key := range t.present {
		document := slices.ContainsFunc(t.current.Documents, func(d Document) bool { return d.Path == key }) || isDocument(key)
		if !written.MatchString(key) && !document {
			lines = append(lines, key+" is not of an export, and stays where it is")
		}
	}
	slices.Sort(lines)
	return lines
}

// isDocument reports whether an export writes a document of this name.
func isDocument(key string) bool {
	return key == "README.md" || strings.HasPrefix(key, "dictionary.") || strings.HasPrefix(key, "ddl/")
}

// has reports whether the store has a file. A file of another size under its name is an error: it
// is not what an export wrote.
func (t *target) has(path string, bytes int64) (bool, error) {
	size, ok := t.present[path]
	if ok && size != bytes {
		return false, fmt.Errorf("%s has %d bytes in the target, and %d here: it is not what an export wrote; remove it, and export again", path, size, bytes)
	}
	return ok, nil
}
