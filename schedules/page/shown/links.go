package shown

import "net/url"

// LinkOf is the page of what a value of a column names; empty if it has none.
func LinkOf(column, value string) string {
	switch column {
	case "flag", "flag_before", "flag_after":
		return "/list/vessels?" + url.Values{"flag": {value}, "listed": {"true"}}.Encode()
	case "vessel_type", "category":
		return "/list/vessels?" + url.Values{column: {value}, "listed": {"true"}}.Encode()
	case "world_zone", "from_zone", "to_zone":
		return "/zone/" + url.PathEscape(value)
	case "registered_owner", "manager", "ism", "company_before", "company_after":
		return CompanyLink(value)
	}
	return ""
}

// CompanyLink is the page of a company.
func CompanyLink(name string) string { return "/company?" + url.Values{"name": {name}}.Encode() }
