package simulator

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

// answer is what the simulator sends for a request, and what it means for the bill.
type answer struct {
	status     int
	body       []byte
	html       bool
	retryAfter time.Duration
	outcome    Outcome
	credits    int  // charged
	rows       int  // vessels in the body
	dropped    bool // the connection is dropped without an answer
	truncated  bool // only half of the body is sent
	fault      FaultKind
}

// refuse returns an error in the shape that the operation uses: {detail} for by-type, {error,
// message} for the others.
func refuse(o api.Operation, status int, outcome Outcome, message string) answer {
	if o.Name == api.ByType.Name {
		return answer{status: status, body: encode(map[string]string{"detail": message}), outcome: outcome}
	}
	return refuseA(status, outcome, message)
}

// refuseA returns an error of shape A: {error, message}.
func refuseA(status int, outcome Outcome, message string) answer {
	title := http.StatusText(status)
	if status == http.StatusTooManyRequests {
		title = "Rate limit exceeded"
	}
	return answer{status: status, body: encode(map[string]string{"error": title, "message": message}), outcome: outcome}
}

// limited returns the 429 of an operation, with a Retry-After header if wait is positive.
func limited(o api.Operation, wait time.Duration) answer {
	message := "You have exceeded the rate limit for this endpoint"
	if o.Name == api.ByType.Name {
		message = "Too Many Requests"
	}
	a := refuse(o, http.StatusTooManyRequests, Limited, message)
	a.retryAfter = wait
	return a
}

// htmlPage returns an answer in HTML, as a proxy in front of the service writes it.
func htmlPage(status int, outcome Outcome) answer {
	text := strconv.Itoa(status) + " " + http.StatusText(status)
	body := "<html>\n<head><title>" + text + "</title></head>\n<body><center><h1>" + text + "</h1></center></body>\n</html>\n"
	return answer{status: status, body: []byte(body), html: true, outcome: outcome}
}

// write sends the answer, or the part of it that a fault lets through.
func (a answer) write(w http.ResponseWriter) {
	if a.dropped {
		panic(http.ErrAbortHandler) // net/http drops the connection without an answer
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	if a.html {
		header.Set("Content-Type", "text/html")
	}
	if a.retryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(int((a.retryAfter+time.Second-1)/time.Second)))
	}
	header.Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(a.status)
	body := a.body
	if a.truncated {
		body = body[:len(body)/2]
	}
	w.Write(body) // a client that has gone away is charged all the same
}

// encode returns a value as JSON. It panics on a value that cannot be encoded: only types of
// this package come here.
func encode(value any) []byte {
	b, err := json.Marshal(value)
	if err != nil {
		panic(err) // a bug: only types of this package come here
	}
	return b
}
