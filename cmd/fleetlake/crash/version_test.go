package crash

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestABuildOfACheckoutNamesItsCommit asks the program for its version, which Go takes from the checkout that it
// was built in. TestVersionOf of cmd/fleetlake has the words for all kinds of builds.
func TestABuildOfACheckoutNamesItsCommit(t *testing.T) {
	t.Parallel()
	if os.Getenv(programPath) != "" {
		t.Skip("the program is one that was built elsewhere")
	}
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = module, append(os.Environ(), "TZ=UTC")
		out, err := cmd.Output()
		if err != nil {
			t.Skip("the sources are no checkout of git: ", err)
		}
		return strings.TrimSpace(string(out))
	}
	if entry, err := os.Stat(filepath.Join(git("rev-parse", "--show-toplevel"), ".git")); err != nil || !entry.IsDir() {
		t.Skip("go build finds no commit in a linked worktree")
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	want := " (commit " + git("log", "-1", "--format=%h of %cd", "--abbrev=12", "--date=format-local:%Y-%m-%dT%H:%M:%SZ")
	got := strings.TrimSpace(string(out))
	version, found := strings.CutSuffix(got, want+")")
	if !found && git("status", "--porcelain") != "" {
		version, found = strings.CutSuffix(got, want+", modified)")
	}
	if !found || version != "fleetlake version untagged" && !strings.HasPrefix(version, "fleetlake version v") {
		t.Errorf("%q, want a version and %q", got, want+")")
	}
}
