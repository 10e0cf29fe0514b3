package main

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// flushTimeout is how long the end of a run under serve waits for its spans to be delivered.
const flushTimeout = time.Second

// complainEvery is the least time between two log lines about spans that are not delivered.
const complainEvery = 10 * time.Minute

// traces delivers the spans of runs to a collector. The methods of a nil one do nothing.
type traces struct {
	provider *sdk.TracerProvider
}

// newTraces returns the delivery to the collector that the standard variables OTEL_EXPORTER_OTLP_*
// name, or nil without one. Spans that cannot be delivered are dropped: a run loses nothing, and the
// log has a line.
func newTraces(getenv func(string) string, log *slog.Logger) *traces {
	setting, address := collector(getenv)
	if address == "" {
		return nil
	}
	if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		log.Warn("traces not sent: not an absolute address, expected https://HOST or http://HOST:4318", "setting", setting)
		return nil
	}
	otel.SetLogger(logr.FromSlogHandler(wordsOnly{log.Handler()}))
	otel.SetErrorHandler(&complaints{log: log})
	ctx := context.Background()
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		log.Warn("traces not sent: the settings of OTEL_EXPORTER_OTLP contradict each other", "setting", setting)
		return nil
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), // not the process: its command line may be private
		resource.WithAttributes(attribute.String("service.name", "fleetlake"), attribute.String("service.version", version())),
		resource.WithFromEnv())
	if err != nil {
		log.Warn("OTEL_RESOURCE_ATTRIBUTES cannot be read: traces are sent without it")
	}
	return &traces{sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))}
}

// collector returns the variable that names a collector, and its value.
func collector(getenv func(string) string) (setting, address string) {
	if strings.EqualFold(strings.TrimSpace(getenv("OTEL_SDK_DISABLED")), "true") {
		return "", ""
	}
	for _, setting := range []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"} {
		if address := strings.TrimSpace(getenv(setting)); address != "" {
			return setting, address
		}
	}
	return "", ""
}

// tracer is nil where nothing is delivered.
func (t *traces) tracer() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.provider.Tracer("github.com/fleetlake/fleetlake/pipeline")
}

// flush delivers the spans that have ended.
func (t *traces) flush() { t.within(flushTimeout, (*sdk.TracerProvider).ForceFlush) }

// close delivers the remaining spans, within a time.
func (t *traces) close(limit time.Duration) { t.within(limit, (*sdk.TracerProvider).Shutdown) }

func (t *traces) within(limit time.Duration, do func(*sdk.TracerProvider, context.Context) error) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := do(t.provider, ctx); err != nil {
		otel.Handle(err)
	}
}

// complaints logs failed deliveries, at most one per complainEvery.
type complaints struct {
	log  *slog.Logger
	mu   sync.Mutex
	next time.Time
}

// Handle logs that a delivery failed, and why, unless it logged one within the last complainEvery.
// The exporter's goroutine and flush call it at the same time.
func (c *complaints) Handle(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); !now.Before(c.next) {
		c.next = now.Add(complainEvery)
		c.log.Warn("traces not delivered", "reason", undelivered(err))
	}
}

// refusedWith finds the status in an exporter's error.
var refusedWith = regexp.MustCompile(`: ([1-5]\d\d) `)

// undelivered is the cause in our words: the exporter's error contains the collector's answer and the
// address, which may have a token in its path.
func undelivered(err error) string {
	timeout, isNet := errors.AsType[net.Error](err)
	errno, isErrno := errors.AsType[syscall.Errno](err)
	_, isName := errors.AsType[*net.DNSError](err)
	_, isTLS := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded), isNet && timeout.Timeout():
		return "no answer in time"
	case isErrno:
		return errno.Error()
	case isName:
		return "the host is not found"
	case isTLS:
		return "the certificate is not trusted"
	}
	if status := refusedWith.FindStringSubmatch(err.Error()); status != nil {
		return "status " + status[1]
	}
	return "the collector does not take them"
}

// wordsOnly logs the messages of the exporter's libraries without their attributes: settings that
// they cannot read, which may be secrets.
type wordsOnly struct{ slog.Handler }

// Enabled drops the debug messages of the libraries.
func (w wordsOnly) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo && w.Handler.Enabled(ctx, level)
}

// Handle logs the message alone.
func (w wordsOnly) Handle(ctx context.Context, r slog.Record) error {
	return w.Handler.Handle(ctx, slog.NewRecord(r.Time, r.Level, "traces: "+r.Message, r.PC))
}

// WithAttrs drops them.
func (w wordsOnly) WithAttrs([]slog.Attr) slog.Handler { return w }
