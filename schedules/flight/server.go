package flight

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"
	"time"

	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/flight/flightsql"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"github.com/fleetlake/fleetlake/schedules/listen"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// Limits of the clients of the server, whatever they send.
const (
	maxMessage     = 4 << 20 // of a request: a statement, or its arguments
	maxStreams     = 64      // requests at the same time of one connection
	maxConnections = 256
	connectTimeout = 10 * time.Second
	idleTimeout    = 15 * time.Minute
	pingInterval   = time.Minute // after which a silent client is asked whether it is still there
	pingTimeout    = 20 * time.Second
)

// Config is what a server needs.
type Config struct {
	Pool    *worker.Pool
	Clients []Client    // empty: whoever reaches the server may ask
	TLS     *tls.Config // nil is no encryption
	Version string      // of the program
	Log     *slog.Logger
}

// Server is a Flight SQL server.
type Server struct {
	grpc  *grpc.Server
	guard *guard
	wrong wrongTokens
	log   *slog.Logger
}

// New returns a server. It fails if two clients have one name or one token.
func New(c Config) (*Server, error) {
	guard, err := newGuard(c.Clients)
	if err != nil {
		return nil, err
	}
	s := &Server{log: c.Log, guard: guard}
	sql := &service{pool: c.Pool, log: c.Log, prepared: newStatements(), running: map[string]context.CancelFunc{},
		stall: c.Pool.Stall(), ahead: semaphore.NewWeighted(aheadOfAll)}
	sql.Alloc = memory.DefaultAllocator
	if err := sql.registerInfo(c.Version); err != nil {
		return nil, err
	}
	options := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(maxMessage), grpc.MaxConcurrentStreams(maxStreams), grpc.ConnectionTimeout(connectTimeout),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: idleTimeout, Time: pingInterval, Timeout: pingTimeout}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: pingTimeout, PermitWithoutStream: true}),
		grpc.UnaryInterceptor(func(ctx context.Context, q any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (answer any, err error) {
			defer s.recovered(&err)
			if ctx, err = s.admit(ctx); err != nil {
				return nil, err
			}
			return h(ctx, q)
		}),
		grpc.StreamInterceptor(func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, h grpc.StreamHandler) (err error) {
			defer s.recovered(&err)
			ctx, err := s.admit(stream.Context())
			if err != nil {
				return err
			}
			return h(srv, &admitted{stream, ctx})
		}),
	}
	if c.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(c.TLS)))
	}
	s.grpc = grpc.NewServer(options...)
	flight.RegisterFlightServiceServer(s.grpc, &transport{flightsql.NewFlightServer(sql), sql})
	return s, nil
}

// recovered makes an error of a panic, which a message that is no Flight SQL may cause in the decoder.
func (s *Server) recovered(err *error) {
	if r := recover(); r != nil {
		s.log.Error("a request over Flight SQL caused a panic", "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		*err = status.Error(codes.Internal, "the request could not be handled; the log says why")
	}
}

// Serve answers on a listener until Stop. Its error is one of the listener.
func (s *Server) Serve(l net.Listener) error {
	if err := s.grpc.Serve(listen.Limit(l, maxConnections)); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("serve Flight SQL: %w", err)
	}
	return nil
}

// Stop accepts no more requests, lets those under way end for up to a time, and cuts them off then.
func (s *Server) Stop(within time.Duration) {
	late := time.AfterFunc(within, s.grpc.Stop)
	defer late.Stop()
	s.grpc.GracefulStop()
}

// admitted is a stream of a known client.
type admitted struct {
	grpc.ServerStream
	ctx context.Context
}

func (a *admitted) Context() context.Context { return a.ctx }
