package transform

import (
	"strings"
	"testing"
)

// String is the id as the tables write it.
func (v vesselID) String() string { return string(v.append(nil)) }

func TestParseIMO(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want IMO
		err  error
	}{
		"a good number":                   {"9218301", 9218301, nil},
		"white space around it":           {" 9074729\t", 9074729, nil},
		"nothing":                         {"", 0, absent},
		"the API's none":                  {"0", 0, absent},
		"Python's none":                   {"None", 0, absent},
		"a dash":                          {"-", 0, absent},
		"zeros that pass the check digit": {"0000000", 0, Filler},
		"a count up":                      {"1234567", 0, Filler},
		"a count down":                    {"9876543", 0, Filler},
		"a bad check digit":               {"9218302", 0, BadCheckDigit},
		"six digits":                      {"921830", 0, NotSevenDigits},
		"eight digits":                    {"92183010", 0, NotSevenDigits},
		"a leading zero":                  {"0218301", 0, NotSevenDigits},
		"a prefix":                        {"IMO9218301", 0, NotSevenDigits},
		"a sign":                          {"+921830", 0, NotSevenDigits},
		"a fraction":                      {"9218301.0", 0, NotSevenDigits},
		"digits of another script":        {"٩٢١٨٣٠١", 0, NotSevenDigits},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := parseIMO(c.in); got != c.want || err != c.err {
				t.Errorf("got %d, %v; want %d, %v", got, err, c.want, c.err)
			}
		})
	}
}

func FuzzParseIMO(f *testing.F) {
	for _, s := range []string{"9218301", "0", "1234567", " 9074729", "921830x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := parseIMO(s)
		if (err == nil) != (n >= 1_000_000 && n <= 9_999_999) {
			t.Errorf("%q gives %d, %v", s, n, err)
		}
		if id := identify(n, 0); err == nil && id.String() != "IMO"+strings.TrimSpace(s) {
			t.Errorf("%q is the vessel %s", s, id)
		}
	})
}

func TestParseMMSI(t *testing.T) {
	for name, c := range map[string]struct {
		in     string
		text   string
		digits int // of the country
		err    error
	}{
		"a ship":                           {"306256000", "306256000", 306, nil},
		"a group":                          {"023456789", "023456789", 234, nil},
		"a coast station":                  {"002320001", "002320001", 232, nil},
		"an aircraft":                      {"111232506", "111232506", 232, nil},
		"a handheld":                       {"823456789", "823456789", 234, nil},
		"a craft of a parent ship":         {"982320001", "982320001", 232, nil},
		"an aid to navigation":             {"992351000", "992351000", 235, nil},
		"a search and rescue transmitter":  {"970123456", "970123456", 0, nil},
		"a man overboard":                  {"972123456", "972123456", 0, nil},
		"a beacon of a sinking ship":       {"974123456", "974123456", 0, nil},
		"a form that is not allotted":      {"123450000", "123450000", 0, nil},
		"white space around it":            {" 306256000 ", "306256000", 306, nil},
		"nothing":                          {"", "000000000", 0, absent},
		"zero":                             {"0", "000000000", 0, absent},
		"zeros":                            {"000000000", "000000000", 0, Filler},
		"ones":                             {"111111111", "000000000", 0, Filler},
		"nines":                            {"999999999", "000000000", 0, Filler},
		"a count up":                       {"123456789", "000000000", 0, Filler},
		"eight digits":                     {"30625600", "000000000", 0, NotNineDigits},
		"ten digits":                       {"3062560001", "000000000", 0, NotNineDigits},
		"letters":                          {"30625600A", "000000000", 0, NotNineDigits},
		"a number that lost leading zeros": {"2320001", "000000000", 0, NotNineDigits},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := ParseMMSI(c.in)
			if m.String() != c.text || err != c.err {
				t.Fatalf("got %s, %v; want %s, %v", m, err, c.text, c.err)
			}
			if err == nil && m.countryDigits() != c.digits {
				t.Errorf("country digits %d, want %d", m.countryDigits(), c.digits)
			}
		})
	}
}

func FuzzParseMMSI(f *testing.F) {
	for _, s := range []string{"306256000", "002320001", "970123456", "0", "111111111"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := ParseMMSI(s)
		if (err == nil) != (m != 0) {
			t.Errorf("%q gives %d, %v", s, m, err)
		}
		if err == nil && m.String() != strings.TrimSpace(s) {
			t.Errorf("%q reads as %s", s, m)
		}
		if d := m.countryDigits(); d < 0 || d > 999 {
			t.Errorf("%q has country digits %d", s, d)
		}
	})
}

func TestVesselIDsSortAsTheirTextsDo(t *testing.T) {
	ids := []vesselID{
		identify(1000019, 0), identify(9218301, 306256000), identify(9999993, 0),
		identify(0, 2320001), identify(0, 306256000), identify(0, 992351000),
	}
	for i := range ids[1:] {
		a, b := ids[i], ids[i+1]
		if a >= b || a.String() >= b.String() {
			t.Errorf("%d %s, then %d %s", a, a, b, b)
		}
	}
	if got, want := ids[3].String(), "MMSI002320001"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := identify(0, 0).String(); got != "" {
		t.Errorf("no vessel is %q", got)
	}
}
