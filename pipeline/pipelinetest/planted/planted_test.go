package planted

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fault is a change of a line that must make tests fail.
type fault struct {
	file, was, is string
	packages      string // whose tests find it
	run           string // which of them, as for go test -run
}

var faults = map[string]fault{
	"an event that was queued before is queued again": {
		"schedules/notify/outbox.go", "if slices.Contains(c.Told, e.ID) {", "if false {", "./schedules/notify", "TestWhatIsLeftTheNextProcessSends|TestProcessesShareAnOutbox"},
	"a try is not stored before it is made": {
		"schedules/notify/tries.go", "return c.dropTold() || changed", "return c.dropTold()", "./schedules/notify", "TestAKilledTryCounts|TestProcessesShareAnOutbox"},
	"news that was told is told again": {
		"schedules/notify/tell/news.go", "keys = t.To.Untold(keys)", "keys = keys[:]", "./cmd/fleetlake", "TestNewsOfWatchedVesselsIsSentOnce"},
	"the export of another data directory is replaced": {
		"load/export/identity.go", "if err := t.current.Source.Check(own); err != nil {", "if err := t.current.Source.Check(own); err != nil && own == nil {", "./load/export", "TestAnExportHasOneDataDirectory"},
	"a manifest that was never in force counts": {
		"load/export/earlier.go", "if never[m.Export] {", "if false && never[m.Export] {", "./load/export", "TestWhatAKilledExpiryWantedToDropIsListed"},
	"what a killed expiry announced waits again": {
		"load/export/expire.go", "case slices.Contains(t.current.Expiring, path):", "case false:", "./load/export", "TestTheNextExpiryCompletesAKilledOne"},
	"a directory that a killed process made is not synced": {
		"warehouse/durable/durable.go", "return syncExisting(path, sync)", "return nil", "./cmd/fleetlake/crash", "TestADirectoryThatAKilledProcessMade"},
	"a new round resumes a run that is held back": {
		"pipeline/resume.go", "out[h.Run] = true", "out[h.Run] = false", "./pipeline", "TestANewRoundResumesNoRunThatIsHeldBack"},
	"an answer is not synced before it counts as kept": {
		"extract/journal/segment.go", "if err := s.sync(end); err != nil {", "if err := s.sync(min(end, 0)); err != nil {", "./extract/journal ./cmd/fleetlake/crash", "AFailedSync|AFullDisk|TornTail|TestWhatIsReliedOnIsOnDisk"},
	"a failed sync is forgotten": {
		"extract/journal/segment.go", "if s.unsynced != nil {", "if false {", "./extract/journal ./cmd/fleetlake/crash", "AFailedSync|AFullDisk|TornTail|TestWhatIsReliedOnIsOnDisk"},
	"a torn tail stays when a segment is reopened": {
		"extract/journal/segment.go", "\tif cut > 0 {", "\tif cut < 0 {", "./extract/journal ./cmd/fleetlake/crash", "AFailedSync|AFullDisk|TornTail|TestWhatIsReliedOnIsOnDisk"},
	"a cap of credits is off by one": {
		"pipeline/credits/arbiter_decide.go", "case !searches && a.limit.Allows(a.counted+a.reserved+before+o.Credits):", "case !searches && a.limit.Allows(a.counted+a.reserved+before+o.Credits-1):", "./pipeline/credits", ""},
	"a cap of credits leaves one credit unused": {
		"pipeline/credits/arbiter_decide.go", "case !searches && a.limit.Allows(a.counted+a.reserved+before+o.Credits):", "case !searches && a.limit.Allows(a.counted+a.reserved+before+o.Credits+1):", "./pipeline/credits", ""},
	"a reservation is settled twice": {
		"pipeline/credits/arbiter.go", "\ta.reserved -= o.Credits\n\ta.Count(", "\ta.reserved -= 2 * o.Credits\n\ta.Count(", "./pipeline/credits", ""},
	"the share of lookups is given to searches": {
		"pipeline/credits/arbiter_decide.go", "+ a.kept() + credits)", "+ credits)", "./pipeline/credits", ""},
	"a waiting request is not woken": {
		"pipeline/spending.go", "\ts.changed.Wake()\n", "", "./pipeline", "ASearchThat|Spending|WhatLookupsGiveBack"},
	"a balance right after a request proves that it was not billed": {
		"pipeline/credits/account.go", "b.Asked.Sub(a.ended) < a.settleAfter", "b.Asked.Sub(a.ended) < 0", "./pipeline/credits", ""},
	"the settling time is one moment longer": {
		"pipeline/credits/account.go", "b.Asked.Sub(a.ended) < a.settleAfter", "b.Asked.Sub(a.ended) <= a.settleAfter", "./pipeline/credits", ""},
	"a balance proves something while a request is in flight": {
		"pipeline/credits/account.go", "if b.InFlight > 0 || ", "if ", "./pipeline/credits", ""},
	"a balance proves something across a purchase": {
		"pipeline/credits/account.go", "case w.rose, fell < w.sure:", "case fell < w.sure:", "./pipeline/credits", ""},
	"a purchase of more than was spent makes credits": {
		"pipeline/credits/account.go", "case w.rose, fell < w.sure:", "case w.rose:", "./pipeline/credits", ""},
	"a balance proves something while others spend": {
		"pipeline/credits/account.go", "case fell > w.sure+w.all:", "case false:", "./pipeline/credits", ""},
	"what one balance settles is settled for each of its runs and days": {
		"pipeline/credits/amount.go", "sum.Unbilled += unknown - min(unknown, w.billed)", "sum.Unbilled += min(unknown, w.all-w.billed)", "./pipeline/credits", ""},
	"what the balance lost beyond our count does not count for the day": {
		"pipeline/credits/amount.go", "Day: day.Counted() + day.Beyond", "Day: day.Counted()", "./pipeline/credits", ""},
	"a clock that went back makes a day new": {
		"pipeline/credits/amount.go", "b.day > shown && shown[:digits]", "b.day < shown && shown[:digits]", "./pipeline/credits", ""},
	"a clock that went back makes a night new": {
		"pipeline/credits/amount.go", " || !noticed && r.Started.After(now)", "", "./pipeline/credits", ""},
	"the credits of a night before a restart are forgotten": {
		"pipeline/credits/amount.go", "\t\tif r.Anew {\n", "\t\tif true {\n", "./pipeline/credits", ""},
	"the cap begins anew after a kill": {
		"pipeline/credits/amount.go", "return r.Ended && r.ID == newest", "return r.ID == newest", "./pipeline/credits", ""},
	"the cap begins anew after a rollback": {
		"pipeline/credits/amount.go", "return r.Ended && r.ID == newest", "return r.Ended", "./pipeline/credits", ""},
	"a run that is stopped forgets what is carried over": {
		"pipeline/queue.go", "if len(*list) > 0 && (ctx.Err() == nil || list == &q.carried) {", "if len(*list) > 0 && ctx.Err() == nil {", "./pipeline", "ReportCoverage"},
	"a search that was never sent counts as answered": {
		"pipeline/night.go", "case h.requests.swept[key]:", "case true:", "./pipeline", "ReportCoverage"},
	"a bar counts lookups that no credit pays for": {
		"pipeline/progress.go", "p.Left = h.spending.affords(o).Cut(p.Left)", "", "./pipeline", "ProgressSays"},
	"nothing bounds a run": {
		"pipeline/balance.go", "case uncapped(job):", "case false:", "./pipeline", "NothingIsPlanned"},
	"an index of another size is believed": {
		"pipeline/ledger/ledger.go", `if l.Segment != "" && l.Size == info.Size() {`, `if l.Segment != "" {`, "./pipeline/ledger", ""},
	"a torn line of the index is believed": {
		"pipeline/ledger/ledger.go", "if !durable.LineIntact(l) || json", "if json", "./pipeline/ledger", ""},
	"the page asks nobody for its token": {
		"schedules/page/guard.go", "return s.Token != \"\" && s.hasToken(r)", "return s.Token != \"\"", "./schedules/page", "Token|Proxy"},
	"the page takes any token for the right one": {
		"schedules/page/guard.go", "return ok && equalSecrets(given, s.Token)", "return ok && given != \"\"", "./schedules/page", "Token"},
	"who asks on loopback needs no token": {
		"schedules/page/guard.go", "(s.Token == \"\" || s.TrustLoopback) && arrivedOnLoopback(r)", "arrivedOnLoopback(r)", "./schedules/page", "Token|Proxy|Loopback"},
	"a trusted loopback is that of a proxy, too": {
		"schedules/page/guard.go", "if !isLoopback(host) || forwarded(r) {", "if !isLoopback(host) {", "./schedules/page", "Proxy"},
	"any client says for whom it asks": {
		"schedules/page/tokens.go", "if !s.isProxy(host) {\n\t\treturn host\n\t}\n", "", "./schedules/page", "Proxy|Forwarded|Address"},
	"a page elsewhere runs a statement by a link": {
		"schedules/page/ask.go", "return site == \"same-origin\" || site == \"none\"", "return true", "./schedules/page", "Elsewhere"},
	"a page of a subdomain runs a statement": {
		"schedules/page/ask.go", "return site == \"same-origin\" || site == \"none\"", "return site != \"cross-site\"", "./schedules/page", "Elsewhere"},
	"a page elsewhere runs a statement where browsers say less": {
		"schedules/page/ask.go", "return err == nil && from.Host == r.Host && r.Host != \"\"", "return err == nil && from.Host != \"\"", "./schedules/page", "Elsewhere"},
	"a form elsewhere is taken for ours": {
		"schedules/page/guard.go", "next = http.NewCrossOriginProtection().Handler(next)", "_ = http.NewCrossOriginProtection()", "./schedules/page", "Elsewhere|Origin|Form"},
	"Flight SQL takes any token for the right one": {
		"schedules/flight/guard.go", "subtle.ConstantTimeCompare(c.hash[:], sent[:]) == 1", "subtle.ConstantTimeCompare(c.hash[:], sent[:]) >= 0", "./schedules/flight", "TokensAreRequired"},
	"a prepared statement is everybody's": {
		"schedules/flight/prepared.go", "if e == nil || e.Value.(*statement).of != of {", "if e == nil {", "./schedules/flight", "Prepared|AToken"},
	"a value with a million elements is written out": {
		"warehouse/worker/held.go", "return n * elementBytes", "return n * 0", "./warehouse/worker", "TestLimits|Nested"},
	"a message of Arrow may claim any metadata": {
		"warehouse/worker/messages.go", "|| length > maxMetadata {", "{", "./warehouse/worker", "Metadata"},
	"a statement ends with a process that never read it": {
		"warehouse/worker/query.go", "if errors.Is(err, ErrEnded) { // a process", "if false { // a process", "./warehouse/worker", "NotReadIt"},
	"a terminal gets what the service sends": {
		"cmd/fleetlake/console/screen.go", "case r == '\\n' || r == '\\t' || !wording.Hidden(r):", "case true:", "./cmd/fleetlake/console", "Screen"},
	"a client takes every place that is free": {
		"warehouse/turns/turns.go", "bool { return has < free }", "bool { return free > 0 }", "./warehouse/turns ./schedules/flight ./schedules/page", "Flood|Share"},
	"a client has a place less than its share": {
		"warehouse/turns/turns.go", "bool { return has < free }", "bool { return has+1 < free }", "./warehouse/turns", "Share"},
	"all tokens of Flight SQL are one client": {
		"schedules/flight/guard.go", `return "token " + c.Name`, `return "token"`, "./schedules/flight", "FloodOfOneToken"},
	"one answer that is too large is an outage": {
		"extract/outage.go", "alone := g.tooLarge <= tooLargeInARow", "alone := false", "./extract ./pipeline", "TooLarge|HostileService$"},
	"a service that sends only what is too large is asked for everything": {
		"extract/outage.go", "alone := g.tooLarge <= tooLargeInARow", "alone := true", "./extract", "TooLarge"},
	"a lookup whose answer is too large is paid for by each run of its night": {
		"pipeline/resume.go", "extract.OutcomeRejected, extract.OutcomeTooLarge}", "extract.OutcomeRejected}", "./pipeline", "NightKeepsNoRefusal"},
	"a request that waited is sent without a place for its answer": {
		"extract/attempt.go", "if err := c.canKeep(); err != nil {", "if err := c.canKeep(); false {", "./extract", "NothingIsSentWhenTheJournalIsGone"},
	"a redirect is followed": {
		"extract/http.go", "c.transport.RoundTrip(req)", "(&http.Client{Transport: c.transport}).Do(req)", "./extract", ""},
	"a wait that the service asks for overflows": {
		"extract/http.go", "time.Duration(min(seconds, 3600)) * time.Second", "min(time.Duration(seconds)*time.Second, time.Hour)", "./extract", "RetryAfter"},
	"a lane sends one request too many": {
		"extract/lane.go", "l.occupy(latest(sent, received).Add(window))", "", "./extract", "Lane|Inherit"},
	"a lane that was limited keeps its pace": {
		"extract/lane.go", "l.slots = max(1, l.slots-1)", "", "./extract", "Lane|Limited"},
	"runs that were rolled back count as answered": {
		"pipeline/resume.go", "if except[journal.RunOf(path)] {", "if false {", "./pipeline", "RolledBack|LostAnAnswer|SecondRun"},
	"a run with lost answers counts as done": {
		"pipeline/resume.go", "if lost && end.State == report.StateDone {", "if false {", "./pipeline", "RolledBack|LostAnAnswer|SecondRun"},
	"a watched number that nothing names is looked up by every run": {
		"pipeline/plan/choose.go", "err == nil && f.Answered[n]", "err != nil && f.Answered[n]", "./pipeline", "PositionsForTheFew"},
	"a run that is in the lake alone counts as published": {
		"pipeline/derive/rebuild.go", "!out[run] && r.wants(run)", "!out[run]", "./pipeline/derive", "InTheLakeAlone"},
	"the number that was asked for is not the answer's": {
		"transform/lookup.go", "n.id.imo() == 0 && answered.Rows > 0", "false", "./transform", "ANumberMissing"},
	"a filler is an IMO number": {
		"transform/imo.go", "\tcase \"0000000\", \"1234567\", \"9876543\":\n\t\treturn 0, Filler\n", "", "./transform", "IMO"},
	"a placeholder is a value": {
		"extract/api/missing.go", "\"nil\", \"none\", \"null\"", "\"nil\", \"none\"", "./transform", "Nothing"},
	"a company in another case is another one": {
		"transform/record.go", "return cleanName(s), nil", "return cleanText(s), nil", "./transform", "TestCompaniesInAnyDress"},
	"another spelling of a company is a sale": {
		"warehouse/sql/apply/40_datasets/changes.sql", "internal.respelled(c.field, c.old_value, c.new_value)", "false", "./load", "TestRespelledCompanies"},
	"a length of zero leaves no issue": {
		"transform/number.go", "\tcase n == 0 && q.zero == zeroIsFault:\n\t\treturn 0, Zero\n", "", "./transform", "Zero"},
	"a country that only answers have keeps a list from being whole": {
		"warehouse/sql/apply/10_coverage/proof.sql", "FROM countries WHERE source <> 'answers'", "FROM countries", "./load", "TestRegistersAndNewValues"},
	"an answer without values makes particulars fresh": {
		"warehouse/sql/apply/40_datasets/tonight.sql", "FROM   {{template \"valued\" .}}", "FROM   night_{{.Name}}", "./load", "TestAnswersWithoutValues"},
	"the check digit of an IMO number is not checked": {
		"transform/imo.go", "if sum%10 != n%10 {", "if false {", "./transform", "IMO"},
	"a file is renamed into place before it is on disk": {
		"warehouse/durable/durable.go", "\tif err := Sync(temporary); err != nil {\n\t\treturn err\n\t}\n", "", "./cmd/fleetlake/crash", "TestWhatIsReliedOnIsOnDisk"},
	"a renamed file is not synced in its directory": {
		"warehouse/durable/durable.go", "\t\treturn err // it has the operation and both paths\n\t}\n\treturn SyncDir(filepath.Dir(path))", "\t\treturn err // it has the operation and both paths\n\t}\n\treturn nil", "./cmd/fleetlake/crash", "TestWhatIsReliedOnIsOnDisk"},
	"a manifest may name a file outside the lake": {
		"load/manifest.go", "!filepath.IsLocal(filepath.FromSlash(f.Path))", "false", "./load", "Manifest"},
	"overlapping pages are not compared": {
		"transform/pages.go", "cmp.Or(impossible, between, p.overlap.Contradiction())", "cmp.Or(impossible, between)", "./pipeline", "HidesNoVessel"},
	"a page of another partition is taken for its own": {
		"transform/search.go", "return 2*p.elsewhere > p.rows", "return false", "./pipeline", "HidesNoVessel"},
	"a manifest that changed is believed": {
		"load/manifest.go", "if !undamaged(b) {", "if false {", "./pipeline/derive", "VerifyFindsDamageAnywhere"},
	"a line of the slot log that changed is believed": {
		"schedules/slotlog.go", "case !durable.LineIntact(line), json", "case json", "./schedules", "ADamagedLine"},
	"a forecast that changed is believed": {
		"pipeline/forecast/score.go", "case !durable.LineIntact(line), json", "case json", "./pipeline/forecast", "ADamagedRecord"},
	"a clock that was set back stops a lane": {
		"extract/lane.go", "\tsent, received = earliest(sent, now), earliest(received, now)\n", "\t_ = earliest(sent, now)\n", "./extract", "ClockThatWasSetBack"},
	"a list never widens beyond its newest night": {
		"schedules/page/lists/nights.go", "columns, names); err != nil || v.More {", "columns, names); err != nil || len(v.Rows) > 0 {", "./schedules/page/lists", "PagesOfAList"},
	"departures that are computed again are not removed": {
		"warehouse/sql/apply/90_ready/departures_clear.sql", "FROM stays_recomputed)", "FROM stays_recomputed WHERE false)", "./warehouse", "TestExtended"},
	"a ship that shows the number of one that is gone is that one": {
		"warehouse/sql/parts/ships.sql", "CASE WHEN c.departed THEN {{template \"not_back\" dict \"a\" \"s\" \"b\" \"c\"}} ELSE", "CASE WHEN false THEN false ELSE", "./load", "TestANumberGivenAgain"},
	"two ships of one number at a time are one": {
		"warehouse/sql/parts/ships.sql", " >= 2)", " >= 4)", "./load", "TestANumberGivenAgain"},
	"a new name is a new ship": {
		"warehouse/sql/parts/ships.sql", " >= 2)", " >= 1)", "./load", "TestANumberGivenAgain|TestVessel|TestIdentity"},
	"what has no name is of the ship that is gone": {
		"warehouse/sql/apply/20_identity/shown_as.sql", "CASE WHEN k.name IS NULL AND k.departed THEN coalesce(n.vessel_id, k.vessel_id) ELSE k.vessel_id END", "k.vessel_id", "./load", "TestANumberGivenAgain"},
	"an imo number links the history of another ship": {
		"warehouse/sql/apply/20_identity/aliases_open.sql", "  AND  NOT EXISTS (FROM kept_apart AS k WHERE", "  AND  NOT EXISTS (FROM kept_apart AS k WHERE false AND", "./load", "TestANumberGivenAgain"},
	"a name and a type prove that two vessels are one": {
		"warehouse/sql/apply/20_identity/links.sql", "only_ones AND (one_callsign OR one_size OR one_port) AS proved", "only_ones AS proved", "./load", "TestANewFlag"},
	"one of two namesakes is linked": {
		"warehouse/sql/apply/20_identity/links.sql", "only_ones AND (one_callsign", "(one_callsign", "./load", "TestANewFlag"},
	"a ship of another size is linked": {
		"warehouse/sql/apply/20_identity/links.sql", "WHERE  NOT two_sizes", "WHERE  true", "./load", "TestANewFlag"},
	"a ship that may still be on the list is linked": {
		"warehouse/sql/apply/20_identity/links.sql", "OR r.country IN (FROM proven_countries))", "OR true)", "./load", "TestANewFlag"},
	"a linked ship counts twice": {
		"warehouse/sql/apply/60_listed/stays_of_links.sql", "WHERE proved)", "WHERE false)", "./load", "TestANewFlag"},
	"a linked ship stays gone": {
		"warehouse/sql/apply/60_listed/stays_linked.sql", "absent_on = NULL, ", "", "./load", "TestANewFlag"},
	"another ship's imo number is believed": {
		"warehouse/sql/apply/20_identity/imo_slips.sql", "WHERE  NOT internal.one_name(s.name, c.name)", "WHERE  false", "./load", "TestAnIMONumber"},
	"a sale is taken for a slip": {
		"warehouse/sql/apply/20_identity/imo_slips.sql", "s.vessel_type <> c.vessel_type AND s.category <> c.category AND ", "", "./load", "TestAnIMONumber"},
	"what one night said is believed against a ship": {
		"warehouse/sql/apply/20_identity/imo_slips.sql", " AND c.known_since::DATE < c.last_seen::DATE", "", "./load", "TestAnIMONumber"},
	"a version stays doubtful when a night has decided": {
		"warehouse/sql/apply/30_registration/doubtful_versions.sql", "FILTER (settled_on IS NULL)", "", "./load", "TestOneNightWithTwoFlags"},
	"a stay goes on although the vessel was elsewhere": {
		"warehouse/sql/apply/70_episodes/episodes_same.sql", "ANTI JOIN elsewhere USING (rid)", "", "./load", "TestEpisodes"},
	"a search with a filter is elsewhere": {
		"warehouse/sql/apply/70_episodes/episodes_same.sql", "AND (o.navigational_status <> m.navigational_status OR o.world_zone IS DISTINCT FROM m.world_zone)", "", "./load", "TestEpisodes"},
	"one list that misses a vessel proves that she is gone": {
		"warehouse/sql/apply/60_listed/stays_close.sql", "AND m.missing_since < $date", "AND coalesce(m.missing_since, DATE '0001-01-01') < $date", "./load ./pipeline/simulation", "TestListed|TestAMovingFleet"},
	"a vessel that is listed again stays missing": {
		"warehouse/sql/apply/60_listed/stays_continue.sql", ", missing_since = NULL", "", "./load", "TestListed"},
	"a vessel that was sighted is missing": {
		"warehouse/sql/apply/60_listed/stays_missing.sql", "AND  h.vessel_id NOT IN (SELECT vessel_id FROM night_sightings)", "", "./load", "TestListed"},
	"a sighting takes back nothing that a list missed": {
		"warehouse/sql/apply/60_listed/stays_sighted.sql", "h.vessel_id IN (SELECT vessel_id FROM night_sightings)", "false", "./load", "TestListed"},
	"a list of countries misses vessels without one": {
		"warehouse/sql/apply/60_listed/stays_missing.sql", "h.has_country AND (", "(", "./load", "TestListed"},
	"a lookup that never found a vessel proves that she is gone": {
		"warehouse/sql/apply/60_listed/stays_not_found.sql", "k.outcome = 'ok' AND k.sent_at", "k.sent_at", "./load", "TestListed"},
	"a lookup that found the vessel again does not count": {
		"warehouse/sql/apply/60_listed/stays_not_found.sql", "HAVING bool_and(outcome = 'not_found')", "HAVING true", "./load", "TestListed"},
	"the counts of the night that missed a vessel stay": {
		"warehouse/sql/apply/80_daily/fleet_daily_dated_back.sql", "listed = f.listed - g.vessels", "listed = f.listed", "./load", "TestDepartureIsDatedBack"},
	"a vessel that the list misses is not worth a lookup": {
		"pipeline/plan/score.go", "|| t.MissingSince.After(seen) ||", "||", "./pipeline/plan", "Missing"},
	"of two flags in one night the first answer is kept": {
		"transform/search_rows.go", "cmp.Compare(row(a).country, row(b).country), ", "0, ", "./transform", "KeepBothAnswers"},
	"the digits of an mmsi have no say in which flag is kept": {
		"warehouse/sql/apply/30_registration/contested.sql", "ORDER BY agrees DESC, ", "ORDER BY ", "./load", "TestOneNightWithTwoFlags"},
	"what was known has no say in which type is kept": {
		"warehouse/sql/apply/30_registration/contested.sql", "coalesce(value = known, false) DESC, ", "", "./load", "TestOneNightWithTwoFlags"},
	"a change from a value that was only seen beside another counts": {
		"warehouse/sql/apply/30_registration/changes_doubtful.sql", "FROM doubtful_observed WHERE value <> observed", "FROM doubtful_observed WHERE false", "./load", "TestOneNightWithTwoFlags"},
	"a change to one of two values counts at once": {
		"warehouse/sql/apply/30_registration/changes_doubtful.sql", "FROM contested WHERE kept AND value <> known", "FROM contested WHERE false", "./load", "TestOneNightWithTwoFlags"},
	"a doubt that a later night removes stays": {
		"warehouse/sql/apply/30_registration/changes_settled.sql", "SET    flapping = false", "SET    flapping = true", "./load", "TestOneNightWithTwoFlags"},
	"a settled doubt is not told to the view of new flags": {
		"warehouse/sql/apply/90_ready/changes_affected.sql", "WHERE d.settled_on = $date", "WHERE false", "./load", "TestOneNightWithTwoFlags"},
	"a value that is accepted no more stays in what a list must cover": {
		"warehouse/sql/apply/10_coverage/withdrawn.sql", "'no longer accepted'", "'something else'", "./load", "TestWithdrawnValues"},
	"a vessel of a country that is accepted no more is gone": {
		"warehouse/sql/apply/60_listed/stays_unlisted.sql", "WHERE  h.rowid = u.rid", "WHERE  false", "./load", "TestWithdrawnValues"},
	"a list of few accepted values withdraws all others": {
		"extract/api/accepted.go", "if len(all) > mostWithdrawn {", "if false {", "./transform", "TestWithdrawnValues"},
	"the key stays in a body": {
		"extract/http.go", "\tgot.body = got.key.redactor.redact(got.body)\n", "", "./extract", "Redact|Key"},
	"a position is bought for what has one": {
		"pipeline/plan/choose.go", "case !located.has(t):", "case !located.has(t) || true:", "./pipeline ./pipeline/plan", "TestWatched"},
	"the empty answers of a silent service prove that vessels are gone": {
		"transform/coverage.go", "case v.Rows == 0 && silent:", "case false:", "./transform ./pipeline", "Coverage|ASilentService"},
	"the network process inherits the environment": {
		"schedules/network/process.go", "append([]string{}, c.Env...)", "c.Env", "./cmd/fleetlake", "TestTheNetworkProcessHasNoSecret"},
	"the network process inherits what the scheduler has open": {
		"schedules/network/server/serve.go", "worker.CloseInherited(network.LastDescriptor(sockets))", "error(nil)", "./cmd/fleetlake", "TestTheNetworkProcessInherits"},
	"the secrets of others are sent to the network process": {
		"cmd/fleetlake/network.go", "Config: c.ForNetwork(), Token", "Config: c, Token", "./cmd/fleetlake", "TestTheNetworkProcessHasNoSecret"},
	"the network process outlives a killed scheduler": {
		"schedules/network/attributes_linux.go", ", Pdeathsig: syscall.SIGKILL", "", "./schedules/network", "AKilledScheduler"},
	"the network process is told of no end of its scheduler": {
		"schedules/network/link.go", "\tdefer stop()\n", "", "./schedules/network", "ASilentScheduler"},
	"the memory of the network process is not bounded": {
		"schedules/network/keeper.go", "used > k.config.MemoryMiB", "used > 2*k.config.MemoryMiB", "./schedules/network", "TheMemory"},
	"the network process is ended at its bound": {
		"schedules/network/keeper.go", "used > k.config.MemoryMiB", "used >= k.config.MemoryMiB", "./schedules/network", "TheMemory"},
	"a network process that hangs is waited for": {
		"schedules/network/keeper.go", "silent > k.config.Silence", "false", "./schedules/network", "AFaultyProcess"},
	"a request of the network process has any length": {
		"schedules/network/desk.go", "if errors.Is(err, bufio.ErrBufferFull) {", "if false {", "./schedules/network", "AFaultyProcess"},
	"a request of the network process may ask for more": {
		"schedules/network/desk.go", "\tstrict.DisallowUnknownFields()\n", "", "./schedules/network", "AFaultyProcess"},
	"a network process that reads nothing keeps the scheduler waiting": {
		"schedules/network/desk.go", "return errors.New(\"it does not read answers\")", "return nil", "./schedules/network", "AFaultyProcess"},
	"the network process asks as often as it likes": {
		"schedules/network/desk.go", "if p.n++; p.n <= perSecond {", "if true {", "./schedules/network", "RequestsAreSlowedDown"},
	"the network process fills the log": {
		"schedules/network/relay.go", "r.lines <= linesPerSecond {", "true {", "./schedules/network", "TheLogOfAProcess"},
	"a line of the network process is the scheduler's": {
		"schedules/network/relay.go", "slog.TimeKey, processKey}", "slog.TimeKey}", "./schedules/network", "TheLogOfAProcess"},
	"a network process that does not stop is waited for": {
		"schedules/network/keeper.go", "p.endsWithin(k.config.Grace)", "<-p.gone", "./schedules/network", "StopEndsAProcess"},
	"the page is healthy without a scheduler": {
		"schedules/network/server/page.go", "\t\t\terr = errors.New(s.Unhealthy)\n\t\t}\n\t\treturn nil, err", "\t\t\terr = errors.New(s.Unhealthy)\n\t\t}\n\t\treturn nil, nil", "./schedules/network/server", "TestHealthSpeaks"},
	"a night that resumes buys what another job covered": {
		"pipeline/plan/plan.go", "!last.At.Before(f.Since) && f.has(p, max(1, pages(last.Rows)))", "!last.At.Before(f.Since)", "./pipeline/plan", "AnotherJob|Resume"},
}

