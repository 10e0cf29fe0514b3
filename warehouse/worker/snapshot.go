package worker

import (
	"context"
	"io/fs"
	"os"

	"github.com/fleetlake/fleetlake/warehouse"
)

// snapshot is the published file that a process has open.
type snapshot struct {
	hello
	file *warehouse.Warehouse // nil is none
	info fs.FileInfo          // of the file, or of the one before it if another was published meanwhile
}

// open returns what is published, which is open already if it was not replaced.
func (s *snapshot) open(ctx context.Context) (*warehouse.Warehouse, error) {
	s.closeReplaced()
	if s.file != nil {
		return s.file, nil
	}
	path := warehouse.Path(s.Dir)
	info, _ := os.Stat(path) // before it is opened: if it is replaced between, it is opened again next time
	file, err := warehouse.Open(ctx, path, warehouse.Options{MemoryMiB: s.Memory, Threads: s.Threads, Spill: s.Spill, SpillMiB: s.SpillMiB, Confine: []string{}})
	if err != nil {
		return nil, err
	}
	s.file, s.info = file, info
	return file, nil
}

// prepare opens what is published, and answers a statement, so that the one of a client finds code and file in memory.
// An error is told to who asks.
func (s *snapshot) prepare(ctx context.Context) {
	file, err := s.open(ctx)
	if err != nil {
		return
	}
	a, err := file.Answer(ctx, "SELECT count(*) FROM vessels WHERE listed")
	if err != nil {
		return
	}
	_, _ = columnsOf(ctx, a, false)
	_ = a.Close()
}

// closeReplaced closes a file that is no longer the published one, and reports whether it has.
func (s *snapshot) closeReplaced() bool {
	if s.file == nil {
		return false
	}
	now, err := os.Stat(warehouse.Path(s.Dir))
	if err == nil && s.info != nil && os.SameFile(now, s.info) && now.Size() == s.info.Size() && now.ModTime().Equal(s.info.ModTime()) {
		return false
	}
	_ = s.file.Close() // of a file that was only read
	s.file = nil
	return true
}
