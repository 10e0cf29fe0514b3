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

// CompanyView is what is known of a company: the vessels that it owns or manages, and those that it sold or bought. What
// is one company is for company_names of the warehouse to say: all spellings lead to one page.
type CompanyView struct {
	ID                    string // company_id
	Name                  string
	Spellings             []string // the others
	Total, Owned, Managed int      // vessels on the list
	Fleet                 []CompanyVessel
	Flags                 []Share
	Sales                 []Sale
	AllSales              int
}

// CompanyVessel is a vessel of a company.
type CompanyVessel struct{ ID, Name, Flag, Country, Type, Role, LookedUp string }

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

// Query is the address of the worked query about the company: its tonnage, and what it does as the ISM manager.
func (v CompanyView) Query() string {
	return askPath + "?" + url.Values{"query": {"company_fleets"}, fieldPrefix + "company": {v.ID}}.Encode()
}

// companyPage serves what is known of a company by one of its names, or by its company_id.
func (s *site) companyPage(w http.ResponseWriter, r *http.Request) {
	v := CompanyView{Name: r.FormValue("name")}
	if v.Name == "" || len(v.Name) > maxCompany || !utf8.ValidString(v.Name) || strings.ContainsRune(v.Name, 0) {
		s.say(w, http.StatusBadRequest, "Which company?", fmt.Sprintf("Add the name of a company to the address, such as /company?name=DELTA+TANKERS+INC, of at most %d bytes. The search finds vessels by a part of the name.", maxCompany))
		return
	}
	if err := s.look(r.Context(), func(ctx context.Context, file *warehouse.Warehouse) error { return v.read(ctx, file) }); err != nil {
		s.cannotRead(w, err)
		return
	}
	if v.ID == "" {
		s.say(w, http.StatusNotFound, "No such company is known", "No vessel had "+shown.Shortened(v.Name)+" as its owner or manager. Write the name as the service does; the search finds parts of names.")
		return
	}
	send(w, http.StatusOK, s.page(view{Kind: "company", Title: shown.Printable(v.Name), Version: s.Version, Now: s.Now(), Company: &v}))
}

func (v *CompanyView) read(ctx context.Context, w *warehouse.Warehouse) error {
	var names []string
	err := each(ctx, w, "company_names", func(r record) { names, v.ID = append(names, r.Text(0)), r.Text(1) }, v.Name)
	if err != nil || len(names) == 0 {
		return err
	}
	v.Name, v.Spellings = names[0], names[1:]
	err = each(ctx, w, "company_vessels", func(r record) {
		v.Total, v.Owned, v.Managed = r.Number(0), r.Number(1), r.Number(2)
		v.Fleet = append(v.Fleet, CompanyVessel{r.Text(3), r.Text(4), r.Text(5), r.Text(6), r.Text(7), r.Text(8), r.Text(9)})
	}, v.ID, maxCompanyFleet)
	if err != nil {
		return err
	}
	err = each(ctx, w, "company_flags", func(r record) {
		v.Flags = append(v.Flags, Share{Code: r.Text(0), Name: r.Text(1), Count: r.Number(2)})
	}, v.ID)
	if err != nil {
		return err
	}
	if len(v.Flags) > maxFlags {
		other := Share{Name: "other flags", Other: true}
		for _, f := range v.Flags[maxFlags:] {
			other.Count += f.Count
		}
		v.Flags = append(v.Flags[:maxFlags], other)
	}
	scale(v.Flags)
	return each(ctx, w, "company_sales", func(r record) {
		v.AllSales = r.Number(0)
		v.Sales = append(v.Sales, Sale{r.Text(1), r.Text(2), r.Text(3), r.Text(4), r.Text(5), r.Text(6)})
	}, v.ID, maxSales)
}
