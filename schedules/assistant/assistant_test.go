package assistant

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/history"
	"github.com/fleetlake/fleetlake/warehouse/warehousetest"
	"github.com/fleetlake/fleetlake/warehouse/worker"
	"github.com/fleetlake/fleetlake/warehouse/worker/workertest"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestMain(m *testing.M) { os.Exit(workertest.Main(m)) }

// nightOf is a data directory with the night of the 20th, which has no vessel.
func nightOf(t *testing.T) (dir string) {
	dir, _ = pipelinetest.Night(t)
	return dir
}

// asked is an assistant in a session with a server.
type asked struct {
	t        *testing.T
	dir      string
	server   *Server
	session  *mcp.ClientSession
	mu       sync.Mutex
	outcomes []string // of the statements
}

func newAssistant(t *testing.T, dir string, edit func(*worker.Config)) *asked {
	t.Helper()
	a := &asked{t: t, dir: dir}
	log := slog.New(slog.DiscardHandler)
	c := workertest.Config(t, dir, log)
	c.Ended = func(outcome string, _ time.Duration) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.outcomes = append(a.outcomes, outcome)
	}
	if edit != nil {
		edit(&c)
	}
	pool, err := worker.New(c)
	if err != nil {
		t.Fatal(err)
	}
	a.server, err = New(Config{Dir: a.dir, Pool: pool, Version: "v1", Log: log, Explain: func(ctx context.Context, w *warehouse.Warehouse, vessel string, to io.Writer) error {
		v, err := history.Of(ctx, w, vessel)
		if err != nil {
			return err
		}
		return console.WriteExplanation(to, wording.Explanation{Vessel: v})
	}})
	if err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	served := make(chan error, 1)
	go func() { served <- a.server.Serve(context.Background(), there) }()
	a.session, err = mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		a.session.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		pool.Close()
	})
	return a
}

// call calls a tool. It returns the error that the tool answered; any other one fails the test.
func (a *asked) call(tool string, arguments, answer any) (refusal string) {
	a.t.Helper()
	r, err := a.session.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if r.IsError {
		return text
	}
	if err := json.Unmarshal([]byte(text), answer); err != nil {
		a.t.Fatalf("%s: %v: %s", tool, err, text)
	}
	return ""
}

func (a *asked) last() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.outcomes[len(a.outcomes)-1]
}

// arguments are those of a tool.
type arguments map[string]any

// TestEveryToolAnswersWithItsNight calls each tool, by the client of the SDK: it answers what the warehouse has, with the
// night and its verdict, or says what is wrong.
func TestEveryToolAnswersWithItsNight(t *testing.T) {
	a := newAssistant(t, pipelinetest.TwoNights(t), nil)
	listed, err := a.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
		if !tool.Annotations.ReadOnlyHint || tool.Description == "" {
			t.Errorf("%s: %+v", tool.Name, tool.Annotations)
		}
	}
	var fleet tableAnswer
	a.call("query", arguments{"sql": "SELECT vessel_id, imo FROM vessels WHERE imo IS NOT NULL ORDER BY 1", "max_rows": 3}, &fleet)
	if len(fleet.Rows) != 3 || fleet.LeftOut != fleet.Total-3 || fleet.LeftOut == 0 {
		t.Fatalf("%d rows, %d left out of %d", len(fleet.Rows), fleet.LeftOut, fleet.Total)
	}
	vessel := fleet.Rows[0][0].(string)
	calls := map[string]arguments{
		"query": {"sql": "SELECT 1"}, "list_worked_queries": {}, "run_worked_query": {"name": "gone_dark", "params": arguments{"zone": "red-sea"}},
		"dictionary": {"name": "VESSELS"}, "explain_vessel": {"vessel": vessel}, "nights": {},
	}
	for _, name := range names {
		var answer struct{ Night Night }
		if refusal := a.call(name, calls[name], &answer); refusal != "" {
			t.Errorf("%s: %s", name, refusal)
		}
		if n := answer.Night; n.Date != "2026-11-21" || n.Verdict != "whole" || n.Reason == "" || n.Run == "" {
			t.Errorf("%s: the night is %+v", name, n)
		}
	}
	if len(names) != len(calls) {
		t.Errorf("tools %q", names)
	}

	var d dictionaryAnswer
	a.call("dictionary", arguments{"name": "vessels"}, &d)
	if d.Entry == nil || !slices.ContainsFunc(d.Entry.Columns, func(c warehouse.Definition) bool { return c.Name == "deadweight_t" && c.Comment != "" }) {
		t.Errorf("the entry of vessels: %+v", d.Entry)
	}
	var e explainAnswer
	if a.call("explain_vessel", arguments{"vessel": vessel}, &e); !strings.HasPrefix(e.Text, vessel) || e.CutOff {
		t.Errorf("explained: %+v", e)
	}
	var n nightsAnswer
	if a.call("nights", arguments{"from": "2026-11-21"}, &n); len(n.Nights) != 1 || n.Nights[0].Verdict != n.Night.Verdict || n.Nights[0].Credits == 0 {
		t.Errorf("nights: %+v", n)
	}

	for words, refused := range map[string]struct {
		tool string
		arguments
	}{
		"the nearest: red-sea":         {"run_worked_query", arguments{"name": "gone_dark", "params": arguments{"zone": "red-see"}}},
		`no parameter "zoen"`:          {"run_worked_query", arguments{"name": "gone_dark", "params": arguments{"zoen": "red-sea"}}},
		"there are: aground, ":         {"run_worked_query", arguments{"name": "gone"}},
		"there are: vessels, ":         {"dictionary", arguments{"name": "ships"}},
		"no such vessel":               {"explain_vessel", arguments{"vessel": "123"}},
		"want a night":                 {"nights", arguments{"from": "yesterday"}},
		"want 1 to 1000":               {"query", arguments{"sql": "SELECT 1", "max_rows": 1001}},
		"expected at most 65536":       {"query", arguments{"sql": strings.Repeat(" ", maxStatement) + "SELECT 1"}},
		"LINE 1: SELECT flagg":         {"query", arguments{"sql": "SELECT flagg FROM vessels"}},
		"unexpected additional proper": {"query", arguments{"sql": "SELECT 1", "limit": 3}},
	} {
		if got := a.call(refused.tool, refused.arguments, nil); !strings.Contains(got, words) {
			t.Errorf("%s %v: %q lacks %q", refused.tool, refused.arguments, got, words)
		}
	}
}

