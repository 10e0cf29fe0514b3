package load

import "testing"

// TestOneNightWithTwoFlags: of two flags or types that the list of one night gives a vessel one is kept, whatever
// the order of the answers, and no change follows from it that a later night does not confirm.
func TestOneNightWithTwoFlags(t *testing.T) {
	panama := with(ever, row{"callsign": nil})
	liberia := with(panama, row{"flag": "LR", "country": "Liberia"}) // under the MMSI of Panama
	malta := with(panama, row{"flag": "MT", "country": "Malta"})
	cyprus := with(panama, row{"flag": "CY", "country": "Cyprus"})
	tanker := with(panama, row{"vessel_type": "Crude Oil Tanker", "category": "tanker"})
	late := func(r row, date string) row { return with(r, row{"seen_at": date + " 02:30"}) }
	const current = "SELECT flag, country, vessel_type, category FROM vessels"
	const changes = "SELECT field, old_value, new_value, day(snapshot_date), flapping FROM changes WHERE field IN ('flag', 'vessel_type') ORDER BY snapshot_date, field"
	const confirmed = "SELECT field, old_value, new_value, day(snapshot_date) FROM confirmed_changes WHERE field IN ('flag', 'vessel_type', 'country', 'category') ORDER BY snapshot_date, field"
	const reflagged = "SELECT flag_before, flag_after, day(snapshot_date) FROM reflaggings ORDER BY ALL"
	check(t, map[string]rule{
		"the digits of the mmsi decide, also for the earlier answer": {
			nights: []run{night("20", listings(panama, late(liberia, "20")))}, sql: current, want: "PA Panama Container Ship cargo",
		},
		"and for the later one": {
			nights: []run{night("20", listings(liberia, late(panama, "20")))}, sql: current, want: "PA Panama Container Ship cargo",
		},
		"and against what was known": {
			nights: []run{night("20", listings(liberia)), night("21", listings(panama, late(liberia, "21")))}, sql: current, want: "PA Panama Container Ship cargo",
		},
		"then a lookup of the night": {
			nights: []run{night("20", listings(liberia, late(malta, "20")), particulars(with(malta, row{"vessel_type": nil})))}, sql: current, want: "MT Malta Container Ship cargo",
		},
		"then what was known": {
			nights: []run{night("20", listings(malta)), night("21", listings(malta, late(liberia, "21")))}, sql: current, want: "MT Malta Container Ship cargo",
		},
		"then the alphabet": {
			nights: []run{night("20", listings(malta, late(liberia, "20")))}, sql: current, want: "LR Liberia Container Ship cargo",
		},
		"two types stay the known one": {
			nights: []run{night("20", listings(tanker)), night("21", listings(panama, late(tanker, "21"))), night("22", listings(tanker, late(panama, "22")))},
			sql:    current, want: "PA Panama Crude Oil Tanker tanker",
		},
		"what is not kept is a conflict": {
			nights: []run{night("20", listings(panama)), night("21", listings(panama, liberia, tanker)), night("22", listings(panama, liberia))},
			sql:    "SELECT kind, value, day(since), day(last_date) FROM identity_review WHERE kind LIKE 'several%' ORDER BY ALL",
			want:   "several flags LR 21 22\nseveral types Crude Oil Tanker 21 21",
		},
		"the next night's one value is no change, if the first knew nothing else": {
			nights: []run{night("20", listings(malta, late(liberia, "20"))), night("21", listings(malta))},
			sql:    changes, want: "flag LR MT 21 true",
		},
		"and is none in reflaggings": {
			nights: []run{night("20", listings(malta, late(liberia, "20"))), night("21", listings(malta)), night("22", listings(malta))},
			sql:    reflagged, want: "",
		},
		"it is one from a value that was known before": {
			nights: []run{night("20", listings(malta)), night("21", listings(malta, late(liberia, "21"))), night("22", listings(liberia))},
			sql:    confirmed, want: "country Malta Liberia 22\nflag MT LR 22",
		},
		"a kept value that is new is doubtful": {
			nights: []run{night("20", listings(liberia)), night("21", listings(liberia, late(panama, "21")))},
			sql:    changes, want: "flag LR PA 21 true",
		},
		"until a night gives it alone": {
			nights: []run{night("20", listings(liberia)), night("21", listings(liberia, late(panama, "21"))), night("22"), night("23", listings(panama))},
			sql:    confirmed, want: "country Liberia Panama 21\nflag LR PA 21",
		},
		"then a new flag is one, of the night that showed it first": {
			nights: []run{night("20", listings(malta)), night("21", listings(liberia, late(cyprus, "21"))), night("22", listings(cyprus))},
			sql:    reflagged, want: "MT CY 21",
		},
		"and none before": {
			nights: []run{night("20", listings(malta)), night("21", listings(liberia, late(cyprus, "21")))},
			sql:    reflagged, want: "",
		},
		"or takes it back": {
			nights: []run{night("20", listings(liberia)), night("21", listings(liberia, late(panama, "21"))), night("22", listings(liberia, late(panama, "22"))), night("23", listings(liberia))},
			sql:    changes, want: "flag LR PA 21 true\nflag PA LR 23 true",
		},
		"after that it is as known as any": {
			nights: []run{night("20", listings(malta, late(liberia, "20"))), night("21", listings(liberia)), night("22", listings(malta))},
			sql:    reflagged, want: "LR MT 22",
		},
		"her version is doubtful until then": {
			nights: []run{night("20", listings(liberia)), night("21", listings(liberia, late(panama, "21"))), night("22")},
			sql:    "SELECT flag, doubtful, day(snapshot_date) FROM registration ORDER BY valid_from", want: "LR - 20\nPA flag 21",
		},
		"and is not when a night has decided": {
			nights: []run{night("20", listings(liberia)), night("21", listings(liberia, late(panama, "21"))), night("22"), night("23", listings(panama))},
			sql:    "SELECT flag, doubtful, day(snapshot_date) FROM registration ORDER BY valid_from", want: "LR - 20\nPA - 21",
		},
		"one that another night replaced stays so": {
			nights: []run{night("20", listings(liberia)), night("21", listings(liberia, late(panama, "21"))), night("22", listings(with(panama, row{"name": "OTHER"}), late(with(liberia, row{"name": "OTHER"}), "22")))},
			sql:    "SELECT flag, name, doubtful FROM registration ORDER BY valid_from", want: "LR EVER GIVEN -\nPA EVER GIVEN flag\nPA OTHER flag",
		},
		"a flag and a type": {
			nights: []run{night("20", listings(panama, late(liberia, "20"), late(tanker, "20")))},
			sql:    "SELECT doubtful FROM registration", want: "flag, vessel_type",
		},
		"an old and a new mmsi with their flags are no contradiction": {
			nights: []run{night("20", listings(panama)), night("21", listings(panama, late(with(liberia, row{"mmsi": "636016000"}), "21")))},
			sql:    "SELECT (SELECT count(*) FROM identity_conflicts), flag_before, flag_after FROM reflaggings", want: "0 PA LR",
		},
	})
}
