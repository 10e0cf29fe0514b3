package page

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/fleetlake/fleetlake/schedules/listen"
	"github.com/fleetlake/fleetlake/schedules/listen/times"
	"github.com/fleetlake/fleetlake/schedules/page/lists"
)

// paced is a response whose client gets so long for it from its first byte on, or from a later moment: what comes before,
// which is to make it, has limits of its own.
type paced struct {
	http.ResponseWriter
	most  time.Duration
	begun bool
}

// WriteHeader and Write are those of http.ResponseWriter, and Unwrap is for http.ResponseController.
func (p *paced) WriteHeader(status int) {
	p.begin()
	p.ResponseWriter.WriteHeader(status)
}
func (p *paced) Write(b []byte) (int, error) {
	p.begin()
	return p.ResponseWriter.Write(b)
}
func (p *paced) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *paced) begin() {
	if !p.begun {
		p.begun = true
		allowTime(p.ResponseWriter, p.most)
	}
}

// allowTime is how long the client of a response that has begun may take for the rest of it, or for its next piece.
func allowTime(w http.ResponseWriter, most time.Duration) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(most)) // not every writer can
}

// byteOrderMark is by what a spreadsheet knows that a CSV file is UTF-8, if bom=1 asks for it.
const byteOrderMark = "\ufeff"

// pieceBytes is how much of a file a client may take times.Limits.Piece to receive.
const pieceBytes = 32 << 10

// file is a file that is sent while it is made. Until its first byte the response can still be another one.
type file struct {
	w            http.ResponseWriter
	name, format string
	marked       bool // it begins with a byte order mark
	times        times.Limits
	until        time.Time // when the client must have all of it; the zero time before the first byte
}

// Write sends a part of the file. It waits for the client no longer than the limits have it for a piece, and for all.
func (f *file) Write(b []byte) (written int, err error) {
	if f.until.IsZero() {
		f.until = time.Now().Add(f.times.File)
		nameFile(f.w, f.name, f.format)
		f.w.WriteHeader(http.StatusOK)
		if f.marked {
			if _, err := io.WriteString(f.w, byteOrderMark); err != nil {
				return 0, err
			}
		}
	}
	for written < len(b) {
		allowTime(f.w, min(f.times.Piece, time.Until(f.until)))
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
	f := &file{w: w, name: name, format: format, marked: format == "csv" && r.FormValue("bom") == "1", times: s.Times}
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