// TestValuesAreExact: a client reads the numbers of JSON as 64-bit floats, so that those that it would round are texts.
func TestValuesAreExact(t *testing.T) {
	a := newAssistant(t, nightOf(t), nil)
	var got tableAnswer
	a.call("query", arguments{"sql": `SELECT 9007199254740993, 123456789012345, 12345678901234567890.5::DECIMAL(38,1), 1.5::DECIMAL(4,2), 0.1::FLOAT,
		'NaN'::DOUBLE, true, NULL, [1, 2], DATE '2026-11-20', TIMESTAMPTZ '2026-11-20 02:00:00+00', repeat('x', 3000)`}, &got)
	want := []any{"9007199254740993", 123456789012345., "12345678901234567890.5", 1.5, 0.1, "nan", true, nil, "[1, 2]", "2026-11-20", "2026-11-20T02:00:00Z",
		strings.Repeat("x", maxCell) + "... (3000 bytes)"}
	if len(got.Rows) != 1 || !slices.Equal(got.Rows[0], want) {
		t.Errorf("got  %v\nwant %v", got.Rows, want)
	}
	a.call("query", arguments{"sql": "SELECT repeat('x', 1500) FROM range(1000)", "max_rows": 1000}, &got)
	if n := len(got.Rows) * 1500; n < bytesAtMost/2 || n > bytesAtMost+2*maxCell || got.LeftOut != int64(1000-len(got.Rows)) {
		t.Errorf("%d bytes, %d rows left out", n, got.LeftOut)
	}
}

// TestAttacks sends statements that would do more than read, a part of each group and with FLEETLAKE_LONG all: each is
// refused as over Flight SQL, writes nothing, and the published file stays as it was.
func TestAttacks(t *testing.T) {
	a := newAssistant(t, nightOf(t), nil)
	target := t.TempDir()
	secret, file := filepath.Join(target, "secret.csv"), filepath.Join(target, "written")
	if err := os.WriteFile(secret, []byte("a\n1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(warehouse.Path(a.dir))
	if err != nil {
		t.Fatal(err)
	}
	for group, all := range warehousetest.Attacks {
		for i, text := range all {
			if i%8 > 0 && os.Getenv("FLEETLAKE_LONG") == "" {
				continue // package warehouse sends all of them to what these processes call
			}
			text = strings.NewReplacer("FILE", file, "SECRET", secret, "DATA", warehouse.Path(a.dir), "DIR", target).Replace(text)
			if refusal := a.call("query", arguments{"sql": text}, &tableAnswer{}); refusal == "" || a.last() != "refused" {
				t.Errorf("%s: %q: %q, %s", group, text, refusal, a.last())
			}
			if entries, err := os.ReadDir(target); err != nil || len(entries) != 1 {
				t.Fatalf("%q: wrote %v (%v)", text, entries, err)
			}
		}
	}
	if after, err := os.ReadFile(warehouse.Path(a.dir)); err != nil || string(after) != string(before) {
		t.Errorf("the published file changed (%v)", err)
	}
}

// TestBombs sends statements that would take all of a machine: each ends at a limit, and the next statement is answered.
func TestBombs(t *testing.T) {
	a := newAssistant(t, nightOf(t), func(c *worker.Config) { c.Limits.Time, c.Limits.Rows, c.Limits.Bytes = time.Second, 1000, 1<<20 })
	for _, name := range []string{"recursion", "a larger text", "rows without an end"} {
		if refusal := a.call("query", arguments{"sql": warehousetest.Bombs[name]}, &tableAnswer{}); refusal == "" || a.last() == "done" || a.last() == "failed" {
			t.Errorf("%s: %q, %s", name, refusal, a.last())
		}
	}
	if refusal := a.call("query", arguments{"sql": "SELECT 1"}, &tableAnswer{}); refusal != "" {
		t.Errorf("afterwards: %s", refusal)
	}
}

// TestAnAnswerHasTheVerdictOfItsOwnNight publishes a night while a question is asked: it is asked again.
func TestAnAnswerHasTheVerdictOfItsOwnNight(t *testing.T) {
	a := newAssistant(t, nightOf(t), nil)
	times := 0
	night, err := a.server.dated(t.Context(), func() error {
		if times++; times == 1 {
			pipelinetest.Publish(t, a.dir, 21)
		}
		return nil
	})
	if err != nil || times != 2 || night.Date != "2026-11-21" {
		t.Errorf("asked %d times, of the night %+v: %v", times, night, err)
	}
}
