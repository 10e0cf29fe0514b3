package notify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/sourcegraph/conc/panics"
)

// Config is whom to notify, and of which events.
type Config struct {
	Dir     string   // the data directory, which has the outbox; empty keeps it in memory
	URLs    []string // of shoutrrr
	Webhook string   // an http or https address; empty is none
	Secret  string   // signs what the webhook gets
	On      []Kind   // empty is all
	Log     *slog.Logger
	Lost    func() // called for each event that an address did not get; may be nil
}

// tryFor is the longest that one try may take.
const tryFor = 10 * time.Second

// lookEvery is how often a notifier looks whether another process has queued an event.
const lookEvery = time.Minute

// target is one address.
type target interface {
	id() string                              // names it in the outbox: a hash of the address
	name() string                            // for logs: no address
	send(ctx context.Context, e Event) error // cleaned of the address
}

// hashOf is a name for an address that contains secrets.
func hashOf(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:8])
}

// errRefused is an answer after which another try is useless.
var errRefused = errors.New("refused")

// Notifier sends the events of an outbox until it is closed.
type Notifier struct {
	targets   map[string]target // by id
	receivers []string          // these ids
	on        []Kind
	log       *slog.Logger
	lost      func()
	outbox    *outbox
	wake      chan struct{} // something was queued, or a try has ended
	closing   chan time.Time
	cancel    context.CancelFunc
	sending   sync.WaitGroup // the goroutine that takes events from the outbox, and its tries
}

// New starts a notifier, which also sends what earlier processes left in the outbox; Close ends it. Its errors name
// the setting of a bad address and never the address.
func New(c Config) (*Notifier, error) {
	var targets []target
	for i, address := range c.URLs {
		if err := CheckURL(address); err != nil {
			return nil, fmt.Errorf("notify.urls, number %d: %w", i+1, err)
		}
		targets = append(targets, newService(i+1, address))
	}
	if c.Webhook != "" {
		if err := CheckWebhook(c.Webhook); err != nil {
			return nil, fmt.Errorf("notify.webhook: %w", err)
		}
		targets = append(targets, newWebhook(c.Webhook, c.Secret))
	}
	return begin(c, targets), nil
}

// begin starts a notifier with targets.
func begin(c Config, targets []target) *Notifier {
	n := &Notifier{targets: map[string]target{}, on: c.On, log: c.Log, lost: c.Lost}
	n.wake, n.closing = make(chan struct{}, 1), make(chan time.Time)
	n.outbox = &outbox{warn: func(err error) {
		n.log.Warn("trouble with the outbox of notifications: what it lacks is kept in memory", "error", err)
	}}
	if c.Dir != "" {
		n.outbox.path = filepath.Join(c.Dir, FileName)
	}
	if n.lost == nil {
		n.lost = func() {}
	}
	if len(n.on) == 0 {
		n.on = Kinds
	}
	for _, t := range targets {
		n.targets[t.id()] = t
	}
	n.receivers = slices.Sorted(maps.Keys(n.targets))
	ctx, cancel := context.WithCancel(context.Background())
	n.cancel = cancel
	n.sending.Go(func() { n.work(ctx) })
	return n
}

// Receives reports whether there is anybody to notify.
func (n *Notifier) Receives() bool { return len(n.targets) > 0 }

// Send queues an event, with the keys of the news that it tells, and reports whether any target wants its kind. An
// event with an id that was queued before, by whichever process, is not queued again. Send waits for no receiver.
func (n *Notifier) Send(e Event, news ...string) bool {
	if !n.Receives() || !slices.ContainsFunc(e.Kinds, func(k Kind) bool { return slices.Contains(n.on, k) }) {
		return false
	}
	n.giveUp(n.outbox.add(e, n.receivers, hashes(news), time.Now()), errors.New("too many events wait"))
	n.wakeUp()
	return true
}

// Settle remembers the id of an event that nobody needs to be told of, as if it had been sent.
func (n *Notifier) Settle(id string) {
	if n.Receives() {
		n.outbox.add(Event{ID: id}, nil, nil, time.Now())
	}
}

