package network

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// linked connects a link with a desk, in this process.
func linked(t *testing.T, answers func(context.Context, Request) (any, error)) (*Link, *desk, func()) {
	t.Helper()
	ours, theirs := net.Pipe()
	go io.WriteString(ours, "{\"Does\":\"something\"}\n")
	var s setup
	l, err := newLink(theirs, &s)
	if err != nil || s.Does != "something" {
		t.Fatal(s, err)
	}
	d := newDesk(Config{Log: slog.New(slog.DiscardHandler), Answer: answers}, ours)
	served := make(chan error, 1)
	go func() { served <- d.serve(context.Background()) }()
	return l, d, func() {
		ours.Close()
		theirs.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		d.answering.Wait()
		<-l.gone
	}
}

// TestAsk has many requests at the same time; each gets its own answer.
func TestAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, d, end := linked(t, func(_ context.Context, q Request) (any, error) {
			time.Sleep(time.Duration(len(q.Job)) * time.Millisecond)
			if q.Again {
				return nil, errors.New("not again")
			}
			if q.Job == "panic" {
				panic("planted")
			}
			return q.Job, nil
		})
		var asking sync.WaitGroup
		for i := range 100 {
			asking.Go(func() {
				job, got := string(make([]byte, i)), ""
				if err := l.Ask(t.Context(), Request{Verb: "say", Job: job}, &got); err != nil || got != job {
					t.Errorf("%d: %q, %v", i, got, err)
				}
			})
		}
		asking.Wait()
		if err := l.Ask(t.Context(), Request{Verb: "say", Again: true}, nil); err == nil || err.Error() != "not again" {
			t.Errorf("the error of the scheduler: %v", err)
		}
		if err := l.Ask(t.Context(), Request{Verb: "say", Job: "panic"}, nil); err == nil {
			t.Error("a panic of the scheduler is no error")
		}
		time.Sleep(3 * beatInterval)
		if silent := d.silent(); silent > beatInterval {
			t.Errorf("silent for %v although it beats", silent)
		}
		sent := make(chan struct{})
		d.stop(sent)
		synctest.Wait()
		select {
		case <-l.Stop():
			t.Error("it is stopped before it has its setup")
		default:
		}
		close(sent)
		<-l.Stop()
		if err := l.Ask(t.Context(), Request{Verb: "say"}, nil); err != nil {
			t.Errorf("while it stops: %v", err)
		}
		end()
		if err := l.Ask(t.Context(), Request{Verb: "say"}, nil); !errors.Is(err, ErrSilent) {
			t.Errorf("without a scheduler: %v", err)
		}
	})
}

// TestASilentScheduler is waited for as long as the caller says, and beats go on meanwhile.
func TestASilentScheduler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		l, d, end := linked(t, func(context.Context, Request) (any, error) { <-hang; return nil, nil })
		for range maxPending + 3 {
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if err := l.Ask(ctx, Request{Verb: "say"}, nil); !errors.Is(err, ErrSilent) || time.Since(began) != time.Second {
				t.Errorf("%v after %v", err, time.Since(began))
			}
			cancel()
		}
		time.Sleep(10 * beatInterval)
		if silent := d.silent(); silent > beatInterval {
			t.Errorf("no beat for %v beside requests that hang", silent)
		}
		close(hang)
		synctest.Wait()
		if err := l.Ask(t.Context(), Request{Verb: "say"}, nil); err != nil {
			t.Errorf("after it: %v", err)
		}
		end()
		<-l.Stop() // the end of the connection is one of the process
	})
}

// TestRequestsAreSlowedDown to perSecond, and no more than that.
func TestRequestsAreSlowedDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pace
		began := time.Now()
		for range 3*perSecond + 1 {
			p.wait(t.Context())
		}
		if took := time.Since(began); took < 2*time.Second || took > 3*time.Second {
			t.Errorf("%d requests took %v", 3*perSecond+1, took)
		}
		time.Sleep(time.Second)
		began = time.Now()
		p.wait(t.Context())
		if took := time.Since(began); took != 0 {
			t.Errorf("one request waits for %v", took)
		}
	})
}

// TestNewLinkRefuses a setup that is none, cut off or too long.
func TestNewLinkRefuses(t *testing.T) {
	for name, write := range map[string]func(io.Writer){
		"no JSON":  func(w io.Writer) { io.WriteString(w, "setup\n") },
		"cut off":  func(w io.Writer) { io.WriteString(w, "{}") },
		"nothing":  func(io.Writer) {},
		"too long": func(w io.Writer) { w.Write(make([]byte, maxAnswer+1)) },
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := net.Pipe()
			go func() {
				write(ours)
				ours.Close()
			}()
			var s setup
			if _, err := newLink(theirs, &s); err == nil {
				t.Error("the setup is taken")
			}
		})
	}
}

// FuzzRequests sends anything: the desk ends or answers, and never panics.
func FuzzRequests(f *testing.F) {
	for _, seed := range []string{"{}\n", `{"id":1,"verb":"beat"}` + "\n", "null\n", "[1]\n{}\n", "{\"id\":-1}\n", `{"id":1,"verb":"say"} x` + "\n", "\n\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		ours, theirs := net.Pipe()
		d := newDesk(Config{Log: slog.New(slog.DiscardHandler), Answer: func(_ context.Context, q Request) (any, error) {
			if q.Verb != "say" {
				return nil, ErrVerb
			}
			return q.Job, nil
		}}, ours)
		go func() {
			theirs.Write(text)
			theirs.Close()
		}()
		go io.Copy(io.Discard, bufio.NewReader(theirs))
		_ = d.serve(t.Context())
		ours.Close()
		d.answering.Wait()
	})
}
