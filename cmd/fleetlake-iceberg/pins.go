package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// pinsKey is the object that keeps the export from deleting files that a snapshot still needs.
const pinsKey = "_fleetlake/pins/iceberg.json"

type pins struct {
	Files []string `json:"files"`
}

// tries bounds how often a change is planned again because another process was first.
const tries = 12

// changePins replaces the pinned files by what change makes of them, and repeats that while others write.
func changePins(ctx context.Context, t target, change func(pinned map[string]bool) (map[string]bool, error)) error {
	for range tries {
		text, version, err := t.read(ctx, pinsKey)
		if err != nil && !errors.Is(err, errNotFound) {
			return fmt.Errorf("read %s: %w", pinsKey, err)
		}
		var p pins
		if err == nil {
			if err := json.Unmarshal(text, &p); err != nil {
				return fmt.Errorf("read %s: %w", pinsKey, err)
			}
		}
		before := map[string]bool{}
		for _, f := range p.Files {
			before[f] = true
		}
		after, err := change(maps.Clone(before))
		if err != nil {
			return err
		}
		if maps.Equal(before, after) && version != "" {
			return nil
		}
		text, err = json.MarshalIndent(pins{append([]string{}, slices.Sorted(maps.Keys(after))...)}, "", " ")
		if err != nil {
			return err
		}
		if err := t.replace(ctx, pinsKey, append(text, '\n'), version); !errors.Is(err, errChanged) {
			if err != nil {
				err = fmt.Errorf("write %s: %w", pinsKey, err)
			}
			return err
		}
	}
	return fmt.Errorf("write %s: other processes changed it %d times meanwhile: try again later", pinsKey, tries)
}

// pin adds files of the export, before the commit that refers to them.
func pin(ctx context.Context, t target, files []string) error {
	if len(files) == 0 {
		return nil
	}
	return changePins(ctx, t, func(pinned map[string]bool) (map[string]bool, error) {
		for _, f := range files {
			pinned[f] = true
		}
		return pinned, nil
	})
}

// unpin keeps the files that a snapshot refers to. It also keeps those that current.json lists: the export does
// not delete them anyway, and a register that runs now may be about to refer to them.
func unpin(ctx context.Context, t target, referred map[string]bool) error {
	return changePins(ctx, t, func(pinned map[string]bool) (map[string]bool, error) {
		m, err := readManifest(ctx, t)
		if err != nil {
			return nil, err
		}
		listed := map[string]bool{}
		for _, f := range m.Files {
			listed[f.Path] = true
		}
		after := maps.Clone(referred)
		for f := range pinned {
			if listed[f] {
				after[f] = true
			}
		}
		return after, nil
	})
}
