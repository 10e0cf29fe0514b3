package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestEveryDependencyHasAReason checks that each module that the program or its tests import has a line in
// the table of CONTRIBUTING.md that says what it is for, and that no line is left of one that is gone.
func TestEveryDependencyHasAReason(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "mod", "edit", "-json", "../../go.mod").Output()
	if err != nil {
		t.Fatalf("go mod edit: %v", err)
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	reasons := map[string]bool{}
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Dependencies\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) == 5 && strings.TrimSpace(cells[3]) != "" {
			for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[2], -1) {
				reasons[name[1]] = false
			}
		}
	}
	for _, required := range mod.Require {
		path, found := strings.TrimPrefix(required.Path, "github.com/"), false
		for name := range reasons {
			if path == name || strings.HasPrefix(path, name+"/") {
				reasons[name], found = true, true
			}
		}
		if !found && !required.Indirect {
			t.Errorf("%s has no line that says what it is for", required.Path)
		}
	}
	for name, required := range reasons {
		if !required {
			t.Errorf("%s has a line, and is not required", name)
		}
	}
}
