package warehouse_test

import (
	"database/sql"
	"math"
	"testing"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/warehouse"
)

// TestDistances compares distances with known ones, and the vessels near a position with those of all whose distance is
// computed.
func TestDistances(t *testing.T) {
	path := warehouse.Path(pipelinetest.Week(t))
	db := sessionWith(t, "ATTACH '"+path+"' AS fleet (READ_ONLY)", "USE fleet")
	for name, c := range map[string]struct {
		from, to [2]float64
		miles    float64
	}{
		"nothing":                      {[2]float64{51.9, 4.1}, [2]float64{51.9, 4.1}, 0},
		"a degree of the meridian":     {[2]float64{10, 20}, [2]float64{11, 20}, 60.04},
		"over the date line":           {[2]float64{0, 179.5}, [2]float64{0, -179.5}, 60.04},
		"half the earth":               {[2]float64{0, 0}, [2]float64{0, 180}, 180 * 60.04},
		"from pole to pole":            {[2]float64{90, 12}, [2]float64{-90, -77}, 180 * 60.04},
		"the airports JFK to Heathrow": {[2]float64{40.6413, -73.7781}, [2]float64{51.4700, -0.4543}, 2991},
	} {
		var got float64
		if err := db.QueryRowContext(t.Context(), "SELECT distance_nm(?::DOUBLE, ?::DOUBLE, ?::DOUBLE, ?::DOUBLE)", c.from[0], c.from[1], c.to[0], c.to[1]).Scan(&got); err != nil || math.Abs(got-c.miles) > 0.005*c.miles+0.001 {
			t.Errorf("%s: %.2f miles, want %.2f (%v)", name, got, c.miles, err)
		}
	}
	if n, err := number(t, db, "SELECT count(distance_nm(NULL, 1, 2, 3)) + count(distance_nm(1, NULL, 2, 3)) + count(distance_nm(1, 2, NULL, 3)) + count(distance_nm(1, 2, 3, NULL))"); err != nil || n != 0 {
		t.Errorf("%d distances of positions that are not known (%v)", n, err)
	}
	var all, beyond int
	near := func(latitude, longitude, miles float64) (n int) {
		t.Helper()
		text := `SELECT (SELECT count(*) FROM vessels_near($1::DOUBLE, $2::DOUBLE, $3::DOUBLE)), count(*) FILTER (distance_nm($1::DOUBLE, $2::DOUBLE, latitude, longitude) <= $3::DOUBLE), count(latitude) FROM vessels`
		var whole, known int
		if err := db.QueryRowContext(t.Context(), text, latitude, longitude, miles).Scan(&n, &whole, &known); err != nil || n != whole {
			t.Errorf("within %.0f miles of %.1f, %.1f: %d vessels, of all %d (%v)", miles, latitude, longitude, n, whole, err)
		}
		all, beyond = known, beyond+known-n
		return n
	}
	for _, at := range [][2]float64{{0, 0}, {1.2, 103.8}, {89, 10}, {-60, 179.9}} {
		for _, miles := range []float64{0, 60, 600, 3000} {
			near(at[0], at[1], miles)
		}
		if n := near(at[0], at[1], 11000); n != all || n == 0 {
			t.Errorf("within half the earth of %v: %d of %d", at, n, all)
		}
	}
	if beyond == 0 {
		t.Error("every vessel is near everything")
	}
	// a pure macro works attached under any name
	attached := sessionWith(t, "ATTACH '"+path+"' AS f (READ_ONLY)")
	var one sql.NullFloat64
	if err := attached.QueryRowContext(t.Context(), "SELECT f.distance_nm(0, 0, 1, 0)").Scan(&one); err != nil || math.Abs(one.Float64-60.04) > 0.01 {
		t.Errorf("attached: %v, %v", one, err)
	}
}
