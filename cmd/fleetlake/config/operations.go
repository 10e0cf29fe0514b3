package config

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
)

// operations reads the operations of the service whose answers are kept whole. What the interface says of one is its
// default; what it does not say has none, and is asked for.
func (d *decoder) operations(n *yaml.Node, c *Config) {
	d.pairs(n, "operations", func(key, value *yaml.Node) {
		path := "operations." + key.Value
		_, own := api.OperationNamed(key.Value)
		switch {
		case own:
			d.report(key, "%s: fleetlake makes this request itself, expected another name; its limit is api.limits.%s", path, key.Value)
			return
		case !warehouse.RawNamePattern.MatchString(key.Value) || warehouse.RawView(key.Value) == "raw_answers":
			d.report(key, "%s: expected a name of lower-case letters and digits with - between them, such as port-calls", path)
			return
		}
		o := offered(key.Value)
		before := len(d.problems)
		if !isNull(value) {
			d.operation(value, path, &o)
		}
		if len(d.problems) == before {
			d.complete(key, path, o)
		}
		c.Operations = append(c.Operations, o)
	})
}

// offered returns an operation with what the interface says of it.
func offered(name string) api.RawOperation {
	offer, _ := api.OfferNamed(name)
	return api.RawOperation{Parameters: maps.Clone(offer.Parameters), Operation: api.Operation{Name: name, Raw: true,
		Method: cmp.Or(offer.Method, "GET"), Path: offer.Path, Credits: offer.Credits, Ceiling: offer.Credits == 0}}
}

func (d *decoder) operation(n *yaml.Node, path string, o *api.RawOperation) {
	d.mapping(n, path, keyTable{
		"path":       setting(d, path+".path", "a path", parseOperationPath, func(s string) { o.Path = s }),
		"method":     setting(d, path+".method", "GET or POST", configWord([]string{"GET", "POST"}), func(s string) { o.Method = s }),
		"credits":    setting(d, path+".credits", "a number", Number(0, 1_000_000), func(v int) { o.Credits = v }),
		"per_minute": setting(d, path+".per_minute", "a number", Number(1, math.MaxInt32), func(v int) { o.PerMinute = v }),
		"parameters": func(n *yaml.Node) {
			o.Parameters = map[string]string{}
			d.pairs(n, path+".parameters", func(key, value *yaml.Node) {
				if s, ok := d.text(value, path+".parameters."+key.Value, "a text"); ok {
					o.Parameters[key.Value] = s
				}
			})
		},
		"rows":    setting(d, path+".rows", "a JSON path", parseJSONPath, func(s string) { o.Rows = s }),
		"columns": func(n *yaml.Node) { d.columns(n, path+".columns", o) },
	})
}

// complete reports what an operation lacks that the interface does not say.
func (d *decoder) complete(n *yaml.Node, path string, o api.RawOperation) {
	var lacking []string
	if o.Path == "" {
		lacking = append(lacking, "path")
	}
	if o.Credits == 0 && o.Ceiling {
		lacking = append(lacking, "credits (the most that one request may cost)")
	}
	if o.PerMinute == 0 {
		lacking = append(lacking, "per_minute")
	}
	if len(lacking) > 0 {
		d.report(n, "%s: the interface does not say %s, expected it here", path, strings.Join(lacking, ", "))
	}
	if o.Asks(api.AVessel) && o.Asks(api.Vessels) {
		d.report(n, "%s.parameters: %s and %s, expected one of them", path, api.AVessel, api.Vessels)
	}
}

