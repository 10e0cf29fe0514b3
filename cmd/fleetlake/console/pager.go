package console

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"golang.org/x/term"
)

// Pager is how a result that is longer than the screen is displayed. The zero value is no pager.
type Pager struct {
	Command       string // run by the shell, with the text as its standard input
	Width, Height int    // of the terminal, in characters and lines
}

// NewPager returns the pager for w: $PAGER, or less -S if it is installed. There is none if w is no
// terminal, or if $PAGER is empty.
func NewPager(w io.Writer, getenv func(string) string) Pager {
	if !isTerminal(w) {
		return Pager{}
	}
	width, height, err := term.GetSize(int(fileOf(w).Fd()))
	if err != nil || height <= 0 {
		return Pager{}
	}
	command := getenv("PAGER")
	if command == "" && !pagerIsSet() {
		if _, err := exec.LookPath("less"); err == nil {
			command = "less -S"
		}
	}
	return Pager{Command: command, Width: width, Height: height}
}

// pagerIsSet distinguishes an empty $PAGER, which asks for none.
func pagerIsSet() bool {
	_, ok := os.LookupEnv("PAGER")
	return ok
}

// WidthOf returns the characters in a line of a table of so many rows. One that is paged by less is as
// wide as it is: the arrow keys move it.
func (p Pager) WidthOf(rows int64) int {
	const frame = 5 // borders, header, and the count of the rows
	words := strings.Fields(p.Command)
	if rows+frame >= int64(p.Height) && len(words) > 0 && filepath.Base(words[0]) == "less" {
		return 0
	}
	return p.Width
}

// Display writes a file to the terminal, through the pager if it is longer than the screen or wider
// than a pager of its own makes it. Without a pager that can be run it writes the file as it is. Its
// errors are those of reading and writing.
func (p Pager) Display(f *os.File, stdout, stderr io.Writer) error {
	lines, err := countLines(f, p.Height)
	if err != nil {
		return err
	}
	if lines >= p.Height && p.Command != "" {
		err := p.run(f, stdout, stderr)
		var exit *exec.ExitError
		if err == nil || errors.As(err, &exit) && exit.ExitCode() != 126 && exit.ExitCode() != 127 {
			return nil // the reader has seen it, and left it in a way of his own
		}
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(stdout, f)
	return err
}

// run gives the terminal to the pager until it ends. An interrupt is for the pager alone.
func (p Pager) run(f *os.File, stdout, stderr io.Writer) error {
	c := exec.Command("sh", "-c", p.Command)
	c.Stdin, c.Stdout, c.Stderr = f, stdout, stderr
	if terminal := fileOf(stdout); terminal != nil {
		c.Stdout = terminal // and no pipe to it
	}
	if os.Getenv("LESSCHARSET") == "" { // less takes the frames of a table for bytes in another locale
		c.Env = append(os.Environ(), "LESSCHARSET=utf-8")
	}
	if err := c.Start(); err != nil {
		return err
	}
	signal.Ignore(os.Interrupt) // after the start: a program inherits what is ignored
	return c.Wait()
}

// countLines counts the lines of a file, at most so many, and returns to its beginning.
func countLines(f *os.File, most int) (int, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	lines, buffer := 0, make([]byte, 1<<16)
	for lines < most {
		n, err := f.Read(buffer)
		lines += bytes.Count(buffer[:n], []byte{'\n'})
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, err
		}
	}
	_, err := f.Seek(0, io.SeekStart)
	return lines, err
}
