package simulator

import "strings"

// dress returns a text as the service writes it on this day. With Anomalies.Dress some are written in
// another way than on the day before, although nothing changed: in another case, with underscores, double
// spaces or padding, with other punctuation in the legal form of a company, or with a placeholder.
func (f *fleetDay) dress(h *hull, field int, text string) string {
	u := draw(h.seed, forDress, f.day<<6|field)
	if text == "" || unit(u) >= f.anomalies.Dress {
		return text
	}
	switch u >> 8 % 8 {
	case 0:
		return strings.ToLower(text)
	case 1:
		return strings.ToUpper(text[:1]) + strings.ToLower(text[1:])
	case 2:
		return strings.ReplaceAll(text, " ", "_")
	case 3:
		return " " + strings.ReplaceAll(text, " ", "  ")
	case 4:
		return text + strings.Repeat("@", 1+int(u>>16%4))
	case 5, 6:
		return strings.TrimSuffix(legalForms.Replace(text+"\n"), "\n")
	default:
		return placeholders[u>>16%uint64(len(placeholders))]
	}
}

// legalForms writes the legal forms at the end of a company's name with other punctuation.
var legalForms = strings.NewReplacer(" CO LTD\n", " CO., LTD.\n", " PTE LTD\n", " Pte. Limited\n", " LTD\n", " LIMITED\n", " INC\n", ", Inc.\n", " SA\n", " S.A.\n", " SPA\n", " S.p.A.\n", " AS\n", " A/S\n", " BV\n", " B.V.\n")

// placeholders are what the service writes when it has lost a value.
var placeholders = []string{"NULL", "N/A", "0", "Unknown", "none", "?", "--", "n.a."}