// columns reads the columns of an operation's view: a JSON path, or a path and a type as {path: $.ata, type: TIMESTAMPTZ}.
func (d *decoder) columns(n *yaml.Node, path string, o *api.RawOperation) {
	o.Columns = nil
	d.pairs(n, path, func(key, value *yaml.Node) {
		at := path + "." + key.Value
		if !warehouse.RawColumnPattern.MatchString(key.Value) || slices.Contains(warehouse.RawViewColumns, key.Value) {
			d.report(key, "%s: expected a name of lower-case letters, digits and _ that is none of: %s", at, strings.Join(warehouse.RawViewColumns, ", "))
			return
		}
		c := api.RawColumn{Name: key.Value, Type: "VARCHAR"}
		if value.Kind == yaml.ScalarNode {
			setting(d, at, "a JSON path", parseJSONPath, func(s string) { c.Path = s })(value)
		} else {
			d.mapping(value, at, keyTable{
				"path": setting(d, at+".path", "a JSON path", parseJSONPath, func(s string) { c.Path = s }),
				"type": setting(d, at+".type", "a type", configWord(warehouse.RawTypes), func(s string) { c.Type = s }),
			})
			if c.Path == "" {
				d.report(value, "%s: no path, expected one such as $.portName", at)
			}
		}
		o.Columns = append(o.Columns, c)
	})
}

// parseOperationPath checks the path of an operation, relative to the base URL.
func parseOperationPath(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || !strings.HasPrefix(s, "/") || u.Host != "" || u.RawQuery != "" || u.Fragment != "" || strings.Contains(s, "..") {
		return "", fmt.Errorf("%q, expected a path below api.base_url such as /port-calls-by-vessel, with its values under parameters", s)
	}
	return s, nil
}

// parseJSONPath checks a JSON path as DuckDB reads it.
func parseJSONPath(s string) (string, error) {
	if !strings.HasPrefix(s, "$") || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' }) {
		return "", fmt.Errorf("%q, expected a JSON path such as $.portName or $.detail.ports", s)
	}
	return s, nil
}

// asks reads what a job asks by the operations whose answers are kept whole.
func (d *decoder) asks(n *yaml.Node, path string, j *plan.Job) {
	n = resolveAlias(n)
	items := n.Content
	if n.Kind == yaml.MappingNode {
		items = []*yaml.Node{n} // one question
	} else if n.Kind != yaml.SequenceNode {
		d.report(n, "%s: %s, expected a list of questions such as [{operation: port-calls, of: watch}]", path, nodeKind(n))
		return
	}
	for i, item := range items {
		j.Asks = append(j.Asks, d.ask(item, fmt.Sprintf("%s[%d]", path, i)))
	}
}

func (d *decoder) ask(n *yaml.Node, path string) (a plan.Ask) {
	date := func(to *string) func(string) { return func(s string) { *to = s } }
	d.mapping(n, path, keyTable{
		"operation":    setting(d, path+".operation", "an operation", text, func(s string) { a.Operation.Name = s }),
		"of":           setting(d, path+".of", "watch", configWord([]string{"watch"}), func(string) { a.Watch = true }),
		"query":        setting(d, path+".query", "SQL, or the name of a worked query", parseAskQuery, func(s string) { a.Query = s }),
		"from":         setting(d, path+".from", "a date", parseDate, date(&a.From)),
		"to":           setting(d, path+".to", "a date", parseDate, date(&a.To)),
		"values":       func(n *yaml.Node) { a.Values = d.values(n, path+".values") },
		"max_age":      setting(d, path+".max_age", "a duration", Duration(0), func(v time.Duration) { a.MaxAge = v }),
		"max_requests": setting(d, path+".max_requests", "a number", Number(0, math.MaxInt32), func(v int) { a.MaxRequests = v }),
	})
	if a.Operation.Name == "" {
		d.report(resolveAlias(n), "%s.operation: none, expected one of those under operations", path)
	}
	d.asksAt = append(d.asksAt, resolveAlias(n))
	return a
}

func text(s string) (string, error) { return s, nil }

// parseAskQuery returns a statement, or that of a worked query.
func parseAskQuery(s string) (string, error) {
	for _, q := range warehouse.Queries() {
		if q.Name == s {
			return q.Text, nil
		}
	}
	if !strings.ContainsAny(strings.TrimSpace(s), " \t\n") {
		return "", fmt.Errorf("%q, expected SQL, or the name of a worked query (fleetlake query --list)", s)
	}
	return s, nil
}

