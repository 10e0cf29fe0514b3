package console

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/fleetlake/fleetlake/load/dictionary"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Dictionaries are the printers of a data dictionary by format. Their errors are those of writing.
var Dictionaries = map[string]func(io.Writer, dictionary.Dictionary) error{
	"text": dictionaryIndex, "markdown": markdownDictionary, "json": jsonDictionary,
}

// dictionaryIndex prints a line for each entry.
func dictionaryIndex(w io.Writer, d dictionary.Dictionary) error {
	for i, g := range d.Groups {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, g.Title)
		lines := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, e := range g.Entries {
			fmt.Fprintf(lines, "  %s\t%s\n", e.Title(), firstSentence(e.Comment))
		}
		if err := lines.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, "\nColumns, units, keys and an example of one of them:  fleetlake schema NAME")
	return err
}

// firstSentence is what a line says of an entry. A macro's comment begins with its signature.
func firstSentence(comment string) string {
	first, _, more := strings.Cut(comment, ". ")
	if more {
		return first + "."
	}
	return first
}

// DictionaryEntries prints each entry with its columns. Its errors are those of writing.
func DictionaryEntries(w io.Writer, d dictionary.Dictionary) error {
	for _, g := range d.Groups {
		for _, e := range g.Entries {
			if err := dictionaryEntry(w, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func dictionaryEntry(w io.Writer, e dictionary.Entry) error {
	fmt.Fprintf(w, "%s, a %s\n%s\n", e.Title(), e.Kind, e.Comment)
	for _, p := range e.Parameters {
		fmt.Fprintf(w, "\n  %s: %s", p.Name, p.Meaning)
	}
	if len(e.Parameters) > 0 {
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	lines := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range e.VisibleColumns() {
		fmt.Fprintf(lines, "  %s\t%s\t%s\n", c.Name, c.Type, meaning(c))
	}
	if err := lines.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, f := range facts(e) {
		fmt.Fprintf(w, "%s: %s\n", f.name, f.words)
	}
	_, err := fmt.Fprintf(w, "\nExample\n  %s\n", strings.ReplaceAll(e.Example, "\n", "\n  "))
	return err
}

// fact is something about an entry besides its columns.
type fact struct{ name, words string }

// facts are what is known of an entry besides its columns.
func facts(e dictionary.Entry) (all []fact) {
	for _, f := range []struct {
		name  string
		words []string
	}{
		{"One row for each", e.Keys}, {"Reads", e.Lineage.From}, {"Lake tables", e.Lineage.Lake}, {"Operations of the service", e.Operations},
		{"Each file is sorted by", e.Sort}, {"Only the program uses", e.InternalColumns()},
	} {
		if len(f.words) > 0 {
			all = append(all, fact{f.name, strings.Join(f.words, ", ")})
		}
	}
	if e.Lineage.Origin != "" {
		all = append(all, fact{"From", e.Lineage.Origin})
	}
	if e.Files != "" {
		all = append(all, fact{"Files", e.Files + " in the data directory"})
	}
	return all
}

// meaning is what a column means, with its unit, and whether it is always known, and to what it refers.
func meaning(c warehouse.Definition) string {
	var b strings.Builder
	b.WriteString(c.Comment)
	if unit := dictionary.Unit(c); unit != "" {
		fmt.Fprintf(&b, " Unit: %s.", unit)
	}
	if dictionary.Always(c) {
		b.WriteString(" Never null.")
	}
	if len(c.References) > 0 {
		fmt.Fprintf(&b, " Refers to %s.", strings.Join(c.References, " or "))
	}
	return b.String()
}

func markdownDictionary(w io.Writer, d dictionary.Dictionary) error {
	cell := strings.NewReplacer("|", `\|`, "\n", " ")
	for _, g := range d.Groups {
		fmt.Fprintf(w, "# %s\n\n", g.Title)
		for _, e := range g.Entries {
			fmt.Fprintf(w, "## %s\n\n%s\n\n", e.Title(), e.Comment)
			for _, p := range e.Parameters {
				fmt.Fprintf(w, "- `%s`: %s\n", p.Name, p.Meaning)
			}
			for _, f := range facts(e) {
				fmt.Fprintf(w, "- %s: %s\n", f.name, f.words)
			}
			fmt.Fprintf(w, "\n```sql\n%s\n```\n\n| column | type | meaning |\n|---|---|---|\n", e.Example)
			for _, c := range e.VisibleColumns() {
				fmt.Fprintf(w, "| `%s` | %s | %s |\n", c.Name, c.Type, cell.Replace(meaning(c)))
			}
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
	}
	return nil
}

func jsonDictionary(w io.Writer, d dictionary.Dictionary) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(d)
}
