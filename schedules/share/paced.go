package share

import (
	"io"
	"net/http"
	"time"
)

// chunk is how many bytes a client must receive within maxStall: 35 kB a second.
const chunk = 1 << 20

// paced is a response that may take as long as its client receives each chunk in time. The fixed
// deadline of the server would cut off large files.
type paced struct {
	http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
}

func newPaced(w http.ResponseWriter, stall time.Duration) *paced {
	return &paced{w, http.NewResponseController(w), stall}
}

// Write sends the ranges of a request for several, and the end of the file.
func (p *paced) Write(b []byte) (int, error) {
	p.extend()
	return p.ResponseWriter.Write(b)
}

// ReadFrom lets the system copy from the file, a chunk at a time.
func (p *paced) ReadFrom(src io.Reader) (sent int64, err error) {
	limited, ok := src.(*io.LimitedReader)
	if !ok {
		return io.Copy(struct{ io.Writer }{p}, src)
	}
	for limited.N > 0 {
		p.extend()
		part := &io.LimitedReader{R: limited.R, N: min(limited.N, chunk)}
		n, err := io.Copy(p.ResponseWriter, part)
		sent, limited.N = sent+n, limited.N-n
		if err != nil || part.N > 0 { // the client has gone, or the file is shorter than it was
			return sent, err
		}
	}
	return sent, nil
}

// extend moves the deadline. Not every writer has one; the server's then holds.
func (p *paced) extend() { _ = p.control.SetWriteDeadline(time.Now().Add(p.stall)) }
