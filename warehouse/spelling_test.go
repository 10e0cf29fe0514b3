package warehouse

import (
	"fmt"
	"testing"
)

func TestRespelled(t *testing.T) {
	h := newHistory(t, 1)
	for name, c := range map[string]struct {
		field, before, after string
		want                 bool
	}{
		"punctuation":                             {"manager", "EXAMPLE SHIPPING CO LTD", "EXAMPLE SHIPPING CO., LTD.", true},
		"no blank after the comma":                {"manager", "EXAMPLE SHIPPING CO.,LTD.", "EXAMPLE SHIPPING CO LTD", true},
		"another legal form":                      {"registered_owner", "NORTHERN BULK AS", "NORTHERN BULK LIMITED", true},
		"no legal form":                           {"registered_owner", "NORTHERN BULK A/S", "NORTHERN BULK", true},
		"a spaced legal form":                     {"ism", "SAMPLE MARITIME S. A.", "SAMPLE MARITIME SA", true},
		"several legal forms":                     {"manager", "REEDEREI NORD GMBH & CO. KG", "REEDEREI NORD", true},
		"a legal form in front":                   {"manager", "PT PELAYARAN BAHTERA TBK", "PELAYARAN BAHTERA, PT", true},
		"an ampersand":                            {"builder", "SMITH & SONS LTD", "SMITH AND SONS LTD.", true},
		"accents":                                 {"registered_owner", "COMPAÑÍA NAVIERA S.A.", "COMPANIA NAVIERA SA", true},
		"other companies":                         {"registered_owner", "NORTHERN BULK AS", "NORTHERN TANKERS AS", false},
		"a number in the name":                    {"registered_owner", "HULL 12 LTD", "HULL 13 LTD", false},
		"initials in front are a part of a name":  {"registered_owner", "S.A. PAPADOPOULOS", "A.B. PAPADOPOULOS", false},
		"nothing but legal forms":                 {"registered_owner", "CO LTD", "SA", false},
		"a legal form in the middle is a name":    {"registered_owner", "CO OPERATIVE LINES", "OPERATIVE LINES", false},
		"a word that begins with a legal form":    {"registered_owner", "NORTHERN COAST", "NORTHERN", false},
		"the name of a ship keeps all its words":  {"name", "ORION AS", "ORION", false},
		"the name of a ship without its dots":     {"name", "M.V. ORION", "MV ORION", true},
		"numbers":                                 {"length_m", "1.5", "15", false},
		"a value that was not known":              {"manager", "", "EXAMPLE SHIPPING CO LTD", false},
		"other scripts":                           {"manager", "日本郵船", "商船三井", false},
		"another script with another legal form":  {"manager", "日本郵船 CO., LTD.", "日本郵船", true},
		"a company whose name is a short country": {"manager", "GREECE", "GREECE S.A.", true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, pair := range [][]string{{c.before, c.after}, {c.after, c.before}} {
				history{t, h.db}.is(fmt.Sprintf("SELECT internal.respelled(%s)", quoted(c.field, pair[0], pair[1])), fmt.Sprint(c.want))
			}
		})
	}
}
