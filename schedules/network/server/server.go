package server

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/flight"
	"github.com/fleetlake/fleetlake/schedules/health"
	"github.com/fleetlake/fleetlake/schedules/listen/times"
	"github.com/fleetlake/fleetlake/schedules/metrics"
	"github.com/fleetlake/fleetlake/schedules/network"
	"github.com/fleetlake/fleetlake/schedules/page"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/turns"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// shutdownTimeout is how long a process that ends waits for clients.
const shutdownTimeout = 3 * time.Second

// Config is what the network process serves. Its caller has read the configuration.
type Config struct {
	Dir     string
	Version string
	Log     *slog.Logger
	Jobs    []plan.Job // with their caps, in the order of the configuration
	Watched []string   // the vessels of the watch lists, by IMO number or MMSI
	Health  health.Setup

	Page          bool     // it is served, on the first socket
	Hosts         []string // see page.Config
	Token         string
	TrustLoopback bool
	Proxies       []netip.Prefix
	Caps          page.Caps

	Flight  bool // it is served, on the last socket
	Clients []flight.Client
	TLS     func() (*tls.Config, error) // nil without encryption

	// Worker is the command of a process that runs the queries of one client, and Queries their limits.
	Worker  []string
	Queries Queries

	QueriesDir string // of worked queries of a person's own; "" is none

	// Scenario is what the configuration of a job would do over some days, and Scores scores a vessel in each job's plan
	// for tonight.
	Scenario func(job string, s forecast.State, days int, now time.Time) (forecast.Scenario, error)
	Scores   func(ctx context.Context, vesselID string) ([]wording.VesselScore, error)

	// WriteAnswer writes the answer of a statement, and WriteRows rows, as csv for people who open it in a spreadsheet,
	// or as json.
	WriteAnswer func(ctx context.Context, w *warehouse.Warehouse, s warehouse.Statement, format string, to io.Writer) error
	WriteRows   func(to io.Writer, format string, columns []Column, rows iter.Seq2[[]any, error]) error
}

// Queries are the limits of queries from a network.
type Queries struct {
	worker.Limits
	Concurrent int
	Queue      int
	Wait       time.Duration
}

// Column is a column of an answer, with its type in DuckDB.
type Column struct{ Name, Type string }

// Ask asks the scheduler, as network.Link.Ask does.
type Ask func(ctx context.Context, q network.Request, value any) error

// Server is the state of the network process.
type Server struct {
	config    Config
	ask       Ask
	pool      *worker.Pool // runs the queries of strangers
	metrics   *metrics.Published
	forecasts *forecasts
	making    *turns.Turns // a place per file that is made for the page
	times     times.Limits
	probing   singleflight.Group
	log       *slog.Logger

	pricing sync.Mutex
	prices  map[string]pricedRun // by job
}

// New creates a server that serves nothing yet.
func New(c Config, ask Ask) (n *Server, err error) {
	n = &Server{config: c, ask: ask, log: c.Log, forecasts: newForecasts(c), making: turns.New(filesAtOnce, filesWaiting),
		times: times.Of(c.Queries.Time), prices: map[string]pricedRun{}}
	n.metrics, err = metrics.NewPublished(metrics.PublishedConfig{Dir: c.Dir, Spending: n.spending})
	return n, err
}

// Open serves on the sockets. The returned function ends it, within some seconds.
func (n *Server) Open(sockets []net.Listener) (stop func(), err error) {
	if need := len(n.parts()); need != len(sockets) {
		return nil, fmt.Errorf("%d sockets, expected %d", len(sockets), need)
	}
	closePool, err := n.openPool()
	if err != nil {
		return nil, err
	}
	var stops []func()
	stop = func() {
		var stopping sync.WaitGroup
		for _, one := range stops {
			stopping.Go(one)
		}
		stopping.Wait()
		closePool()
	}
	for i, part := range n.parts() {
		one, err := part(sockets[i])
		if err != nil {
			stop()
			return nil, err
		}
		stops = append(stops, one)
	}
	return stop, nil
}

// parts are what is served, in the order of the sockets.
func (n *Server) parts() (all []func(net.Listener) (stop func(), err error)) {
	if n.config.Page {
		all = append(all, n.openPage)
	}
	if n.config.Flight {
		all = append(all, n.openFlight)
	}
	return all
}

// job returns a job by its name. It returns an error for an unknown name.
func (c Config) job(name string) (plan.Job, error) {
	for _, j := range c.Jobs {
		if j.Name == name {
			return j, nil
		}
	}
	return plan.Job{}, fmt.Errorf("unknown job %q", name)
}

// jobNames lists the jobs in the order of the configuration.
func (c Config) jobNames() (names []string) {
	for _, j := range c.Jobs {
		names = append(names, j.Name)
	}
	return names
}
