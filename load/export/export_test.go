package export

import (
	"testing"
)

func TestAnExportHasTheRowsOfLakeAndWarehouse(t *testing.T) {
	dir := published(t, nights("2026-11-19", 3, 20)...)
	for name, open := range targets(t) {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			r := export(t, dir, s, Options{})
			if r.Export == "" || r.Files == 0 {
				t.Errorf("got %+v", r)
			}
			equalRows(t, dir, s)
			if again := export(t, dir, s, Options{}); again.Files != 0 || again.Export != "" || again.Skipped != r.Files {
				t.Errorf("the second export did %+v", again)
			}
		})
	}
}
