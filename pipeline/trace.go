package pipeline

import (
	"context"
	"errors"
	"syscall"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
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

// phase starts the span of a part of a run, below the span of ctx if that is recorded.
func phase(ctx context.Context, name string, about ...attribute.KeyValue) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, unrecorded
	}
	return parent.TracerProvider().Tracer("github.com/fleetlake/fleetlake/pipeline").Start(ctx, name, trace.WithAttributes(about...))
}

// end is deferred, and ends the span of a part that returned an error or nil.
func end(span trace.Span, err *error) {
	if *err != nil {
		span.SetStatus(codes.Error, class(*err))
	}
	span.End()
}

// endRun is deferred, and ends the span of a run. A run that has neither a report nor an error
// panicked.
func endRun(span trace.Span, r *Report, err *error) {
	switch {
	case !span.IsRecording():
	case *err != nil:
		span.SetStatus(codes.Error, class(*err))
	case r.Run == "":
		span.SetStatus(codes.Error, "panic")
	default:
		span.SetAttributes(attribute.String("fleetlake.run", r.Run), attribute.String("fleetlake.state", r.State),
			attribute.String("fleetlake.stop", string(r.Stop)), attribute.Int("fleetlake.requests", r.Requests()),
			attribute.Int("fleetlake.credits.spent", r.Credits.Spent), attribute.Int("fleetlake.credits.planned", r.Credits.Planned))
	}
	span.End()
}

// laneSpan starts the span of one operation's lane, and returns what ends it.
func (h *harvest) laneSpan(ctx context.Context, o api.Operation) (context.Context, func()) {
	ctx, span := phase(ctx, "lane "+o.Name, attribute.String("fleetlake.operation", o.Name))
	return ctx, func() {
		if span.IsRecording() {
			s := h.client.Stats(o)
			span.SetAttributes(attribute.Int("fleetlake.requests", s.Requests), attribute.Int("fleetlake.retries", s.Retries), attribute.Int("fleetlake.credits.spent", s.Credits))
		}
		span.End()
	}
}

// class names an error in a few words. Spans leave this machine, and the text of an error may
// contain paths and what the service wrote.
func class(err error) string {
	var service *extract.Error
	var errno syscall.Errno
	switch {
	case errors.As(err, &service):
		return service.Outcome
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
