package transform

import "testing"

func TestPlainNumbersAreSplitWithoutARegularExpression(t *testing.T) {
	for s, plain := range map[string]bool{
		"0": true, "18654": true, "142.5": true, "142.5 m": true, "25 M": true, "007 kn": true, "1.000 TEU": true, "3 m s": false,
		"": false, "m": false, ".5": false, "5.": false, "5. m": false, "-1": true, "-35.65": true, "-1 m": true, "-": false, "--1": false, "- 1": false, "+1": false, "3,420": false, "1 234": false, "1 234 m": false,
		"1e5": false, "5 ": false, "5  m": false, "5m": false, "5 m²": false, "5 m.": false, "5\tm": false, "5 m\n": false, "5 °": false,
	} {
		compareSplit(t, s)
		if _, _, ok := splitPlain(s); ok != plain {
			t.Errorf("%q is plain: %v, want %v", s, ok, plain)
		}
	}
}

// compareSplit compares splitPlain, where it knows a text, with the regular expression.
func compareSplit(t *testing.T, s string) {
	t.Helper()
	digits, unit, ok := splitPlain(s)
	if !ok {
		return
	}
	if d, u, all := splitNumber(s); digits != d || unit != u || !all {
		t.Errorf("%q is split into %q and %q, and by the expression into %q and %q, %v", s, digits, unit, d, u, all)
	}
}

func FuzzPlainNumber(f *testing.F) {
	for _, s := range []string{"142.5 m", "1 234", "12 e5", "1e5", "3,420 t", "5 m\x80", "1.5.5"} {
		f.Add(s)
	}
	f.Fuzz(compareSplit)
}
