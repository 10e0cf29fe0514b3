package extract

import (
	"context"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// unrecorded is the span of every request while tracing is off: it costs no allocation.
var unrecorded trace.Span = noop.Span{}

// traced starts the span of one try of a request, if ctx has a span that is recorded. The span
// never has the key, the address, parameters or the body.
func traced(ctx context.Context, o api.Operation, try int) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, unrecorded
	}
	return parent.TracerProvider().Tracer("github.com/fleetlake/fleetlake/extract").Start(ctx, "request "+o.Name,
		trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("fleetlake.operation", o.Name), attribute.Int("fleetlake.attempt", try)))
}

// recordSpan ends the span of a request with the facts of its journal entry, without the message
// of an error, because that may repeat what the service wrote.
func recordSpan(span trace.Span, e journal.Entry, failed, broken error) {
	if span.IsRecording() {
		span.SetAttributes(attribute.String("fleetlake.outcome", e.Outcome), attribute.Int("fleetlake.credits", e.Credits))
		if e.Status != 0 {
			span.SetAttributes(attribute.Int("http.response.status_code", e.Status))
		}
		switch {
		case broken != nil:
			span.SetStatus(codes.Error, "the answer is not in the journal")
		case failed != nil:
			span.SetStatus(codes.Error, e.Outcome)
			span.SetAttributes(attribute.String("error.type", e.Outcome))
		}
		if broken == nil {
			span.SetAttributes(attribute.Int("fleetlake.entry", e.N))
		}
	}
	span.End()
}
