package dictionary

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
)

//go:embed templates
var templateFiles embed.FS

var style = mustRead("templates/style.css")

func mustRead(name string) string {
	b, err := templateFiles.ReadFile(name)
	if err != nil {
		panic(err) // a bug, not an error
	}
	return string(b)
}

// Policy is the Content-Security-Policy of a page: nothing but its own style, which the page has in itself.
var Policy = "default-src 'none'; style-src 'sha256-" + sumOf(style) + "'; base-uri 'none'; form-action 'none'"

func sumOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Page is a dictionary for a browser: one file that needs no other.
type Page struct {
	Title, Lead string
	Back        string // the address of the page that links here; empty is none
	Groups      []Group
}

// WriteHTML writes the page of a dictionary.
func (d Dictionary) WriteHTML(w io.Writer, back string) error {
	lead := "Nothing is published yet."
	if d.Run != "" {
		lead = "What the published warehouse has after the night of " + d.SnapshotDate + " (run " + d.Run + "), and the lake beside it. Instants are in UTC. Shares are of all rows, those with null included."
	}
	return Page{Title: "Data dictionary", Lead: lead, Back: back, Groups: d.Groups}.Write(w)
}

// Write writes the page.
func (p Page) Write(w io.Writer) error {
	names := map[string]bool{}
	for _, g := range p.Groups {
		for _, e := range g.Entries {
			names[e.Name] = true
		}
	}
	t := template.Must(template.New("page.html").Funcs(template.FuncMap{
		"n": grouped, "percent": percent, "width": func(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) },
		"printable": printable, "unit": Unit, "always": Always,
		"table": func(reference string) string { return reference[:max(0, strings.LastIndexByte(reference, '.'))] },
		"link": func(name string) string {
			if !names[name] {
				return ""
			}
			return name
		},
		"counts": func(e Entry, column string) *ColumnCounts {
			if c, ok := e.Counts.Of(column); ok {
				return &c
			}
			return nil
		},
	}).ParseFS(templateFiles, "templates/page.html"))
	err := t.Execute(w, struct {
		Page
		Policy string
		Style  template.CSS
	}{p, Policy, template.CSS(style)})
	if err != nil {
		return fmt.Errorf("write the dictionary: %w", err)
	}
	return nil
}

// percent is a share as a percentage. One that is not 0 or 1 is not written as if it were.
func percent(share float64) string {
	switch p := 100 * share; {
	case p > 0 && p < 1:
		return "under 1 %"
	case p < 100 && p > 99:
		return "over 99 %"
	default:
		return strconv.Itoa(int(math.Round(p))) + " %"
	}
}

// grouped is a number with a space between its thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u00a0" + s[i:]
	}
	return s
}

// printable replaces control and formatting characters: names come from radio.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return '\uFFFD'
		}
		return r
	}, s)
}
