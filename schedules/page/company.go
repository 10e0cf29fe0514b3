package page

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Lengths on the page of a company: of its name, in bytes, of its fleet and of its sales.
const maxCompany, maxCompanyFleet, maxSales = 400, 500, 100

// CompanyView is what is known of a company: whose vessels it owns or manages, and which it sold or bought.
type CompanyView struct {
	Name       string
	Total, Now int // vessels that it has or had, and those that it has now
	Fleet      []CompanyVessel
	Flags      []Share
	Sales      []Sale
	AllSales   int
}

// CompanyVessel is a vessel of a company.
type CompanyVessel struct {
	ID, Name, Flag, Country, Type, Role, Since, Until string
	Now                                               bool
}

// Sale is a change of an owner or manager.
type Sale struct{ Date, ID, Name, Role, Before, After string }

// Missing is how many vessels the page leaves out, and MissingSales how many sales.
func (v CompanyView) Missing() int      { return v.Total - len(v.Fleet) }
func (v CompanyView) MissingSales() int { return v.AllSales - len(v.Sales) }

// Link is the page of a company.
func (CompanyView) Link(name string) string { return shown.CompanyLink(name) }

// SalesList is the list of what the company lost, or gained.
func (v CompanyView) SalesList(column string) string {
	return "/list/ownership_changes?" + url.Values{column: {v.Name}}.Encode()
}

// companyPage serves what is known of a company by its name, as the answers have it.
func (s *site) companyPage(w http.ResponseWriter, r *http.Request) {
	v := CompanyView{Name: r.FormValue("name")}
	if v.Name == "" || len(v.Name) > maxCompany || !utf8.ValidString(v.Name) || strings.ContainsRune(v.Name, 0) {
		s.say(w, http.StatusBadRequest, "Which company?", fmt.Sprintf("A company is asked by its name, of at most %d bytes, such as /company?name=DELTA+TANKERS+INC; the search finds its vessels by a part of it.", maxCompany))
		return
	}
	if err := s.look(r.Context(), func(ctx context.Context, file *warehouse.Warehouse) error { return v.read(ctx, file) }); err != nil {
		s.cannotRead(w, err)
		return
	}
	if v.Total == 0 {
		s.say(w, http.StatusNotFound, "No such company is known", "No vessel had "+shown.Shortened(v.Name)+" as its owner or manager. A name is written as the answers have it; the search finds a part of one.")
		return
	}
	send(w, http.StatusOK, s.page(view{Kind: "company", Title: shown.Printable(v.Name), Version: s.Version, Now: s.Now(), Company: &v}))
}

func (v *CompanyView) read(ctx context.Context, w *warehouse.Warehouse) error {
	err := each(ctx, w, "company_vessels", func(r record) {
		v.Total, v.Now = r.Number(0), r.Number(1)
		v.Fleet = append(v.Fleet, CompanyVessel{ID: r.Text(2), Name: r.Text(3), Flag: r.Text(4), Country: r.Text(5), Type: r.Text(6), Role: r.Text(7),
			Now: r.Yes(8), Since: r.Text(9), Until: r.Text(10)})
	}, v.Name, maxCompanyFleet)
	if err != nil || v.Total == 0 {
		return err
	}
	err = each(ctx, w, "company_flags", func(r record) {
		v.Flags = append(v.Flags, Share{Code: r.Text(0), Name: r.Text(1), Count: r.Number(2)})
	}, v.Name)
	if err != nil {
		return err
	}
	longest := 0
	for i, f := range v.Flags {
		longest = max(longest, f.Count)
		v.Flags[i].List = "/list/vessels?" + url.Values{"flag": {f.Code}, "registered_owner": {v.Name}}.Encode()
	}
	if len(v.Flags) > maxFlags {
		other := Share{Name: "other flags", Other: true}
		for _, f := range v.Flags[maxFlags:] {
			other.Count += f.Count
		}
		v.Flags = append(v.Flags[:maxFlags], other)
	}
	for i, f := range v.Flags {
		v.Flags[i].Percent = min(100, bar(f.Count, longest))
	}
	return each(ctx, w, "company_sales", func(r record) {
		v.AllSales = r.Number(0)
		v.Sales = append(v.Sales, Sale{r.Text(1), r.Text(2), r.Text(3), r.Text(4), r.Text(5), r.Text(6)})
	}, v.Name, maxSales)
}
