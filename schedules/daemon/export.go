package daemon

import (
	"context"
	"time"
)

// startExports exports beside the scheduler, which waits for no export: at the start, because an
// export may have been interrupted, and after each run. The returned function ends it.
func (s *Server) startExports(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			s.export(ctx)
			select {
			case <-ctx.Done():
			case <-s.exportWake:
			}
		}
	}()
	return func() {
		cancel()
		select {
		case <-ended:
		case <-time.After(stopExportTimeout):
			s.log.Warn("export cut off: the next start completes it")
		}
	}
}

// wakeExports has the export look whether one is due. It does not wait.
func (s *Server) wakeExports() {
	select {
	case s.exportWake <- struct{}{}:
	default: // it looks again already, or there is none
	}
}

// export exports what is published, if that is due.
func (s *Server) export(ctx context.Context) {
	now := time.Now()
	s.exporting.Store(&now)
	defer s.exporting.Store(nil)
	if _, err := s.teller().Export(ctx, s.settings().Export); err != nil && ctx.Err() == nil {
		s.log.Error("the end of an export is not stored", "error", err)
	}
}
