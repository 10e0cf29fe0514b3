package journal

import (
	"iter"
	"maps"
	"slices"
	"time"
)

// Exchange is a request of a segment with what came of it, or an entry that is no priced request. Its
// entry is the answer; the intent, where there is no answer; or the other entry. Each priced request is
// one exchange.
type Exchange struct {
	Entry
	Request *Entry // the intent of the request; nil if the entry is no priced request, or if its intent is lost
}

// SentAt returns when the request was sent; zero for an entry that is no request. A request without an
// answer may have been sent just after its intent was written.
func (x Exchange) SentAt() time.Time {
	if x.Kind == KindIntent {
		return x.At
	}
	return x.Sent
}

// Exchanges yields the exchanges of a segment, as Pair does, with the errors of Read.
func Exchanges(path string) iter.Seq2[Exchange, error] {
	return Pair(Read(path))
}

// Pair joins the intents among the entries of one segment with their answers. An answer is yielded in
// its place. The intents without an answer come last, in their order, even where the entries end with an
// error. Pair holds only the intents that are in flight: the body of an answer is not kept.
func Pair(entries iter.Seq2[Entry, error]) iter.Seq2[Exchange, error] {
	return func(yield func(Exchange, error) bool) {
		unanswered := map[int]*Entry{}
		for e, err := range entries {
			if err == nil && e.Kind == KindIntent {
				intent := e
				unanswered[e.N] = &intent
				continue
			}
			x := Exchange{Entry: e}
			if e.Kind == KindAnswer {
				x.Request = unanswered[e.Intent]
				delete(unanswered, e.Intent)
			}
			if !yield(x, err) {
				return
			}
		}
		for _, n := range slices.Sorted(maps.Keys(unanswered)) {
			if !yield(Exchange{*unanswered[n], unanswered[n]}, nil) {
				return
			}
		}
	}
}
