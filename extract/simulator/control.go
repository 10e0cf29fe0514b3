package simulator

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// dayMessage is the day, as the control paths send and receive it.
type dayMessage struct {
	Day  int    `json:"day"`
	Date string `json:"date,omitempty"`
}

// controls are the paths by which another process steers the simulator.
func (s *Simulator) controls() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /simulator/bill", func(w http.ResponseWriter, _ *http.Request) { send(w, s.Bill()) })
	mux.HandleFunc("GET /simulator/log", func(w http.ResponseWriter, _ *http.Request) { sendLines(w, s.Log()) })
	mux.HandleFunc("GET /simulator/day", func(w http.ResponseWriter, _ *http.Request) { s.sendDay(w) })
	mux.HandleFunc("POST /simulator/day", func(w http.ResponseWriter, r *http.Request) {
		m := dayMessage{Day: -1}
		if receive(w, r, &m) && allowed(w, m.Day >= 0 && m.Day <= lastDay, "day: want 0 to 100000") {
			s.SetDay(m.Day)
			s.sendDay(w)
		}
	})
	mux.HandleFunc("GET /simulator/truth", s.sendTruth)
	mux.HandleFunc("POST /simulator/faults", func(w http.ResponseWriter, r *http.Request) {
		var faults Faults
		if !receive(w, r, &faults) {
			return
		}
		if err := s.SetFaults(faults); err != nil {
			refuseA(http.StatusBadRequest, Invalid, err.Error()).write(w)
			return
		}
		send(w, faults)
	})
	mux.HandleFunc("POST /simulator/balance", func(w http.ResponseWriter, r *http.Request) {
		m := struct {
			Credits int `json:"credits"`
		}{-1}
		if receive(w, r, &m) && allowed(w, m.Credits >= 0, "credits: want 0 or more") {
			s.SetBalance(m.Credits)
			send(w, s.Bill())
		}
	})
	return mux
}

// lastDay bounds what another process may ask for.
const lastDay = 100_000

func (s *Simulator) sendDay(w http.ResponseWriter) {
	f := s.today.Load()
	send(w, dayMessage{f.day, f.date.Format(time.DateOnly)})
}

func (s *Simulator) sendTruth(w http.ResponseWriter, r *http.Request) {
	day := s.Day()
	if text := r.URL.Query().Get("day"); text != "" {
		n, err := strconv.Atoi(text)
		if !allowed(w, err == nil && n >= 0 && n <= lastDay, "day: want 0 to 100000") {
			return
		}
		day = n
	}
	sendLines(w, s.Truth(day))
}

// receive decodes the body of a control request, or refuses it.
func receive(w http.ResponseWriter, r *http.Request, into any) bool {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	message := ""
	if err != nil {
		message = err.Error()
	}
	return allowed(w, err == nil, message)
}

// allowed refuses a control request that breaks a rule.
func allowed(w http.ResponseWriter, ok bool, rule string) bool {
	if !ok {
		refuseA(http.StatusBadRequest, Invalid, rule).write(w)
	}
	return ok
}

func send(w http.ResponseWriter, value any) {
	answer{status: http.StatusOK, body: encode(value)}.write(w)
}

// sendLines writes one JSON object a line. A client that has gone away ends it.
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
