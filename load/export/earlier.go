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
// last one that lists it. It is zero for a path of the last manifest.
func unlistedSince(inOrder []storedManifest) map[string]time.Time {
	since := map[string]time.Time{}
	for i, m := range inOrder {
		var after time.Time
		if i+1 < len(inOrder) {
			after = inOrder[i+1].At
		}
		for path := range m.paths() {
			since[path] = after
		}
	}
	return since
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
