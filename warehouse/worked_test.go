package warehouse

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWorkedQueryComment(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want WorkedQuery
	}{
		"a title and more": {
			"-- Gone dark: still listed, and in no\n-- search since. A night proves nothing.\nSELECT 1;\n",
			WorkedQuery{Title: "Gone dark: still listed, and in no search since", Params: []Parameter{}},
		},
		"a title of one sentence at the end": {
			"-- What 2.5 nights cost.\nSELECT 1 -- param no: not in the comment\n-- param neither: this\n",
			WorkedQuery{Title: "What 2.5 nights cost", Params: []Parameter{}},
		},
		"parameters, between other lines": {
			"-- The fleet of a night.\n-- param night (night): a night, such as 2026-11-20; the last one if not given\n-- More of it.\n--   param  top_n :how many\nSELECT 1",
			WorkedQuery{Title: "The fleet of a night", Params: []Parameter{{Name: "night", Meaning: "a night, such as 2026-11-20; the last one if not given", Kind: "night"}, {Name: "top_n", Meaning: "how many"}}},
		},
		"no comment":                  {"SELECT 1 -- . no\n", WorkedQuery{Params: []Parameter{}}},
		"a title without a full stop": {"-- A title\nSELECT 1", WorkedQuery{Title: "A title", Params: []Parameter{}}},
		"lines that end in CR LF":     {"-- A title. More\r\n-- param a: b\r\nSELECT 1", WorkedQuery{Title: "A title", Params: []Parameter{{Name: "a", Meaning: "b"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			c.want.Name, c.want.Text = "name", c.text
			if diff := cmp.Diff(c.want, workedQuery("name", c.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestQueriesDescribeThemselves: `query --list` has nothing to print but what the files say, and a
// parameter that the SQL does not read would be accepted without an effect.
func TestQueriesDescribeThemselves(t *testing.T) {
	queries := Queries()
	if len(queries) < 15 {
		t.Fatalf("%d worked queries", len(queries))
	}
	for i, q := range queries {
		if i > 0 && q.Name <= queries[i-1].Name {
			t.Errorf("%s is not in order", q.Name)
		}
		if q.Title == "" || len(q.Title) > 240 || strings.ContainsAny(q.Name, " .") {
			t.Errorf("%s: title %q", q.Name, q.Title)
		}
		read := variables(q.Text)
		for _, p := range q.Params {
			if p.Kind != ParamNight && p.Kind != ParamMoment && !slices.Contains(listedParams, p.Kind) {
				t.Errorf("%s: the parameter %q has the kind %q, which nothing checks", q.Name, p.Name, p.Kind)
			}
			if !read[strings.ToLower(p.Name)] || p.Meaning == "" {
				t.Errorf("%s: its parameter %q is not read by getvariable, or has no meaning", q.Name, p.Name)
			}
			delete(read, strings.ToLower(p.Name))
		}
		for name := range read {
			t.Errorf("%s: no line of its comment says what %q is", q.Name, name)
		}
	}
}
