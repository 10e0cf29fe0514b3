package main

import (
	"errors"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
)

// begin remembers which data directory this process serves. A volume that is unmounted leaves an
// empty directory behind: runs there would begin a new lake, and pay for all of it again. One
// that no run has used yet is marked by the first, unless it must exist.
func (s *server) begin() error {
	err := pipeline.CheckMark(s.config.DataDir, "")
	if errors.Is(err, pipeline.ErrMark) && !s.pipeline.MustExist {
		return nil
	}
	if err != nil {
		return err
	}
	return s.remember()
}

// remember keeps the id of the data directory, and gives it one if it has none. The caller holds
// the lock, or knows that it has one.
func (s *server) remember() error {
	id, err := pipeline.Mark(s.config.DataDir, time.Now())
	if err != nil {
		return err
	}
	s.pipeline.MarkID = id
	s.markID.Store(&id)
	return nil
}

// marked refuses another data directory than the one that this process began with.
func (s *server) marked() error {
	id := s.markID.Load()
	if id == nil {
		return nil
	}
	return pipeline.CheckMark(s.config.DataDir, *id)
}