// values reads the sets of values of a question: a list of mappings, or a mapping of names to mappings.
func (d *decoder) values(n *yaml.Node, path string) (all []map[string]string) {
	n = resolveAlias(n)
	one := func(n *yaml.Node, path string) {
		set := map[string]string{}
		d.pairs(n, path, func(key, value *yaml.Node) {
			if s, ok := d.text(value, path+"."+key.Value, "a text"); ok {
				set[key.Value] = s
			}
		})
		all = append(all, set)
	}
	switch n.Kind {
	case yaml.SequenceNode:
		for i, item := range n.Content {
			one(item, fmt.Sprintf("%s[%d]", path, i))
		}
	case yaml.MappingNode:
		d.pairs(n, path, func(key, value *yaml.Node) { one(value, path+"."+key.Value) })
	default:
		d.report(n, "%s: %s, expected sets of values such as {fujairah: {lat: 25.2, lon: 56.4}}", path, nodeKind(n))
	}
	return all
}

// named returns the index of an operation; -1 if there is none of that name.
func named(all []api.RawOperation, name string) int {
	return slices.IndexFunc(all, func(o api.RawOperation) bool { return o.Name == name })
}

// resolveAsks gives each question of a job its operation, and refuses one that could not be asked. The lookups of a job
// get the bulk location search, if it is configured and they want positions.
func (d *decoder) resolveAsks(c *Config) {
	at := 0
	for j := range c.Jobs {
		job := &c.Jobs[j].Job
		if bulk := named(c.Operations, api.BulkLocation); bulk >= 0 && c.Operations[bulk].Asks(api.Vessels) && slices.Contains(job.Lookup.Want, "position") {
			job.Lookup.Bulk = &c.Operations[bulk]
		}
		for i := range job.Asks {
			a, path := &job.Asks[i], fmt.Sprintf("jobs.%s.ask[%d]", job.Name, i)
			n := d.asksAt[at]
			at++
			k := named(c.Operations, a.Operation.Name)
			if k < 0 {
				known := make([]string, len(c.Operations))
				for i, o := range c.Operations {
					known[i] = o.Name
				}
				d.report(n, "%s.operation: %q is not under operations, expected one of: %s", path, a.Operation.Name, cmp.Or(strings.Join(known, ", "), "none is there"))
				continue
			}
			a.Operation = c.Operations[k]
			d.checkAsk(n, path, *a, job.Lookup, c.Budget)
		}
	}
}

// checkAsk refuses a question without values for the placeholders of its operation, and a history without a bound.
func (d *decoder) checkAsk(n *yaml.Node, path string, a plan.Ask, l plan.Lookup, b Budget) {
	vessels := a.Operation.Asks(api.AVessel) || a.Operation.Asks(api.Vessels)
	switch {
	case vessels && !a.Watch && a.Query == "":
		d.report(n, "%s: %s asks about vessels, expected of: watch, or a query that names them", path, a.Operation.Name)
	case !vessels && (a.Watch || a.Query != ""):
		d.report(n, "%s: no parameter of %s has %s or %s, expected neither of nor query", path, a.Operation.Name, api.AVessel, api.Vessels)
	case a.Watch && len(l.Watch) == 0:
		d.report(n, "%s.of: watch, expected vessels in lookup.watch of the job", path)
	}
	if history := a.Operation.Asks(api.ADay); history != (a.From != "") {
		d.report(n, "%s.from: expected the first day exactly if a parameter of %s has %s", path, a.Operation.Name, api.ADay)
	} else if history && a.MaxRequests == 0 && b.PerRun == 0 && b.PerDay == 0 && b.PerMonth == 0 {
		d.report(n, "%s.from: a range of days without a bound of what it costs, expected max_requests beside it, or a cap under budget", path)
	}
	for _, name := range a.Operation.Placeholders() {
		if name == "vessel" || name == "vessels" || name == "day" {
			continue
		}
		if len(a.Values) == 0 || slices.ContainsFunc(a.Values, func(v map[string]string) bool { return v[name] == "" }) {
			d.report(n, "%s.values: no value for {%s} of %s, expected one in each set", path, name, a.Operation.Name)
		}
	}
}
