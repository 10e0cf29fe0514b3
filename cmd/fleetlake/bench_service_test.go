package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/transform"
)

// cannedFleet is a service with ready answers for the benchmarks, without limits, prices and state: it
// takes little of the CPU that the program under measure needs. Every country has the same number of
// vessels, one in four has no IMO, and three in a thousand have another name each night.
type cannedFleet struct {
	vessels   int
	night     int
	countries []string
	index     map[string]int // of a country
	flags     []string       // ISO code of each country; "" for none
	digits    []string       // that the MMSIs of each country begin with
}

func newCannedFleet(vessels, night int) *cannedFleet {
	f := &cannedFleet{vessels: vessels, night: night, countries: strings.Split(strings.TrimSpace(interfaceCountries), "\n"), index: map[string]int{}}
	flags, digits := map[string]string{}, map[string]string{}
	for _, t := range transform.ReferenceTables() {
		for _, row := range t.Rows {
			switch t.Name {
			case "countries":
				flags[strings.ToLower(row[0])] = row[1]
			case "maritime_identification_digits":
				digits[row[1]] = row[0]
			}
		}
	}
	for i, country := range f.countries {
		flag := flags[strings.ToLower(country)]
		f.index[country] = i
		f.flags = append(f.flags, flag)
		f.digits = append(f.digits, cmp.Or(digits[flag], "201"))
	}
	return f
}

// serveCanned is the process of the service. It prints its base URL and serves until its input ends.
// Arguments: how many vessels, and which night it is.
func serveCanned(context.Context, string) error {
	vessels, err := strconv.Atoi(os.Args[1])
	if err != nil {
		return err
	}
	night, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: newCannedFleet(vessels, night)}
	go server.Serve(l)
	fmt.Printf("http://%s%s\n", l.Addr(), simulator.BasePath)
	io.Copy(io.Discard, os.Stdin)
	return server.Close()
}

// startCanned starts the service, until the benchmark or the returned function ends it.
func startCanned(b testing.TB, vessels, night int) (base string, stop func()) {
	b.Helper()
	c := exec.Command(os.Args[0], strconv.Itoa(vessels), strconv.Itoa(night))
	c.Env, c.Stderr = append(os.Environ(), beFleetlake+"=canned"), os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	stop = func() { in.Close(); c.Wait() }
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		b.Fatalf("the service has no address: %v", err)
	}
	return strings.TrimSpace(line), stop
}

