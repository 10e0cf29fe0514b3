package simulator

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// dayBody is the body of the control requests about the day.
type dayBody struct {
	Day  int    `json:"day"`
	Date string `json:"date,omitempty"`
}

// controlPaths returns the handlers by which another process controls the simulator.
func (s *Simulator) controlPaths() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /simulator/bill", func(w http.ResponseWriter, _ *http.Request) { sendJSON(w, s.Bill()) })
	mux.HandleFunc("GET /simulator/log", func(w http.ResponseWriter, _ *http.Request) { sendLines(w, s.Log()) })
	mux.HandleFunc("GET /simulator/day", func(w http.ResponseWriter, _ *http.Request) { s.sendDay(w) })
	mux.HandleFunc("POST /simulator/day", func(w http.ResponseWriter, r *http.Request) {
		m := dayBody{Day: -1}
		if decodeBody(w, r, &m) && require(w, m.Day >= 0 && m.Day <= lastDay, "day: want 0 to 100000") {
			s.SetDay(m.Day)
			s.sendDay(w)
		}
	})
	mux.HandleFunc("GET /simulator/truth", s.sendTruth)
	mux.HandleFunc("POST /simulator/faults", func(w http.ResponseWriter, r *http.Request) {
		var faults Faults
		if !decodeBody(w, r, &faults) {
			return
		}
		if err := s.SetFaults(faults); err != nil {
			refuseA(http.StatusBadRequest, Invalid, err.Error()).write(w)
			return
		}
		sendJSON(w, faults)
	})
	mux.HandleFunc("POST /simulator/balance", func(w http.ResponseWriter, r *http.Request) {
		m := struct {
			Credits int `json:"credits"`
		}{-1}
		if decodeBody(w, r, &m) && require(w, m.Credits >= 0, "credits: want 0 or more") {
			s.SetBalance(m.Credits)
			sendJSON(w, s.Bill())
		}
	})
	return mux
}

// lastDay is the last day that another process may ask for. Memory and time grow with the
// day, so there is a bound.
const lastDay = 100_000

// sendDay writes the current day and its date.
func (s *Simulator) sendDay(w http.ResponseWriter) {
	f := s.today.Load()
	sendJSON(w, dayBody{f.day, f.date.Format(time.DateOnly)})
}

// sendTruth writes the truth about each vessel, on the requested day or else today.
func (s *Simulator) sendTruth(w http.ResponseWriter, r *http.Request) {
	day := s.Day()
	if text := r.URL.Query().Get("day"); text != "" {
		n, err := strconv.Atoi(text)
		if !require(w, err == nil && n >= 0 && n <= lastDay, "day: want 0 to 100000") {
			return
		}
		day = n
	}
	sendLines(w, s.Truth(day))
}

// decodeBody decodes the JSON body of a control request into a value. It answers 400 and
// returns false when the body does not fit.
func decodeBody(w http.ResponseWriter, r *http.Request, into any) bool {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	message := ""
	if err != nil {
		message = err.Error()
	}
	return require(w, err == nil, message)
}

// require answers 400 with the rule, and returns false, when a control request breaks it.
func require(w http.ResponseWriter, ok bool, rule string) bool {
	if !ok {
		refuseA(http.StatusBadRequest, Invalid, rule).write(w)
	}
	return ok
}

// sendJSON writes a value as JSON.
func sendJSON(w http.ResponseWriter, value any) {
	answer{status: http.StatusOK, body: encode(value)}.write(w)
}

// sendLines writes each value as a line of JSON. It ends without an error when the client has
// gone away.
func sendLines[T any](w http.ResponseWriter, values []T) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	buffer := bufio.NewWriter(w)
	encoder := json.NewEncoder(buffer)
	for _, v := range values {
		if encoder.Encode(v) != nil {
			return
		}
	}
	buffer.Flush()
}
