package published

import (
	"context"
	"errors"
	"testing"

	"github.com/fleetlake/fleetlake/warehouse"
)

// reader reads through files, and returns the reader that it was given and the newest run that it sees.
func reader(t *testing.T, f *Files) (given *warehouse.Warehouse, run string) {
	t.Helper()
	err := f.Read(t.Context(), func(ctx context.Context, w *warehouse.Warehouse) error {
		given = w
		runs, err := w.Runs(ctx, 1)
		if len(runs) > 0 {
			run = runs[0].ID
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return given, run
}

// TestTheFileStaysOpenUntilTheNextVersion reads twice, publishes, and reads again.
func TestTheFileStaysOpenUntilTheNextVersion(t *testing.T) {
	f := &Files{Dir: t.TempDir()}
	publish(t, f.Dir, "20261120T020000.000Z-0000")
	first, _ := reader(t, f)
	if again, _ := reader(t, f); again != first {
		t.Error("the same version is opened twice")
	}
	publish(t, f.Dir, "20261121T020000.000Z-0000")
	if _, err := f.Refresh(); err != nil || len(f.idle) != 0 {
		t.Errorf("%d readers of the earlier version are open, %v", len(f.idle), err)
	}
	if next, _ := reader(t, f); next == first {
		t.Error("the earlier version is read")
	}
	if _, err := first.Runs(t.Context(), 1); err == nil {
		t.Error("the reader of the earlier version is not closed")
	}
	if err := f.Close(); err != nil || len(f.idle) != 0 {
		t.Errorf("%d readers are open after Close, %v", len(f.idle), err)
	}
	if reader(t, f); len(f.idle) != 0 {
		t.Error("a reader stays open after Close")
	}
}

// TestAVersionThatIsReadWhileTheNextComes is read to its end, and is closed then.
func TestAVersionThatIsReadWhileTheNextComes(t *testing.T) {
	f := &Files{Dir: t.TempDir()}
	defer f.Close()
	publish(t, f.Dir, "20261120T020000.000Z-0000")
	var early *warehouse.Warehouse
	err := f.Read(t.Context(), func(ctx context.Context, w *warehouse.Warehouse) error {
		early = w
		publish(t, f.Dir, "20261121T020000.000Z-0000")
		if other, _ := reader(t, f); other == w {
			t.Error("a second reader gets the version that is no longer published")
		}
		_, err := w.Runs(ctx, 1)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := early.Runs(t.Context(), 1); err == nil {
		t.Error("the version that is no longer published stays open")
	}
}

// TestOnlyAFewReadersStayOpen reads in each other, more often than readers are kept.
func TestOnlyAFewReadersStayOpen(t *testing.T) {
	f := &Files{Dir: t.TempDir()}
	defer f.Close()
	publish(t, f.Dir, "20261120T020000.000Z-0000")
	var nested func(depth int) error
	nested = func(depth int) error {
		return f.Read(t.Context(), func(context.Context, *warehouse.Warehouse) error {
			if depth == 0 {
				return nil
			}
			return nested(depth - 1)
		})
	}
	if err := nested(keptOpen + 1); err != nil {
		t.Fatal(err)
	}
	if len(f.idle) != keptOpen {
		t.Errorf("%d readers stay open, want %d", len(f.idle), keptOpen)
	}
}

// TestPreparedReadersTakeThePlaceOfOthers of a version, each once; one on which a read failed is replaced; and a
// version that cannot be prepared is tried once.
func TestPreparedReadersTakeThePlaceOfOthers(t *testing.T) {
	f := &Files{Dir: t.TempDir()}
	defer f.Close()
	publish(t, f.Dir, "20261120T020000.000Z-0000")
	plain, _ := reader(t, f)
	ready := map[*warehouse.Warehouse]bool{}
	prepare := func(want int) {
		t.Helper()
		clear(ready)
		err := f.Prepare(t.Context(), func(_ context.Context, w *warehouse.Warehouse) error { ready[w] = true; return nil })
		if err != nil || len(ready) != want || len(f.idle) != keptOpen {
			t.Fatalf("%d readers prepared, want %d; %d are idle, %v", len(ready), want, len(f.idle), err)
		}
	}
	prepare(keptOpen)
	if given, _ := reader(t, f); !ready[given] {
		t.Error("a reader that is not prepared is given")
	}
	if _, err := plain.Runs(t.Context(), 1); err == nil {
		t.Error("the reader that was replaced is not closed")
	}
	prepare(0)
	failure := errors.New("damaged")
	if err := f.Read(t.Context(), func(context.Context, *warehouse.Warehouse) error { return failure }); !errors.Is(err, failure) {
		t.Fatal(err)
	}
	prepare(1)
	publish(t, f.Dir, "20261121T020000.000Z-0000")
	for range 2 {
		tried := 0
		err := f.Prepare(t.Context(), func(context.Context, *warehouse.Warehouse) error { tried++; return failure })
		if errors.Is(err, failure) != (tried == 1) {
			t.Errorf("tried %d times: %v", tried, err)
		}
		failure = errors.New("tried again")
	}
	publish(t, f.Dir, "20261122T020000.000Z-0000")
	prepare(keptOpen)
}

// TestAReaderThatFailedIsNotUsedAgain lets a read fail, and checks that the next gets another reader.
func TestAReaderThatFailedIsNotUsedAgain(t *testing.T) {
	f := &Files{Dir: t.TempDir()}
	defer f.Close()
	publish(t, f.Dir, "20261120T020000.000Z-0000")
	failure := errors.New("damaged")
	var failed *warehouse.Warehouse
	err := f.Read(t.Context(), func(_ context.Context, w *warehouse.Warehouse) error {
		failed = w
		return failure
	})
	if !errors.Is(err, failure) {
		t.Fatal(err)
	}
	if next, _ := reader(t, f); next == failed {
		t.Error("the reader is used again")
	}
}
