package extract

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// Answer is an answer with data, even if it has no vessel.
type Answer struct {
	Entry journal.Entry // as the journal has it
	api.Contents
}

// outcome names what an answer with an error status means. The message decides where the
// interface text gives one status several meanings; unsure reports that it does not.
func outcome(o api.Operation, status int, words string) (name string, unsure bool) {
	words = strings.ToLower(words)
	credits := containsAny(words, "credit", "insufficient", "balance")
	blocked := containsAny(words, "black", "block")
	switch {
	case status == http.StatusUnauthorized:
		return OutcomeUnauthorized, false
	case status == http.StatusPaymentRequired:
		return OutcomeNoCredits, false
	case status == http.StatusForbidden:
		return OutcomeBlocked, false
	case status == http.StatusTooManyRequests:
		return OutcomeLimited, false
	case status == http.StatusNotFound:
		return OutcomeNotFound, false
	case status == http.StatusBadRequest && credits && blocked:
		return OutcomeBlocked, true
	case status == http.StatusBadRequest && credits:
		return OutcomeNoCredits, false
	case status == http.StatusBadRequest && blocked:
		return OutcomeBlocked, false
	case status == http.StatusBadRequest && o.Names422:
		return OutcomeBlocked, true // a bad value would have been a 422
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity:
		return OutcomeRejected, false
	case status == http.StatusRequestTimeout, status >= 500:
		return OutcomeUnavailable, false
	}
	return OutcomeUnreadable, false
}

func containsAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// ReadAnswer reads an answer from its journal entry, by the code that read it when it came. It
// returns the errors of api.Read.
func ReadAnswer(e journal.Entry) (Answer, error) {
	body, err := e.RawBody()
	if err != nil {
		return Answer{}, fmt.Errorf("entry %d: %w", e.N, err)
	}
	contents, err := api.Read(api.Named(e.Operation), body)
	return Answer{Entry: e, Contents: contents}, err
}
