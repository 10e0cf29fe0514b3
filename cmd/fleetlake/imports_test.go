package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/fleetlake/fleetlake/"

// mayImport is the structure of the program: what each package may import of ours, and what
// it must never import of anything. Tests are free.
var mayImport = map[string]struct{ ours, never []string }{
	"extract/journal":          {[]string{"warehouse/durable"}, nil},
	"extract/jsontext":         {nil, []string{"net/http", "os", "encoding/json", "time"}},
	"extract/api":              {[]string{"extract/jsontext"}, []string{"net/http", "os", "database/sql", "log/slog", "time"}},
	"extract":                  {[]string{"extract/api", "extract/journal"}, []string{"database/sql", "go.opentelemetry.io/otel/sdk"}},
	"extract/simulator":        {[]string{"extract/api"}, []string{"database/sql"}},
	"extract/simulator/memory": {nil, nil},
	"transform":                {[]string{"extract/api", "extract/journal", "extract/jsontext"}, []string{"net/http", "os", "database/sql", "log/slog"}},
	"warehouse":                {[]string{"warehouse/durable", "warehouse/inputs"}, []string{"github.com/apache/arrow/go/v17", "net/http"}},
	"warehouse/inputs":         {nil, []string{"net/http", "os", "database/sql", "log/slog", "context"}},
	"warehouse/durable":        {nil, []string{"github.com/apache/arrow/go/v17", "net/http", "database/sql"}},
	"warehouse/vectors":        {nil, []string{"net/http", "database/sql"}},
	"warehouse/turns":          {nil, []string{"net/http", "os", "database/sql", "log/slog"}},
	"warehouse/worker":         {[]string{"warehouse", "warehouse/turns", "warehouse/vectors"}, []string{"net/http", "database/sql"}},
	"warehouse/warehousetest":  {nil, nil},
	"warehouse/history":        {[]string{"warehouse"}, []string{"github.com/apache/arrow/go/v17", "net/http"}},
	"load":                     {[]string{"transform", "warehouse", "warehouse/durable"}, []string{"net/http"}},
	"load/dictionary":          {[]string{"load", "transform", "warehouse"}, []string{"net/http", "github.com/spf13/cobra"}},
	"load/store":               {[]string{"warehouse/durable"}, []string{"github.com/apache/arrow/go/v17", "database/sql"}},
	"load/export":              {[]string{"load", "load/dictionary", "load/store", "transform", "warehouse"}, []string{"net/http", "database/sql", "github.com/spf13/cobra"}},
	"pipeline/credits":         {[]string{"extract/api", "extract/journal"}, []string{"net/http", "os", "database/sql", "log/slog", "context", "sync"}},
	"pipeline/ledger":          {[]string{"extract/journal", "pipeline/credits", "warehouse/durable"}, []string{"net/http", "database/sql", "log/slog"}},
	"pipeline/plan":            {[]string{"extract/api", "extract/journal", "pipeline/credits", "transform", "warehouse/inputs"}, []string{"net/http", "os", "database/sql", "log/slog", "context"}},
	"pipeline/forecast":        {[]string{"extract/api", "pipeline/credits", "pipeline/plan", "warehouse/durable", "warehouse/inputs"}, []string{"net/http", "os", "database/sql", "log/slog"}},
	"pipeline/datadir":         {[]string{"warehouse/durable"}, []string{"net/http", "database/sql"}},
	"pipeline/report":          {[]string{"extract", "extract/api", "extract/journal"}, []string{"net/http", "os", "database/sql", "log/slog", "context"}},
	"pipeline/derive":          {[]string{"pipeline/datadir", "pipeline/ledger", "pipeline/report", "extract/api", "extract/journal", "transform", "load", "warehouse", "warehouse/durable"}, []string{"net/http", "database/sql", "go.opentelemetry.io/otel/sdk"}},
	"pipeline":                 {[]string{"pipeline/credits", "pipeline/datadir", "pipeline/derive", "pipeline/forecast", "pipeline/ledger", "pipeline/plan", "pipeline/report", "extract", "extract/api", "extract/journal", "transform", "load", "warehouse", "warehouse/inputs"}, []string{"github.com/robfig/cron/v3", "flag", "github.com/spf13/cobra", "database/sql", "go.opentelemetry.io/otel/sdk"}},
	"pipeline/pipelinetest":    {[]string{"pipeline", "pipeline/plan", "extract", "extract/api", "extract/journal", "extract/simulator", "warehouse"}, nil},
	"pipeline/simulation":      {nil, nil},
	"pipeline/wording":         {[]string{"extract/api", "pipeline/report", "warehouse/history"}, []string{"net/http", "os", "database/sql", "log/slog"}},
	"schedules":                {[]string{"pipeline", "warehouse/durable"}, []string{"database/sql", "net/http"}},
	"warehouse/news":           {[]string{"warehouse"}, []string{"net/http", "os"}},
	"schedules/published":      {[]string{"schedules/listen/times", "warehouse"}, []string{"net/http", "database/sql"}},
	"schedules/page":           {[]string{"load/dictionary", "pipeline", "pipeline/forecast", "pipeline/report", "pipeline/wording", "schedules/listen", "schedules/listen/times", "schedules/page/lists", "schedules/page/shown", "schedules/page/vessel", "schedules/published", "warehouse", "warehouse/history", "warehouse/news", "warehouse/turns", "warehouse/worker"}, []string{"database/sql"}},
	"schedules/page/shown":     {[]string{"pipeline/wording", "warehouse"}, []string{"net/http", "database/sql"}},
	"schedules/page/lists":     {[]string{"pipeline/wording", "schedules/page/shown", "warehouse"}, []string{"net/http", "database/sql"}},
	"schedules/page/vessel":    {[]string{"pipeline/wording", "schedules/page/shown", "warehouse/history"}, []string{"net/http", "database/sql"}},
	"schedules/page/pagetest":  {[]string{"extract", "extract/api", "extract/simulator", "pipeline", "pipeline/pipelinetest", "pipeline/plan", "schedules/page/shown", "warehouse"}, nil},
	"schedules/metrics":        {[]string{"pipeline", "pipeline/datadir", "pipeline/derive", "schedules", "pipeline/report", "schedules/exports", "schedules/published", "warehouse"}, []string{"database/sql"}},
	"schedules/notify":         {[]string{"pipeline/report", "warehouse/durable"}, []string{"database/sql"}},
	"schedules/share":          {[]string{"schedules/listen/times", "warehouse", "warehouse/turns"}, []string{"database/sql"}},
	"schedules/listen":         {[]string{"schedules/listen/unixsocket", "warehouse/turns"}, []string{"net/http", "database/sql"}},
	"schedules/flight":         {[]string{"schedules/listen", "warehouse", "warehouse/turns", "warehouse/worker"}, []string{"net/http", "database/sql"}},
	"schedules/daemon":         {[]string{"extract", "extract/journal", "load", "pipeline", "pipeline/datadir", "pipeline/derive", "pipeline/plan", "pipeline/report", "schedules", "schedules/exports", "schedules/health", "schedules/metrics", "schedules/notify", "schedules/notify/tell", "schedules/published", "warehouse"}, []string{"net/http", "database/sql", "github.com/spf13/cobra"}},
	"schedules/health":         {[]string{"extract/api", "pipeline", "pipeline/datadir", "pipeline/derive", "pipeline/report", "pipeline/wording", "schedules", "schedules/exports", "warehouse"}, []string{"net/http", "database/sql"}},
	"schedules/notify/tell":    {[]string{"pipeline/datadir", "pipeline/report", "pipeline/wording", "schedules/exports", "schedules/notify", "schedules/published", "warehouse", "warehouse/news"}, []string{"net/http", "database/sql"}},
	"schedules/network":        {nil, []string{"net/http", "database/sql"}},
	"schedules/exports":        {[]string{"load/export", "load/store", "warehouse", "warehouse/durable"}, []string{"database/sql"}},
	"cmd/fleetlake/config":     {[]string{"schedules/listen/times", "schedules/listen/unixsocket", "warehouse", "warehouse/worker", "extract", "extract/api", "load/export", "load/store", "schedules/exports", "pipeline", "pipeline/credits", "pipeline/plan", "schedules", "schedules/notify"}, []string{"database/sql"}},
	"cmd/fleetlake/machine":    {nil, []string{"net/http", "database/sql"}},
	"cmd/fleetlake/console":    {[]string{"load/dictionary", "pipeline", "pipeline/forecast", "pipeline/plan", "pipeline/report", "pipeline/wording", "warehouse"}, []string{"database/sql", "net/http"}},
	"cmd/fleetlake":            {[]string{"schedules/daemon", "schedules/health", "schedules/assistant", "schedules/network/server", "schedules/notify/tell", "schedules/listen/unixsocket", "schedules/flight", "warehouse/worker", "cmd/fleetlake/config", "cmd/fleetlake/console", "cmd/fleetlake/machine", "schedules/listen", "schedules/page", "schedules/notify", "schedules/exports", "pipeline/datadir", "pipeline/derive", "pipeline/forecast", "pipeline/plan", "pipeline/report", "pipeline/wording", "extract", "extract/api", "extract/journal", "extract/simulator", "transform", "load", "load/dictionary", "load/export", "load/store", "warehouse", "warehouse/durable", "warehouse/history", "warehouse/news", "pipeline", "schedules"}, []string{"database/sql"}},

	"schedules/assistant":         {[]string{"load/dictionary", "schedules/published", "warehouse", "warehouse/worker"}, []string{"net/http", "github.com/spf13/cobra"}},
	"schedules/listen/times":      {[]string{}, []string{"net", "os"}},
	"schedules/listen/unixsocket": {[]string{}, []string{"net", "os"}},
	"schedules/network/server":    {[]string{"load", "pipeline", "pipeline/datadir", "pipeline/forecast", "pipeline/plan", "pipeline/wording", "schedules/daemon", "schedules/exports", "schedules/flight", "schedules/health", "schedules/listen", "schedules/listen/times", "schedules/listen/unixsocket", "schedules/metrics", "schedules/network", "schedules/page", "schedules/share", "warehouse", "warehouse/turns", "warehouse/worker"}, []string{"database/sql", "github.com/spf13/cobra"}},

	"cmd/fleetlake/crash":            {nil, nil},
	"warehouse/worker/workertest":    {[]string{"pipeline/pipelinetest", "warehouse/worker"}, nil},
	"pipeline/pipelinetest/planted":  {nil, []string{"net/http", "database/sql"}},
	"pipeline/pipelinetest/syscalls": {nil, []string{"net/http", "database/sql"}},
}

