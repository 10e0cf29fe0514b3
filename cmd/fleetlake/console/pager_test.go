package console

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPagerIsForTerminals(t *testing.T) {
	if p := NewPager(&strings.Builder{}, func(string) string { return "less" }); p != (Pager{}) {
		t.Errorf("a pager for what is no terminal: %+v", p)
	}
}

func TestPagerWidth(t *testing.T) {
	for name, c := range map[string]struct {
		command string
		rows    int64
		want    int
	}{
		"the table fits the screen":      {"less -S", 4, 80},
		"less scrolls a longer one":      {"/usr/bin/less -S", 5, 0},
		"another pager may wrap lines":   {"more", 1000, 80},
		"a long one without a pager":     {"", 1000, 80},
		"an expression whose word is no": {"  ", 1000, 80},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (Pager{Command: c.command, Width: 80, Height: 10}).WidthOf(c.rows); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

// TestPagerDisplays: the pager writes a file of its own here, so that it is seen whether it ran.
func TestPagerDisplays(t *testing.T) {
	for name, c := range map[string]struct {
		command     string
		lines       int
		paged, text bool
	}{
		"fewer lines than the screen":     {"cat >paged", 9, false, true},
		"as many lines as the screen":     {"cat >paged", 10, true, false},
		"a pager that is left early":      {"head -n 1 >paged", 10_000, true, false},
		"a pager that ends with an error": {"cat >paged; exit 3", 10, true, false},
		"a pager that is not there":       {"no-such-pager", 10, false, true},
		"no pager":                        {"", 10, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			text := strings.Repeat("a line\n", c.lines)
			f, err := os.Create("answer")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteString(text); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr strings.Builder
			if err := (Pager{Command: c.command, Width: 80, Height: 10}).Display(f, &stdout, &stderr); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Join(".", "paged")); (err == nil) != c.paged {
				t.Errorf("paged: %v, want %v", err == nil, c.paged)
			}
			if (stdout.String() == text) != c.text || !c.text && stdout.Len() > 0 {
				t.Errorf("%d bytes were written, want all: %v", stdout.Len(), c.text)
			}
		})
	}
}
