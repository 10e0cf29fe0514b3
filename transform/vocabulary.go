package transform

import "strings"

// spelling is what one text of the API stands for.
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

func readCountry(raw string) spelling    { return look(countryBySpelling, raw) }
func readVesselType(raw string) spelling { return look(typeBySpelling, raw) }

// look finds raw in one of the API's lists.
func look(known map[string]spelling, raw string) spelling {
	if missing(raw) {
		return spelling{raw: raw, reason: absent}
	}
	s, ok := known[strings.ToLower(CleanText(raw))]
	s.raw, s.reason = raw, noIssue
	if !ok {
		s.reason = NotListed
	}
	return s
}

// readISO reads a country code of two letters.
func readISO(raw string) spelling {
	if missing(raw) {
		return spelling{raw: raw, reason: absent}
	}
	code := strings.ToUpper(strings.TrimSpace(raw))
	f, ok := flagByCode[code]
	if !ok {
		return spelling{raw: raw, reason: NotListed}
	}
	return spelling{raw: raw, value: code, flag: f, reason: noIssue}
}

// readShipType reads a broad category, which has no list.
func readShipType(raw string) spelling {
	if missing(raw) {
		return spelling{raw: raw, reason: absent}
	}
	return spelling{raw: raw, value: CleanText(raw), reason: noIssue}
}

// memo numbers the spellings that a batch meets, so that each is read once and a row keeps
// four bytes of it. Number 0 is no value.
type memo struct {
	read    func(raw string) spelling
	numbers map[string]uint32
	all     []spelling
	last    uint32 // pages are full of one country or one type
}

func newMemo(read func(string) spelling) memo {
	return memo{read: read, numbers: map[string]uint32{"": 0}, all: []spelling{{reason: absent}}}
}

// number returns the number of raw. It keeps a copy, since raw may be a part of a large body.
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

// at returns the spelling with a number.
func (m *memo) at(n uint32) *spelling { return &m.all[n] }
