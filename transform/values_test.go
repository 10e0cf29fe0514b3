package transform

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestCleanName(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"a clean name stays":             {"EVER GIVEN", "EVER GIVEN"},
		"underscores are spaces":         {"CARNIVAL_CELEBRATION", "CARNIVAL CELEBRATION"},
		"white space collapses":          {"  STELLA \t MARIS\n", "STELLA MARIS"},
		"underscores at the ends go":     {"__SEA_", "SEA"},
		"AIS padding goes":               {"ALPHA@@@@@@@", "ALPHA"},
		"padding behind spaces goes":     {"ALPHA  @@ @", "ALPHA"},
		"padding alone is nothing":       {"@@@@", ""},
		"an at sign inside stays":        {"A@B", "A@B"},
		"lower case is raised":           {"Ever given 2", "EVER GIVEN 2"},
		"accents are composed":           {"E\u0301toile", "ÉTOILE"},
		"accents are raised":             {"çanakkale_1", "ÇANAKKALE 1"},
		"wide spaces collapse":           {"A\u00a0\u2003B", "A B"},
		"control characters are spaces":  {"A\x00B", "A B"},
		"other scripts stay":             {"こんごう", "こんごう"},
		"punctuation stays":              {"M/V \"O'HARA\" (II)", "M/V \"O'HARA\" (II)"},
		"padding after accents goes too": {"ÉTOILE@@", "ÉTOILE"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := cleanName(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzCleanName(f *testing.F) {
	for _, s := range []string{"EVER_GIVEN", "a@@", "É toile", "ŉ", "ǰ_@", "\u0345α", "x\u0300\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			t.Skip()
		}
		name := cleanName(s)
		if again := cleanName(name); again != name {
			t.Errorf("%q cleans to %q, and that to %q", s, name, again)
		}
		if strings.ContainsAny(name, "_\n\t") || strings.Contains(name, "  ") || strings.Trim(name, " @") != name {
			t.Errorf("%q cleans to %q", s, name)
		}
		if isCleanName(s) && string(appendName(nil, s)) != s {
			t.Errorf("%q is plain, and changes", s)
		}
		if word := capitalized(s); capitalized(word) != word {
			t.Errorf("%q is capitalized to %q, and that to %q", s, word, capitalized(word))
		}
		if text := cleanText(s); cleanText(text) != text {
			t.Errorf("%q cleans to %q, and that to %q", s, text, cleanText(text))
		}
	})
}

func TestVocabularies(t *testing.T) {
	for name, c := range map[string]struct {
		read   func(string) spelling
		in     string
		want   string
		flag   string
		reason Reason
	}{
		"a country as listed":               {readCountry, "Panama", "Panama", "PA", noIssue},
		"casing and outer spaces go":        {readCountry, " pAnAmA ", "Panama", "PA", noIssue},
		"spellings are one flag":            {readCountry, "REPUBLIC OF KOREA", "South Korea", "KR", noIssue},
		"the unknown country has no flag":   {readCountry, "Unknown", "Unknown", "", noIssue},
		"a country that is not listed":      {readCountry, "ATLANTIS_nova", "Atlantis Nova", "", NotListed},
		"accents of a country":              {readCountry, "Türkiye", "Turkey", "TR", noIssue},
		"underscores of a country":          {readCountry, "marshall_ISLANDS", "Marshall Islands", "MH", noIssue},
		"underscores of a type":             {readVesselType, "bulk__carrier", "Bulk Carrier", "", noIssue},
		"a flag that is no listed country":  {readCountry, "isle of man", "Isle of Man", "IM", noIssue},
		"a territory behind its state":      {readCountry, "United Kingdom (Isle of Man)", "Isle of Man", "IM", NotListed},
		"a new register of a flag":          {readCountry, "Malta (second register)", "Malta", "MT", NotListed},
		"a missing country":                 {readCountry, "-", "", "", absent},
		"a code":                            {readISO, "nl", "NL", "NL", noIssue},
		"a code that the list has not":      {readISO, "IM", "IM", "IM", noIssue},
		"a code of no country":              {readISO, "XX", "", "", NotListed},
		"a code of three letters":           {readISO, "NLD", "", "", NotListed},
		"a missing code":                    {readISO, "None", "", "", absent},
		"a broad type":                      {readShipType, " Cargo  vessels", "Cargo vessels", "", noIssue},
		"a specific type that is unlisted":  {readVesselType, "SPACE_SHIP (Mk ii)", "Space Ship (Mk Ii)", "", NotListed},
		"a specific type in another casing": {readVesselType, "BULK CARRIER", "Bulk Carrier", "", noIssue},
	} {
		t.Run(name, func(t *testing.T) {
			s := c.read(c.in)
			if s.value != c.want || flags[s.flag].code != c.flag || s.reason != c.reason {
				t.Errorf("got %q, %q, %v", s.value, flags[s.flag].code, s.reason)
			}
		})
	}
}

func FuzzVocabularies(f *testing.F) {
	for _, s := range []string{"Panama", "KOREA ", "Türkiye", "bulk carrier", "-", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if c := readCountry(s); (c.value == "") != (c.reason == absent) || c.flag != 0 && c.register == "" {
			t.Errorf("%q is the country %+v", s, c)
		} else if again := readCountry(c.value); again.value != c.value {
			t.Errorf("%q is the country %q, and that is %q", s, c.value, again.value)
		}
		if v := readVesselType(s); (v.value == "") != (v.reason == absent) || (v.category == "") != (v.reason == absent) {
			t.Errorf("%q is the type %+v", s, v)
		}
		if i := readISO(s); (i.value == "") != (i.reason != noIssue) {
			t.Errorf("%q is the code %+v", s, i)
		}
	})
}

