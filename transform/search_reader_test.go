package transform

import (
	"testing"

	"github.com/fleetlake/fleetlake/extract/journal"
)

func TestAPageHasOneFingerprintHoweverItIsRead(t *testing.T) {
	numbered := `{"total":9,"items":[{"imo":"9074729","mmsi":"371000001","name":"A"}],"page":%s}`
	for name, body := range map[string]string{
		"a page of vessels":             listingPage(3, 100),
		"a page of the interface text":  payload(t, "by-type"),
		"a page without vessels":        `{"total":0,"items":[]}`,
		"a page without a list":         `{"total":0,"items":null}`,
		"a record without identity":     `{"items":[{"name":"NAMELESS"},{"imo":"1234567","mmsi":"-"}]}`,
		"an element that is no record":  `{"items":[7,{"imo":9074729}]}`,
		"numbers that are no texts":     `{"items":[{"imo":[9074729],"mmsi":371000001},{"imo":true}]}`,
		"a number twice":                `{"items":[{"imo":"9074729","imo":"9218301"}]}`,
		"a key in another style":        `{"items":[{"IMO":"9074729"}]}`,
		"half of a pair of surrogates":  `{"items":[{"imo":"9074729","name":"\ud83d"}]}`,
		"a page that breaks off":        `{"items":[{"imo":"9074729"},{"imo`,
		"bytes that are not JSON":       "<html>",
		"a page number that is no JSON": numbered,
	} {
		rows, numbers := fingerprints(answerTo(1, "by-type", "country=Panama&page=1", body))
		if rows != numbers {
			t.Errorf("%s: %x with its rows, %x with the numbers alone", name, rows, numbers)
		}
	}
	page := answerTo(1, "by-type", "country=Panama&page=1", listingPage(3, 100))
	again := answerTo(2, "by-type", "country=Panama&page=2", listingPage(3, 100))
	next := answerTo(3, "by-type", "country=Panama&page=3", listingPage(4, 100))
	r := NewSearchReader()
	if first := r.Each(page, nil).Fingerprint; first == 0 || r.Each(again, nil).Fingerprint != first || r.Each(next, nil).Fingerprint == first {
		t.Error("a repeated page has another fingerprint, or the next page the same")
	}
	found := 0
	if r.Each(next, func(Listed) { found++ }); found != 100 {
		t.Errorf("%d vessels after a page of which only the fingerprint was read", found)
	}
}

// fingerprints returns the fingerprint of an answer with its vessels, and without.
func fingerprints(e journal.Entry) (rows, numbers uint64) {
	return NewSearchReader().Each(e, func(Listed) {}).Fingerprint, NewSearchReader().Each(e, nil).Fingerprint
}
