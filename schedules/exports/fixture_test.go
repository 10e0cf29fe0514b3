package exports

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
)

// The environment with which this binary acts as the program for Iceberg tables: what it does, and
// the file by which it says that it has started.
const (
	actVariable  = "ICEBERG_TEST_ACT"
	markVariable = "ICEBERG_TEST_MARK"
)

func TestMain(m *testing.M) {
	if act := os.Getenv(actVariable); act != "" {
		os.Exit(program(act))
	}
	os.Exit(pipelinetest.Run(m))
}

// program is the program for Iceberg tables.
func program(act string) int {
	fmt.Println("called with", strings.Join(os.Args[1:], " "))
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "FLEETLAKE_") || strings.HasPrefix(v, "CREDENTIALS_") {
			fmt.Fprintln(os.Stderr, v)
		}
	}
	switch act {
	case "fail":
		fmt.Fprint(os.Stderr, "the catalog is locked")
		return 3
	case "hang":
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, syscall.SIGTERM)
		if err := os.WriteFile(os.Getenv(markVariable), nil, 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		<-stop
		fmt.Println("stopped by a signal")
		return 1
	}
	return 0
}

// lake is a data directory into which nights without requests are published, and its phase.
type lake struct {
	t        *testing.T
	dir      string
	first    string // the run of its first night
	settings Settings
	broken   error // of reading the settings
	now      time.Time
	log      pipelinetest.Log
}

// newLake returns a lake with the night of the 20th, whose harvest all tests share.
func newLake(t *testing.T) *lake {
	t.Helper()
	l := emptyLake(t)
	l.dir, l.first = pipelinetest.Night(t)
	return l
}

func emptyLake(t *testing.T) *lake {
	return &lake{t: t, dir: t.TempDir(), now: time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC),
		settings: Settings{Target: filepath.Join(t.TempDir(), "target"), Within: time.Minute}}
}

// publish publishes a night of November 2026 and returns its run.
func (l *lake) publish(day int) string {
	l.t.Helper()
	return pipelinetest.Publish(l.t, l.dir, day)
}

func (l *lake) phase() *Phase {
	return &Phase{Dir: l.dir, Log: slog.New(slog.NewTextHandler(&l.log, nil)), Now: func() time.Time { return l.now },
		Settings: func() (Settings, error) { return l.settings, l.broken }}
}

// run runs the phase, which must store its end, and returns the outcome that is stored too.
func (l *lake) run() Outcome {
	l.t.Helper()
	o, err := l.phase().Run(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	return o
}

// act has this binary act as the program for Iceberg tables, and returns the file that it makes.
func (l *lake) act(as string) (mark string) {
	l.t.Helper()
	self, err := os.Executable()
	if err != nil {
		l.t.Fatal(err)
	}
	mark = filepath.Join(l.t.TempDir(), "started")
	l.t.Setenv(actVariable, as)
	l.t.Setenv(markVariable, mark)
	l.settings.Iceberg = Iceberg{Program: self, Catalog: "sqlite.db"}
	return mark
}

// await waits for a file.
func await(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return
		}
		time.Sleep(5 * time.Millisecond) // another process makes the file
	}
	t.Fatalf("no %s within a minute", path)
}
