package shown

import "net/url"

// longestLinked is the length of the longest value that leads anywhere.
const longestLinked = 400

// LinkOf is the page of what a value of a column names; empty if it has none.
func LinkOf(column, value string) string {
	if value == "" || len(value) > longestLinked {
		return ""
	}
	switch column {
	case "vessel_id", "alias_id":
		return "/vessel/" + url.PathEscape(value)
	case "run_id":
		if RunID.MatchString(value) {
			return "/runs/" + value
		}
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
