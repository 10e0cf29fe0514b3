package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinksOfTheDocuments follows each link from a document to a file of this repository, and to a heading of it.
func TestLinksOfTheDocuments(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	var documents []string
	for _, pattern := range []string{"*.md", "docs/*.md", "schedules/deploy/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, found...)
	}
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	followed := 0
	for _, document := range documents {
		for _, found := range link.FindAllStringSubmatch(read(t, document), -1) {
			path, heading, _ := strings.Cut(found[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			target := filepath.Join(filepath.Dir(document), path)
			if path == "" {
				target = document
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", document, found[1], err)
			} else if heading != "" && !strings.Contains(headings(read(t, target)), "#"+heading+"\n") {
				t.Errorf("%s links to %s, which has no such heading", document, found[1])
			}
			followed++
		}
	}
	if followed < 20 {
		t.Errorf("%d links in %d documents", followed, len(documents))
	}
}

// headings lists the headings of a document as links name them, one to a line.
func headings(text string) string {
	var all strings.Builder
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
			all.WriteString("#" + strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), " ", "-") + "\n")
		}
	}
	return all.String()
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
