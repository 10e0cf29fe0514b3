package page

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Lengths of a search: of its text, and of its answer.
const maxSearch, maxFound = 80, 50

// SearchView is the answer to a search.
type SearchView struct {
	Text  string
	Total int
	Found []Found
}

// Found is a vessel that a search found, and why.
type Found struct {
	ID, Name, Country, Type, Why string
	Listed                       bool
}

// Missing is how many vessels were found and are not in the answer.
func (v SearchView) Missing() int { return v.Total - len(v.Found) }

// searchPage finds vessels by name, number, call sign, owner and manager, past ones among them. A
// number that one vessel alone has leads to its page.
func (s *site) searchPage(w http.ResponseWriter, r *http.Request) {
	text := searchText(r.FormValue("q"))
	v := SearchView{Text: text}
	if text != "" {
		err := s.look(r.Context(), func(ctx context.Context, file *warehouse.Warehouse) error { return v.search(ctx, file) })
		if err != nil {
			s.cannotRead(w, err)
			return
		}
	}
	if len(v.Found) == 1 && numberIn(text) != "" {
		http.Redirect(w, r, "/vessel/"+url.PathEscape(v.Found[0].ID), http.StatusSeeOther)
		return
	}
	send(w, http.StatusOK, render("page.html", view{Kind: "search", Title: "Search", Version: s.Version, Now: s.Now(), Search: &v}))
}

// searchText is what is searched for: in upper case, as names are written, without control characters,
// and not too long.
func searchText(given string) string {
	text := strings.Join(strings.Fields(strings.ReplaceAll(shown.Printable(strings.ToValidUTF8(given, "")), "_", " ")), " ")
	if runes := []rune(text); len(runes) > maxSearch {
		text = string(runes[:maxSearch])
	}
	return strings.ToUpper(text)
}

// numberIn is the number that a text is, without the IMO or MMSI in front of it; empty if it is none.
func numberIn(text string) string {
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(text, "IMO"), "MMSI"))
	if len(text) < 7 || len(text) > 9 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsDigit(r) || r > '9' }) {
		return ""
	}
	return text
}

func (v *SearchView) search(ctx context.Context, w *warehouse.Warehouse) error {
	return each(ctx, w, "search", func(r record) {
		v.Total = r.Number(0)
		v.Found = append(v.Found, Found{ID: r.Text(1), Name: r.Text(2), Country: r.Text(3), Type: r.Text(4), Listed: r.Yes(5), Why: r.Text(6)})
	}, v.Text, numberIn(v.Text), maxFound)
}
