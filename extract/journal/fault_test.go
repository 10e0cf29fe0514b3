package journal

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAFailedSyncIsFinal has an fsync that fails once, because the kernel reports a failure only once:
// a caller that waits for the next fsync gets the same error.
func TestAFailedSyncIsFinal(t *testing.T) {
	s, err := Create(t.TempDir(), plan("r"))
	if err != nil {
		t.Fatal(err)
	}
	entered, fail := make(chan bool, 8), make(chan bool)
	s.fsync = func() error {
		entered <- true
		if <-fail {
			return syscall.EIO
		}
		return nil
	}
	var wg sync.WaitGroup
	results := make(chan error, 2)
	wait := func() { _, err := s.Append(answer("paid")); results <- err }
	wg.Go(wait)
	<-entered
	wg.Go(wait) // written while the first syncs
	for written := 0; written < 3; {
		s.mu.Lock()
		written = s.n
		s.mu.Unlock()
	}
	fail <- true
	close(fail) // every later fsync succeeds
	wg.Wait()
	for range 2 {
		if err := <-results; !errors.Is(err, syscall.EIO) {
			t.Errorf("a waiting append: %v, want %v", err, syscall.EIO)
		}
	}
	if _, err := s.Append(answer("later")); !errors.Is(err, syscall.EIO) {
		t.Errorf("a later append: %v, want %v", err, syscall.EIO)
	}
	s.Close()
}

// TestTheReserveKeepsAnswersWhenThereIsNoRoom has a disk, and then a quota, that is full.
func TestTheReserveKeepsAnswersWhenThereIsNoRoom(t *testing.T) {
	for _, errno := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		root := t.TempDir()
		s, err := Create(root, plan("r"))
		if err != nil {
			t.Fatal(err)
		}
		real := s.write
		s.write = func(b []byte) error {
			if _, err := os.Stat(filepath.Join(root, ".reserve")); err == nil {
				return errors.Join(real(b[:len(b)/2]), errno)
			}
			return real(b)
		}
		if err := s.Full(); err != nil {
			t.Errorf("%v: full before it is: %v", errno, err)
		}
		if _, err := s.Append(answer("paid")); err != nil || !errors.Is(s.Full(), errno) {
			t.Errorf("%v: got %v, full is %v", errno, err, s.Full())
		}
		s.fsync = func() error { return errno }
		if _, err := s.Append(answer("not safe")); !errors.Is(err, errno) {
			t.Errorf("at fsync: got %v, want %v", err, errno)
		}
		s.Close()
		if got, err := readAll(s.Path()); err != nil || len(got) != 3 {
			t.Errorf("%v: %d entries, %v", errno, len(got), err)
		}
	}
}

