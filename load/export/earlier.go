package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/load/store"
)

// storedManifest is a manifest with its key.
type storedManifest struct {
	Manifest
	key string
}

// unlistedSince returns for each path since when it is not listed: the time of the first manifest after the
// last one that lists it. It is zero for a path of the last manifest. A manifest that was never in force lists
// nothing for readers: a path that no other has is unlisted since its time.
func unlistedSince(inOrder []storedManifest, current Manifest) map[string]time.Time {
	never := neverInForce(inOrder, current)
	since := map[string]time.Time{}
	var last []string // the paths of the manifest before
	for _, m := range inOrder {
		if never[m.Export] {
			continue
		}
		for _, path := range last {
			since[path] = m.At
		}
		last = last[:0]
		for path := range m.paths() {
			since[path] = time.Time{}
			last = append(last, path)
		}
	}
	listed := maps.Clone(since)
	for _, m := range inOrder {
		for path := range m.paths() {
			if _, ok := listed[path]; !ok {
				since[path] = m.At
			}
		}
	}
	return since
}

// neverInForce returns the ids of manifests that no current.json ever was: an export or an expiry was killed before
// it replaced that, or another one was faster. They lie between a manifest and the one that it has replaced, or after
// the one in force. What is older than the first that names its predecessor counts as having been in force.
func neverInForce(all []storedManifest, current Manifest) map[string]bool {
	byID := map[string]Manifest{}
	for _, m := range all {
		byID[m.Export] = m.Manifest
	}
	never := map[string]bool{}
	for _, m := range all {
		never[m.Export] = m.At.After(current.At)
	}
	for m, known := current, true; known && m.Previous != ""; m, known = byID[m.Previous] {
		stamp, _, _ := strings.Cut(m.Previous, "-") // the manifest itself may have been removed
		from, err := time.Parse(exportStamp, stamp)
		if err != nil {
			break
		}
		for _, other := range all {
			if !other.At.Before(from) && !other.At.After(m.At) && other.Export != m.Export && other.Export != m.Previous {
				never[other.Export] = true
			}
		}
	}
	return never
}

// readManifests reads the copies of all manifests, in the order of their times.
func readManifests(ctx context.Context, s store.Store, t *target) ([]storedManifest, error) {
	var all []storedManifest
	for _, key := range slices.Sorted(maps.Keys(t.present)) {
		if !strings.HasPrefix(key, manifestsKey) || !strings.HasSuffix(key, ".json") {
			continue
		}
		m, _, err := readManifest(ctx, s, key)
		if errors.Is(err, store.ErrNotFound) {
			continue // another expiry has removed it
		}
		if err != nil {
			return nil, err
		}
		all = append(all, storedManifest{m, key})
	}
	slices.SortStableFunc(all, func(a, b storedManifest) int { return a.At.Compare(b.At) })
	return all, nil
}

// readPins returns the files that other indexes need. A pin that cannot be read is an error: what
// it names is not known.
func readPins(ctx context.Context, s store.Store, t *target) (map[string]bool, error) {
	var keys []string
	if t != nil {
		keys = slices.Collect(maps.Keys(t.present))
	} else {
		for o, err := range s.List(ctx, pinsKey) {
			if err != nil {
				return nil, err
			}
			keys = append(keys, o.Key)
		}
	}
	pins := map[string]bool{}
	for _, key := range keys {
		if !strings.HasPrefix(key, pinsKey) {
			continue
		}
		b, _, err := read(ctx, s, key)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var pin struct {
			Files []string `json:"files"`
		}
		if err := json.Unmarshal(b, &pin); err != nil {
			return nil, fmt.Errorf("read %s: %w: nothing is removed until it is mended, since it says what another index needs", key, err)
		}
		for _, path := range pin.Files {
			pins[path] = true
		}
	}
	return pins, nil
}
