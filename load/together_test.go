package load

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A publish takes far longer than the few rows of a rule. So rules are published together, each with vessels
// of its own, if their nights prove the same coverage and if what they ask is of single vessels. A vessel differs
// from those of other rules by its numbers, its name and its call sign. A rule reads tables that have its own vessels
// alone. Of the others only those with the same nights share a publish.

// company is the rules that are published together.
type company struct {
	rules  map[string]rule
	names  []string // of its rules
	shared bool     // each rule has vessels of its own
}

// check publishes the nights of rules, and compares what the tables say of them.
func check(t *testing.T, rules map[string]rule) {
	t.Helper()
	t.Parallel()
	groups := map[string]*company{}
	for name, r := range rules {
		key := fmt.Sprint(r.nights)
		if r.ofVessels() {
			key = "coverage " + r.proves()
		}
		if groups[key] == nil {
			groups[key] = &company{rules: rules, shared: r.ofVessels()}
		}
		groups[key].names = append(groups[key].names, name)
	}
	for _, g := range groups {
		slices.Sort(g.names)
		g.checkNumbers(t)
		dir := t.TempDir()
		publishAtOnce(t, dir, g.nights()...)
		db := session(t, dir, "UTC")
		for n, name := range g.names {
			t.Run(name, func(t *testing.T) { g.check(t, db, n) })
		}
	}
}

// checkNumbers checks that no vessel is of two rules.
func (c *company) checkNumbers(t *testing.T) {
	t.Helper()
	of := map[string]string{}
	for n, name := range c.names {
		for _, id := range c.rules[name].vessels(n) {
			if c.shared && of[id] != "" {
				t.Fatalf("%s is a vessel of %q, and of %q", id, of[id], name)
			}
			of[id] = name
		}
	}
}

// nights are the nights of all rules. The first rule has their coverage.
func (c *company) nights() (all []run) {
	if !c.shared {
		return c.rules[c.names[0]].nights
	}
	at := map[string]int{}
	for n, name := range c.names {
		for _, r := range c.rules[name].nights {
			own := c.rules[name].own(n).run(r)
			if n > 0 {
				delete(own.rows, "coverage")
			}
			i, there := at[own.runID()]
			if !there {
				at[own.runID()] = len(all)
				all = append(all, own)
				continue
			}
			for table, rows := range own.rows {
				all[i].rows[table] = append(all[i].rows[table], rows...)
			}
		}
	}
	return all
}

// check asks what a rule asks, of its own vessels if it has some.
func (c *company) check(t *testing.T, db *sql.DB, n int) {
	t.Helper()
	r := c.rules[c.names[n]]
	if !c.shared {
		r.compare(t, db, 0)
		return
	}
	for _, table := range r.tables() {
		view := fmt.Sprintf("CREATE OR REPLACE TEMP VIEW %s AS FROM fleet.main.%[1]s WHERE split_part(vessel_id, '.', 1) IN ('%s')", table, strings.Join(r.vessels(n), "', '"))
		if _, err := db.ExecContext(t.Context(), view); err != nil {
			t.Fatalf("%s: %v", view, err)
		}
		defer db.Exec("DROP VIEW temp." + table) // views of the file would read it, too
	}
	if r.compare(t, db, n); t.Failed() && len(c.names) > 1 {
		t.Logf("and without the vessels of %d other rules:", len(c.names)-1)
		dir := t.TempDir()
		publishAtOnce(t, dir, r.nights...)
		r.compare(t, session(t, dir, "UTC"), 0)
	}
}

