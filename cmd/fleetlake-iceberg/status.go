package main

import (
	"context"
	"errors"
)

// tableStatus is what a table has, and what register would do to it.
type tableStatus struct {
	Table     string      `json:"table"`
	Exists    bool        `json:"exists"`
	Snapshots int         `json:"snapshots"`
	Files     int         `json:"files"`
	Compacted int         `json:"files_compacted"`
	Rows      int64       `json:"rows"`
	Bytes     int64       `json:"bytes"`
	Metadata  string      `json:"metadata_location,omitempty"`
	Register  tableChange `json:"register"`
}

// status describes every table of the manifest, and returns errForeign after all if another engine changed some. It
// changes nothing.
func (l lake) status(ctx context.Context) (all []tableStatus, foreign error) {
	for _, name := range l.manifest.names() {
		tbl, err := loadTable(ctx, l.catalog, l.target, name)
		if err != nil {
			return nil, err
		}
		s := tableStatus{Table: name}
		if tbl != nil {
			s.Exists, s.Snapshots, s.Metadata = true, len(tbl.Metadata().Snapshots()), tbl.MetadataLocation()
		}
		now, err := readState(ctx, l.target, name, tbl)
		if errors.Is(err, errForeign) {
			s.Register = tableChange{Table: name, Problem: err.Error()}
			all, foreign = append(all, s), errors.Join(foreign, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		p, err := l.plan(ctx, name)
		if err != nil {
			return nil, err
		}
		s.Register = p.change()
		for _, f := range now.files {
			s.Files++
			s.Rows += f.rows
			s.Bytes += f.bytes
			if f.parts != nil {
				s.Compacted++
			}
		}
		all = append(all, s)
	}
	return all, foreign
}