// withoutDuckDB are the packages that nothing links with a database, also not by way of another package.
var withoutDuckDB = []string{"extract", "extract/simulator", "transform", "pipeline/credits", "pipeline/forecast", "pipeline/plan", "pipeline/report"}

func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Deps", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	d := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for {
		var p struct {
			ImportPath string
			Imports    []string
			Deps       []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module)
		rule, ok := mayImport[name]
		if !ok {
			t.Errorf("package %s has no place in the structure: add it to the table, under the stage that owns it", name)
			continue
		}
		seen++
		isDuckDB := func(dep string) bool { return strings.Contains(dep, "duckdb") }
		if slices.Contains(withoutDuckDB, name) && slices.ContainsFunc(p.Deps, isDuckDB) {
			t.Errorf("%s links DuckDB", name)
		}
		for _, i := range p.Imports {
			if ours, ok := strings.CutPrefix(i, module); ok && !slices.Contains(rule.ours, ours) {
				t.Errorf("%s imports %s", name, ours)
			}
			for _, never := range rule.never {
				if i == never || strings.HasPrefix(i, never+"/") {
					t.Errorf("%s imports %s", name, i)
				}
			}
		}
	}
	if seen != len(mayImport) {
		t.Errorf("%d packages of %d in the table", seen, len(mayImport))
	}
}

// strangers are the packages of the network process, and of the one for assistants: whatever a stranger reaches.
var strangers = []string{"schedules/assistant", "schedules/page", "schedules/page/lists", "schedules/page/vessel", "schedules/page/shown", "schedules/flight", "schedules/share", "schedules/listen", "schedules/network", "schedules/network/server"}

// TestTheProgramIsBuiltWithoutStrangers: nothing but the file that wires it knows the network process, so that it could be
// deleted. With the build tag no_network the program has all verbs, and runs its jobs on schedule.
func TestTheProgramIsBuiltWithoutStrangers(t *testing.T) {
	out, err := exec.Command("go", "list", "-tags", "no_network", "-deps", module+"cmd/fleetlake", module+"pipeline/...", module+"schedules/daemon").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, module+"schedules/daemon") {
		t.Fatalf("the list lacks the daemon: %q", deps)
	}
	for _, name := range deps {
		if ours := strings.TrimPrefix(name, module); slices.Contains(strangers, ours) {
			t.Errorf("the program without its network process has %s", ours)
		}
	}
	if testing.Short() {
		return
	}
	if out, err := exec.Command("go", "build", "-tags", "no_network", "-o", t.TempDir(), module+"cmd/fleetlake").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
