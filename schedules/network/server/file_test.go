package server

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/schedules/listen/times"
	"github.com/fleetlake/fleetlake/warehouse/turns"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// TestFewFilesAreMadeAtATime: each takes memory of the daemon, and the others wait for their turn.
func TestFewFilesAreMadeAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &Server{making: turns.New(filesAtOnce, filesWaiting), times: times.Of(time.Minute)}
		var ends []func()
		for client := range filesAtOnce {
			end, err := n.makeFile(turns.For(t.Context(), strconv.Itoa(client))) // one alone has its share
			if err != nil {
				t.Fatal(err)
			}
			ends = append(ends, end)
		}
		began := time.Now()
		if _, err := n.makeFile(t.Context()); !errors.Is(err, worker.ErrBusy) || time.Since(began) != n.times.Queue {
			t.Errorf("one more: %v after %v", err, time.Since(began))
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := n.makeFile(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("of a client that has left: %v", err)
		}
		ends[0]()
		if _, err := n.makeFile(t.Context()); err != nil {
			t.Errorf("after one has ended: %v", err)
		}
	})
}

// TestAClientReceivesPieces, so that the time for one does not depend on how much is written at once.
func TestAClientReceivesPieces(t *testing.T) {
	var to bytes.Buffer
	received := []int{}
	p := pieces{&to, func() { received = append(received, to.Len()) }}
	if n, err := p.Write(make([]byte, 2*pieceBytes+1)); n != 2*pieceBytes+1 || err != nil {
		t.Error(n, err)
	}
	if !slices.Equal(received, []int{pieceBytes, 2 * pieceBytes, 2*pieceBytes + 1}) {
		t.Errorf("received: %v", received)
	}
}