func TestNumbers(t *testing.T) {
	volume := quantity{units: cubic, most: 2_000_000}
	knot := quantity{units: knots, zero: zeroIsValue, most: 102.2, sentinels: []float64{102.3}}
	for name, c := range map[string]struct {
		q    quantity
		in   string
		want float64
		err  error
	}{
		"a number alone":                {volume, "31877", 31877, nil},
		"a unit":                        {volume, "42210 m³", 42210, nil},
		"a unit without its superior":   {volume, "42210m3", 42210, nil},
		"commas between thousands":      {volume, "1,234,567 m³", 1234567, nil},
		"spaces between thousands":      {volume, "42 210 m³", 42210, nil},
		"narrow spaces":                 {volume, "42\u202f210", 42210, nil},
		"a fraction":                    {volume, "9.8", 9.8, nil},
		"an exponent":                   {volume, "1.5e3", 1500, nil},
		"a full stop behind the unit":   {quantity{units: metres, most: 50}, "7.8 m.", 7.8, nil},
		"a negative number":             {quantity{least: -90, most: 90}, "-35.65115", -35.65115, nil},
		"zero is no volume":             {volume, "0 m³", 0, Filler},
		"zero is no length":             {quantity{units: metres, zero: zeroIsFault, most: 600}, "0.0 m", 0, Zero},
		"minus zero is no length":       {quantity{units: metres, zero: zeroIsFault, most: 600}, "-0", 0, Zero},
		"zero is a speed":               {knot, "0.0", 0, nil},
		"minus zero is zero":            {knot, "-0", 0, nil},
		"a sentinel":                    {knot, "102.3", 0, Filler},
		"a comma for a decimal point":   {volume, "7,8", 0, NotANumber},
		"commas in odd places":          {volume, "1,23,456", 0, NotANumber},
		"two numbers":                   {volume, "12 34", 0, NotANumber},
		"words":                         {volume, "many", 0, NotANumber},
		"a bare point":                  {volume, ".5", 0, NotANumber},
		"beyond any float":              {volume, "1e999", 0, NotANumber},
		"another unit":                  {volume, "42210 ft³", 0, UnexpectedUnit},
		"a remark":                      {volume, "42210 m³ approx", 0, UnexpectedUnit},
		"too much":                      {volume, "9999999", 0, OutOfBounds},
		"too little":                    {volume, "-1", 0, OutOfBounds},
		"nothing":                       {volume, " - ", 0, absent},
		"a word for nothing":            {volume, "none", 0, absent},
		"digits that are no digits":     {volume, "１２", 0, NotANumber},
		"a point without a fraction":    {volume, "7.", 0, NotANumber},
		"a sign before thousands":       {quantity{least: -9999, most: 0}, "-1'234", -1234, nil},
		"casing of a unit":              {knot, "12.5 KN", 12.5, nil},
		"a unit right behind the digit": {quantity{units: metres, most: 600}, "176m", 176, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := c.q.parse(c.in); got != c.want || err != c.err {
				t.Errorf("got %v, %v; want %v, %v", got, err, c.want, c.err)
			}
		})
	}
}

func TestWholeNumbers(t *testing.T) {
	at := &answer{year: 2026}
	for name, c := range map[string]struct {
		in   string
		want any
		err  error
	}{
		"a year":                    {"1992", int32(1992), nil},
		"a ship on order":           {"2028", int32(2028), nil},
		"later than any order":      {"2029", nil, OutOfBounds},
		"before steam":              {"1799", nil, OutOfBounds},
		"zero is no year":           {"0", nil, Zero},
		"a fraction of nothing":     {"1992.0", int32(1992), nil},
		"a fraction":                {"1992.5", nil, NotANumber},
		"a month":                   {"1992-05", nil, NotANumber},
		"a thousands separator too": {"1,992", int32(1992), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := asYearBuilt(c.in, at); got != c.want || err != c.err {
				t.Errorf("got %v, %v; want %v, %v", got, err, c.want, c.err)
			}
		})
	}
}

