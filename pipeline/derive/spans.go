package derive

import (
	"context"
	"errors"
	"syscall"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/warehouse"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// unrecorded is the span of a run that no tracer records.
var unrecorded trace.Span = noop.Span{}

// StartSpan starts the span of a part of a run, below the span of ctx if that is recorded.
func StartSpan(ctx context.Context, name string, about ...attribute.KeyValue) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, unrecorded
	}
	return parent.TracerProvider().Tracer("github.com/fleetlake/fleetlake/pipeline").Start(ctx, name,
		trace.WithAttributes(about...))
}

// EndSpan is deferred, and ends the span of a part that returned an error or nil.
func EndSpan(span trace.Span, err *error) {
	if *err != nil {
		span.SetStatus(codes.Error, ErrorClass(*err))
	}
	span.End()
}

// ErrorClass names an error in a few words for a span, which leaves this machine: the text of an error may have
// paths, and what the service wrote.
func ErrorClass(err error) string {
	var service interface{ Class() string } // a refusal of the service
	var errno syscall.Errno
	switch {
	case errors.As(err, &service):
		return service.Class()
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "cancelled"
	case errors.Is(err, load.ErrIssues):
		return "too many issues"
	case errors.Is(err, journal.ErrDamaged):
		return "damaged journal"
	case errors.Is(err, warehouse.ErrDamaged):
		return "damaged warehouse"
	case errors.As(err, &errno):
		return errno.Error()
	}
	return "unexpected"
}
