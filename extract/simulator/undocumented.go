package simulator

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

// Undocumented are the operations that the interface names without the shape of their answers. Paths, parameters,
// prices and limits that it does not say are made up here, and so is every shape: each answer says so (`made_up`).
var Undocumented = []api.RawOperation{
	undocumented(api.BulkLocation, "/get-vessels-location-bulk-search", 1, map[string]string{"imo_or_mmsi": api.Vessels}),
	undocumented("port-calls", "/port-calls-by-vessel", 5, map[string]string{"imo_or_mmsi": api.AVessel}),
	undocumented("history", "/simulated/history", 5, map[string]string{"imo_or_mmsi": api.AVessel, "date": api.ADay}),
	undocumented("area", "/simulated/area", 10, map[string]string{"lat": "{lat}", "lon": "{lon}", "radius": "{radius}"}),
	undocumented("inspections", "/simulated/inspections", 3, map[string]string{"imo_or_mmsi": api.AVessel}),
	undocumented("weather", "/simulated/weather", 1, map[string]string{"imo_or_mmsi": api.AVessel}),
	undocumented("engine-data", "/simulated/engine-data", 2, map[string]string{"imo_or_mmsi": api.AVessel}),
	undocumented("management-data", "/simulated/management-data", 2, map[string]string{"imo_or_mmsi": api.AVessel}),
	undocumented("port-calls-by-port", "/simulated/port-calls-by-port", 5, map[string]string{"unlocode": "{port}"}),
}

func undocumented(name, path string, credits int, parameters map[string]string) api.RawOperation {
	return api.RawOperation{Parameters: parameters,
		Operation: api.Operation{Name: name, Method: "GET", Path: path, Credits: credits, PerMinute: 30, Raw: true}}
}

// operations are all that the simulator answers.
var operations = func() (all []api.Operation) {
	all = slices.Clone(api.Operations)
	for _, o := range Undocumented {
		all = append(all, o.Operation)
	}
	return all
}()

// isOperation reports whether the simulator answers an operation of that name.
func isOperation(name string) bool {
	return slices.ContainsFunc(operations, func(o api.Operation) bool { return o.Name == name })
}

// answerUndocumented answers one of the Undocumented operations.
func (f *fleetDay) answerUndocumented(o api.Operation, parameters string) answer {
	q, _ := url.ParseQuery(parameters)
	a := answer{status: http.StatusOK, outcome: OK, credits: o.Credits, rows: 1}
	body := map[string]any{"made_up": true}
	switch o.Name {
	case api.BulkLocation:
		var all []json.RawMessage
		for number := range strings.SplitSeq(q.Get("imo_or_mmsi"), ",") {
			if e, ok := f.findEntry(strings.TrimSpace(number)); ok {
				all = append(all, f.renderLocation(e))
			}
		}
		body["vessels"], a.rows = all, len(all)
	case "area":
		body["vessels"] = []map[string]any{{"name": "SIMULATED", "latitude": q.Get("lat"), "longitude": q.Get("lon")}}
	case "port-calls-by-port":
		body["expected"] = []map[string]any{{"unlocode": q.Get("unlocode"), "eta": f.config.Start.AddDate(0, 0, f.day+1).Format(time.RFC3339)}}
	default:
		e, ok := f.findEntry(strings.TrimSpace(q.Get("imo_or_mmsi")))
		if !ok {
			return refuseA(http.StatusNotFound, NotFound, "Vessel not found")
		}
		f.ofVessel(o, e, q, body)
	}
	a.body = encode(body)
	return a
}

// ofVessel adds what an operation about one vessel answers.
func (f *fleetDay) ofVessel(o api.Operation, e entry, q url.Values, body map[string]any) {
	h, p := &f.hulls[e.hull()], f.position(e)
	switch o.Name {
	case "port-calls":
		var calls []map[string]any
		number := f.receivedVoyage(h, f.day).number
		for back := range 3 {
			at := f.config.Start.AddDate(0, 0, f.day-7*back)
			to := destinationPort(h, number-1-back)
			calls = append(calls, map[string]any{"portName": to.name, "unlocode": to.locode,
				"ata": at.Add(-30 * time.Hour).Format(time.RFC3339), "atd": at.Add(-6 * time.Hour).Format(time.RFC3339)})
		}
		body["portCalls"] = calls
	case "history":
		body["date"] = q.Get("date")
		body["track"] = []map[string]any{{"latitude": p.Latitude, "longitude": p.Longitude}}
	case "inspections":
		body["inspections"] = []map[string]any{{"authority": "Simulated MoU", "deficiencies": draw(h.seed, forBuild, 1) % 5,
			"date": f.config.Start.AddDate(0, 0, -int(draw(h.seed, forBuild, 2)%700)).Format(time.DateOnly)}}
	case "weather":
		body["wind_kn"], body["wave_m"] = draw(h.seed, forClock, f.day)%40, draw(h.seed, forClock, f.day)>>8%6
	case "engine-data":
		body["engine"] = map[string]any{"fuelType": "MDO"}
	case "management-data":
		body["management"] = map[string]any{"manager": "SIMULATED MANAGER"}
	}
}