func FuzzNumbers(f *testing.F) {
	for _, s := range []string{"176 m", "1,234.5 m³", "13.3 m. ( max 16.0)", "-0", "1e9"} {
		f.Add(s)
	}
	q := quantity{units: metres, zero: zeroIsValue, least: -1e9, most: 1e9}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := q.parse(s)
		if err == nil && !(n >= q.least && n <= q.most) {
			t.Errorf("%q is %v", s, n)
		}
		if _, err := asDraught(s, &answer{}); err != nil && err.(Reason) == "" {
			t.Errorf("%q is refused without a reason", s)
		}
		_, _ = asMaxDraught(s, &answer{})
	})
}

func TestDraughts(t *testing.T) {
	for name, c := range map[string]struct {
		in          string
		now, most   any
		nowE, mostE error
	}{
		"now and the greatest":   {"13.3 m. ( max 16.0)", 13.3, 16.0, nil, nil},
		"now alone":              {"7.8 m.", 7.8, nil, nil, absent},
		"greatest with its unit": {"4.8 m (max 4.8 m)", 4.8, 4.8, nil, nil},
		"greatest is zero":       {"4.8 m. ( max 0.0)", 4.8, nil, nil, Filler},
		"nothing before it":      {"( max 16.0)", nil, 16.0, absent, nil},
		"something else":         {"4.8 m (light)", nil, nil, UnexpectedUnit, absent},
	} {
		t.Run(name, func(t *testing.T) {
			now, err := asDraught(c.in, &answer{})
			most, mostErr := asMaxDraught(c.in, &answer{})
			if now != c.now || err != c.nowE || most != c.most || mostErr != c.mostE {
				t.Errorf("got %v, %v and %v, %v", now, err, most, mostErr)
			}
		})
	}
}

func TestParseTime(t *testing.T) {
	for name, c := range map[string]struct {
		in, want string
		err      error
	}{
		"as profiles write it":        {"Dec 07, 2025 04:00 UTC", "2025-12-07T04:00:00Z", nil},
		"a day of one digit":          {"Dec 7, 2025 04:00 UTC", "2025-12-07T04:00:00Z", nil},
		"seconds":                     {"Dec 07, 2025 04:00:05 UTC", "2025-12-07T04:00:05Z", nil},
		"a whole month":               {"December 07, 2025 04:00", "2025-12-07T04:00:00Z", nil},
		"ISO 8601":                    {"2025-12-07T04:00:00Z", "2025-12-07T04:00:00Z", nil},
		"ISO 8601 with an offset":     {"2025-12-07T04:00:00+02:00", "2025-12-07T02:00:00Z", nil},
		"ISO 8601 with a fraction":    {"2025-12-07T04:00:00.25Z", "2025-12-07T04:00:00.25Z", nil},
		"ISO 8601 without a zone":     {"2025-12-07T04:00", "2025-12-07T04:00:00Z", nil},
		"a space for the T":           {"2025-12-07 04:00:05", "2025-12-07T04:00:05Z", nil},
		"no seconds":                  {"2025-12-07 04:00", "2025-12-07T04:00:00Z", nil},
		"no seconds, and UTC":         {"2025-12-07 04:00 UTC", "2025-12-07T04:00:00Z", nil},
		"no year":                     {"Oct 7, 16:28", "", NoYear},
		"no year and no time":         {"Oct 7", "", NoYear},
		"no time":                     {"2025-12-07", "", NotATime},
		"a day that is not":           {"Feb 30, 2025 04:00 UTC", "", NotATime},
		"another zone by its letters": {"Dec 07, 2025 04:00 CET", "", NotATime},
		"a duration":                  {"20 days", "", NotATime},
		"the year nought":             {"0000-12-07 04:00", "", OutOfBounds},
		"an epoch":                    {"1970-01-01 00:00:00", "", OutOfBounds},
		"nothing":                     {"-", "", absent},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseTime(c.in)
			if err != c.err || err == nil && (got.Format(time.RFC3339Nano) != c.want || got.Location() != time.UTC) {
				t.Errorf("got %v, %v; want %v, %v", got, err, c.want, c.err)
			}
		})
	}
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"Dec 07, 2025 04:00 UTC", "2025-12-07T04:00:00Z", "Oct 7, 16:28", "2025-12-07 04:00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, err := parseTime(s)
		if err == nil && (at.Before(earliestTime) || at.After(latestTime)) {
			t.Errorf("%q is %v", s, at)
		}
		if again, err2 := parseTime(at.Format(time.RFC3339Nano)); err == nil && (err2 != nil || !again.Equal(at)) {
			t.Errorf("%q is %v, which is %v, %v", s, at, again, err2)
		}
	})
}

func TestStatusLabels(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want any
		err  error
	}{
		"under way":              {"Underway using Engine", "under-way", nil},
		"at anchor":              {"At Anchor", "at-anchor", nil},
		"moored":                 {"Moored", "moored", nil},
		"the value itself":       {"under-way", "under-way", nil},
		"one without a search":   {"Not under command", "not-under-command", nil},
		"a ship that sends none": {"Undefined", nil, absent},
		"a dash":                 {"-", nil, absent},
		"something else":         {"Teleporting", nil, NotListed},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := asStatus(c.in, nil); got != c.want || err != c.err {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}
