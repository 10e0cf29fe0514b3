package main

import "context"

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

// status describes every table of the manifest. It changes nothing.
func (l lake) status(ctx context.Context) ([]tableStatus, error) {
	var all []tableStatus
	for _, name := range l.manifest.names() {
		p, err := l.plan(ctx, name)
		if err != nil {
			return nil, err
		}
		s := tableStatus{Table: name, Register: p.change()}
		tbl, err := loadTable(ctx, l.catalog, l.target, name)
		if err != nil {
			return nil, err
		}
		if tbl != nil {
			s.Exists, s.Snapshots, s.Metadata = true, len(tbl.Metadata().Snapshots()), tbl.MetadataLocation()
		}
		now, err := readState(ctx, l.target, name, tbl)
		if err != nil {
			return nil, err
		}
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
	return all, nil
}
