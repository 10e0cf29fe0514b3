//go:build unix

package load

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/history"
)

// ocean is a listed fleet that is swept every night, and of which every twentieth vessel is looked up. Three
// vessels in a thousand change their name, and every second of these its flag with it, and one in ten sails or
// arrives. Every vessel changes its manager about every third year.
type ocean struct {
	vessels, night int
	renamed, moved []uint16 // how often each vessel was, by now
	countries      []string
	flags          map[string]string
	zones          []string
	pages          int // answers to searches of a night
}

func newOcean(vessels int) *ocean {
	o := &ocean{vessels: vessels, renamed: make([]uint16, vessels), moved: make([]uint16, vessels), flags: map[string]string{}}
	for _, t := range transform.ReferenceTables() {
		for _, row := range t.Rows {
			switch {
			case t.Name == "countries" && row[1] != "":
				o.countries = append(o.countries, row[0])
				o.flags[row[0]] = row[1]
			case t.Name == "world_zones":
				o.zones = append(o.zones, row[0])
			}
		}
	}
	o.pages = vessels/100 + len(o.coverage())
	return o
}

// sail advances the ocean by a day.
func (o *ocean) sail() {
	o.night++
	for i := range o.vessels {
		h := mix(uint64(i) + uint64(o.night)<<32)
		if h%1000 < 3 {
			o.renamed[i]++
		}
		if h>>20%10 == 0 {
			o.moved[i]++
		}
	}
}

func (o *ocean) run() warehouse.Run {
	r := fleet{night: o.night}.run()
	r.Finished = r.Started.Add(3 * time.Hour)
	return r
}

func (o *ocean) Rows(t transform.Table) int {
	switch t.Name {
	case transform.Listings.Name, transform.Sightings.Name:
		return o.vessels
	case transform.Particulars.Name, transform.Engine.Name, transform.Management.Name, transform.Positions.Name:
		return o.vessels / 20
	case transform.Coverage.Name:
		return len(o.coverage())
	case transform.Requests.Name:
		return o.pages + o.vessels/20
	}
	return 0
}

