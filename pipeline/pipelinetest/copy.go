package pipelinetest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// CopyTree copies a directory into another, which may be there, with the modes and times of its files and the links
// between them: a published file is a link to its version.
func CopyTree(to, from string) error {
	type file struct {
		info fs.FileInfo
		path string
	}
	var copied []file
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		own := filepath.Join(to, strings.TrimPrefix(path, from))
		info, err := e.Info()
		if err != nil {
			return err
		}
		if e.IsDir() {
			return os.MkdirAll(own, info.Mode().Perm())
		}
		for _, f := range copied {
			if os.SameFile(f.info, info) {
				return os.Link(f.path, own)
			}
		}
		copied = append(copied, file{info, own})
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return errors.Join(os.WriteFile(own, b, 0o600), os.Chmod(own, info.Mode().Perm()),
			os.Chtimes(own, info.ModTime(), info.ModTime()))
	})
}
