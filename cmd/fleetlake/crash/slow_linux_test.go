package crash

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
)

// slowKinds are the first bytes of a slow client. What follows comes a byte at a time, and of an answer it reads
// nothing.
var slowKinds = []string{
	"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
	"GET /warehouse/fleet.duckdb HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
	"POST /run HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\n",
}

// slowClients are connections of all kinds, which stay open until they are closed.
type slowClients struct {
	t     *testing.T
	conns []*net.TCPConn
	stop  chan struct{}
	done  sync.WaitGroup
}

// attack opens slow connections to an address.
func attack(t *testing.T, address string, n int) *slowClients {
	t.Helper()
	s := &slowClients{t: t, stop: make(chan struct{})}
	for i := range n {
		c, err := net.DialTimeout("tcp", address, 10*time.Second)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		tcp := c.(*net.TCPConn)
		tcp.SetReadBuffer(4096)
		io.WriteString(c, slowKinds[i%len(slowKinds)]) // the server may have closed it already
		s.conns = append(s.conns, tcp)
	}
	s.done.Go(func() {
		for {
			select {
			case <-s.stop:
				return
			case <-time.After(300 * time.Millisecond):
				for i, c := range s.conns {
					if i%len(slowKinds) != 1 { // which has sent all that it has to
						c.Write([]byte("x")) // likewise
					}
				}
			}
		}
	})
	return s
}

func (s *slowClients) close() {
	close(s.stop)
	s.done.Wait()
	for _, c := range s.conns {
		c.Close()
	}
}

// served is a daemon that runs.
type served struct {
	*process
	t   *testing.T
	log *pipelinetest.Log
}

// serve starts the daemon.
func (w *world) serve(t *testing.T) *served {
	t.Helper()
	s := &served{process: w.prepare("serve"), t: t, log: &pipelinetest.Log{}}
	s.cmd.Stderr = s.log
	if err := w.service.starting(s.cmd.Start); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.cmd.Process.Kill() })
	return s
}

// hears waits for a line of the log, and returns it.
func (s *served) hears(words string) string {
	s.t.Helper()
	for begun := time.Now(); time.Since(begun) < endsWithin; time.Sleep(20 * time.Millisecond) { // another process: there is its log to wait for
		for line := range strings.Lines(s.log.String()) {
			if strings.Contains(line, words) {
				return line
			}
		}
	}
	s.t.Fatalf("no %q in the log:\n%s", words, s.log)
	return ""
}

// valueIn returns a value of a line of the log.
func valueIn(line, key string) string {
	_, rest, _ := strings.Cut(line, `"`+key+`":`)
	return strings.Trim(rest[:strings.IndexAny(rest, ",}\n")], `"`)
}

// holds counts the descriptors of the daemon and its network process, and how much memory they have, in MiB.
func (s *served) holds() (files, mib int) {
	s.t.Helper()
	daemon := s.cmd.Process.Pid
	var children []byte
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", daemon))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, path := range tasks {
		more, _ := os.ReadFile(path) // a thread may have ended
		children = append(append(children, ' '), more...)
	}
	for _, pid := range append(strings.Fields(string(children)), strconv.Itoa(daemon)) {
		fds, err := os.ReadDir("/proc/" + pid + "/fd")
		if err != nil {
			s.t.Fatal(err)
		}
		status, err := os.ReadFile("/proc/" + pid + "/status")
		if err != nil {
			s.t.Fatal(err)
		}
		kib := 0
		_, rest, _ := strings.Cut(string(status), "VmRSS:")
		fmt.Sscan(rest, &kib)
		files, mib = files+len(fds), mib+kib>>10
	}
	return files, mib
}

// Bounds while slow clients are there: of what one request may take, how much longer a run may take, and how much
// memory the daemon may keep, on the busiest machine.
const (
	answersWithin = 10 * time.Second
	slowerBy      = 3
	keptMiB       = 100
)

// TestSlowClients has clients that send their request or their form a byte at a time, or read nothing of a large
// answer, while the daemon harvests: others are answered, the run takes as long as without them, and nothing of
// them is left when they have gone. There are some dozens, and with FLEETLAKE_LONG 5,000.
func TestSlowClients(t *testing.T) {
	n := 150
	if os.Getenv("FLEETLAKE_LONG") != "" {
		n = 5000
	}
	alone := newDaemonWorld(t).serve(t)
	usual := tookOf(t, alone)
	alone.stop()

	w := newDaemonWorld(t)
	var once sync.Once
	arrived := make(chan struct{})
	w.service.arrival = func() { once.Do(func() { <-arrived }) } // the run waits for the slow clients
	s := w.serve(t)
	address := strings.TrimPrefix(valueIn(s.hears(`"status page"`), "address"), "http://")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: answersWithin}
	for _, path := range []string{"/", "/list/vessels", "/dictionary", "/"} { // what it keeps of the file is no trace of slow clients
		answer, err := client.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	files, mib := s.holds()
	slow := attack(t, address, n)
	close(arrived)
	var longest time.Duration
	for range 10 {
		begun := time.Now()
		answer, err := client.Get("http://" + address + "/healthz")
		if err != nil {
			t.Fatalf("another client: %v", err)
		}
		answer.Body.Close()
		longest = max(longest, time.Since(begun))
	}
	took := tookOf(t, s)
	attacked, attackedMiB := s.holds()
	slow.close()
	t.Logf("%d slow clients: others wait %v at most; the run took %v, and %v without them; %d descriptors and %d MiB before, %d and %d with them", n, longest, took, usual, files, mib, attacked, attackedMiB)
	if took > slowerBy*usual+5*time.Second {
		t.Errorf("the run took %v with slow clients, and %v without", took, usual)
	}
	s.comesBack(files, mib)
	s.stop()
}

// tookOf waits until the slot is done, and returns how long it took.
func tookOf(t *testing.T, s *served) time.Duration {
	t.Helper()
	took, err := time.ParseDuration(valueIn(s.hears(slotDone), "took") + "s")
	if err != nil {
		t.Fatal(err)
	}
	return took
}

// comesBack waits until the daemon has closed the connections of clients that have gone.
func (s *served) comesBack(files, mib int) {
	s.t.Helper()
	var now, nowMiB int
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(100 * time.Millisecond) { // another process: there is nothing to wait for
		if now, nowMiB = s.holds(); now <= files+3 && nowMiB <= mib+keptMiB { // a database may be open
			return
		}
	}
	s.t.Errorf("%d descriptors and %d MiB before, %d and %d when the slow clients had gone", files, mib, now, nowMiB)
}

// stop ends the daemon in order.
func (s *served) stop() {
	s.t.Helper()
	s.cmd.Process.Signal(syscall.SIGTERM)
	if o, err := s.wait(); err != nil || o.code != exitDone {
		s.t.Errorf("%v, exit code %d\n%s", err, o.code, s.log)
	}
}
