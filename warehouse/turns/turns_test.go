package turns

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// flood has a client ask for places until it gets no more, and then wait for as many as it may.
func flood(t *testing.T, turns *Turns, client string) (leaves []func()) {
	t.Helper()
	for {
		leave, err := turns.Take(For(t.Context(), client), 0)
		if err != nil {
			break
		}
		leaves = append(leaves, leave)
	}
	for range 10 {
		go turns.Take(For(t.Context(), client), -1)
		synctest.Wait()
	}
	return leaves
}

// TestAClientHasItsShare: one alone has half of the places, and a further one the half of what is left; who comes after
// them has a place at once.
func TestAClientHasItsShare(t *testing.T) {
	for most, want := range map[int][]int{
		1: {1, 0}, 2: {1, 1, 0}, 3: {2, 1, 0}, 4: {2, 1, 1, 0}, 8: {4, 2, 1, 1, 0}, 32: {16, 8, 4, 2, 1, 1, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			turns, got := New(most, 0), []int{}
			for i := range want {
				n := 0
				for {
					if _, err := turns.Take(For(ctx, fmt.Sprint(i)), 0); err != nil {
						break
					}
					n++
				}
				got = append(got, n)
			}
			if !slices.Equal(got, want) {
				t.Errorf("of %d places the clients have %v, want %v", most, got, want)
			}
		})
	}
}

// TestAFloodOfOneClientDelaysNoOther: another one has a place at once, and waits for one of two ends at most when more
// clients come than places are left.
func TestAFloodOfOneClientDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := New(4, 8)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		flooded := flood(t, turns, "flood")
		if _, waiting := turns.Counts(); len(flooded) != 2 || waiting != 4 {
			t.Fatalf("the flood has %d of 4 places, and %d of 8 to wait", len(flooded), waiting)
		}
		for _, other := range []string{"second", "third"} {
			began := time.Now()
			if _, err := turns.Take(For(ctx, other), time.Second); err != nil || time.Since(began) != 0 {
				t.Errorf("%s: %v after %v", other, err, time.Since(began))
			}
		}
		fourth := make(chan error)
		go func() { _, err := turns.Take(For(ctx, "fourth"), -1); fourth <- err }()
		synctest.Wait()
		flooded[0]() // before the flood's own, which wait for longer
		if err := <-fourth; err != nil {
			t.Error(err)
		}
		flooded[1]()
		synctest.Wait()
		if taken, waiting := turns.Counts(); taken != 4 || waiting != 3 {
			t.Errorf("%d places are taken and %d wait", taken, waiting)
		}
		cancel()
	})
}

// TestAWaitIsBounded from both sides: a place that comes in time is taken, and one that comes later is not.
func TestAWaitIsBounded(t *testing.T) {
	for after, want := range map[time.Duration]error{time.Second - 1: nil, time.Second + 1: ErrLate} {
		synctest.Test(t, func(t *testing.T) {
			turns := New(1, 1)
			leave, err := turns.Take(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(after, leave)
			if _, err := turns.Take(t.Context(), time.Second); !errors.Is(err, want) {
				t.Errorf("after %v: %v, want %v", after, err, want)
			}
			time.Sleep(time.Second) // of the bubble: until leave was called
			leave()                 // a second time gives nothing back
			if taken, waiting := turns.Counts(); taken > 1 || taken < 0 || waiting != 0 {
				t.Errorf("%d taken, %d wait", taken, waiting)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		turns := New(1, 1)
		_, _ = turns.Take(t.Context(), 0)
		gone, leave := context.WithCancelCause(t.Context())
		left := errors.New("the client left")
		time.AfterFunc(time.Minute, func() { leave(left) })
		if _, err := turns.Take(gone, -1); !errors.Is(err, left) {
			t.Errorf("a client that left: %v", err)
		}
		if _, err := turns.Take(t.Context(), 0); !errors.Is(err, ErrFull) {
			t.Errorf("who does not wait: %v", err)
		}
	})
}

// TestNoPlaceIsLost lets many clients come and go at random, some of which leave while they wait.
func TestNoPlaceIsLost(t *testing.T) {
	for seed := range uint64(50) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			most := 1 + random.IntN(6)
			turns := New(most, random.IntN(20))
			for range 200 {
				client, wait := fmt.Sprint(random.IntN(5)), time.Duration(random.IntN(20)-1)*time.Second
				hold, patience := time.Duration(random.IntN(10))*time.Second, time.Duration(1+random.IntN(30))*time.Second
				time.Sleep(time.Duration(random.IntN(1000)) * time.Millisecond) // of the bubble
				go func() {
					ctx, cancel := context.WithTimeout(For(t.Context(), client), patience)
					defer cancel()
					leave, err := turns.Take(ctx, wait)
					if err != nil {
						return
					}
					if taken, _ := turns.Counts(); taken > most {
						t.Errorf("%d of %d places are taken", taken, most)
					}
					time.Sleep(hold)
					leave()
				}()
			}
			time.Sleep(time.Hour)
			if taken, waiting := turns.Counts(); taken+waiting+len(turns.of) != 0 {
				t.Errorf("seed %d: %d taken, %d wait, %v", seed, taken, waiting, turns.of)
			}
		})
	}
}

func TestTheNameOfAnAddress(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.7:4711":         "192.0.2.7",
		"192.0.2.7":              "192.0.2.7",
		"[::ffff:192.0.2.7]:80":  "192.0.2.7",
		"[2001:db8:1:2:3::4]:80": "2001:db8:1:2::/64",
		"2001:db8:1:2:ffff::9":   "2001:db8:1:2::/64",
		"[fe80::1%eth0]:80":      "fe80::/64",
		"2001:db8:1:3::4":        "2001:db8:1:3::/64",
		"@":                      "@",
		"":                       "",
	} {
		if got := OfAddress(address); got != want {
			t.Errorf("%s is %s, want %s", address, got, want)
		}
	}
	if got := Client(For(t.Context(), "a")); got != "a" || Client(t.Context()) != "" {
		t.Errorf("the client is %q", got)
	}
}

// TestWhoWaitsIsToldItsPlace whenever it changes, and no more once it has its turn.
func TestWhoWaitsIsToldItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := New(1, 8)
		leave, err := turns.Take(For(t.Context(), "has it"), 0)
		if err != nil {
			t.Fatal(err)
		}
		told := make([][]int, 3)
		for i := range told {
			ctx, cancel := context.WithTimeout(For(t.Context(), fmt.Sprint(i)), time.Duration(i+1)*time.Second)
			defer cancel()
			go turns.TakeAndTell(ctx, -1, func(before int) { told[i] = append(told[i], before) })
			synctest.Wait()
		}
		time.Sleep(1500 * time.Millisecond) // the first gives up
		leave()                             // and the second has its turn
		time.Sleep(2 * time.Second)         // the third gives up
		if want := [][]int{{0}, {1, 0}, {2, 1, 0}}; !slices.EqualFunc(told, want, slices.Equal[[]int]) {
			t.Errorf("told %v, want %v", told, want)
		}
	})
}