func (o *ocean) Write(t transform.Table, emit func(arrow.Record) error) error {
	b := array.NewRecordBuilder(memory.DefaultAllocator, t.Schema)
	defer b.Release()
	c := cellsOf(b, t)
	for from := 0; from < o.Rows(t); from += 65_536 {
		to := min(from+65_536, o.Rows(t))
		switch t.Name {
		case transform.Coverage.Name:
			c.rows(o.coverage()[from:to])
		case transform.Requests.Name:
			for i := from; i < to; i++ {
				c.rows([]row{o.request(i)})
			}
		case transform.Particulars.Name, transform.Engine.Name, transform.Management.Name, transform.Positions.Name:
			first := o.lookedUp()
			o.identify(c, t, first+from, first+to)
			for i := first + from; i < first+to; i++ {
				c.some(o.profile(t, i))
			}
		default:
			o.identify(c, t, from, to)
			for i := from; i < to && t.Name == transform.Sightings.Name; i++ {
				c.some(o.sighting(i))
			}
		}
		c.fill(to-from, o.run().Date)
		r := b.NewRecord()
		err := emit(r)
		r.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// cells appends to the columns of a record by their names.
type cells struct {
	b  *array.RecordBuilder
	at map[string]int
}

func cellsOf(b *array.RecordBuilder, t transform.Table) cells {
	c := cells{b, map[string]int{}}
	for i, f := range t.Schema.Fields() {
		c.at[f.Name] = i
	}
	return c
}

func (c cells) text(name string) *array.StringBuilder {
	return c.b.Field(c.at[name]).(*array.StringBuilder)
}
func (c cells) int(name string) *array.Int32Builder {
	return c.b.Field(c.at[name]).(*array.Int32Builder)
}
func (c cells) time(name string) *array.TimestampBuilder {
	return c.b.Field(c.at[name]).(*array.TimestampBuilder)
}

// fill completes n rows: with their night, and with null where no cell was appended.
func (c cells) fill(n int, date string) {
	night := c.b.Field(c.at["snapshot_date"])
	for night.Len() < n {
		appendValue(night, date)
	}
	for _, f := range c.b.Fields() {
		for f.Len() < n {
			f.AppendNull()
		}
	}
}

// rows appends literals: few rows, and slowly.
func (c cells) rows(rows []row) {
	for _, r := range rows {
		c.some(r)
		c.fill(c.b.Field(c.at["run_id"]).Len(), "")
	}
}

// some appends the given cells of a row.
func (c cells) some(r row) {
	for name, v := range r {
		if at, ok := v.(time.Time); ok {
			c.time(name).Append(arrow.Timestamp(at.UnixMicro()))
		} else {
			appendValue(c.b.Field(c.at[name]), v)
		}
	}
}

// lookedUp is the first of the night's twentieth of the vessels.
func (o *ocean) lookedUp() int { return o.night % 20 * (o.vessels / 20) }

// sighting is where a sweep saw a vessel.
func (o *ocean) sighting(i int) row {
	h := mix(uint64(i) + uint64(o.moved[i])<<40)
	status, zone := statuses[h%3], o.zones[h>>8%uint64(len(o.zones))]
	return row{"navigational_status": status, "world_zone": zone, "sweep": status + "/" + zone}
}

// profile is what one dataset has of a vessel that is looked up, but for its identity.
func (o *ocean) profile(t transform.Table, i int) row {
	h := mix(uint64(i) ^ 0x5bd1e995)
	at := func(shift, n uint64) int { return int(h >> shift % n) }
	switch t.Name {
	case transform.Particulars.Name:
		return row{"operation": "info", "updated_at": o.run().Started, "length_m": float64(60 + at(0, 300)), "beam_m": float64(10 + at(8, 50)), "deadweight_t": float64(1000 + at(16, 300_000)),
			"gross_tonnage": float64(500 + at(20, 200_000)), "year_built": 1980 + at(30, 45), "builder": "Shipyard " + strconv.Itoa(at(40, 300)), "hull": "single"}
	case transform.Engine.Name:
		return row{"fuel_type": "Diesel", "engine_builder": "Works " + strconv.Itoa(at(0, 40)), "engine_power_kw": float64(1000 + at(8, 80_000))}
	case transform.Management.Name:
		owner, manager := strconv.Itoa(at(0, 5000)), strconv.Itoa(at(16, 2000)+(o.night+at(32, 1000))/1000)
		return row{"registered_owner": "Owner " + owner, "registered_owner_address": owner + " Harbour Street", "manager": "Manager " + manager, "manager_email": "desk@manager" + manager + ".example",
			"ism": "Manager " + manager, "class_society": categories[h%4] + " register", "p_and_i": "Club " + strconv.Itoa(at(50, 12))}
	}
	m := mix(uint64(i) + uint64(o.night)<<40)
	return row{"operation": "info", "position_at": o.run().Started, "updated_at": o.run().Started, "latitude": float64(m%160_000)/1000 - 80, "longitude": float64(m>>20%360_000)/1000 - 180, "speed_kn": float64(m>>40%200) / 10,
		"course_deg": float64(m >> 48 % 360), "draught_m": 5 + float64(m>>50%100)/10, "navigational_status": statuses[m%3], "destination": "PORT " + strconv.FormatUint(m>>30%500, 10), "data_source": "terrestrial"}
}

// identify adds who vessels are, and to listings and particulars also their registration.
func (o *ocean) identify(c cells, t transform.Table, from, to int) {
	registered := t.Name == transform.Listings.Name || t.Name == transform.Particulars.Name
	id, entry, seen := c.text("run_id"), c.int("entry"), c.time("seen_at")
	vessel, imo, mmsi := c.text("vessel_id"), c.int("imo"), c.text("mmsi")
	run := o.run()
	started := run.Started.UnixMicro()
	for i := from; i < to; i++ {
		h := mix(uint64(i))
		flags := uint64(o.renamed[i] / 2)
		number, n := strconv.Itoa(5_000_000+i), int64(h>>20%uint64(o.vessels/100))
		if t.Name != transform.Listings.Name && t.Name != transform.Sightings.Name {
			n = int64(o.pages + i - o.lookedUp())
		}
		id.Append(run.ID)
		entry.Append(int32(n))
		seen.Append(arrow.Timestamp(started + n*1_200_000))
		vessel.Append("IMO" + number)
		imo.Append(int32(5_000_000 + i))
		mmsi.Append(strconv.FormatUint(200+(h+flags)%550, 10) + strconv.Itoa(1_000_000 + i%1_000_000)[1:])
		if !registered {
			continue
		}
		country := o.countries[(h>>32+flags)%uint64(len(o.countries))]
		c.text("name").Append(names[(h>>8+uint64(o.renamed[i]))%8] + " " + names[h>>12%8] + " " + strconv.FormatUint(h>>16%1000, 10))
		c.text("callsign").Append(string([]byte{byte('A' + (h>>24+flags)%26), byte('A' + h>>30%26)}) + strconv.FormatUint(100+h>>36%900, 10))
		c.text("country").Append(country)
		c.text("flag").Append(o.flags[country])
		c.text("country_iso").Append(o.flags[country])
		c.text("ship_type").Append("Cargo")
		c.text("vessel_type").Append("Specific type " + strconv.FormatUint(h>>40%300, 10))
		c.text("category").Append(categories[h>>44%4])
		c.b.Field(c.at["is_vessel"]).(*array.BooleanBuilder).Append(true)
	}
}

var (
	statuses   = []string{"under-way", "at-anchor", "moored"}
	categories = []string{"cargo", "tanker", "fishing", "passenger"}
)

// coverage is the same every night: everything.
func (o *ocean) coverage() []row {
	var rows []row
	add := func(operation, kind, value string) {
		rows = append(rows, row{"run_id": o.run().ID, "snapshot_date": o.run().Date, "operation": operation, "kind": kind, "value": value, "pages": 4, "expected_rows": 366, "received_rows": 366, "state": "complete"})
	}
	for _, t := range transform.ReferenceTables() {
		for _, r := range t.Rows {
			if t.Name == "countries" {
				add("by-type", "country", r[0])
			}
		}
	}
	for _, status := range statuses {
		for _, zone := range o.zones {
			add("by-status", "status", status+"/"+zone)
			rows[len(rows)-1]["navigational_status"], rows[len(rows)-1]["world_zone"] = status, zone
		}
	}
	return rows
}

func (o *ocean) request(i int) row {
	at := o.run().Started.Add(time.Duration(i) * 1200 * time.Millisecond)
	operation, rows, q := "by-type", 100, url.Values{"country": {o.countries[i%len(o.countries)]}, "page": {strconv.Itoa(1 + i/len(o.countries))}}
	if i >= o.pages {
		operation, rows, q = "info", 1, url.Values{"imo": {strconv.Itoa(5_000_000 + o.lookedUp() + i - o.pages)}}
	}
	return row{"run_id": o.run().ID, "snapshot_date": o.run().Date, "entry": i, "operation": operation, "parameters": q.Encode(), "sent_at": at, "received_at": at.Add(time.Second),
		"http_status": 200, "credits": 10, "charge": "priced", "outcome": "ok", "rows": rows}
}

// BenchmarkHistory publishes many nights and runs the queries of analysts.
//
//	go test ./load -run '^$' -bench History -benchtime 1x -timeout 0
//	FLEETLAKE_BENCH_NIGHTS=1000 go test ./load -run '^$' -bench History -benchtime 1x -timeout 0
//
// The nights before the measured ones are published many at a time, which is faster and gives the
// same tables. It measures some ages of the warehouse: a few nights, then 30, 90, 180, 365, 730 and 1,095 as far as
// there are so many, and the last; the chart of them goes into the file FLEETLAKE_BENCH_CHART, if that is set. With FLEETLAKE_BENCH_DIR the data directory stays there with all its lake files, so that
// an export of years can be measured with the program itself.
func BenchmarkHistory(b *testing.B) {
	nights, vessels := fromEnv("FLEETLAKE_BENCH_NIGHTS", 60), fromEnv("FLEETLAKE_BENCH_VESSELS", 100_000)
	for b.Loop() {
		dir, o := cmp.Or(os.Getenv("FLEETLAKE_BENCH_DIR"), b.TempDir()), newOcean(vessels)
		var ages []nightly
		for _, night := range milestones(nights) {
			age := o.measure(b, dir, night)
			age.read(b, o, dir)
			ages = append(ages, age)
		}
		report(b, o, dir, ages[0], ages[len(ages)-1])
		drawChart(b, ages)
	}
}

func fromEnv(name string, standard int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return standard
}

// milestones are the nights to measure, in their order.
func milestones(nights int) []int {
	all := slices.DeleteFunc([]int{max(nights/10, 4), 30, 90, 180, 365, 730, 1095, nights}, func(n int) bool { return n > nights })
	slices.Sort(all)
	return slices.Compact(all)
}

// nightly is what one night took at some age of the warehouse.
type nightly struct {
	night                   int
	write, load, copy_, cpu time.Duration // cpu is that of load, and of the whole process
	size                    int64
	fleetOn, ofOne          time.Duration // queries: the fleet of a date, and the history of a vessel
}

// read measures two queries.
func (n *nightly) read(b *testing.B, o *ocean, dir string) {
	w, err := warehouse.Open(b.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	n.fleetOn = slowest(b, func(i int) {
		date := (fleet{night: max(1, o.night*i/4)}).run().Date
		one(b, w, "SELECT max(vessels)::DOUBLE FROM (SELECT flag, count(*) AS vessels FROM fleet_on(DATE '"+date+"') GROUP BY flag)")
	})
	n.ofOne = slowest(b, func(i int) {
		if _, err := history.Of(b.Context(), w, strconv.Itoa(5_000_000+o.vessels*i/5)); err != nil {
			b.Fatal(err)
		}
	})
}

// drawChart prints what the ages cost, each beside the first, with a bar for its load.
func drawChart(b *testing.B, ages []nightly) {
	var text strings.Builder
	most := slices.MaxFunc(ages, func(x, y nightly) int { return cmp.Compare(x.cpu, y.cpu) }).cpu
	fmt.Fprintf(&text, "\n%6s %9s %9s %9s %9s %9s %9s %6s\n", "night", "CPU s", "load s", "copy s", "file MB", "fleet ms", "vessel ms", "growth")
	for _, n := range ages {
		fmt.Fprintf(&text, "%6d %9.2f %9.2f %9.2f %9.1f %9.0f %9.0f %6.2f %s\n", n.night, n.cpu.Seconds(), n.load.Seconds(), n.copy_.Seconds(), float64(n.size)/1e6,
			n.fleetOn.Seconds()*1000, n.ofOne.Seconds()*1000, n.cpu.Seconds()/ages[0].cpu.Seconds(), strings.Repeat("#", int(40*n.cpu/most)))
	}
	fmt.Print(text.String())
	if path := os.Getenv("FLEETLAKE_BENCH_CHART"); path != "" {
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// cpuTime is the CPU time of this process.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// measure publishes all nights up to one, the last three of them one by one.
func (o *ocean) measure(b *testing.B, dir string, night int) nightly {
	b.Helper()
	var all []nightly
	for o.night < night {
		var written []Manifest
		alone := o.night >= night-3
		start := time.Now()
		for o.night < night && len(written) < 20 && (len(written) == 0 || !alone && o.night < night-3) {
			o.sail()
			m, err := Write(dir, o.run(), o)
			if err != nil {
				b.Fatal(err)
			}
			written = append(written, m)
		}
		n := nightly{night: o.night, write: time.Since(start)}
		if alone {
			n.copy_ = copying(b, dir)
		}
		start = time.Now()
		before := cpuTime(b)
		if err := Publish(b.Context(), dir, Options{MemoryMiB: 2048}, written...); err != nil {
			b.Fatal(err)
		}
		n.load, n.cpu = time.Since(start), cpuTime(b)-before
		if alone {
			all = append(all, n)
		} else {
			fmt.Fprintf(os.Stderr, "night %d: %d nights in %.1f s to write and %.1f s to load\n", o.night, len(written), n.write.Seconds(), n.load.Seconds())
		}
		if os.Getenv("FLEETLAKE_BENCH_DIR") == "" {
			forget(b, dir, o.night)
		}
	}
	info, err := os.Stat(warehouse.Path(dir))
	if err != nil {
		b.Fatal(err)
	}
	slices.SortFunc(all, func(x, y nightly) int { return int(x.load - y.load) })
	all[len(all)/2].size = info.Size()
	return all[len(all)/2]
}

// forget removes lake files that no later night reads, so that a thousand nights fit on a disk.
func forget(b *testing.B, dir string, night int) {
	files, err := filepath.Glob(filepath.Join(lake(dir), "*", "*", "*.parquet"))
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range files {
		if !strings.Contains(path, (fleet{night: night}).run().ID) {
			os.Remove(path)
		}
	}
}

// copying is how long the one copy of the published file takes.
func copying(b *testing.B, dir string) time.Duration {
	start := time.Now()
	from, err := os.Open(warehouse.Path(dir))
	if err != nil {
		b.Fatal(err)
	}
	defer from.Close()
	to, err := os.Create(filepath.Join(dir, "copy"))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		b.Fatal(err)
	}
	if err := to.Sync(); err != nil { // as publishing does
		b.Fatal(err)
	}
	to.Close()
	return time.Since(start)
}

func report(b *testing.B, o *ocean, dir string, early, late nightly) {
	w, err := warehouse.Open(b.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	years := float64(o.vessels) * float64(o.night) / 365
	var unchanged float64
	for _, t := range []string{"registration", "listed"} {
		unchanged += one(b, w, "SELECT count(DISTINCT block_id) * 262144.0 / (SELECT count(*) FROM "+t+") FROM pragma_storage_info('"+t+"') WHERE block_id >= 0")
	}
	sample := min(o.night, 5)
	plain := plainCopies(b, o, w, dir, sample) / float64(sample) * float64(o.night)
	var text strings.Builder
	line := func(what, format string, args ...any) {
		fmt.Fprintf(&text, "\n| %-58s | %s |", what, fmt.Sprintf(format, args...))
	}
	line("machine", "%d cores, %s/%s, %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	line("nights, listed vessels, changed a night", "%d, %d, 0.3 %%; one whole sweep a night, in which 10 %% have moved", o.night, o.vessels)
	line("warehouse file", "%.1f MB", float64(late.size)/1e6)
	line("all of it, by listed vessel-year", "%.1f bytes", float64(late.size)/years)
	line("an unchanged registration and its stay, by vessel-year", "%.1f bytes", unchanged*365/float64(o.night))
	line("fleet_on(date) by flag, slowest of 5 dates", "%.0f ms", late.fleetOn.Seconds()*1000)
	line("the whole history of a vessel, slowest of 5", "%.0f ms", late.ofOne.Seconds()*1000)
	for _, n := range []nightly{early, late} {
		line(fmt.Sprintf("load of night %d", n.night), "%.2f s, of which %.2f s is the copy of the file; %.2f s to write its lake files before", n.load.Seconds(), n.copy_.Seconds(), n.write.Seconds())
	}
	line("late night to early night, without the copy", "%.2f", (late.load-late.copy_).Seconds()/(early.load-early.copy_).Seconds())
	line("a plain table of nightly copies, and of the sweeps", "%.0f MB, extrapolated from %d nights: %.1f times as much", plain/1e6, sample, plain/float64(late.size))
	fmt.Println(text.String())
}

// slowest runs something for five cases, three times each, and returns the slowest median.
func slowest(b *testing.B, f func(i int)) time.Duration {
	var most time.Duration
	for i := range 5 {
		var took []time.Duration
		for range 3 {
			start := time.Now()
			f(i)
			took = append(took, time.Since(start))
		}
		slices.Sort(took)
		most = max(most, took[1])
	}
	return most
}

func one(b *testing.B, w *warehouse.Warehouse, text string) float64 {
	rows, err := w.Query(b.Context(), text)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	var n float64
	for values, err := range rows.All() {
		if err != nil {
			b.Fatal(err)
		}
		n, _ = values[0].(float64)
	}
	return n
}

// plainCopies is the size of a DuckDB file with a row for each vessel and night of a sample.
func plainCopies(b *testing.B, o *ocean, w *warehouse.Warehouse, dir string, nights int) float64 {
	path := filepath.Join(dir, "plain.duckdb")
	db, err := sql.Open("duckdb", path)
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	if _, err := db.ExecContext(ctx, "ATTACH '"+copyOf(b, dir)+"' AS w (READ_ONLY)"); err != nil {
		b.Fatal(err)
	}
	for i := range nights {
		date := (fleet{night: o.night - i}).run().Date
		create := "INSERT INTO copies"
		if i == 0 {
			create = "CREATE TABLE copies AS"
		}
		text := create + ` SELECT DATE '` + date + `' AS snapshot_date, r.vessel_id, r.imo, r.mmsi, r.name, r.callsign, r.flag, r.country, r.country_iso, r.ship_type, r.vessel_type, r.category, r.is_vessel,
			DATE '` + date + `' + INTERVAL (hash(r.vessel_id) % 7200) SECOND AS seen_at, s.navigational_status, s.world_zone, DATE '` + date + `' + INTERVAL (hash(r.name) % 7200) SECOND AS sighted_at
			FROM w.registration AS r LEFT JOIN w.internal.latest AS s USING (vessel_id)
			WHERE r.snapshot_date <= DATE '` + date + `' AND (r.closed_date IS NULL OR r.closed_date > DATE '` + date + `') ORDER BY vessel_id`
		if _, err := db.ExecContext(ctx, text); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := db.ExecContext(ctx, "CHECKPOINT copies"); err != nil {
		if _, err := db.ExecContext(ctx, "CHECKPOINT"); err != nil {
			b.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return float64(info.Size())
}

// copyOf is another file than the one that is open in this process.
func copyOf(b *testing.B, dir string) string {
	b.Helper()
	copying(b, dir)
	return filepath.Join(dir, "copy")
}
