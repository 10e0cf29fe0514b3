package exports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Iceberg is the program that registers the exported files as Iceberg tables.
type Iceberg struct {
	Program   string   // fleetlake-iceberg, or its path; empty is none
	Catalog   string   // the file of an SQL catalog, or the address of a REST catalog; empty is the program's default
	Arguments []string // others of the program
}

// killAfter is how long the program may take to end after SIGTERM.
const killAfter = 10 * time.Second

// Limits of the output of the program that reaches the log.
const (
	maxLine  = 4 << 10 // bytes
	maxLines = 1000
)

// register runs the program, whose output goes to the log line by line.
func (s Settings) register(ctx context.Context, log *slog.Logger) error {
	if s.Iceberg.Program == "" {
		return nil
	}
	c := exec.CommandContext(ctx, s.Iceberg.Program, s.arguments()...)
	c.Env = s.environment(os.Environ())
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = killAfter
	out := &lineLog{log: log, hide: s.hider()}
	c.Stdout, c.Stderr = out, out
	err := c.Run()
	out.flush()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("register Iceberg tables: %w: set export.iceberg.program to the path of fleetlake-iceberg", err)
	}
	if err != nil && out.last != "" {
		return fmt.Errorf("register Iceberg tables: %w: %s", err, out.last)
	}
	if err != nil {
		return fmt.Errorf("register Iceberg tables: %w", err)
	}
	return nil
}

// arguments are those of `fleetlake-iceberg register`. Secrets are in the environment.
func (s Settings) arguments() []string {
	arguments := []string{"register", s.Target}
	catalog := "--catalog-file"
	if strings.Contains(s.Iceberg.Catalog, "://") {
		catalog = "--catalog-uri"
	}
	for _, flag := range [][2]string{{catalog, s.Iceberg.Catalog}, {"--endpoint", s.Store.Endpoint}, {"--region", s.Store.Region}} {
		if flag[1] != "" {
			arguments = append(arguments, flag[0], flag[1])
		}
	}
	if s.Store.PathStyle {
		arguments = append(arguments, "--path-style")
	}
	return append(arguments, s.Iceberg.Arguments...)
}

// icebergVariables begin the names of the variables that are for the program: the token of a catalog.
const icebergVariables = "FLEETLAKE_ICEBERG_"

// environment is ours with the credentials of the target, and without our other secrets, which are no
// business of the program.
func (s Settings) environment(ours []string) []string {
	var all []string
	for _, v := range ours {
		if strings.HasPrefix(v, icebergVariables) || !strings.HasPrefix(v, "FLEETLAKE_") && !strings.HasPrefix(v, "CREDENTIALS_DIRECTORY=") {
			all = append(all, v)
		}
	}
	for name, secret := range map[string]string{"ACCESS_KEY": s.Store.AccessKey, "SECRET_KEY": s.Store.SecretKey, "SESSION_TOKEN": s.Store.SessionToken} {
		if secret != "" {
			all = append(all, "FLEETLAKE_EXPORT_"+name+"="+secret)
		}
	}
	return all
}

// hider removes the credentials from what the program writes.
func (s Settings) hider() *strings.Replacer {
	var pairs []string
	secrets := []string{s.Store.SecretKey, s.Store.SessionToken, s.Store.AccessKey}
	for _, v := range os.Environ() {
		if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(name, icebergVariables) {
			secrets = append(secrets, value)
			if _, secret, of := strings.Cut(value, ":"); of { // client credentials of OAuth2
				secrets = append(secrets, secret)
			}
		}
	}
	for _, secret := range secrets {
		if secret != "" {
			pairs = append(pairs, secret, "[redacted]")
		}
	}
	return strings.NewReplacer(pairs...)
}

// lineLog writes each line to the log.
type lineLog struct {
	log   *slog.Logger
	hide  *strings.Replacer
	rest  []byte // of a line that has not ended
	lines int
	last  string
}

func (l *lineLog) Write(b []byte) (int, error) {
	l.rest = append(l.rest, b...)
	for {
		line, rest, ended := bytes.Cut(l.rest, []byte("\n"))
		if !ended && len(l.rest) < maxLine {
			return len(b), nil
		}
		if len(line) > maxLine {
			line, rest = l.rest[:maxLine], l.rest[maxLine:]
		}
		l.write(line)
		l.rest = rest
	}
}

// flush writes a last line without an end.
func (l *lineLog) flush() {
	l.write(l.rest)
	l.rest = nil
}

func (l *lineLog) write(line []byte) {
	words := l.hide.Replace(strings.TrimSpace(strings.ToValidUTF8(string(line), "�")))
	if words == "" {
		return
	}
	l.last = words
	switch l.lines++; {
	case l.lines <= maxLines:
		l.log.Info("iceberg", "line", words)
	case l.lines == maxLines+1:
		l.log.Warn("iceberg: more lines follow, which are not logged")
	}
}
