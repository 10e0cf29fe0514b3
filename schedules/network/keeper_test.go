package network

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// beProcess in the environment makes the test binary a network process, which does what the setup says.
const beProcess = "FLEETLAKE_TEST_NETWORK"

func TestMain(m *testing.M) {
	switch os.Getenv(beProcess) {
	case "scheduler":
		schedule()
		return
	case "":
	default:
		act()
		return
	}
	os.Exit(m.Run())
}

// act is the process. It serves its number on the first socket, if it has one.
func act() {
	var setup struct{ Does, Text string }
	link, err := Inherited(&setup)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	raw := func(text string) {
		for { // also if the other side stops reading for a while
			if _, err := io.WriteString(link.conn, text); err != nil {
				os.Exit(0)
			}
		}
	}
	switch setup.Does {
	case "panic":
		panic("planted")
	case "send":
		raw(setup.Text)
	case "close":
		link.conn.Close()
		select {}
	case "stop itself":
		syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	case "log":
		fmt.Fprint(os.Stderr, setup.Text)
	case "ignore the stop":
		select {}
	case "say its rights":
		text, err := os.ReadFile("/proc/self/status")
		panic(fmt.Sprint("fewer rights: ", strings.Contains(string(text), "NoNewPrivs:\t1"), err))
	case "serve":
		l, err := Listener(0)
		if err != nil {
			panic(err)
		}
		go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var words string
			err := link.Ask(r.Context(), Request{Verb: "say", Job: r.URL.Path}, &words)
			fmt.Fprint(w, os.Getpid(), " ", words, " ", err)
		}))
	}
	<-link.Stop()
}

// schedule keeps a process that does not stop, prints its number, and waits to be killed.
func schedule() {
	k, err := Keep(Config{Command: []string{os.Args[0]}, Env: []string{beProcess + "=1"}, Setup: func() any { return setup{Does: "ignore the stop"} }, MemoryMiB: 1,
		Grace: time.Second, Resident: func(int) int { return 0 }, Log: slog.New(slog.DiscardHandler),
		Answer: func(context.Context, Request) (any, error) { return nil, ErrVerb }})
	if err != nil {
		panic(err)
	}
	for k.pid.Load() == 0 {
		time.Sleep(time.Millisecond) // another process has no event
	}
	fmt.Println(k.pid.Load())
	select {}
}

// kept is a Keeper with a process that does something.
type kept struct {
	*Keeper
	log       *logged
	restarted chan struct{}
	resident  atomic.Int64
}

// logged is a log that tests read.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

type setup struct{ Does, Text string }

// keepTest keeps a process until the test ends.
func keepTest(t *testing.T, s setup, change func(*Config)) *kept {
	t.Helper()
	k := &kept{log: &logged{}, restarted: make(chan struct{}, 1000)}
	c := Config{Command: []string{os.Args[0]}, Env: []string{beProcess + "=1"}, Setup: func() any { return s }, MemoryMiB: 100, Grace: 5 * time.Second,
		Resident: func(int) int { return int(k.resident.Load()) },
		Log:      slog.New(slog.NewJSONHandler(k.log, nil)), Restarted: func() { k.restarted <- struct{}{} },
		Answer: func(_ context.Context, q Request) (any, error) {
			switch q.Verb {
			case "say":
				return "heard " + q.Job, nil
			case "fail":
				return nil, errors.New("it failed")
			case "panic":
				panic("planted in an answer")
			case "much":
				return strings.Repeat("x", 1<<20), nil
			}
			return nil, ErrVerb
		}}
	if change != nil {
		change(&c)
	}
	var err error
	if k.Keeper, err = Keep(c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Stop)
	return k
}

// restart waits until the process has ended.
func (k *kept) restart(t *testing.T) {
	t.Helper()
	select {
	case <-k.restarted:
	case <-time.After(time.Minute):
		t.Fatalf("the process goes on: %s", k.log)
	}
}

// kill kills a process. 0 is none, and not the group of this one.
func kill(pid int) error {
	if pid <= 0 {
		return errors.New("no process")
	}
	return syscall.Kill(pid, syscall.SIGKILL)
}

// hears waits for words in the log.
func (k *kept) hears(t *testing.T, words string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !strings.Contains(k.log.String(), words); time.Sleep(5 * time.Millisecond) { // another process has no event
		if time.Now().After(end) {
			t.Fatalf("no %q in the log:\n%s", words, k.log)
		}
	}
}