// Begin settles the events of what was published before the first notifier of a data directory, and reports whether
// this is the first.
func (n *Notifier) Begin(ids []string) (first bool) { return n.outbox.begin(ids) }

// Known returns those ids under which an event was queued or settled.
func (n *Notifier) Known(ids []string) map[string]bool { return n.outbox.known(ids) }

// Untold returns those keys of news that no event has told, in their order.
func (n *Notifier) Untold(keys []string) []string {
	told := n.outbox.known(hashes(keys))
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return told[hashOf(key)] })
}

// hashes are what the outbox keeps of the keys of news.
func hashes(keys []string) (all []string) {
	for _, key := range keys {
		all = append(all, hashOf(key))
	}
	return all
}

func (n *Notifier) wakeUp() {
	select {
	case n.wake <- struct{}{}:
	default: // it looks anyway
	}
}

// Close sends what is due before the deadline of ctx, and waits for it as long as ctx allows. What is left is sent
// by the next notifier of the data directory. Send must not be called afterwards.
func (n *Notifier) Close(ctx context.Context) {
	defer context.AfterFunc(ctx, n.cancel)()
	until, limited := ctx.Deadline()
	if !limited {
		until = time.Now().Add(2 * KeepFor) // after which nothing waits
	}
	select {
	case n.closing <- until:
	case <-ctx.Done():
	}
	n.sending.Wait()
	n.cancel()
	n.sayWhatIsLeft()
}

// sayWhatIsLeft logs what this process has not delivered.
func (n *Notifier) sayWhatIsLeft() {
	if !n.Receives() {
		return
	}
	left, stored := n.outbox.left()
	if !stored {
		n.giveUp(left, errors.New("the process ends, and the outbox cannot be written"))
		return
	}
	for _, t := range left {
		n.log.Warn("notification not delivered yet: the next start sends it", "event", t.event.ID, "to", n.nameOf(t.receiver))
	}
}

// work begins each try when it is due, until the notifier is closed and nothing more is due in time.
func (n *Notifier) work(ctx context.Context) {
	if !n.Receives() {
		select {
		case <-n.closing:
		case <-ctx.Done():
		}
		return
	}
	var until time.Time // zero until Close is called
	ended, underWay := make(chan struct{}), 0
	for ctx.Err() == nil {
		begun, lost, next := n.outbox.due(n.receivers, time.Now())
		n.giveUp(lost, fmt.Errorf("not accepted within %v", KeepFor))
		for _, t := range begun {
			underWay++
			n.sending.Go(func() {
				n.try(ctx, t)
				select {
				case ended <- struct{}{}:
				case <-ctx.Done():
				}
			})
		}
		if !until.IsZero() && underWay == 0 && (next.IsZero() || next.After(until)) {
			return
		}
		wait := lookEvery
		if !next.IsZero() {
			wait = min(wait, max(time.Until(next), 0))
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-n.wake:
		case <-ended:
			underWay--
		case until = <-n.closing:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// try sends an event to a target once, and stores how that ended.
func (n *Notifier) try(ctx context.Context, t try) {
	err := once(ctx, n.targets[t.receiver], t.event)
	n.outbox.ended(t, err == nil || errors.Is(err, errRefused), time.Now())
	switch {
	case err == nil:
		n.log.Info("notification delivered", "event", t.event.ID, "to", n.nameOf(t.receiver))
	case errors.Is(err, errRefused):
		n.giveUp([]try{t}, err)
	default:
		n.log.Info("notification is tried again", "event", t.event.ID, "to", n.nameOf(t.receiver), "error", err)
	}
}

// giveUp counts and logs events that receivers will not get.
func (n *Notifier) giveUp(lost []try, reason error) {
	for _, t := range lost {
		n.lost()
		n.log.Warn("notification not delivered", "event", t.event.ID, "to", n.nameOf(t.receiver), "error", reason)
	}
}

// nameOf is the name of a receiver for logs.
func (n *Notifier) nameOf(receiver string) string {
	if t := n.targets[receiver]; t != nil {
		return t.name()
	}
	return cmp.Or(receiver, "nobody")
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
