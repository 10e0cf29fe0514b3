package config

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// decoder reads a YAML tree by tables of keys and collects everything that is wrong with it. It works
// on nodes, because each problem is reported with its line and column, and a wrong value must not hide
// an unknown key.
type decoder struct {
	file     string
	problems []string
	asksAt   []*yaml.Node // of each question of the jobs, in their order
}

// keyTable has a function for the value of each key of a mapping.
type keyTable map[string]func(*yaml.Node)

// at is the position of a node in the form FILE:LINE:COLUMN.
func (d *decoder) at(n *yaml.Node) string {
	return fmt.Sprintf("%s:%d:%d", d.file, n.Line, n.Column)
}

// report adds a problem: what is wrong with the value of a path, and what was expected.
func (d *decoder) report(n *yaml.Node, format string, a ...any) {
	d.problems = append(d.problems, d.at(n)+": "+fmt.Sprintf(format, a...))
}

// document parses the text and returns its root, or nil if there is none.
func (d *decoder) document(text []byte) *yaml.Node {
	if len(strings.TrimSpace(string(text))) == 0 {
		return nil
	}
	var root yaml.Node
	err := yaml.Load(text, &root)
	if err == nil && len(root.Content) > 0 {
		d.refuseTags(&root)
		return root.Content[0]
	}
	if err != nil && !strings.Contains(err.Error(), "no documents in stream") { // only comments
		d.problems = append(d.problems, d.syntax(err))
	}
	return nil
}

// plainTags are the tags that YAML gives to values of itself.
var plainTags = []string{"", "!", "!!map", "!!seq", "!!str", "!!int", "!!float", "!!bool", "!!null", "!!merge", "!!timestamp"}

// refuseTags reports each value with a tag such as !secret, which some other program would act on: here it would be
// read as if it had none.
func (d *decoder) refuseTags(n *yaml.Node) {
	if !slices.Contains(plainTags, n.ShortTag()) {
		d.report(n, "tag %s, expected a value without a tag", n.ShortTag())
	}
	for _, child := range n.Content {
		d.refuseTags(child)
	}
}

// syntax rewords an error of the YAML library.
func (d *decoder) syntax(err error) string {
	if all, ok := errors.AsType[*yaml.LoadErrors](err); ok && len(all.Errors) > 0 {
		err = all.Errors[0]
	}
	at := d.file
	message := err.Error()
	if e, ok := errors.AsType[*yaml.LoadError](err); ok {
		message = strings.TrimPrefix(e.Message, "yaml: ")
		if e.Mark.Line > 0 {
			at = fmt.Sprintf("%s:%d:%d", d.file, e.Mark.Line, e.Mark.Column)
		}
	}
	return fmt.Sprintf("%s: %s, expected YAML", at, message)
}

// resolveAlias follows an alias to its anchor.
func resolveAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// isNull reports whether a key has no value, which counts as an absent key.
func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// mapping passes each value of a mapping to the function of its key. path is the mapping's name for
// users.
func (d *decoder) mapping(n *yaml.Node, path string, table keyTable) {
	known := make([]string, 0, len(table))
	for key := range table {
		known = append(known, key)
	}
	slices.Sort(known)
	d.pairs(n, path, func(key, value *yaml.Node) {
		decode, ok := table[key.Value]
		switch {
		case !ok:
			d.report(key, "%s", unknownKey(key.Value, path, known))
		case !isNull(value):
			decode(value)
		}
	})
}

// goneKeys are the keys that the version before had, and what to use instead.
var goneKeys = map[string]string{
	"jobs.NAME.jitter":       "another minute in the schedule of each machine",
	"jobs.NAME.priority":     "the schedule: of the jobs that wait, the one whose slot is older runs first",
	"jobs.NAME.max_lateness": "missed: a slot starts up to 24 hours late, and not at all with skip",
	"queries.spill":          "memory: a query may write eight times as much to disk",
	"queries.bytes":          "memory: an answer has eight times as many bytes at most; or rows",
	"queries.threads":        "concurrent: each query has one thread",
	"queries.stall":          "time: it holds for a part of the answer that the client does not take, too",
	"queries.queue":          "concurrent: eight times as many wait for their turn",
	"queries.wait":           "time: a query waits for its turn for half of it",
}