// TestAFaultyProcessIsEnded for each thing that our code does not do, and the log says what it was.
func TestAFaultyProcessIsEnded(t *testing.T) {
	const request = `{"id":1,"verb":"say"}`
	for name, c := range map[string]struct {
		setup
		want string
	}{
		"a panic":                   {setup{"panic", ""}, "exit status 2: panic: planted"},
		"no JSON":                   {setup{"send", "GET / HTTP/1.1\r\n"}, "what is no request"},
		"bytes":                     {setup{"send", "\x00\xff\x00\xff\n"}, "what is no request"},
		"another key":               {setup{"send", `{"id":1,"verb":"say","path":"/etc/passwd"}` + "\n"}, "what is no request"},
		"a statement":               {setup{"send", `{"id":1,"verb":"SELECT 1"}` + "\n"}, "a request that there is not"},
		"two in a line":             {setup{"send", request + request + "\n"}, "more than a request in a line"},
		"a long line":               {setup{"send", `{"verb":"` + strings.Repeat("x", maxRequest) + `"}` + "\n"}, "a request of more than 4096 bytes"},
		"a line that never ends":    {setup{"send", strings.Repeat("x", 1<<20)}, "a request of more than 4096 bytes"},
		"no connection":             {setup{"close", ""}, "closed its connection"},
		"a process that is stopped": {setup{"stop itself", ""}, "has said nothing for"},
		"answers that nobody reads": {setup{"send", `{"id":1,"verb":"much"}` + "\n"}, "does not read answers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := keepTest(t, c.setup, func(c *Config) {
				if name == "a process that is stopped" {
					c.Silence = time.Second
				}
			})
			k.restart(t)
			k.hears(t, c.want)
		})
	}
}

// TestALongestRequestIsAnswered has as many bytes as a request may have.
func TestALongestRequestIsAnswered(t *testing.T) {
	ours, theirs := net.Pipe()
	d := newDesk(Config{Log: slog.New(slog.DiscardHandler), Answer: func(_ context.Context, q Request) (any, error) { return len(q.Job), nil }}, ours)
	ended := make(chan error, 1)
	go func() { ended <- d.serve(t.Context()) }()
	line := `{"id":1,"verb":"say","job":""}` + "\n"
	n := maxRequest - len(line)
	io.WriteString(theirs, strings.Replace(line, `""`, `"`+strings.Repeat("x", n)+`"`, 1))
	var a answer
	if err := json.NewDecoder(theirs).Decode(&a); err != nil || string(a.Value) != fmt.Sprint(n) {
		t.Errorf("%v, %+v", err, a)
	}
	theirs.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	d.answering.Wait()
}

// TestTheMemoryOfAProcessIsBounded on both sides of the limit.
func TestTheMemoryOfAProcessIsBounded(t *testing.T) {
	k := keepTest(t, setup{}, nil)
	k.resident.Store(100)
	select {
	case <-k.restarted:
		t.Fatalf("ended at the limit: %s", k.log)
	case <-time.After(3 * lookInterval): // that it goes on has no event
	}
	k.resident.Store(101)
	k.restart(t)
	k.hears(t, "it took 101 MiB, of at most 100")
	if k.ResidentMiB() != 101 && k.pid.Load() != 0 {
		t.Error("the memory of the process is not reported")
	}
}

// TestAProcessComesBackAtItsAddress is killed again and again; a client that connects meanwhile is answered.
func TestAProcessComesBackAtItsAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	address := l.Addr().String()
	l.Close()
	k := keepTest(t, setup{Does: "serve"}, func(c *Config) { c.Listeners = []*os.File{f} })
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
	before := ""
	for range 3 {
		answer, err := client.Get("http://" + address + "/nightly")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		pid, words, _ := strings.Cut(string(text), " ")
		if err != nil || words != "heard /nightly <nil>" || pid == before {
			t.Fatalf("%q, %v; before it was process %s", text, err, before)
		}
		before = pid
		if err := kill(int(k.pid.Load())); err != nil {
			t.Fatal(err)
		}
		k.restart(t)
	}
	k.hears(t, "signal: killed")
}

// TestStopEndsAProcess that stops in order, and one that does not.
func TestStopEndsAProcess(t *testing.T) {
	const grace = 5 * time.Second
	for does, least := range map[string]time.Duration{"": 0, "ignore the stop": grace, "stop itself": grace, "panic": 0, "send": grace} {
		t.Run(does, func(t *testing.T) {
			t.Parallel()
			k := keepTest(t, setup{Does: does, Text: `{"verb":"say"}` + "\n"}, func(c *Config) { c.Grace = grace })
			for k.pid.Load() == 0 && does != "panic" {
				time.Sleep(time.Millisecond) // another process has no event
			}
			pid := int(k.pid.Load())
			began := time.Now()
			late := time.AfterFunc(20*time.Second, func() { kill(pid) })
			k.Stop()
			late.Stop()
			if took := time.Since(began); took < least || took > least+grace-time.Second {
				t.Errorf("took %v", took)
			}
			if pid != 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
				t.Error("the process is still there")
			}
		})
	}
}