func (f *cannedFleet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	w.Header().Set("Content-Type", "application/json")
	body := make([]byte, 0, 32<<10)
	switch strings.TrimPrefix(r.URL.Path, simulator.BasePath) {
	case typeSearch:
		country, page := q.Get("country"), q.Get("page")
		at, known := f.index[country]
		number, err := strconv.Atoi(cmp.Or(page, "1"))
		if !known || err != nil {
			w.WriteHeader(http.StatusUnprocessableEntity) // the probe for the accepted values
			json.NewEncoder(w).Encode(map[string]any{"detail": []any{
				map[string]any{"field": "country", "value": country, "message": "not an accepted value", "allowed_values": f.countries},
				map[string]any{"field": "type_specific", "value": country, "message": "not an accepted value", "allowed_values": strings.Split(strings.TrimSpace(interfaceTypes), "\n")}}})
			return
		}
		body = f.page(body, at, number)
	case creditsCall:
		body = append(body, `{"detail":{"credits":1000000000}}`...)
	case "/get-vessel-info", particulars:
		v, ok := f.named(q.Get("imo_or_mmsi"))
		if !ok {
			http.Error(w, `{"error": "Not Found", "message": "vessel not found"}`, http.StatusNotFound)
			return
		}
		body = f.profile(body, v)
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}

// page appends a page of the vessels of a country. Vessel v is of country v modulo their number.
func (f *cannedFleet) page(b []byte, country, number int) []byte {
	n := len(f.countries)
	total := (f.vessels - country + n - 1) / n
	from, to := min((number-1)*100, total), min(number*100, total)
	if from == to {
		total = 0
	}
	b = append(b, `{"total":`...)
	b = strconv.AppendInt(b, int64(total), 10)
	b = append(b, `,"items":[`...)
	for i := from; i < to; i++ {
		if i > from {
			b = append(b, ',')
		}
		b = append(b, '{')
		b = f.registration(b, country+i*n)
		b = append(b, '}')
	}
	b = append(b, `],"limit":100,"page":`...)
	b = strconv.AppendInt(b, int64(number), 10)
	return append(b, '}')
}

// Parts of names and types.
var (
	cannedNames = []string{"OCEAN", "NORTHERN", "PACIFIC", "GOLDEN", "SAINT", "EASTERN", "STELLA", "NORDIC"}
	cannedNouns = []string{"STAR", "GLORY", "TRADER", "PIONEER", "SPIRIT", "BREEZE", "HARMONY", "VENTURE"}
)

// registration appends the keys that an item of the list has.
func (f *cannedFleet) registration(b []byte, v int) []byte {
	h := uint64(v) * 0x9E3779B97F4A7C15
	country, kind := v%len(f.countries), kinds[h>>40%uint64(len(kinds))]
	b = append(b, `"name":"`...)
	b = append(b, cannedNames[h>>32%8]...)
	b = append(b, '_')
	b = append(b, cannedNouns[h>>36%8]...)
	b = append(b, '_')
	b = strconv.AppendInt(b, int64(v%5000+10_000*f.renamed(v)), 10)
	b = append(b, `","mmsi":"`...)
	b = append(b, f.digits[country]...)
	b = append(b, strconv.Itoa(1_000_000 + v%1_000_000)[1:]...)
	b = append(b, `","imo":"`...)
	b = append(b, cannedIMO(v)...)
	b = append(b, `","callsign":"`...)
	b = append(b, byte('A'+h>>50%26), byte('A'+h>>55%26))
	b = strconv.AppendInt(b, int64(1000+h>>20%9000), 10)
	b = append(b, `","country":"`...)
	b = append(b, f.countries[country]...)
	b = append(b, `","countryIso":"`...)
	b = append(b, f.flags[country]...)
	b = append(b, `","shipType":"`...)
	b = append(b, kind[1]...)
	b = append(b, `","typeSpecific":"`...)
	b = append(b, kind[0]...)
	return append(b, '"')
}

// renamed is how often a vessel was renamed after the first night.
func (f *cannedFleet) renamed(v int) int {
	n := 0
	for night := 2; night <= f.night; night++ {
		if (uint64(v)*2654435761+uint64(night)*40503)%1000 < 3 {
			n++
		}
	}
	return n
}

// cannedIMO is the IMO number of a vessel, or 0. Those that have one are numbered without gaps.
func cannedIMO(v int) string {
	if v%4 == 0 {
		return "0"
	}
	six, sum := 100_000+v-1-v/4, 0
	for digits, weight := six, 2; digits > 0; digits, weight = digits/10, weight+1 {
		sum += digits % 10 * weight
	}
	return strconv.Itoa(six*10 + sum%10)
}

// named finds a vessel by its IMO number or its MMSI.
func (f *cannedFleet) named(number string) (v int, ok bool) {
	n, err := strconv.Atoi(number)
	switch {
	case err != nil:
		return 0, false
	case len(number) == 9:
		v = n % 1_000_000
	default:
		rank := n/10 - 100_000
		v = rank + rank/3 + 1
	}
	return v, v >= 0 && v < f.vessels
}

// profile appends the answer of a lookup.
func (f *cannedFleet) profile(b []byte, v int) []byte {
	size := int64(uint64(v) * 0x9E3779B97F4A7C15 >> 33 % 300)
	b = append(b, `{"detail":{`...)
	b = f.registration(b, v)
	for _, field := range []struct {
		key  string
		n    int64
		unit string
	}{{"length", 60 + size, " m"}, {"beam", 8 + size/6, " m"}, {"deadweight", 900 + 500*size, ""}, {"grossTonnage", 700 + 310*size, ""},
		{"netTonnage", 300 + 170*size, ""}, {"yearOfBuilt", 1980 + size%45, ""}, {"grain", 1000 + 120*size, " m³"}, {"bale", 900 + 110*size, " m³"}, {"freshWater", size, ""}} {
		b = append(b, `,"`+field.key+`":"`...)
		b = strconv.AppendInt(b, field.n, 10)
		b = append(b, field.unit+`"`...)
	}
	b = append(b, `,"teu":"-","draught":"7.8 m.","eni":"None","etaUtc":"Nov 26, 2026 10:00 UTC","speed":"9.8","atdUtc":"Nov 18, 2026 11:08 UTC","latitude":"30.898741","longitude":"`...)
	b = strconv.AppendFloat(b, float64(size)/2, 'f', 5, 64)
	b = append(b, `","course":"354","heading":"349","destination":"Rizhao China","hull":"DOUBLE HULL","builder":"THE HAKODATE DOCK CO., LTD.","material":"STEEL",`+
		`"placeOfBuild":"HAKODATE, Japan","positionReceived":"Nov 20, 2026 02:40 UTC","ballastWater":"None","crudeOil":"0","gas":"0 m³","unlocodeDestination":"CNRZH",`+
		`"unlocodeLastport":"CNXIU","lastPort":"Xiuyu China","navigationalStatus":"Underway using Engine","engine":{"fuelType":"MARINE DIESEL","Propeller":"1 FIXED PITCH",`+
		`"engineType":"6UEC52LA","engineBuilder":"TORTOISE ENGINEERING CO., LTD.","enginePower(kW)":"`...)
	b = strconv.AppendInt(b, 500+40*size, 10)
	b = append(b, `"},"management":{"P&I":"-","ism":"","ismWeb":"-","manager":"EXAMPLE SHIPPING `...)
	b = strconv.AppendInt(b, size*7, 10)
	return append(b, ` CO LTD","ismEmail":"-","ismAddress":"-","ismWebsite":"-","managerEmail":"ops@example.com","managerAddress":"1 Quay Street, Port City","managerWebsite":"-",`+
		`"registeredOwner":"EXAMPLE SHIPPING CO LTD","registeredOwnerEmail":"-","ClassificationSociety":"KOREAN REGISTER OF SHIPPING","registeredOwnerAddress":"1 Quay Street, Port City",`+
		`"registeredOwnerWebsite":"-"},"updateTime":"Nov 20, 2026 07:06 UTC","dataSource":"Terrestrial"}}`...)
}
