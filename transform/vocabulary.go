package transform

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// spelling is the meaning of one text of the API.
type spelling struct {
	raw      string
	value    string // as the tables have it; empty when absent or refused
	flag     flag
	register string // of ships, where a country stands for one
	category string
	isVessel bool
	reason   Reason // why it is refused, or NotListed for a value that is kept all the same; noIssue when it is not
}

// changed reports whether raw says more than the columns do.
func (s *spelling) changed() bool { return s.reason != absent && s.value != s.raw }

// readCountry returns the meaning of a country, in any case and with underscores. What is in no list keeps
// its own spelling, as NotListed: the service may have begun to accept it.
func readCountry(raw string) spelling {
	s := lookUp(countryBySpelling, raw)
	if s.reason != NotListed {
		return s
	}
	key := keyOf(raw)
	if known, ok := registerBySpelling[key]; ok {
		known.raw, known.reason = raw, noIssue
		return known
	}
	if f, ok := flagByName[key]; ok {
		return spelling{raw: raw, value: flags[f].name, flag: f, register: flags[f].name, reason: noIssue}
	}
	s.value, s.register = titled(raw), titled(raw)
	if f := flagOfRegister(key); f != 0 {
		s.value, s.flag = flags[f].name, f
	}
	return s
}

// flagOfRegister returns the flag of a register that is written behind its country or that has its country behind
// it, as in "portugal (madeira)"; 0 if neither part is a country. A territory comes before its state.
func flagOfRegister(key string) flag {
	first, second, ok := strings.Cut(strings.TrimSuffix(key, ")"), " (")
	if !ok {
		return 0
	}
	named := func(key string) flag {
		if f := countryBySpelling[key].flag; f != 0 {
			return f
		}
		return flagByName[key]
	}
	f, other := named(first), named(second)
	if f == 0 || other != 0 && flags[other].state == f {
		return other
	}
	return f
}

// readVesselType returns the meaning of a specific vessel type, in any case and with underscores. What is in no
// list keeps its own spelling, as NotListed.
func readVesselType(raw string) spelling {
	s := lookUp(typeBySpelling, raw)
	if s.reason == NotListed {
		s.value, s.category, s.isVessel = titled(raw), "unknown", true
	}
	return s
}

// lookUp returns the meaning of raw in one of the API's lists.
func lookUp(known map[string]spelling, raw string) spelling {
	s, ok := known[keyOf(raw)]
	s.raw, s.reason = raw, noIssue
	switch {
	case ok:
	case missingText(raw):
		s.reason = absent
	default:
		s.reason = NotListed
	}
	return s
}

// keyOf returns what the spellings of a value have in common: they differ in case, accents, blanks and underscores.
func keyOf(spelling string) string {
	s := strings.ToLower(cleanName(spelling))
	if isCleanText(s) {
		return s
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s)))
}

// readISO returns the meaning of a country code of two letters.
func readISO(raw string) spelling {
	code := strings.ToUpper(strings.TrimSpace(raw))
	f, ok := flagByCode[code]
	switch {
	case ok:
		return spelling{raw: raw, value: code, flag: f, reason: noIssue}
	case missingText(raw):
		return spelling{raw: raw, reason: absent}
	}
	return spelling{raw: raw, reason: NotListed}
}

// readShipType returns the meaning of a broad ship type. The API has no list of these, so any
// text is accepted, in one case.
func readShipType(raw string) spelling {
	if missingText(raw) {
		return spelling{raw: raw, reason: absent}
	}
	return spelling{raw: raw, value: capitalized(raw), reason: noIssue}
}

// memo numbers the spellings that a batch meets. Each is read once, and a row takes four
// bytes for it. Number 0 is no value.
type memo struct {
	read    func(raw string) spelling
	numbers map[string]uint32
	all     []spelling
	last    uint32         // of the previous spelling: most pages have one country or one type
	issues  map[string]int // where the issue of a value that is in no list is among those of the batch
}

// newMemo returns a memo that reads spellings with read.
func newMemo(read func(string) spelling) memo {
	return memo{read: read, numbers: map[string]uint32{"": 0}, all: []spelling{{reason: absent}}, issues: map[string]int{}}
}

// number returns the number of raw. It copies a new raw, which would otherwise keep a whole
// answer in memory.
func (m *memo) number(raw string) uint32 {
	if m.all[m.last].raw == raw {
		return m.last
	}
	n, ok := m.numbers[raw]
	if !ok {
		raw = strings.Clone(raw)
		if s := m.read(raw); s.reason != absent {
			n = uint32(len(m.all))
			m.all = append(m.all, s)
		}
		m.numbers[raw] = n
	}
	m.last = n
	return n
}

// at returns the spelling of a number.
func (m *memo) at(n uint32) *spelling { return &m.all[n] }
