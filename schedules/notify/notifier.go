package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/sourcegraph/conc/panics"
	"github.com/sourcegraph/conc/pool"
)

// Config is whom to notify, and of which events.
type Config struct {
	URLs    []string // of shoutrrr
	Webhook string   // an http or https address; empty is none
	Secret  string   // signs what the webhook gets
	On      []Kind   // empty is all
	Log     *slog.Logger
	Lost    func() // called for each event that an address did not get; may be nil
}

// queued is how many events may wait to be sent. A night has a few.
const queued = 64

// tryFor is the longest that one try may take.
const tryFor = 10 * time.Second

// pauses lie between the tries of one event.
var pauses = []time.Duration{2 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour}

// target is one address.
type target interface {
	name() string                            // for logs: no address
	send(ctx context.Context, e Event) error // cleaned of the address
}

// errRefused is an answer after which another try is useless.
var errRefused = errors.New("refused")

// Notifier sends events until it is closed.
type Notifier struct {
	targets []target
	on      []Kind
	log     *slog.Logger
	lost    func()
	queue   chan Event
	cancel  context.CancelFunc
	sending sync.WaitGroup // the goroutine that takes events from the queue
}

// New starts a notifier; Close ends it. Its errors name the setting of a bad address and never the
// address.
func New(c Config) (*Notifier, error) {
	n := &Notifier{on: c.On, log: c.Log, lost: c.Lost, queue: make(chan Event, queued)}
	if n.lost == nil {
		n.lost = func() {}
	}
	if len(n.on) == 0 {
		n.on = Kinds
	}
	for i, address := range c.URLs {
		if err := CheckURL(address); err != nil {
			return nil, fmt.Errorf("notify.urls, number %d: %w", i+1, err)
		}
		n.targets = append(n.targets, newService(i+1, address))
	}
	if c.Webhook != "" {
		if err := CheckWebhook(c.Webhook); err != nil {
			return nil, fmt.Errorf("notify.webhook: %w", err)
		}
		n.targets = append(n.targets, newWebhook(c.Webhook, c.Secret))
	}
	ctx, cancel := context.WithCancel(context.Background())
	n.cancel = cancel
	n.sending.Go(func() {
		events := pool.New().WithMaxGoroutines(queued) // one that waits for its next try delays no other
		for e := range n.queue {
			events.Go(func() { n.deliver(ctx, e) })
		}
		events.Wait()
	})
	return n, nil
}

// Send queues an event, and reports whether any target wants its kind. It does not wait.
func (n *Notifier) Send(e Event) bool {
	if len(n.targets) == 0 || !slices.ContainsFunc(e.Kinds, func(k Kind) bool { return slices.Contains(n.on, k) }) {
		return false
	}
	select {
	case n.queue <- e:
	default:
		n.lost()
		n.log.Warn("notification dropped: the queue is full", "event", e.ID)
	}
	return true
}

// Close sends what is queued, for as long as ctx allows. Send must not be called afterwards.
func (n *Notifier) Close(ctx context.Context) {
	close(n.queue)
	defer context.AfterFunc(ctx, n.cancel)()
	n.sending.Wait()
	n.cancel()
}

// deliver sends an event to all targets side by side.
func (n *Notifier) deliver(ctx context.Context, e Event) {
	all := pool.New()
	for _, t := range n.targets {
		all.Go(func() {
			if err := insist(ctx, t, e); err != nil {
				n.lost()
				n.log.Warn("notification not delivered", "event", e.ID, "to", t.name(), "error", err)
				return
			}
			n.log.Info("notification delivered", "event", e.ID, "to", t.name())
		})
	}
	all.Wait()
}

// insist tries until a target accepts or refuses the event, or no try is left.
func insist(ctx context.Context, t target, e Event) error {
	for tries := 0; ; tries++ {
		err := once(ctx, t, e)
		if err == nil || errors.Is(err, errRefused) || tries == len(pauses) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pauses[tries]):
		}
	}
}

// once tries once. It does not wait for a service that panics or hangs: the clients of shoutrrr
// cannot be cancelled.
func once(ctx context.Context, t target, e Event) error {
	ctx, cancel := context.WithTimeout(ctx, tryFor)
	defer cancel()
	result := make(chan error, 1)
	go func() {
		err := errors.New("it ended its goroutine")
		defer func() { result <- err }()
		if crash := panics.Try(func() { err = t.send(ctx, e) }); crash != nil {
			err = errors.New("it panicked") // the value could contain the address
		}
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return errors.New("no answer in time")
	}
}