// unknownKey is the refusal of a key. It does not contain the value, which could be a secret.
func unknownKey(key, path string, known []string) string {
	section := path
	if strings.HasPrefix(path, "jobs.") && strings.Count(path, ".") == 1 {
		section = "jobs.NAME"
	}
	if use := goneKeys[section+"."+key]; use != "" {
		return fmt.Sprintf("%s.%s is gone, use %s", path, key, use)
	}
	where := ""
	if path != "" {
		where = " in " + path
	}
	if path == "api" && slices.Contains([]string{"key", "api_key", "apikey", "token"}, strings.ToLower(key)) {
		return fmt.Sprintf("unknown key %q%s, expected the key of the service in a file named by key_file or in "+
			"FLEETLAKE_API_KEY", key, where)
	}
	return fmt.Sprintf("unknown key %q%s, expected one of: %s%s", key, where, strings.Join(known, ", "), DidYouMean(key, known))
}

// pairs calls do for each key and value of a mapping, each key once.
func (d *decoder) pairs(n *yaml.Node, path string, do func(key, value *yaml.Node)) {
	n = resolveAlias(n)
	if n.Kind != yaml.MappingNode {
		d.report(n, "%s%s, expected keys with values", pathPrefix(path), nodeKind(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], resolveAlias(n.Content[i+1])
		switch {
		case key.Kind != yaml.ScalarNode:
			d.report(key, "%skey that is %s, expected a word", pathPrefix(path), nodeKind(key))
		case seen[key.Value]:
			d.report(key, "%skey %q given twice, expected it once", pathPrefix(path), key.Value)
		default:
			seen[key.Value] = true
			do(key, value)
		}
	}
}

// pathPrefix is how a problem begins.
func pathPrefix(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
}

// nodeKind names the kind of a node for people.
func nodeKind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	default:
		return strconv.Quote(n.Value)
	}
}

// text returns the value of a scalar as written, so that 007 and true keep their text.
func (d *decoder) text(n *yaml.Node, path, expected string) (string, bool) {
	n = resolveAlias(n)
	if n.Kind != yaml.ScalarNode {
		d.report(n, "%s: %s, expected %s", path, nodeKind(n), expected)
		return "", false
	}
	return n.Value, true
}

// setting reads a scalar by a function that returns what is wrong with it.
func setting[T any](d *decoder, path, expected string, parse func(string) (T, error), set func(T)) func(*yaml.Node) {
	return func(n *yaml.Node) {
		s, ok := d.text(n, path, expected)
		if !ok {
			return
		}
		v, err := parse(s)
		if err != nil {
			d.report(n, "%s: %v", path, err)
			return
		}
		set(v)
	}
}

// Number returns a parser of whole numbers between two bounds.
func Number(least, most int) func(string) (int, error) {
	expected := fmt.Sprintf("a whole number from %d to %d", least, most)
	if most == math.MaxInt {
		expected = fmt.Sprintf("a whole number of %d or more", least)
	}
	return func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < least || n > most {
			return 0, fmt.Errorf("%q, expected %s", s, expected)
		}
		return n, nil
	}
}

// Duration returns a parser of durations of at least some length; days are written as 30d.
func Duration(least time.Duration) func(string) (time.Duration, error) {
	expected := "a duration such as 90s, 20h or 30d"
	if least > 0 {
		expected += ", longer than 0"
	}
	return func(s string) (time.Duration, error) {
		total, err := ParseDuration(s)
		if err != nil || total < least {
			return 0, fmt.Errorf("%q, expected %s", s, expected)
		}
		return total, nil
	}
}

// ParseDuration reads a duration as Go writes it, after whole days if there are any: 90s, 30d or 1d12h.
// There are at most 36,500 days. Its error names the part that is no duration.
func ParseDuration(s string) (time.Duration, error) {
	count, rest, days := strings.Cut(s, "d")
	if !days {
		return time.ParseDuration(s)
	}
	n, err := strconv.ParseUint(count, 10, 16)
	if err != nil || n > 36500 {
		return 0, fmt.Errorf("days %q", count)
	}
	total := time.Duration(n) * 24 * time.Hour
	if rest == "" {
		return total, nil
	}
	more, err := time.ParseDuration(rest)
	if err != nil || more < 0 || total > math.MaxInt64-more {
		return 0, fmt.Errorf("duration %q", rest)
	}
	return total + more, nil
}
