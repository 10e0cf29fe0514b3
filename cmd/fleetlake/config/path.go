package config

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// path reads the name of a file or a directory into a setting.
func (d *decoder) path(path, expected string, to *string) func(*yaml.Node) {
	return setting(d, path, expected, parsePath, func(s string) { *to = s })
}

// variablePattern matches what a shell would replace in a path.
var variablePattern = regexp.MustCompile(`\$([A-Za-z_]|\{)`)

// parsePath reads a path. No shell reads a configuration: ~, $HOME and ${HOME} at the beginning become the home
// directory, and anything else that only a shell understands is refused, because it would name another directory
// than the one that is meant.
func parsePath(s string) (string, error) {
	rest, atHome := s, false
	for _, prefix := range []string{"~", "$HOME", "${HOME}"} {
		if after, ok := strings.CutPrefix(s, prefix); ok && (after == "" || after[0] == '/') {
			rest, atHome = after, true
			break
		}
	}
	switch {
	case variablePattern.MatchString(rest):
		return "", fmt.Errorf("%q, expected a path without variables: only ~ and $HOME at its beginning are replaced", s)
	case strings.HasPrefix(rest, "~") && !atHome:
		return "", fmt.Errorf("%q, expected a whole path: of the home directories only your own can be written as ~", s)
	case !atHome:
		return s, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("this user has no home directory, expected a whole path")
	}
	return home + rest, nil
}
