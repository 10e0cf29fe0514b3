package daemon

import (
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/schedules"
)

// Reload replaces the settings, and what the service is asked with. A run that is under way ends with those that it
// began with: all of them change together before the next one.
func (s *Server) Reload(n Settings, service extract.Service, settleAfter time.Duration) {
	s.runner.Replace(n.table(), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.config.Settings = n
		s.pipeline.Service, s.pipeline.SettleAfter = service, settleAfter
		s.log.Info("the new settings are in use")
	})
	s.nights.forget()
}

// settings are those in use.
func (s *Server) settings() Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.config.Settings
}

// copyOfPipeline is a pipeline for one run.
func (s *Server) copyOfPipeline() pipeline.Pipeline {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.pipeline
}

// table is when each job runs.
func (n Settings) table() (table []schedules.Spec) {
	for _, j := range n.Jobs {
		table = append(table, j.Spec)
	}
	return table
}
