package page

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/schedules/listen/times"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// slowWriter is a client who takes some time for each piece, within the deadline that it is given.
type slowWriter struct {
	*httptest.ResponseRecorder
	takes    time.Duration
	deadline time.Time
}

func (s *slowWriter) SetWriteDeadline(t time.Time) error { s.deadline = t; return nil }

func (s *slowWriter) Write(b []byte) (int, error) {
	if left := time.Until(s.deadline); s.takes > left {
		time.Sleep(max(left, 0))
		return 0, errors.New("too slow")
	}
	time.Sleep(s.takes)
	return s.ResponseRecorder.Write(b)
}

// TestAFileWaitsForItsClient as long as that takes each piece in time, and all of them.
func TestAFileWaitsForItsClient(t *testing.T) {
	const stall = 10 * time.Second
	limits := times.Of(stall)
	for name, test := range map[string]struct {
		takes  time.Duration
		pieces int // that are sent
		ends   time.Duration
	}{
		"a client who takes each piece in time":  {stall, 20, 20 * stall},
		"one who takes longer for a piece":       {stall + 1, 0, stall},
		"one who needs too long for all of them": {9 * time.Second, 33, limits.File},
		"one who takes all of them in time":      {7 * time.Second, 40, 40 * 7 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &slowWriter{ResponseRecorder: httptest.NewRecorder(), takes: test.takes}
				f := &file{w: w, name: "answer", format: "csv", times: limits}
				began := time.Now()
				all := bytes.Repeat([]byte("x"), max(test.pieces, 1)*pieceBytes)
				if test.ends == limits.File {
					all = append(all, all...)
				}
				n, err := f.Write(all)
				if whole := n == len(all); n != test.pieces*pieceBytes || whole != (err == nil) || time.Since(began) != test.ends {
					t.Errorf("%d pieces, then %v, after %v", n/pieceBytes, err, time.Since(began))
				}
			})
		})
	}
}

// TestPartOfAFileIsNoFile: an error within a file ends the connection, and one before its first byte is a page.
func TestPartOfAFileIsNoFile(t *testing.T) {
	begins := true
	c := open(t, Config{Dir: t.TempDir(), Ask: func(context.Context, string, func(worker.Progress)) (Table, error) { return Table{}, nil },
		AskFile: func(_ context.Context, _, _ string, to io.Writer) error {
			if begins {
				io.WriteString(to, strings.Repeat("1,2\n", 10_000))
			}
			return errors.New("planted")
		}})
	answer, err := http.Get(c.base + "/ask?sql=SELECT+1&format=csv")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if !errors.Is(err, io.ErrUnexpectedEOF) || answer.Header.Get("Content-Disposition") != `attachment; filename="fleetlake-answer.csv"` {
		t.Errorf("%d bytes of %s, %v", len(text), answer.Header, err)
	}
	begins = false
	if status, h, text := c.ask("GET", "/ask?sql=SELECT+1&format=csv", nil); status != http.StatusBadRequest ||
		!strings.Contains(text, "planted") || h.Get("Content-Disposition") != "" {
		t.Errorf("status %d: %s", status, text)
	}
}
