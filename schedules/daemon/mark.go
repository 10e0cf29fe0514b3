package daemon

import (
	"errors"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/datadir"
)

// openMark stores the id of the data directory that this process serves. An unmounted volume leaves
// an empty directory: runs there would start a new lake, and pay for all of it again. The first run
// marks a directory that no run has used, unless --data-exists refuses it.
func (s *Server) openMark() error {
	err := datadir.CheckMark(s.pipeline.Dir, "")
	if errors.Is(err, datadir.ErrMark) && !s.pipeline.MustExist {
		return nil
	}
	if err != nil {
		return err
	}
	return s.storeMark()
}

// storeMark stores the id of the data directory, and creates one if there is none; then the caller
// must have the lock.
func (s *Server) storeMark() error {
	id, err := datadir.Mark(s.pipeline.Dir, time.Now())
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.pipeline.MarkID = id
	s.mu.Unlock()
	s.markID.Store(&id)
	return nil
}

// checkMark refuses a data directory other than the one that this process started with.
func (s *Server) checkMark() error {
	id := s.markID.Load()
	if id == nil {
		return nil
	}
	return datadir.CheckMark(s.pipeline.Dir, *id)
}
