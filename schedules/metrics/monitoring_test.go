package metrics

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.yaml.in/yaml/v4"
)

// monitoring is the folder with the alerts and the dashboard.
var monitoring = filepath.Join("..", "deploy", "monitoring")

// alerts is the part of alerts.yaml that the tests read.
type alerts struct {
	Groups []struct{ Rules []alert }
}

type alert struct {
	Alert, Expr         string
	Labels, Annotations map[string]string
}

// dashboard is the part of dashboard.json that the tests read.
type dashboard struct {
	UID        string
	Panels     []panel
	Templating struct {
		List []struct{ Name, Type, Definition string }
	}
	Annotations struct{ List []struct{ Expr string } }
}

type panel struct {
	ID         int
	Type       string
	Title      string
	Datasource struct{ Type, UID string }
	GridPos    struct{ X, Y, W, H int }
	Targets    []struct{ RefID, Expr string }
}

func readMonitoring(t *testing.T) (a alerts, d dashboard) {
	t.Helper()
	for name, read := range map[string]func([]byte) error{
		"alerts.yaml":    func(text []byte) error { return yaml.Unmarshal(text, &a) },
		"dashboard.json": func(text []byte) error { return json.Unmarshal(text, &d) },
	} {
		text, err := os.ReadFile(filepath.Join(monitoring, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := read(text); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return a, d
}

// expressions are those of the dashboard, by where they stand.
func (d dashboard) expressions() map[string]string {
	all := map[string]string{}
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			all["panel "+p.Title+" "+target.RefID] = target.Expr
		}
	}
	for i, a := range d.Annotations.List {
		all[fmt.Sprint("annotation ", i)] = a.Expr
	}
	return all
}

var description = regexp.MustCompile(`^Desc\{fqName: "(\w+)", help: .*, constLabels: \{(.*)\}, variableLabels: \{(.*)\}\}$`)

// served are the labels of each metric that /metrics can have, with those that Prometheus adds.
func served(t *testing.T) map[string][]string {
	t.Helper()
	m := newMetrics(t, t.TempDir())
	all := map[string][]string{"up": {"job", "instance"}, "ALERTS": {"alertname", "alertstate"}}
	for _, registry := range []*prometheus.Registry{m.own, m.process, m.published.own} {
		out := make(chan *prometheus.Desc, 1000)
		registry.Describe(out)
		close(out)
		for d := range out {
			part := description.FindStringSubmatch(d.String())
			if part == nil {
				t.Fatalf("a description without a name: %s", d)
			}
			labels := []string{"job", "instance"}
			for label := range strings.SplitSeq(part[2]+","+part[3], ",") {
				name, _, _ := strings.Cut(label, "=")
				labels = append(labels, name)
			}
			all[part[1]] = labels
		}
	}
	if len(all) < 50 {
		t.Fatalf("only %d metrics are described", len(all))
	}
	return all
}

var (
	quoted   = regexp.MustCompile(`"[^"]*"`)
	selector = regexp.MustCompile(`\b(fleetlake_\w+|process_\w+|go_\w+|up|ALERTS)\b(?:\{([^}]*)\})?`)
	grouping = regexp.MustCompile(`\b(?:by|on|without|ignoring) \(([^)]*)\)`)
	matched  = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)`)
)

// unknown lists the metrics and labels of an expression that are not served.
func unknown(expr string, served map[string][]string) (found []string, metrics int) {
	expr = quoted.ReplaceAllString(expr, `""`)
	any := []string{}
	for _, s := range selector.FindAllStringSubmatch(expr, -1) {
		labels, ok := served[s[1]]
		if !ok {
			found = append(found, s[1])
		}
		any = append(any, labels...)
		for _, label := range matched.FindAllStringSubmatch(s[2], -1) {
			if !slices.Contains(labels, label[1]) {
				found = append(found, s[1]+"."+label[1])
			}
		}
		metrics++
	}
	for _, g := range grouping.FindAllStringSubmatch(expr, -1) {
		for label := range strings.SplitSeq(g[1], ",") {
			if label = strings.TrimSpace(label); !slices.Contains(any, label) {
				found = append(found, label)
			}
		}
	}
	return found, metrics
}

func TestUnknownFindsWhatIsNotServed(t *testing.T) {
	have := served(t)
	for expr, want := range map[string]string{
		`sum by (job) (fleetlake_last_run_rows{table="facts"}) > up`: "",
		`fleetlake_nothing > 0`:                    "fleetlake_nothing",
		`fleetlake_last_run_rows{tabel="x"}`:       "fleetlake_last_run_rows.tabel",
		`sum by (tabel) (fleetlake_last_run_rows)`: "tabel",
	} {
		if found, _ := unknown(expr, have); strings.Join(found, " ") != want {
			t.Errorf("%s: %q, want %q", expr, found, want)
		}
	}
}

func TestAlertsAndDashboardNameWhatIsServed(t *testing.T) {
	have := served(t)
	a, d := readMonitoring(t)
	all := d.expressions()
	for _, v := range d.Templating.List {
		if v.Type == "query" {
			metric, label, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(v.Definition, "label_values("), ")"), ", ")
			all["variable "+v.Name] = metric + "{" + label + `=""}`
		}
	}
	for _, r := range a.Groups[0].Rules {
		all["alert "+r.Alert] = r.Expr
	}
	for where, expr := range all {
		if found, metrics := unknown(expr, have); len(found) > 0 || metrics == 0 {
			t.Errorf("%s: %q is not served in %s", where, found, expr)
		}
	}
}

func TestAlertsAreWhole(t *testing.T) {
	a, _ := readMonitoring(t)
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "runbook.md"))
	if err != nil {
		t.Fatal(err)
	}
	runbook := string(text)
	names := map[string]bool{}
	for _, r := range a.Groups[0].Rules {
		if names[r.Alert] || !strings.HasPrefix(r.Alert, "Fleetlake") {
			t.Errorf("alert %q: the name is taken, or not ours", r.Alert)
		}
		names[r.Alert] = true
		if s := r.Labels["severity"]; s != "critical" && s != "warning" {
			t.Errorf("alert %s: severity %q", r.Alert, s)
		}
		for _, key := range []string{"summary", "description", "action"} {
			if r.Annotations[key] == "" {
				t.Errorf("alert %s: no %s", r.Alert, key)
			}
		}
		if link := "docs/runbook.md#" + strings.ToLower(r.Alert); r.Annotations["runbook"] != link || !strings.Contains(runbook, "\n## "+r.Alert+"\n") {
			t.Errorf("alert %s: the runbook has no section, or it is not linked as %s", r.Alert, link)
		}
	}
	for _, needed := range []string{"held_back_runs", "warehouse_readable", "export_failures", "balance_credits", "last_success_age_seconds", "notifications_undelivered_total", "data_free_bytes", "data_writable", "failed_slots"} {
		if !slices.ContainsFunc(a.Groups[0].Rules, func(r alert) bool { return strings.Contains(r.Expr, "fleetlake_"+needed) }) {
			t.Errorf("no alert watches %s", needed)
		}
	}
}

func TestDashboardIsWhole(t *testing.T) {
	_, d := readMonitoring(t)
	if d.UID != "fleetlake" || len(d.Panels) < 15 {
		t.Fatalf("dashboard %q with %d panels", d.UID, len(d.Panels))
	}
	ids, cells := map[int]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		if ids[p.ID] || p.ID == 0 || p.Title == "" {
			t.Errorf("panel %d %q: its id is taken, or it has no title", p.ID, p.Title)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := cells[[2]int{x, y}]; other != "" || x > 23 {
					t.Fatalf("panel %q does not fit at %d, %d: %q", p.Title, x, y, other)
				}
				cells[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		if p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 {
			t.Errorf("panel %q: data source %q, %d questions", p.Title, p.Datasource.UID, len(p.Targets))
		}
	}
}

// TestPrometheusAcceptsAlertsAndDashboard asks promtool: the configuration and the rules load, the alerts fire
// where alerts_test.yaml says so, and the questions of the dashboard can be parsed.
func TestPrometheusAcceptsAlertsAndDashboard(t *testing.T) {
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("promtool is not here: Prometheus itself does not check the alerts and the dashboard")
	}
	_, d := readMonitoring(t)
	type rule struct {
		Record string `yaml:"record"`
		Expr   string `yaml:"expr"`
	}
	var rules []rule
	for _, expr := range d.expressions() {
		expr = strings.NewReplacer("$instance", ".*", "$job", ".*").Replace(expr)
		rules = append(rules, rule{fmt.Sprint("question:", len(rules)), expr})
	}
	text, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": rules}}})
	if err != nil {
		t.Fatal(err)
	}
	questions := filepath.Join(t.TempDir(), "questions.yaml")
	if err := os.WriteFile(questions, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", "config", "prometheus.yaml"}, {"check", "rules", questions}, {"test", "rules", "alerts_test.yaml"}} {
		cmd := exec.Command("promtool", args...)
		cmd.Dir = monitoring
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("SUCCESS")) {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}
