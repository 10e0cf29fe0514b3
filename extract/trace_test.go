package extract

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// TestTracingThatIsOffCostsNothing counts what a request allocates for a span that is not
// recorded.
func TestTracingThatIsOffCostsNothing(t *testing.T) {
	e := journal.Entry{Outcome: OutcomeOK, Credits: 10, Status: http.StatusOK, N: 7}
	ctx := t.Context()
	if n := testing.AllocsPerRun(1000, func() {
		_, span := traced(ctx, api.ByType, 1)
		recordSpan(span, e, nil, nil)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// watched is a span whose children are kept.
func watched(t *testing.T) (trace.Span, *tracetest.SpanRecorder) {
	t.Helper()
	kept := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(kept))
	t.Cleanup(func() { provider.Shutdown(t.Context()) })
	_, root := provider.Tracer("test").Start(t.Context(), "root")
	return root, kept
}

// TestTheSpanOfABalanceIsBelowThatOfItsRefusal has a refusal that only the balance can explain.
func TestTheSpanOfABalanceIsBelowThatOfItsRefusal(t *testing.T) {
	client, _ := serve(t, 0, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "credits") {
			io.WriteString(w, `{"detail":{"credits":3}}`)
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"detail":"planted words"}`)
	})
	root, kept := watched(t)
	if _, err := client.do(trace.ContextWithSpan(t.Context(), root), api.Page("", "Curacao", 1)); err == nil {
		t.Fatal("no error")
	}
	spans := kept.Ended()
	if len(spans) != 2 {
		t.Fatalf("%d spans, want two", len(spans))
	}
	balance, refused := spans[0], spans[1]
	if balance.Name() != "request credits" || balance.Parent().SpanID() != refused.SpanContext().SpanID() || refused.Parent().SpanID() != root.SpanContext().SpanID() {
		t.Errorf("spans %q below %q", balance.Name(), refused.Name())
	}
	if s := refused.Status(); s.Code != codes.Error || s.Description != OutcomeNoCredits || len(refused.Events()) != 0 {
		t.Errorf("status %v, events %v", s, refused.Events())
	}
}

// TestAnAnswerThatIsNotKeptIsAnError has a journal that takes no answer.
func TestAnAnswerThatIsNotKeptIsAnError(t *testing.T) {
	root, kept := watched(t)
	_, span := traced(trace.ContextWithSpan(t.Context(), root), api.Particulars, 1)
	recordSpan(span, journal.Entry{Outcome: OutcomeOK, N: 7}, nil, errors.New("open /planted: full"))
	got := kept.Ended()[0]
	if got.Status().Code != codes.Error || strings.Contains(got.Status().Description, "planted") {
		t.Errorf("status %v", got.Status())
	}
	for _, a := range got.Attributes() {
		if a.Key == "fleetlake.entry" {
			t.Error("names an entry that the journal does not have")
		}
	}
}
