package pipelinetest

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Held is what a process holds: its goroutines, by their stacks, and its open files and sockets, each
// as often as it is open.
type Held struct {
	goroutines map[string]string // stack by number
	files      []string
}

// Holds returns what this process holds now.
func Holds() Held {
	h := Held{goroutines: map[string]string{}, files: openFiles()}
	text := make([]byte, 4<<20)
	text = text[:runtime.Stack(text, true)]
	for stack := range strings.SplitSeq(string(text), "\n\n") {
		number, _, _ := strings.Cut(strings.TrimPrefix(stack, "goroutine "), " ")
		h.goroutines[number] = stack
	}
	return h
}

// openFiles lists what the descriptors of this process are open on, in order; nothing where the system
// does not show them. What the runtime itself opens to wait for others is left out.
func openFiles() (files []string) {
	descriptors, _ := filepath.Glob("/proc/self/fd/*")
	for _, path := range descriptors {
		target, err := os.Readlink(path)
		if err != nil || strings.HasPrefix(target, "anon_inode:") || strings.HasPrefix(target, "/proc/") {
			continue
		}
		if strings.HasPrefix(target, "socket:") || strings.HasPrefix(target, "pipe:") {
			target, _, _ = strings.Cut(target, ":")
		}
		files = append(files, target)
	}
	slices.Sort(files)
	return files
}

// Leaked waits until this process holds no more than it did before, for a time at most, and returns what
// it holds beyond that: a line for each file, and the stack of each goroutine. Connections that are kept
// for a next request are closed first.
func (before Held) Leaked(within time.Duration) (leaked []string) {
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	for deadline := time.Now().Add(within); ; {
		leaked = Holds().beyond(before)
		if len(leaked) == 0 || time.Now().After(deadline) {
			return leaked
		}
		time.Sleep(10 * time.Millisecond) // nothing says when a goroutine that was told to end has ended
	}
}

// beyond lists what is held now and was not before.
func (now Held) beyond(before Held) (more []string) {
	had := map[string]int{}
	for _, file := range before.files {
		had[file]++
	}
	for _, file := range now.files {
		if had[file]--; had[file] < 0 {
			more = append(more, fmt.Sprintf("%s is open", file))
		}
	}
	for number, stack := range now.goroutines {
		if before.goroutines[number] == "" && !strings.Contains(stack, "pipelinetest.Holds") &&
			!strings.Contains(stack, "os/signal.") {
			more = append(more, stack)
		}
	}
	return more
}
