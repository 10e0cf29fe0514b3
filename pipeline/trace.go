package pipeline

import (
	"context"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/pipeline/spans"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// endRun is deferred, and ends the span of a run. A run that has neither a report nor an error
// panicked.
func endRun(span trace.Span, r *report.Report, err *error) {
	switch {
	case !span.IsRecording():
	case *err != nil:
		span.SetStatus(codes.Error, spans.Class(*err))
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
	ctx, span := spans.Start(ctx, "lane "+o.Name, attribute.String("fleetlake.operation", o.Name))
	return ctx, func() {
		if span.IsRecording() {
			s := h.client.Stats(o)
			span.SetAttributes(attribute.Int("fleetlake.requests", s.Requests), attribute.Int("fleetlake.retries", s.Retries), attribute.Int("fleetlake.credits.spent", s.Credits))
		}
		span.End()
	}
}
