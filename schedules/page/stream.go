package page

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/fleetlake/fleetlake/schedules/listen"
	"github.com/fleetlake/fleetlake/schedules/page/lists"
)

// pieceBytes is how much of a file a client may take Config.Stall to receive.
const pieceBytes = 32 << 10

// file is a file that is sent while it is made. Until its first byte the response can still be another one.
type file struct {
	w            http.ResponseWriter
	name, format string
	stall        time.Duration // that a client may take for a piece
	until        time.Time     // when the client must have all of it; the zero time before the first byte
}

// Write sends a part of the file. It waits for the client no longer than stall for a piece, and than slowestFile for all.
func (f *file) Write(b []byte) (written int, err error) {
	if f.until.IsZero() {
		f.until = time.Now().Add(slowestFile)
		nameFile(f.w, f.name, f.format)
	}
	for written < len(b) {
		allowTime(f.w, min(f.stall, time.Until(f.until)))
		n, err := f.w.Write(b[written:min(len(b), written+pieceBytes)])
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}

// stream sends what write makes. It returns the error of a file of which nothing is sent yet. Later ones end the
// connection, so that no client takes a part of the file for all of it.
func (s *site) stream(w http.ResponseWriter, r *http.Request, name, format string, write func(to io.Writer) error) error {
	f := &file{w: w, name: name, format: format, stall: s.Stall}
	err := write(f)
	if err == nil || f.until.IsZero() {
		return err
	}
	s.Log.Info("a file was not sent whole", "name", name, "format", format, "error", err)
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		listen.Of(local).Reset()
	}
	panic(http.ErrAbortHandler)
}

// nameFile sets the headers of a file.
func nameFile(w http.ResponseWriter, name, format string) {
	w.Header().Set("Content-Type", lists.FileTypes[format])
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="fleetlake-%s.%s"`, name, format))
}
