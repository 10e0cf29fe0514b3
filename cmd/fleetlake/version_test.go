package main

import (
	"runtime/debug"
	"testing"
)

func TestVersionOf(t *testing.T) {
	vcs := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}, {Key: "vcs.time", Value: "2026-11-21T22:11:18Z"}, {Key: "vcs.modified", Value: "false"}}
	changed := append(vcs[:2:2], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	for build, c := range map[string]struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		"go build of a tag":                          {"v1.2.3", vcs, "v1.2.3 (commit 0123456789ab of 2026-11-21T22:11:18Z)"},
		"go build of a tag and changes":              {"v1.2.3+dirty", changed, "v1.2.3 (commit 0123456789ab of 2026-11-21T22:11:18Z, modified)"},
		"go build of a commit without a tag":         {"v0.0.0-20261121221118-0123456789ab", vcs, "untagged (commit 0123456789ab of 2026-11-21T22:11:18Z)"},
		"go build of a commit after a tag":           {"v1.2.4-0.20261121221118-0123456789ab+dirty", changed, "untagged (commit 0123456789ab of 2026-11-21T22:11:18Z, modified)"},
		"go build before Go gave commits a version":  {"(devel)", vcs, "untagged (commit 0123456789ab of 2026-11-21T22:11:18Z)"},
		"go install of a tag":                        {"v1.2.3", nil, "v1.2.3"},
		"go install of a release candidate":          {"v1.2.3-rc.1", nil, "v1.2.3-rc.1"},
		"go install of a commit without a tag":       {"v0.0.0-20261121221118-0123456789ab", nil, "untagged (commit 0123456789ab of 2026-11-21T22:11:18Z)"},
		"go build without version control":           {"(devel)", nil, "unknown"},
		"a test, which has no version of its module": {"", nil, "unknown"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings}
		if got := versionOf(info); got != c.want {
			t.Errorf("%s: %q, want %q", build, got, c.want)
		}
	}
}
