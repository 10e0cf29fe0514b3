//go:build unix

package load

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse"
)

// fleet is a night of so many listings, a page of a hundred each second, of which one in
// three has no IMO number and three in a thousand read differently every night.
type fleet struct {
	vessels, night int
}

func (f fleet) run() warehouse.Run {
	at := time.Date(2026, 1, 1, 2, 0, 0, 0, time.UTC).AddDate(0, 0, f.night)
	return warehouse.Run{ID: at.Format("20060102T150405.000Z") + "-0000", Job: "nightly", Date: at.Format(time.DateOnly), Started: at, Finished: at, State: "done"}
}

func (f fleet) Rows(t transform.Table) int {
	if t.Name == transform.Listings.Name {
		return f.vessels
	}
	return 0
}

func (f fleet) Write(t transform.Table, emit func(arrow.Record) error) error {
	b := array.NewRecordBuilder(memory.DefaultAllocator, t.Schema)
	defer b.Release()
	c := cellsOf(b, t)
	for from := 0; from < f.vessels; from += 65_536 {
		to := min(from+65_536, f.vessels)
		for i := from; i < to; i++ {
			f.append(c, i)
		}
		c.fill(to-from, f.run().Date)
		r := b.NewRecord()
		err := emit(r)
		r.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// append adds one vessel. The first two thirds have an IMO number, so that ids come sorted.
func (f fleet) append(c cells, i int) {
	h := mix(uint64(i))
	mmsi := fmt.Sprintf("%03d%06d", 201+h%550, i%1_000_000)
	text := func(column, s string) { c.text(column).Append(s) }
	text("run_id", f.run().ID)
	c.int("entry").Append(int32(h >> 20 % 2000))
	c.time("seen_at").Append(arrow.Timestamp(f.run().Started.Add(time.Duration(h>>20%2000) * time.Second).UnixMicro()))
	imo := c.int("imo")
	if i < f.vessels*2/3 {
		text("vessel_id", fmt.Sprintf("IMO%d", 5_000_000+i))
		imo.Append(int32(5_000_000 + i))
	} else {
		mmsi = fmt.Sprintf("%09d", 800_000_000+i)
		text("vessel_id", "MMSI"+mmsi)
		imo.AppendNull()
	}
	name := fmt.Sprintf("%s %s %d", names[h>>8%8], names[h>>12%8], h>>16%1000)
	if uint64(f.night) > 0 && mix(uint64(i)+uint64(f.night)<<32)%1000 < 3 {
		name += fmt.Sprint(" ", f.night)
	}
	country := h >> 32 % 200
	kind := h >> 40 % 300
	text("mmsi", mmsi)
	text("name", name)
	text("callsign", fmt.Sprintf("%c%c%03d", 'A'+h>>24%26, 'A'+h>>30%26, h>>36%1000))
	text("flag", fmt.Sprintf("%c%c", 'A'+country/26, 'A'+country%26))
	text("country", fmt.Sprintf("Country of number %d", country))
	text("country_iso", fmt.Sprintf("%c%c", 'A'+country/26, 'A'+country%26))
	text("ship_type", "Cargo")
	text("vessel_type", fmt.Sprintf("Specific type %d", kind))
	text("category", names[kind%8])
	c.b.Field(c.at["is_vessel"]).(*array.BooleanBuilder).Append(true)
}

var names = []string{"OCEAN", "STAR", "PACIFIC", "NORTHERN", "MAERSK", "ATLANTIC", "SEA", "EVER"}

// mix is a hash, so that a fleet is the same every time.
func mix(x uint64) uint64 {
	x = (x ^ x>>31) * 0x9e3779b97f4a7c15
	x = (x ^ x>>29) * 0xbf58476d1ce4e5b9
	return x ^ x>>32
}

// BenchmarkPublish publishes a first night and two later ones, and prints for each what it
// cost. The peak of the memory is of the whole process, so that each size needs a separate run.
func BenchmarkPublish(b *testing.B) {
	for _, n := range []int{200_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				dir := b.TempDir()
				for night := range 3 {
					f := fleet{n, night}
					start, cpu := time.Now(), usage()
					m, err := Write(dir, f.run(), f)
					if err != nil {
						b.Fatal(err)
					}
					written := usage()
					if err := Publish(b.Context(), dir, Options{}, m); err != nil {
						b.Fatal(err)
					}
					took, after := time.Since(start), usage()
					info, err := os.Stat(warehouse.Path(dir))
					if err != nil {
						b.Fatal(err)
					}
					b.Logf("night %d: %.0f rows/s, %.2f s, CPU %.2f s to write and %.2f s to publish, peak %d MiB, file %.1f MB", night,
						float64(n)/took.Seconds(), took.Seconds(), (written.cpu - cpu.cpu).Seconds(), (after.cpu - written.cpu).Seconds(), after.peakMiB, float64(info.Size())/1e6)
				}
			}
			b.ReportMetric(float64(usage().peakMiB), "peak-MiB")
		})
	}
}

// BenchmarkSmallNight publishes nights of a few vessels, one by one, as most tests do, and prints what one costs.
func BenchmarkSmallNight(b *testing.B) {
	for name, nights := range map[string][]run{"quiet": quietNights(), "voyages": voyages(), "life": life()} {
		b.Run(name, func(b *testing.B) {
			var publishing time.Duration
			for b.Loop() {
				dir := b.TempDir()
				for _, r := range nights {
					m, err := Write(dir, r.row(), r)
					if err != nil {
						b.Fatal(err)
					}
					before := usage().cpu
					if err := Publish(b.Context(), dir, Options{}, m); err != nil {
						b.Fatal(err)
					}
					publishing += usage().cpu - before
				}
			}
			b.ReportMetric(publishing.Seconds()/float64(b.N*len(nights)), "CPU-s/night")
		})
	}
}

// quietNights are nights on which one vessel is listed and nothing changes.
func quietNights() (nights []run) {
	for day := 1; day <= 10; day++ {
		nights = append(nights, night(fmt.Sprintf("%02d", day), listings(ever)))
	}
	return nights
}

type used struct {
	cpu     time.Duration
	peakMiB int64
}

func usage() used {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return used{}
	}
	return used{time.Duration(r.Utime.Nano() + r.Stime.Nano()), r.Maxrss / 1024}
}
