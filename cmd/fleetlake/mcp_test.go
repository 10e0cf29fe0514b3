//go:build !no_network

package main

import (
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestAnAssistantStartsTheProgram starts `fleetlake mcp` as an assistant does, with the client of the SDK, and asks.
func TestAnAssistantStartsTheProgram(t *testing.T) {
	w := newWorld(t, simulator.Config{Vessels: 60, Seed: 3})
	w.has(ledgerJob, "2026-11-20")
	p := w.prepare("mcp")
	p.cmd.Stdin, p.cmd.Stdout = nil, nil
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: p.cmd}, nil)
	if err != nil {
		t.Fatalf("%v: %s", err, p.stderr.String())
	}
	for words, call := range map[string]mcp.CallToolParams{
		`"rows":[[true]]`:               {Name: "query", Arguments: map[string]any{"sql": "SELECT count(*) > 0 FROM vessels WHERE is_vessel"}},
		`"night":"2026-11-20"`:          {Name: "nights", Arguments: map[string]any{}},
		"only one statement that reads": {Name: "query", Arguments: map[string]any{"sql": "DROP TABLE runs"}},
	} {
		answer, err := session.CallTool(t.Context(), &call)
		if err != nil {
			t.Fatalf("%s: %v: %s", words, err, p.stderr.String())
		}
		if text := answer.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, words) {
			t.Errorf("%s: %s", words, text)
		}
	}
	if err := session.Close(); err != nil {
		t.Errorf("it ends with %v: %s", err, p.stderr.String())
	}
	if words := p.stderr.String(); words != "" {
		t.Errorf("it says %s", words)
	}
	if got := w.must(exitUsage, "mcp", "--data", t.TempDir()); !strings.Contains(got.stderr, "no data in ") {
		t.Errorf("without data: %+v", got)
	}
}
