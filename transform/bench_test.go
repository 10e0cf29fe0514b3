package transform

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/fleetlake/fleetlake/extract/journal"
)

// listingPage is a page of the type/country search as dirty as the service's own: every
// second name has underscores, casings vary, some vessels have no IMO number.
func listingPage(page, size int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"total": %d, "items": [`, 1_000_000)
	for i := range size {
		n := page*size + i
		if i > 0 {
			b.WriteString(", ")
		}
		imo := fmt.Sprint(100_000 + n%900_000)
		imo += string(checkDigit(imo))
		if n%3 == 0 {
			imo = "0"
		}
		name := []string{"NORTHERN_LIGHT_%d", "STELLA MARIS %d"}[n%2]
		country := []string{"Panama", "PANAMA", "Liberia", "Marshall Islands", "Korea"}[n/7%5]
		digits := []int{352, 371, 636, 538, 440}[n/7%5]
		if n%50 == 0 { // carries another country's digits
			digits = 247
		}
		typ := []string{"Bulk Carrier", "Container Ship", "BULK CARRIER", "Oil/Chemical Tanker"}[n/11%4]
		iso := []string{"PA", "PA", "LR", "MH", "KR"}[n/7%5]
		fmt.Fprintf(&b, `{"name": "`+name+`", "mmsi": "%09d", "imo": "%s", "callsign": "3E%04d", "country": "%s", "countryIso": "%s", "shipType": "Cargo vessels", "typeSpecific": "%s"}`,
			n, digits*1_000_000+n, imo, n%10000, country, iso, typ)
	}
	fmt.Fprintf(&b, `], "limit": 100, "page": %d}`, page)
	return b.String()
}

func checkDigit(imo string) byte {
	sum := 0
	for i := range 6 {
		sum += int(imo[i]-'0') * (7 - i)
	}
	return byte('0' + sum%10)
}

func answerTo(n int, operation, parameters, body string) journal.Entry {
	at := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Second)
	return journal.Entry{N: n, Kind: journal.KindAnswer, At: at, Operation: operation, Parameters: parameters,
		Outcome: "ok", Status: 200, Sent: at, Received: at, Body: body, Charge: journal.ChargePriced, Credits: 10}
}

// BenchmarkSightings does the same for the sweep of a zone.
func BenchmarkSightings(b *testing.B) {
	const zones, size = 100, 2000
	entries := make([]journal.Entry, zones)
	for i := range entries {
		body := strings.Replace(listingPage(i, size), "items", "vessels", 1)
		for _, key := range []string{"callsign", "countryIso", "typeSpecific"} {
			body = regexp.MustCompile(`, "`+key+`": "[^"]*"`).ReplaceAllString(body, "")
		}
		entries[i] = answerTo(i+1, "by-status", fmt.Sprintf("navigational_status=moored&world_zone=%d", i), body)
	}
	b.ResetTimer()
	for range b.N {
		batch := NewBatch()
		for _, e := range entries {
			batch.Add(journal.Exchange{Entry: e})
		}
		if err := batch.Write(Sightings, func(arrow.Record) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(zones*size), "ns/row")
}

// BenchmarkListings reads, normalises, sorts and writes vessels of the type/country search.
// B/row is what the batch keeps of each.
func BenchmarkListings(b *testing.B) {
	const size = 100
	for _, total := range []int{200_000, 1_000_000} {
		entries := make([]journal.Entry, total/size)
		for i := range entries {
			entries[i] = answerTo(i+1, "by-type", fmt.Sprintf("country=Panama&page=%d", i+1), listingPage(i, size))
		}
		b.Run(fmt.Sprint(total), func(b *testing.B) {
			for range b.N {
				before := heap()
				batch := NewBatch()
				for _, e := range entries {
					batch.Add(journal.Exchange{Entry: e})
				}
				if got := batch.Rows(Listings); got != total {
					b.Fatalf("%d rows", got)
				}
				b.StopTimer()
				kept := heap() - before
				b.StartTimer()
				if err := batch.Write(Listings, func(arrow.Record) error { return nil }); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(kept)/float64(total), "B/row")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(total), "ns/row")
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