// root is the directory of the module.
const root = "../../.."

// mutated is a file with its fault. It fails the test if the line that the fault changes is not there once.
func (f fault) mutated(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, f.file))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), f.was); n != 1 {
		t.Fatalf("%s has the line of the fault %d times, want once: %s", f.file, n, f.was)
	}
	return strings.Replace(string(text), f.was, f.is, 1)
}

// TestPlantedFaultsAreFound builds the program with one fault at a time, without a change of its files.
func TestPlantedFaultsAreFound(t *testing.T) {
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			changed := f.mutated(t)
			if os.Getenv("FLEETLAKE_LONG") == "" {
				return
			}
			output, err := testsWith(t, f, changed)
			switch {
			case err == nil:
				t.Errorf("no test of %s finds it", f.packages)
			case !strings.Contains(output, "--- FAIL") && !strings.Contains(output, "panic:"): // a test that ends no more is found, too
				t.Fatalf("the tests did not run: %v\n%s", err, output)
			}
		})
	}
}

// testsWith runs the tests that should find a fault.
func testsWith(t *testing.T, f fault, changed string) (output string, err error) {
	t.Helper()
	overlay := overlayOf(t, map[string]string{f.file: changed})
	args := append([]string{"test", "-vet=off", "-failfast", "-count=1", "-timeout=4m", "-run=" + f.run}, strings.Fields(f.packages)...)
	c := exec.CommandContext(t.Context(), "go", args...)
	c.Dir = root
	c.Env = append(os.Environ(), "FLEETLAKE_LONG=", "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay) // of programs that the tests build, too
	b, err := c.CombinedOutput()
	return string(b), err
}
