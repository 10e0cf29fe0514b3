package pipeline

import (
	"net/http"
	"testing"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/extract/simulator/memory"
)

// connect serves a simulator in memory, and returns how to call it and how to stop it: client
// and simulator live in one bubble of virtual time, and the documented limits can be kept at
// full length in seconds.
func connect(t *testing.T, service http.Handler, key string) (extract.Service, func()) {
	t.Helper()
	network, stop := memory.Serve(service)
	return extract.Service{BaseURL: "http://127.0.0.1" + simulator.BasePath, Key: key, Dial: network.Dial, MaxInFlight: 8}, stop
}