// compare asks what the nth rule asks.
func (r rule) compare(t *testing.T, db *sql.DB, n int) {
	t.Helper()
	own := r.own(n)
	if got, want := answer(t.Context(), t, db, own.in(r.sql)), own.in(r.want); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// answer is that of a query as lines, as ask has them.
func answer(ctx context.Context, t *testing.T, db *sql.DB, text string) string {
	t.Helper()
	rows, err := db.QueryContext(ctx, text)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		cells := make([]string, len(values))
		for i, v := range values {
			cells[i] = cell(v)
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// proves is the coverage of a rule's nights: rules of which it is equal can be published together.
func (r rule) proves() string {
	proof := map[string][]row{}
	for _, n := range r.nights {
		if rows := n.rows["coverage"]; len(rows) > 0 {
			proof[n.runID()] = rows
		}
	}
	return fmt.Sprint(proof)
}

var (
	// perVessel are the tables whose rows are of one vessel each.
	perVessel = strings.Fields("registration particulars engine management positions listed episodes vessels changes reflaggings renamings vessel_aliases identity_review identity_conflicts mmsi_claims second_mmsi_claims")

	tableNames = regexp.MustCompile(`(?:FROM|JOIN) (\w+\(?)`)
)

// tables are the tables that a rule asks, in order.
func (r rule) tables() (names []string) {
	for _, m := range tableNames.FindAllStringSubmatch(r.sql, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ofVessels reports whether a rule asks for single vessels alone, and has rows of single vessels alone.
func (r rule) ofVessels() bool {
	for _, n := range r.nights {
		if len(n.rows["requests"])+len(n.rows["issues"]) > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(r.tables(), func(name string) bool { return !slices.Contains(perVessel, name) })
}

// vessels lists the ids that the vessels of the nth rule may have.
func (r rule) vessels(n int) (ids []string) {
	own := r.own(n)
	for _, night := range r.nights {
		for _, rows := range own.run(night).rows {
			for _, row := range rows {
				for prefix, number := range map[string]any{"IMO": row["imo"], "MMSI": row["mmsi"]} {
					if number != nil {
						ids = append(ids, prefix+fmt.Sprint(number))
					}
				}
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// own gives the vessels of the nth rule IMO numbers and MMSIs of its own, in the order of those that the rule has,
// and names and call signs of its own. The country of an MMSI, its first three digits, is as it was.
type own struct {
	n     int
	names *regexp.Regexp // of the rule; nil for none
}

var vesselNumber = regexp.MustCompile(`(IMO|MMSI|\b)(\d{9}|\d{7})\b`)

func (r rule) own(n int) own {
	var names []string
	for _, night := range r.nights {
		for _, rows := range night.rows {
			for _, row := range rows {
				for _, column := range []string{"name", "callsign"} {
					if v, ok := row[column].(string); ok && v != "" {
						names = append(names, regexp.QuoteMeta(v))
					}
				}
			}
		}
	}
	if len(names) == 0 {
		return own{n: n}
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) }) // the longer one is meant
	return own{n, regexp.MustCompile(`\b(` + strings.Join(slices.Compact(names), "|") + `)\b`)}
}

// run is a run with the vessels of the rule.
func (o own) run(r run) run {
	renamed := run{id: r.id, date: r.date, rows: map[string][]row{}}
	for table, rows := range r.rows {
		for _, from := range rows {
			to := row{}
			for column, v := range from {
				switch v := v.(type) {
				case string:
					to[column] = o.in(v)
				default:
					if to[column] = v; column == "imo" && v != nil {
						to[column], _ = strconv.Atoi(o.in(fmt.Sprint(v)))
					}
				}
			}
			renamed.rows[table] = append(renamed.rows[table], to)
		}
	}
	return renamed
}

// in replaces all numbers and names in a text.
func (o own) in(text string) string {
	if o.n == 0 {
		return text
	}
	text = vesselNumber.ReplaceAllStringFunc(text, func(s string) string {
		digits := strings.TrimLeft(s, "IMOS")
		by := 1000 * o.n // of both: 9811000 and 353136000 differ from others in their last digits
		v, _ := strconv.Atoi(digits)
		return strings.TrimSuffix(s, digits) + fmt.Sprintf("%0*d", len(digits), v+by)
	})
	if o.names == nil {
		return text
	}
	return o.names.ReplaceAllString(text, fmt.Sprintf("${1}Q%d", o.n))
}