// TestAKilledSchedulerLeavesNoProcess that does not stop when its connection ends. Linux ends it.
func TestAKilledSchedulerLeavesNoProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a process with its parent")
	}
	scheduler := exec.Command(os.Args[0])
	scheduler.Env = []string{beProcess + "=scheduler"}
	out, err := scheduler.StdoutPipe()
	if err == nil {
		err = scheduler.Start()
	}
	pid := 0
	if err == nil {
		_, err = fmt.Fscan(out, &pid)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := scheduler.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = scheduler.Wait()                                                               // it was killed
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) { // another process has no event
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(end) {
			kill(pid)
			t.Fatal("it stays")
		}
	}
}

// TestTheLogOfAProcess is bounded, and cannot be taken for the scheduler's.
func TestTheLogOfAProcess(t *testing.T) {
	flood := strings.Repeat(`{"level":"INFO","msg":"flood"}`+"\n", 10*linesPerSecond)
	long := strings.Repeat("x", 10*maxLine)
	k := keepTest(t, setup{"log", `{"time":"2020-01-01T00:00:00Z","level":"WARN","msg":"a line","n":1,"process":"scheduler"}` + "\n" + long + "\n" + flood}, nil)
	k.hears(t, `"msg":"flood"`)
	k.Stop()
	text := k.log.String()
	if n := strings.Count(text, `"msg":"flood"`); n > 2*linesPerSecond {
		t.Errorf("%d lines of a flood are logged", n)
	}
	if strings.Contains(text, "xxx") || strings.Contains(text, "2020-01-01") || !strings.Contains(text, `"msg":"a line","process":"network","n":1}`) {
		t.Errorf("the log: %.2000s", text)
	}
	r := newRelay(slog.New(slog.DiscardHandler))
	r.read(strings.NewReader(long + "\n\xff\n" + long))
	if last := r.last(); len(last) > maxLast || !strings.HasPrefix(last, "xxx") {
		t.Errorf("last words have %d bytes", len(last))
	}
}

// TestNextPause doubles up to a limit, and begins again after a process that worked.
func TestNextPause(t *testing.T) {
	pause, sum := time.Duration(0), time.Duration(0)
	for range 20 {
		pause = nextPause(pause, longLife-1)
		sum += pause
	}
	if pause != longestPause || sum > 20*longestPause || nextPause(0, 0) != firstPause || nextPause(pause, longLife) != firstPause {
		t.Errorf("the last pause %v, all %v", pause, sum)
	}
}

// TestKeepRefuses what lacks something.
func TestKeepRefuses(t *testing.T) {
	if _, err := Keep(Config{}); err == nil {
		t.Error("a Keeper without anything")
	}
}

// TestAProcessThatCannotStart is tried again, and the Keeper stops all the same.
func TestAProcessThatCannotStart(t *testing.T) {
	k := keepTest(t, setup{}, func(c *Config) { c.Command = []string{"/nonexistent/fleetlake"} })
	k.restart(t)
	k.restart(t)
	k.hears(t, "no such file")
}

// TestInheritedRefuses a process that no Keeper started.
func TestInheritedRefuses(t *testing.T) {
	if _, err := unix.GetsockoptInt(linkAt, unix.SOL_SOCKET, unix.SO_TYPE); err == nil {
		t.Skip("descriptor 3 of this test is a socket")
	}
	if _, err := Inherited(nil); err == nil || !strings.Contains(err.Error(), "fleetlake serve") {
		t.Errorf("%v", err)
	}
}

// TestAnotherProcessTakesThePlaceOfOne has a second process get another setup, without that it counts as a restart.
func TestAnotherProcessTakesThePlaceOfOne(t *testing.T) {
	var asked atomic.Int64
	k := keepTest(t, setup{}, func(c *Config) {
		c.Setup = func() any {
			return setup{Does: "log", Text: fmt.Sprintf(`{"level":"INFO","msg":"setup %d"}`+"\n", asked.Add(1))}
		}
	})
	k.hears(t, "setup 1")
	k.Renew()
	k.hears(t, "setup 2")
	if len(k.restarted) > 0 || strings.Contains(k.log.String(), "ended") {
		t.Errorf("%d restarts: %s", len(k.restarted), k.log)
	}
}
