package simulation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
)

// ServeHTTP answers as the service does, for the fleet of this moment, and moves the fleet before the next answer.
func (m *moving) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	operation, parameters := read(r)
	m.mu.Lock()
	status, answer := m.answer(operation, query(parameters))
	m.mu.Unlock()
	body, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

// object is one of JSON.
type object = map[string]any

func (m *moving) answer(operation string, values url.Values) (status int, answer any) {
	switch {
	case operation == api.Credits.Name:
		return 200, object{"detail": object{"credits": 1_000_000}}
	case operation == api.ByType.Name && strings.Contains(values.Encode(), "accepted-values"):
		return 422, object{"detail": []object{{"field": "type_specific", "allowed_values": api.Types}, {"field": "country", "allowed_values": accepted(m.refused)}}}
	case operation == api.ByType.Name:
		return 200, m.page(values.Get("country"))
	case operation == api.Info.Name:
		number := values.Get("imo_or_mmsi")
		for _, v := range m.afloat {
			if v.imo == number || v.mmsi == number {
				return 200, object{"detail": m.profile(v)}
			}
		}
		return 404, object{"error": "Not Found", "message": "vessel not found"}
	}
	panic(operation + " is not asked for")
}

// accepted lists the countries that the service accepts.
func accepted(refused map[string]bool) []string {
	return slices.DeleteFunc(append(slices.Clone(api.Countries), strange), func(c string) bool { return refused[c] })
}

// page is the list of a country. What moves afterwards is on the pages that are asked for later.
func (m *moving) page(country string) object {
	items, on := []object{}, []string{}
	add := func(v *ship) {
		name := v.name
		if m.random.IntN(4) == 0 {
			name = strings.ReplaceAll(name, " ", "_")
		}
		items = append(items, object{"name": name, "mmsi": v.mmsi, "imo": v.imo, "callsign": v.callsign, "country": v.country, "shipType": "Cargo", "typeSpecific": v.kind})
		on = append(on, v.first)
	}
	for _, v := range m.afloat {
		if v.country == country {
			add(v)
		}
		if other, twice := m.twice[v]; twice && other.country == country {
			add(&other)
		}
	}
	m.tonight.asked[country] = true
	if len(on) > 0 || m.tonight.pages[country] != nil {
		m.tonight.pages[country] = on
	}
	if m.night > max(0, m.quiet) && (len(items) > 0 || m.random.IntN(30) == 0) { // nothing shows what happens before the first night is known
		for range m.random.IntN(7) {
			m.step()
		}
	}
	return object{"total": len(items), "items": items, "limit": api.PageSize, "page": 1}
}

// profile is the answer to a lookup. It writes the companies in any dress.
func (m *moving) profile(v *ship) object {
	management := object{}
	for role, key := range map[string]string{"registered_owner": "registeredOwner", "manager": "manager"} {
		delete(m.tonight.owners, v.first+role)
		company, named := m.dress(v.companies[role])
		if management[key] = company; named {
			m.tonight.owners[v.first+role] = v.companies[role]
		}
	}
	return object{"name": v.name, "imo": v.imo, "mmsi": v.mmsi, "callsign": v.callsign, "country": v.country, "shipType": "Cargo", "typeSpecific": v.kind,
		"length": fmt.Sprint(v.length, " m"), "beam": "30 m", "management": management}
}

// dress writes a company in one of the ways in which services do, and reports whether that is a name at all.
func (m *moving) dress(company int) (text string, named bool) {
	forms := [][]string{{"CO LTD", "CO., LTD.", "Co. Limited"}, {"PTE LTD", "Pte. Ltd.", "PTE LIMITED"}, {"SA", "S.A.", "S.A"}, {"SPA", "S.p.A.", "SPA"}, {"AS", "A/S", "AS"}, {"INC", ", Inc.", "INC."}}
	form := forms[company%len(forms)]
	text = fmt.Sprintf("COMPAÑÍA %d NAVIERA %s", company, form[0])
	switch m.random.IntN(12) {
	case 0:
		return strings.ToLower(text), true
	case 1:
		return fmt.Sprintf("Compañía %d Naviera %s", company, form[1]), true
	case 2:
		return strings.ReplaceAll(text, " ", "_"), true
	case 3:
		return " " + strings.ReplaceAll(text, " ", "  ") + " ", true
	case 4:
		return text + "@@@", true
	case 5:
		return fmt.Sprintf("COMPAÑÍA %d NAVIERA %s", company, form[2]), true
	case 6:
		return fmt.Sprintf("Compan\u0303i\u0301a %d Naviera, %s", company, form[0]), true
	case 7:
		empty := []string{"NULL", "N/A", "0", "Unknown", "none", "?", "--", ""}
		return empty[m.random.IntN(len(empty))], false
	}
	return text, true
}
