package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo-terminal of 80 characters and 12 lines: what a program writes to tty is read
// from the screen, and what is typed there is read from tty.
func terminal(t testing.TB) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 12, Col: 80}); err != nil {
		t.Fatal(err)
	}
	return screen, tty
}

// onTerminal runs the program on a terminal. It types a key each time that one of the texts is on the
// screen, in their order.
func (w *world) onTerminal(env []string, key string, after []string, args ...string) outcome {
	w.t.Helper()
	screen, tty := terminal(w.t)
	p := w.prepare(args...)
	p.cmd.Env = append(p.cmd.Env, env...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = tty, tty, tty
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	tty.Close() // so that the end of the program is the end of the screen
	stop := time.AfterFunc(time.Minute, func() { p.cmd.Process.Kill() })
	defer stop.Stop()
	var seen strings.Builder
	buffer := make([]byte, 4096)
	for {
		n, err := screen.Read(buffer)
		seen.Write(buffer[:n])
		if len(after) > 0 && strings.Contains(seen.String(), after[0]) {
			if _, err := io.WriteString(screen, key); err != nil {
				w.t.Fatal(err)
			}
			after = after[1:]
		}
		if err != nil { // EIO: nobody has the terminal open any more
			break
		}
	}
	o, err := p.wait()
	if err != nil {
		w.t.Fatal(err)
	}
	o.stdout = strings.ReplaceAll(seen.String(), "\r\n", "\n")
	return o
}

// TestQueryPages: on a terminal a result that is longer than the screen is given to the pager, whose text
// less can scroll sideways; everything else is written as it is.
func TestQueryPages(t *testing.T) {
	t.Parallel()
	w, temporary := queried(t)
	t.Run("an interrupt", func(t *testing.T) { interruptedPager(t, w.of(t), temporary) })
	// A pager that writes its arguments and then what it reads.
	bin := t.TempDir()
	less := filepath.Join(bin, "less")
	if err := os.WriteFile(less, []byte("#!/bin/sh\necho \"pager $*\"\ncat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := "PATH=" + bin + ":" + os.Getenv("PATH")
	const wide = "SELECT repeat('x', 200) || 'end' AS a FROM range("
	short, long := wide+"2)", wide+"20)"
	for name, c := range map[string]struct {
		env          []string
		args         []string
		paged, whole bool // by the pager; with the end of the wide column
	}{
		"longer than the screen":       {nil, []string{long}, true, true},
		"shorter":                      {nil, []string{short}, false, false},
		"without a pager":              {nil, []string{long, "--no-pager"}, false, false},
		"an empty $PAGER":              {[]string{"PAGER="}, []string{long}, false, false},
		"a $PAGER that may wrap lines": {[]string{"PAGER=echo 'pager of mine'; cat"}, []string{long}, true, false},
		"a $PAGER that is not there":   {[]string{"PAGER=no-such-pager"}, []string{long}, false, false},
		"lines of CSV":                 {nil, []string{long, "--format", "csv"}, true, true},
		"a long plan":                  {nil, []string{"EXPLAIN " + long}, true, false},
		"a file":                       {nil, []string{long, "--out", "x.csv"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := w.of(t)
			env := append([]string{path}, c.env...)
			if len(c.env) == 0 {
				w.env = without(w.env, "PAGER=")
			}
			o := w.onTerminal(env, "", nil, append([]string{"query"}, c.args...)...)
			if o.code != exitDone || strings.Contains(o.stdout, "pager ") != c.paged || strings.Contains(o.stdout, "xend") != c.whole {
				t.Errorf("exit code %d, paged %v, whole %v:\n%s", o.code, strings.Contains(o.stdout, "pager "), strings.Contains(o.stdout, "xend"), o.stdout)
			}
			if !c.whole {
				for line := range strings.Lines(o.stdout) {
					if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 && !strings.Contains(o.stdout, "no-such-pager") {
						t.Errorf("a line of %d characters on a terminal of 80: %s", n, line)
					}
				}
			}
		})
	}
	piped := w.of(t)
	piped.env = append(without(w.env, "PAGER="), path)
	if o := piped.must(exitDone, "query", long); strings.Contains(o.stdout, "pager") || !strings.Contains(o.stdout, "xend") {
		t.Errorf("a pipe: %s", o.stdout)
	}
	if o := w.onTerminal(nil, "", nil, "query", "--format", "parquet", "-o", "-", short); o.code != exitUsage || !strings.Contains(o.stdout, "not for a terminal") {
		t.Errorf("Parquet on a terminal: exit code %d: %s", o.code, o.stdout)
	}
}

// TestAnAnswerMovesNoCursor: what the service or a statement says is shown on a terminal without its control characters,
// in every format and through a pager, and a file has it as it is.
func TestAnAnswerMovesNoCursor(t *testing.T) {
	t.Parallel()
	w, _ := queried(t)
	const text = "SELECT 'a' || chr(27) || '[2J' || chr(155) || chr(127) || chr(8238) || 'b' AS t FROM range("
	for _, format := range []string{"table", "csv", "json", "ndjson", "markdown"} {
		for rows, env := range map[string]string{"1)": "PAGER=", "40)": "PAGER=cat"} {
			o := w.onTerminal([]string{env}, "", nil, "query", "--format", format, text+rows)
			if o.code != exitDone || strings.ContainsAny(o.stdout, "\x1b\x7f\u009b\u202e") || !strings.Contains(o.stdout, `\u009b`) || !strings.Contains(o.stdout, "b") {
				t.Errorf("%s with %s: %d %.300q", format, env, o.code, o.stdout)
			}
		}
	}
	if o := w.onTerminal([]string{"PAGER="}, "", nil, "query", "--format", "json", text+"1)"); !strings.Contains(o.stdout, `"a\u001B[2J\u009b\u007f\u202eb"`) {
		t.Errorf("JSON: %q", o.stdout)
	}
	for _, format := range []string{"csv", "json"} {
		if o := w.must(exitDone, "query", "--format", format, text+"1)"); !strings.Contains(o.stdout, "\u009b\x7f\u202eb") {
			t.Errorf("a pipe with %s: %q", format, o.stdout)
		}
	}
}

// interruptedPager presses Ctrl-C: who presses Ctrl-C in a pager wants to stop its search, and not to lose
// the terminal to two programs.
func interruptedPager(t *testing.T, w *world, temporary string) {
	pager := filepath.Join(t.TempDir(), "pager")
	const script = `#!/bin/sh
n=0
trap 'n=$((n + 1)); echo "interrupt $n"; [ $n -lt 3 ] || exit 0' INT
echo ready
while :; do sleep 0.05; done # a shell runs its traps between commands
`
	if err := os.WriteFile(pager, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	o := w.onTerminal([]string{"PAGER=" + pager}, "\x03", []string{"ready", "interrupt 1", "interrupt 2"}, "query", "FROM range(100)")
	if o.code != exitDone || !strings.Contains(o.stdout, "interrupt 3") {
		t.Errorf("exit code %d: %q", o.code, o.stdout)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// without returns an environment without the variables of a prefix.
func without(env []string, prefix string) (rest []string) {
	for _, e := range env {
		if !strings.HasPrefix(e, prefix) {
			rest = append(rest, e)
		}
	}
	return rest
}
