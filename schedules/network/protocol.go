package network

import (
	"encoding/json"
	"errors"
	"time"
)

// Limits of the requests of a process. They are far above what a page needs, and below what disturbs a harvest.
const (
	maxRequest = 4 << 10  // bytes of a line
	maxAnswer  = 16 << 20 // bytes of a line, and of the setup
	maxPending = 16       // requests without an answer, and a beat
	perSecond  = 500
)

// writeTimeout is how long one side waits for the other to read.
const writeTimeout = 5 * time.Second

// setupTimeout is how long a process may take to read the setup, after its program was loaded.
const setupTimeout = 30 * time.Second

// beatInterval is how often a process says that it lives.
const beatInterval = 5 * time.Second

// verbBeat is the request that says so. The Keeper answers it itself.
const verbBeat = "beat"

// Request is what the network process asks of the scheduler: a verb, and the job that it is about.
type Request struct {
	ID    uint64 `json:"id"` // set by Ask
	Verb  string `json:"verb"`
	Job   string `json:"job,omitempty"`
	Again bool   `json:"again,omitempty"`
}

// answer is what the scheduler sends: an answer to the request with its id, or that the process must stop.
type answer struct {
	ID    uint64          `json:"id"`
	Error string          `json:"error,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
	Stop  bool            `json:"stop,omitempty"`
}

// Errors of a Link and of a Config.Answer.
var (
	// ErrSilent says that the scheduler does not answer.
	ErrSilent = errors.New("the scheduler does not answer")

	// ErrVerb says that there is no such verb. The process that asks for it is ended.
	ErrVerb = errors.New("a request that there is not")
)
