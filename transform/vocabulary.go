package transform

import "strings"

// spelling is the meaning of one text of the API.
type spelling struct {
	raw      string
	value    string // as the tables have it; empty when absent or refused
	flag     flag
	category string
	isVessel bool
	reason   Reason // why it is refused; noIssue when it is not
}

// changed reports whether raw says more than the columns do.
func (s *spelling) changed() bool { return s.reason != absent && s.value != s.raw }

// readCountry returns the meaning of a country, whatever its case.
func readCountry(raw string) spelling { return lookUp(countryBySpelling, raw) }

// readVesselType returns the meaning of a specific vessel type, whatever its case.
func readVesselType(raw string) spelling { return lookUp(typeBySpelling, raw) }

// lookUp returns the meaning of raw in one of the API's lists.
func lookUp(known map[string]spelling, raw string) spelling {
	s, ok := known[strings.ToLower(CleanText(raw))]
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
	last    uint32 // of the previous spelling: most pages have one country or one type
}

// newMemo returns a memo that reads spellings with read.
func newMemo(read func(string) spelling) memo {
	return memo{read: read, numbers: map[string]uint32{"": 0}, all: []spelling{{reason: absent}}}
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
