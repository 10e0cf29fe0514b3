package pipeline

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

func page(n int) api.Request { return api.Page("", "Malta", n) }

func TestQueueIsDrainedWhenNobodyCanAddToIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(page(1))
		if _, ok := q.pop(t.Context()); !ok {
			t.Fatal("the first request is missing")
		}
		second := make(chan bool)
		go func() {
			_, ok := q.pop(t.Context())
			second <- ok
		}()
		synctest.Wait() // it waits, because the first may lead to more
		q.push(true, page(2))
		if !<-second {
			t.Error("the request that the first led to was not taken")
		}
		q.close()
		q.close()
		if _, ok := q.pop(t.Context()); ok {
			t.Error("a drained queue gave a request")
		}
	})
}

func TestQueueGivesUrgentRequestsFirst(t *testing.T) {
	q := newQueue(page(1), page(2))
	q.push(true, page(3), page(4))
	for _, want := range []string{"3", "4", "1", "2"} {
		r, ok := q.pop(t.Context())
		if got := r.Parameters.Get("page"); !ok || got != want {
			t.Errorf("got page %s, want %s", got, want)
		}
	}
}

func TestQueueStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.open()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, ok := q.pop(ctx); ok {
			t.Error("an empty queue gave a request")
		}
		q.push(false, page(1))
		if _, ok := q.pop(ctx); ok || q.left() != 1 {
			t.Error("a cancelled lane took a request")
		}
	})
}
