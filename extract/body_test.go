package extract

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// TestADecompressionBombIsLimited sends bodies that are small on the wire and huge when decompressed,
// many at a time, and measures the memory that they take.
func TestADecompressionBombIsLimited(t *testing.T) {
	var bomb bytes.Buffer
	z, _ := gzip.NewWriterLevel(&bomb, gzip.BestSpeed)
	blanks := bytes.Repeat([]byte(" "), 1<<20)
	for range 64 {
		z.Write(blanks)
	}
	z.Close()
	client, segment := serve(t, 0, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(bomb.Bytes())
	})
	for o, most := range map[*api.Request]int{
		{Operation: api.ByType, Parameters: map[string][]string{}}:   maxOtherBody,
		{Operation: api.ByStatus, Parameters: map[string][]string{}}: maxBody,
	} {
		_, err := client.once(t.Context(), *o)
		e := last(t, segment)
		if Judge(err) != Skip || e.Outcome != OutcomeTooLarge || e.Credits != 10 || len(e.Body) != most {
			t.Errorf("%s: %v, %s, %d credits, %d bytes kept", o.Operation.Name, err, e.Outcome, e.Credits, len(e.Body))
		}
	}
	var sending sync.WaitGroup
	client.large = make(chan struct{}, 1)
	client.large <- struct{}{} // another body takes the last place
	client.service.Timeout = 200 * time.Millisecond
	for range 8 {
		sending.Go(func() {
			if _, err := client.once(t.Context(), api.Request{Operation: api.ByStatus}); Judge(err) != Wait {
				t.Errorf("without a turn: %v", err)
			}
		})
	}
	sending.Wait()
	if e := last(t, segment); len(e.Body) > smallBody || e.Charge != journal.ChargeUnknown {
		t.Errorf("without a turn %d bytes were read, %s", len(e.Body), e.Charge)
	}
}

// TestABodyOfControlCharactersDoesNotGrowInTheJournal has zeros, each of which would take six bytes
// in a line of JSON.
func TestABodyOfControlCharactersDoesNotGrowInTheJournal(t *testing.T) {
	client, segment := serve(t, 0, func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, maxBody)) })
	a, err := client.once(t.Context(), api.Request{Operation: api.ByStatus})
	if Judge(err) != Wait || a.Entry.Body != "" {
		t.Errorf("%v, and %d bytes stay in memory until the next try", err, len(a.Entry.Body))
	}
	e := last(t, segment)
	body, err := e.RawBody()
	if err != nil || body != string(make([]byte, maxBody)) || len(e.Body)+len(e.Base64) > maxBody*3/2 {
		t.Errorf("%v, %d bytes of %d are kept, as %d and %d", err, len(body), maxBody, len(e.Body), len(e.Base64))
	}
}
