package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/schedules/listen"
	"github.com/fleetlake/fleetlake/schedules/page"
)

// Limits of the clients of the page. A slow client is cut off; any number of clients takes few
// connections and little memory, and does not slow the harvest.
const (
	maxConnections = page.MaxHeld + 64 // those are always there for a new client, see package listen
	maxHeader      = 16 << 10
	headerTimeout  = 5 * time.Second
	readTimeout    = 10 * time.Second
)

// openPage serves the status page.
func (n *Server) openPage(l net.Listener) (stop func(), err error) {
	handler, err := n.Handler()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	var preparing sync.WaitGroup
	preparing.Go(func() { handler.Prepare(ctx) })
	stopServing := serveOn(l, handler, n.times.Write(), n.log)
	return func() {
		cancel()
		stopServing()
		preparing.Wait()
		n.forecasts.stop()
		if err := handler.Close(); err != nil {
			n.log.Warn("published file not closed", "error", err)
		}
	}, nil
}

// serveOn serves until it is stopped. A response that has not begun within the limit of a write never does; the handler
// gives each a shorter limit when it begins.
func serveOn(l net.Listener, handler http.Handler, write time.Duration, log *slog.Logger) (stop func()) {
	web := &http.Server{
		Handler: handler, MaxHeaderBytes: maxHeader, ReadHeaderTimeout: headerTimeout,
		ReadTimeout: readTimeout, WriteTimeout: write,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	web.SetKeepAlivesEnabled(false) // an idle connection would block that of a monitor
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := web.Serve(listen.Limit(l, maxConnections)); !errors.Is(err, http.ErrServerClosed) {
			log.Error("status page ended", "error", err)
		}
	})
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
		defer cancel()
		if err := web.Shutdown(ctx); err != nil {
			web.Close()
		}
		serving.Wait()
	}
}