// TestAFullDiskFoundBySyncGivesTheReserveUp so that the next start can write the end of the run.
func TestAFullDiskFoundBySyncGivesTheReserveUp(t *testing.T) {
	s, err := Create(t.TempDir(), plan("r"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.fsync = func() error { return syscall.EDQUOT }
	if _, err := s.Append(answer("paid")); !errors.Is(err, syscall.EDQUOT) || !errors.Is(s.Full(), syscall.EDQUOT) {
		t.Errorf("got %v, full is %v", err, s.Full())
	}
}

// TestTheReserveTakesItsSizeOnTheDisk because a sparse file would reserve nothing.
func TestTheReserveTakesItsSizeOnTheDisk(t *testing.T) {
	r, err := takeReserve(filepath.Join(t.TempDir(), ".reserve"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.release()
	info, err := os.Stat(r.path)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != reserveSize {
		t.Errorf("%v, %v", info, err)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Blocks*512 < reserveSize {
		t.Errorf("it takes %d bytes of the disk, want %d", stat.Blocks*512, reserveSize)
	}
}

// TestNoiseCannotBeCompressed so that a file system that compresses allocates room for it.
func TestNoiseCannotBeCompressed(t *testing.T) {
	b := make([]byte, 4<<20)
	if _, err := io.ReadFull(noise(), b); err != nil {
		t.Fatal(err)
	}
	if small := newEncoder().EncodeAll(b, nil); len(small) < len(b) {
		t.Errorf("%d bytes become %d", len(b), len(small))
	}
}

func TestOnlyOwnerAndGroupMayReadAJournal(t *testing.T) {
	s, err := Create(filepath.Join(t.TempDir(), "journal"), plan("r"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, path := range []string{s.Path(), filepath.Dir(s.Path()), filepath.Dir(filepath.Dir(s.Path()))} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o007 != 0 {
			t.Errorf("%s has mode %v, %v", path, info.Mode(), err)
		}
	}
}

// unsynced returns a segment whose last three entries no fsync has brought to disk, and where
// each entry ends.
func unsynced(t *testing.T) ([]byte, []int) {
	t.Helper()
	s, err := Create(t.TempDir(), plan("r"))
	if err != nil {
		t.Fatal(err)
	}
	ends := []int{int(s.size)}
	add := func(put func(*Entry) error, body string) {
		e := answer(body)
		if err := put(&e); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, int(s.size))
	}
	add(func(e *Entry) error { _, err := s.Append(*e); return err }, "synced")
	for _, body := range []string{"one", "two", "three"} {
		add(func(e *Entry) error { _, err := s.add(e); return err }, body)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	return b, ends
}

// TestPowerLossTearsAnEntryBeforeAWholeOne because entries that share an fsync reach the disk in any
// order. What is whole is kept, wherever the torn bytes are; an entry that an fsync had brought
// to disk is not torn by a crash.
func TestPowerLossTearsAnEntryBeforeAWholeOne(t *testing.T) {
	b, ends := unsynced(t)
	write := func(b []byte) string {
		path := filepath.Join(t.TempDir(), "r"+Extension)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for at := ends[0]; at < len(b); at++ {
		hit, _ := slices.BinarySearch(ends, at+1)
		torn := slices.Clone(b)
		clear(torn[at:ends[hit]]) // the rest of its entry never reached the disk
		if bytes.Equal(torn, b) {
			continue
		}
		path := write(torn)
		got, err := readAll(path)
		if hit == 1 {
			if !errors.Is(err, ErrDamaged) {
				t.Fatalf("byte %d of an entry that was synced: %v", at, err)
			}
			continue
		}
		if err != nil || len(got) != 4 {
			t.Fatalf("byte %d: %d entries, %v", at, len(got), err)
		}
		s, cut, err := Reopen(path)
		if err != nil || cut == 0 {
			t.Fatalf("byte %d: cut %d, %v", at, cut, err)
		}
		if _, err := s.Append(Entry{Kind: KindEnd, End: &End{State: "killed"}}); err != nil {
			t.Fatal(err)
		}
		s.Close()
		all, err := readAll(path)
		if err != nil {
			t.Fatalf("byte %d: %v", at, err)
		}
		kept := slices.DeleteFunc(all, func(e Entry) bool { return e.Lost != nil || e.End != nil })
		if diff := cmp.Diff(got, kept); diff != "" {
			t.Fatalf("byte %d (-before +after):\n%s", at, diff)
		}
	}
}

// TestASegmentThatIsGone renames, removes and replaces the directory of a segment that is open.
func TestASegmentThatIsGone(t *testing.T) {
	for name, c := range map[string]struct {
		change func(dir string) error
		gone   bool
	}{
		"nothing happened": {func(string) error { return nil }, false},
		"renamed":          {func(dir string) error { return os.Rename(dir, dir+"-away") }, true},
		"removed":          {os.RemoveAll, true},
		"replaced": {func(dir string) error {
			return errors.Join(os.Rename(dir, dir+"-away"), os.CopyFS(dir, os.DirFS(dir+"-away")))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "journal")
			s, err := Create(dir, plan("r"))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			if err := s.InPlace(); errors.Is(err, ErrGone) != c.gone || !c.gone && err != nil {
				t.Errorf("got %v", err)
			}
		})
	}
}
