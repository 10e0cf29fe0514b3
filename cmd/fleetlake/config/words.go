package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// allWord stands for every known value of a list.
const allWord = "all"

// words reads a list of values of a vocabulary, ignoring case, and returns the spelling of the
// vocabulary. The word all stands for every value. A value given twice would be paid for twice.
func (d *decoder) words(path string, vocabulary []string, set func([]string)) func(*yaml.Node) {
	return d.list(path, func(s string) ([]string, error) {
		if strings.EqualFold(s, allWord) {
			return vocabulary, nil
		}
		w, err := configWord(vocabulary)(strings.TrimSpace(s))
		return []string{w}, err
	}, set)
}

// list reads a list whose items each stand for one or more values.
func (d *decoder) list(path string, parse func(string) ([]string, error), set func([]string)) func(*yaml.Node) {
	return func(n *yaml.Node) {
		n = resolveAlias(n)
		if n.Kind != yaml.SequenceNode {
			d.report(n, "%s: %s, expected a list such as [] or [a, b]", path, nodeKind(n))
			return
		}
		var values []string
		seen := map[string]bool{}
		for _, item := range n.Content {
			s, ok := d.text(item, path, "a word")
			if !ok {
				continue
			}
			parsed, err := parse(s)
			if err != nil {
				d.report(item, "%s: %v", path, err)
				continue
			}
			for _, v := range parsed {
				if seen[v] {
					d.report(item, "%s: %q twice, expected it once", path, v)
					break
				}
				seen[v] = true
				values = append(values, v)
			}
		}
		set(values)
	}
}

// configWord reads one value of a vocabulary.
func configWord(vocabulary []string) func(string) (string, error) {
	return func(s string) (string, error) {
		for _, v := range vocabulary {
			if strings.EqualFold(v, s) {
				return v, nil
			}
		}
		expected := "one of: " + strings.Join(vocabulary, ", ")
		if len(vocabulary) > 50 {
			expected = fmt.Sprintf("one of %d known values", len(vocabulary))
		}
		return "", fmt.Errorf("%q, expected %s%s", s, expected, DidYouMean(s, vocabulary))
	}
}

// configVessel reads the number of a vessel to watch.
func configVessel(s string) ([]string, error) {
	digits := !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if !digits || len(s) != 7 && len(s) != 9 {
		return nil, fmt.Errorf("%q, expected an IMO number of 7 digits or an MMSI of 9", s)
	}
	return []string{s}, nil
}

// DidYouMean suggests the nearest known word, such as `; did you mean "nightly"?`; it is empty if none is
// near enough.
func DidYouMean(s string, known []string) string {
	if len(s) > 64 {
		return ""
	}
	best, least := "", max(1, len(s)/3)
	for _, k := range known {
		if d := editDistance(strings.ToLower(s), strings.ToLower(k)); d <= least && (best == "" || d < least) {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// editDistance counts the letters to change, add or drop to make one word of another.
func editDistance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range to {
			change := diagonal
			if r != s {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = slices.Min([]int{change, row[j] + 1, row[j+1] + 1})
		}
	}
	return row[len(to)]
}
