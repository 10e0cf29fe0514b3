package page

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Lengths of a search: of its text, and of its answer.
const maxSearch, maxFound = 80, 50

// mostFoundPages is how many pages of an answer can be read.
const mostFoundPages = 200

// SearchView is the answer to a search.
type SearchView struct {
	Text  string
	Total int
	Page  int // from 1
	Found []Found
}

// Found is a vessel that a search found, and why.
type Found struct {
	ID, Name, Country, Type, Why string
	Listed                       bool
}

// First and Last are the numbers of the vessels on the page.
func (v SearchView) First() int { return (v.Page-1)*maxFound + 1 }
func (v SearchView) Last() int  { return v.First() + len(v.Found) - 1 }

// Beside is the address of a page before or after this one; empty if there is none.
func (v SearchView) Beside(by int) string {
	page := v.Page + by
	if page < 1 || page > mostFoundPages || (page-1)*maxFound >= v.Total {
		return ""
	}
	q := url.Values{"q": {v.Text}}
	if page > 1 {
		q.Set("page", strconv.Itoa(page))
	}
	return "?" + q.Encode()
}

// part is a piece of a text, which is what was searched for or not.
type part struct {
	Text string
	Hit  bool
}

// Marked cuts a text where it has what was searched for.
func (v SearchView) Marked(text string) (all []part) {
	text = shown.Printable(text)
	for v.Text != "" {
		at := strings.Index(strings.ToUpper(text), v.Text)
		if at < 0 || len(strings.ToUpper(text)) != len(text) { // letters whose capitals are longer
			break
		}
		all = append(all, part{Text: text[:at]}, part{Text: text[at : at+len(v.Text)], Hit: true})
		text = text[at+len(v.Text):]
	}
	return append(all, part{Text: text})
}

// searchPage finds vessels by name, number, call sign, owner and manager, past ones among them. A
// number that one vessel alone has leads to its page.
func (s *site) searchPage(w http.ResponseWriter, r *http.Request) {
	text := searchText(r.FormValue("q"))
	v := SearchView{Text: text, Page: 1}
	if given := r.FormValue("page"); given != "" {
		page, err := strconv.Atoi(given)
		if err != nil || page < 1 || page > mostFoundPages {
			s.say(w, http.StatusBadRequest, "The search has no such page", fmt.Sprintf("page %q: expected a number from 1 to %d.", shown.Shortened(given), mostFoundPages))
			return
		}
		v.Page = page
	}
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
	send(w, http.StatusOK, s.page(view{Kind: "search", Title: "Search", Version: s.Version, Now: s.Now(), Search: &v}))
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
	}, v.Text, numberIn(v.Text), maxFound, max(0, v.Page-1)*maxFound)
}
