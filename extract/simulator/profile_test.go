package simulator

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

// record is the answer of a lookup without its envelope.
type record map[string]json.RawMessage

// text returns a member without quotes; the empty string where it is missing, in any of the
// ways to say so.
func (r record) text(member string) string {
	var s *string
	if json.Unmarshal(r[member], &s) != nil || s == nil || *s == "-" || *s == "None" {
		return ""
	}
	return *s
}

// amount returns the number at the beginning of a member; 0 is missing.
func (r record) amount(member string) int {
	digits, _, _ := strings.Cut(strings.ReplaceAll(r.text(member), ",", ""), " ")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// lookup asks for a vessel. flat reports whether the answer had no detail around it.
func lookup(t *testing.T, s *Simulator, o api.Operation, number string) (r record, flat bool) {
	t.Helper()
	body := ask(s, o, "imo_or_mmsi="+number).Body.Bytes()
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if detail, ok := r["detail"]; ok {
		r = nil
		if err := json.Unmarshal(detail, &r); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		return r, false
	}
	return r, true
}

func TestProfilesAgreeWithTheTruth(t *testing.T) {
	s := fleet(t, Config{Vessels: 1200, Dirt: 2})
	s.SetDay(4)
	envelopes := make(map[bool]int)
	for _, v := range s.Truth(4) {
		info, flat := lookup(t, s, api.Info, v.MMSI)
		short, _ := lookup(t, s, api.Particulars, v.MMSI)
		envelopes[flat]++
		if !v.Listed {
			continue
		}
		stored := v.Stored[len(v.Stored)-1]
		for _, r := range []record{info, short} {
			if r.text("name") != *stored.Name || r.text("mmsi") != v.MMSI || r.text("callsign") != v.Callsign || r.text("eni") != v.ENI {
				t.Fatalf("%v is not %+v", r, v)
			}
			p := v.Particulars
			for member, want := range map[string]int{
				"length": p.LengthM, "beam": p.BeamM, "deadweight": p.DeadweightT, "grossTonnage": p.GrossTonnage, "netTonnage": p.NetTonnage, "teu": p.TEU, "yearOfBuilt": p.YearBuilt,
				"ballastWater": p.BallastWater, "freshWater": p.FreshWater, "crudeOil": p.CrudeOil, "gas": p.GasM3, "grain": p.GrainM3, "bale": p.BaleM3,
			} {
				if got := r.amount(member); got != want {
					t.Errorf("%s %s: %s, want %d", v.VesselID, member, r[member], want)
				}
			}
			if r.text("hull") != p.Hull || r.text("builder") != p.Builder || r.text("material") != p.Material || r.text("placeOfBuild") != p.PlaceOfBuild {
				t.Errorf("%s: build of %v is not %+v", v.VesselID, r, p)
			}
		}
		checkVoyage(t, v, info)
		checkParts(t, v, info)
	}
	if envelopes[true] < 400 || envelopes[false] < 400 {
		t.Errorf("flat: %v, want a mixture", envelopes)
	}
}

func checkVoyage(t *testing.T, v Vessel, r record) {
	t.Helper()
	p := v.Position
	for member, want := range map[string]time.Time{"positionReceived": p.At, "updateTime": p.UpdatedAt, "etaUtc": p.ETA, "atdUtc": p.DepartedAt} {
		got, err := time.Parse("Jan 02, 2006 15:04 UTC", r.text(member))
		if r.text(member) != "" && err != nil || !got.Equal(want.Truncate(time.Minute)) {
			t.Errorf("%s %s: %s, want %v", v.VesselID, member, r[member], want)
		}
	}
	for member, number := range map[string]struct {
		is        *float64
		sentinels string
	}{"latitude": {p.Latitude, "0 91"}, "longitude": {p.Longitude, "0 181"}, "speed": {p.SpeedKn, "102.3"}, "course": {p.CourseDeg, "360"}, "heading": {p.HeadingDeg, "511"}} {
		got := r.text(member)
		if !v.IsShip && got == "" {
			continue
		}
		if number.is == nil && !strings.Contains(number.sentinels, got) || number.is != nil && got != fmt.Sprint(*number.is) {
			t.Errorf("%s %s: %q", v.VesselID, member, got)
		}
	}
	if d := r.text("unlocodeDestination") + r.text("unlocode_destination"); d != p.DestinationUNLOCODE || strings.TrimRight(r.text("destination"), "@") != p.Destination {
		t.Errorf("%s: destination %s in %v", v.VesselID, p.Destination, r)
	}
	if (r.text("navigationalStatus") == "") != (v.Status == "") {
		t.Errorf("%s: status %s, profile %s", v.VesselID, v.Status, r["navigationalStatus"])
	}
	if draught := strings.TrimSuffix(strings.Fields(r.text("draught") + " x")[0], "m."); v.IsShip && draught != fmt.Sprint(p.DraughtM) {
		t.Errorf("%s: draught %s, want %v", v.VesselID, r["draught"], p.DraughtM)
	}
}

func checkParts(t *testing.T, v Vessel, r record) {
	t.Helper()
	var engine, management record
	if json.Unmarshal(r["engine"], &engine) != nil || json.Unmarshal(r["management"], &management) != nil {
		t.Fatalf("engine %s, management %s", r["engine"], r["management"])
	}
	e := Engine{engine.text("fuelType"), engine.text("Propeller"), engine.text("engineType"), engine.text("engineBuilder"), engine.amount("enginePower(kW)")}
	if e != v.Engine {
		t.Errorf("%s: engine %+v, want %+v", v.VesselID, e, v.Engine)
	}
	m := Management{
		management.text("manager"), management.text("managerEmail"), management.text("managerAddress"), management.text("managerWebsite"),
		management.text("registeredOwner"), management.text("registeredOwnerEmail"), management.text("registeredOwnerAddress"), management.text("registeredOwnerWebsite"),
		management.text("ism"), management.text("ClassificationSociety"), management.text("P&I"),
	}
	if m != v.Management {
		t.Errorf("%s: management %+v, want %+v", v.VesselID, m, v.Management)
	}
}

func TestLookupFindsEveryVesselThatExists(t *testing.T) {
	s := fleet(t, Config{Vessels: 20_000, Rates: Rates{Scrapped: .01, Unlisted: .01, Reflagged: .01}})
	s.SetDay(20)
	known := make(map[int]bool)
	hidden, unlisted, doubles := 0, 0, 0
	for _, v := range s.Truth(20) {
		known[v.Hull] = true
		f := s.today.Load()
		if e, ok := f.findEntry(v.MMSI); !ok || e.hull() != v.Hull || e.underPreviousFlag() {
			t.Errorf("MMSI %s of hull %d finds %v, %v", v.MMSI, v.Hull, e, ok)
		}
		if v.IMO != 0 {
			if e, ok := f.findEntry(strconv.Itoa(v.IMO)); ok != v.StoresIMO || ok && e.hull() != v.Hull {
				t.Errorf("IMO %d of hull %d finds %v, %v", v.IMO, v.Hull, e, ok)
			}
			hidden += countIf(!v.StoresIMO)
		}
		unlisted += countIf(!v.Listed)
		if len(v.Stored) == 2 {
			doubles++
			if e, ok := f.findEntry(*v.Stored[0].MMSI); !ok || e.hull() != v.Hull || !e.underPreviousFlag() {
				t.Errorf("old MMSI %s finds %v, %v", *v.Stored[0].MMSI, e, ok)
			}
		}
	}
	if hidden == 0 || unlisted == 0 || doubles == 0 {
		t.Errorf("%d hidden, %d unlisted, %d doubles: want some of each", hidden, unlisted, doubles)
	}
	scrapped := 0
	for _, v := range s.Truth(0) {
		if !known[v.Hull] {
			scrapped++
			if w := ask(s, api.Info, "imo_or_mmsi="+v.MMSI); w.Code != 404 {
				t.Errorf("scrapped %s: %d", v.MMSI, w.Code)
			}
		}
	}
	if scrapped == 0 {
		t.Error("nothing was scrapped")
	}
}
