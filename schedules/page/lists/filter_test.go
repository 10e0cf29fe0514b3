package lists

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// literal is all that the conditions of a list consist of: a value is a parameter.
var literal = regexp.MustCompile(`^[a-z0-9_ "$().,*<>=A-Z]*$`)

// FuzzAsked checks that an address is refused, or asks for columns of the list alone, makes conditions
// without its texts, and is the same when a link of the page repeats it.
func FuzzAsked(f *testing.F) {
	for _, seed := range []string{"flag=PA&sort=name&down=1&page=2", "valid_from.from=2026-11-20&flag=", "flag=%27%20OR%201=1--", "page=1e9", "flag.like=x", "format=csv", "flag=%00"} {
		f.Add(seed)
	}
	columns := []Column{{"flag", "VARCHAR"}, {"name", "VARCHAR"}, {"valid_from", "DATE"}}
	l := List{Name: "changes", Order: "name"}
	f.Fuzz(func(t *testing.T, address string) {
		q, err := url.ParseQuery(address)
		if err != nil {
			return
		}
		a, err := asked(q, columns)
		if err != nil {
			return
		}
		condition, values := where(a.Filters, columns, "p")
		text := condition + " ORDER BY " + l.order(a)
		if !literal.MatchString(text) || strings.Count(text, `"`)%2 != 0 {
			t.Errorf("%q makes %s", address, text)
		}
		for i, v := range values {
			if v == "" || !slices.ContainsFunc(a.Filters, func(f Filter) bool { return f.Value == v }) {
				t.Errorf("%q: parameter %d is %q", address, i+1, v)
			}
		}
		again, err := url.ParseQuery(a.query()[1:])
		if err != nil {
			t.Fatalf("%q becomes %s: %v", address, a.query(), err)
		}
		b, err := asked(again, columns)
		if diff := cmp.Diff(a, b); err != nil || diff != "" {
			t.Errorf("%q becomes %s: %v %s", address, a.query(), err, diff)
		}
	})
}
