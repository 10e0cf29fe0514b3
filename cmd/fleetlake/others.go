package main

import (
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
)

// othersMayWrite says that other users may write into a directory that exists, and what to do; "" if they may not. Who
// may make and rename files there can put others in the place of ours. With the sticky bit, as /tmp has it, they can not.
func othersMayWrite(dir string) string {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o022 == 0 || info.Mode()&fs.ModeSticky != 0 {
		return ""
	}
	who := "its group"
	if info.Mode().Perm()&0o002 != 0 {
		who = "everybody"
	}
	return fmt.Sprintf("%s may be written by %s (mode %04o), who can replace what is in it: chmod go-w %[1]s",
		dir, who, info.Mode().Perm())
}

// openToOthers says it of each directory of the data directory, and of the target of the export.
func openToOthers(c config.Config) (all []string) {
	dirs := []string{c.DataDir}
	for _, part := range []string{"journal", "lake", "warehouse"} {
		dirs = append(dirs, filepath.Join(c.DataDir, part))
	}
	if target := c.Export.Target; target != "" && !strings.Contains(target, "://") {
		dirs = append(dirs, target)
	}
	for _, dir := range dirs {
		if words := othersMayWrite(dir); words != "" {
			all = append(all, words)
		}
	}
	return all
}

// warnOfOthers logs where other users may write.
func warnOfOthers(c config.Config, log *slog.Logger) {
	for _, words := range openToOthers(c) {
		log.Warn("others may write", "directory", words)
	}
}
