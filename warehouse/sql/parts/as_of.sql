-- The parts of the macros that compute an earlier state. No join has the argument of a macro in its
-- condition, only subqueries have it: DuckDB 1.4 executes nothing else once per row of a table of nights
-- (a lateral join).

-- is_night: whether an argument is a night: a date, as DATE or as text.
{{define "is_night"}}regexp_full_match({{.}}::VARCHAR, '\d{4}-\d{2}-\d{2}'){{end}}

-- night: an argument as a night. A timestamp without a zone at midnight is one too: generate_series
-- and several clients make such of a date.
{{define "night" -}}
CASE WHEN regexp_full_match({{.}}::VARCHAR, '\d{4}-\d{2}-\d{2}( 00:00:00)?') THEN {{.}}::VARCHAR::DATE
     ELSE error('want a night, such as DATE ''2026-11-20'', and got ' || {{.}}::VARCHAR) END
{{- end}}

-- instant: an argument as an instant. Without a zone it is UTC, whatever the TimeZone of the session.
{{define "instant" -}}
({{.}}::VARCHAR || if(regexp_matches({{.}}::VARCHAR, ':.*([+-]\d{2}|[Zz])|infinity'), '', '+00'))::TIMESTAMPTZ
{{- end}}

-- at: the night and the instant that an argument stands for, as one row. A night stands for the end of
-- its last run, an instant for the latest night that had begun. A day after the last night has no row.
{{define "at" -}}
(
    SELECT coalesce(a.at_night, max(n.snapshot_date) FILTER (n.started_at <= a.at_instant)) AS at_night,
           coalesce(a.at_instant, max(n.finished_at) FILTER (n.snapshot_date <= a.at_night)) AS at_instant
    FROM   (SELECT CASE WHEN {{template "is_night" .}} THEN {{.}}::VARCHAR::DATE END AS at_night,
                   CASE WHEN NOT {{template "is_night" .}} THEN {{template "instant" .}} END AS at_instant) AS a,
           (SELECT snapshot_date, started_at, coalesce(finished_at, started_at) AS finished_at FROM runs) AS n
    GROUP BY a.at_night, a.at_instant
    HAVING a.at_night <= max(n.snapshot_date)
        OR (a.at_instant AT TIME ZONE 'UTC')::DATE <= greatest(max(n.snapshot_date), (max(n.finished_at) AT TIME ZONE 'UTC')::DATE)
)
{{- end}}

-- at_night: the same of an argument that must be a night.
{{define "at_night" -}}
(
    SELECT a.at_night, max(n.finished_at) FILTER (n.snapshot_date <= a.at_night) AS at_instant
    FROM   (SELECT {{template "night" .}} AS at_night) AS a,
           (SELECT snapshot_date, coalesce(finished_at, started_at) AS finished_at FROM runs) AS n
    GROUP BY a.at_night
    HAVING a.at_night <= max(n.snapshot_date)
)
{{- end}}

-- nights: each night of the file, with the end of its last run, for the views that have a row per vessel and night.
-- They join it as any table, so that DuckDB computes the nights that a query filters by, and no other: of a macro
-- per night (a lateral join) it computes all.
{{define "nights" -}}
(
    SELECT snapshot_date AS at_night, max(max(coalesce(finished_at, started_at))) OVER (ORDER BY snapshot_date) AS at_instant
    FROM   runs
    GROUP BY snapshot_date
)
{{- end}}

-- time: what stands for the argument of a macro; without an argument each night.
{{define "time"}}{{if not .at}}{{template "nights"}}{{else if .now}}{{template "at_night" .at}}{{else}}{{template "at" .at}}{{end}}{{end}}

-- now_id: the id that the vessel of a row has now. renumbered, as h, is joined to it.
{{define "now_id"}}coalesce(h.vessel_id, {{.}}.vessel_id){{end}}

-- renumbered: the periods in which an id stood for a vessel that has another id since.
{{define "renumbered" -}}
(
    SELECT alias_id, vessel_id, since, snapshot_date,
           coalesce(lag(since) OVER earlier, '-infinity') AS since_before, coalesce(lag(snapshot_date) OVER earlier, '-infinity') AS night_before
    FROM   vessel_aliases
    WINDOW earlier AS (PARTITION BY alias_id ORDER BY since)
) AS h
{{- end}}

-- renumbered_at: join renumbered to the rows of a table by a column of their time.
{{define "renumbered_at" -}}
LEFT JOIN {{template "renumbered"}} ON h.alias_id = {{.of}}.vessel_id AND {{.of}}.{{.at}} >= h.since_before AND {{.of}}.{{.at}} < h.since
{{- end}}

-- versions_then: the version of each vessel in a dataset at a time.
{{define "versions_then" -}}
SELECT v.vessel_id, t.at_night, t.at_instant, v.rowid AS {{.dataset}}
            FROM   {{template "time" dict "at" .at}} AS t
            JOIN   {{.dataset}} AS v ON v.valid_from <= t.at_instant AND coalesce(v.valid_to, 'infinity') > t.at_instant
{{- end}}

-- versions_of: the versions of a dataset that a night had, and all later ones.
{{define "versions_of" -}}
SELECT {{template "now_id" "v"}} AS vessel_id, t.at_night, t.at_instant, v.rowid AS {{.dataset}}
            FROM   {{template "time" dict "at" .at "now" "true"}} AS t
            JOIN   {{.dataset}} AS v ON coalesce(v.closed_date, 'infinity') > t.at_night
            {{template "renumbered_at" dict "of" "v" "at" "valid_from"}}
{{- end}}

-- voyages_of: the voyages of a night under the ids of now. What a vessel said later says nothing of the night.
{{define "voyages_of" -}}
{{template "versions_of" .}}
            WHERE  v.valid_from <= t.at_instant
{{- end}}

-- filled: the versions of a dataset, each under the id that its vessel has now. A column without a value has the
-- first one of a later version: the best that is known of the time before it was learned.
{{define "filled" -}}
(
    SELECT version, {{range fields .columns}}first_value({{.}} IGNORE NULLS) OVER later AS {{.}}, {{end}}now_id AS vessel_id, run_id,
           {{if eq .dataset "registration"}}min(known_since) OVER whole AS known_since, {{end}}min(first_seen) OVER whole AS first_seen, max(last_seen) OVER whole AS last_seen
    FROM   (SELECT v.*, v.rowid AS version, {{template "now_id" "v"}} AS now_id FROM {{.dataset}} AS v {{template "renumbered_at" dict "of" "v" "at" "valid_from"}})
    WINDOW later AS (PARTITION BY now_id ORDER BY valid_from ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING), whole AS (PARTITION BY now_id)
)
{{- end}}

-- placed_at: when a position was observed; for the order of those without a time, when they were answered.
{{define "placed_at"}}coalesce({{.}}.position_at, {{.}}.seen_at){{end}}

-- rows_at: what a vessel was at a time, one row a vessel, or without an argument one a vessel and night: the rowids of its versions and of its stay on the
-- list, and its latest position and status. One aggregate finds them all: a join of the tables to each other
-- takes ten times as long where there are many nights. Of aggregates DuckDB computes only those that a query
-- uses, and a join in any case, so that the status is no join: the build of one over all episodes takes most
-- of the time. The latest row of positions and of episodes is the one with the greatest number of its time in
-- microseconds and its rowid. With now, the reading is what is best known now, under the ids of now.
--
-- A stay in a status that later nights saw again counts as seen until then, and is dated by its first
-- sighting.
{{define "rows_at" -}}
(
    SELECT k.*, p.latitude, p.longitude, p.speed_kn, p.course_deg, p.position_at,
           if(k.sighted >> 40 >= k.reported >> 40 OR k.reported IS NULL, k.sighted_status, k.reported_status) AS navigational_status,
           if(k.sighted >> 40 >= k.reported >> 40 OR k.reported IS NULL, k.sighting_seen_at, k.reported_at) AS navigational_status_at
    FROM (
        SELECT vessel_id, {{if .at}}max(at_night) AS {{end}}at_night, max(at_instant) AS at_instant, min(registration) AS registration, min(particulars) AS particulars, min(engine) AS engine, min(management) AS management,
               min(voyages) AS voyages, min(stay) AS stay, max(position) AS position, max(reported) AS reported, max(sighted) AS sighted, max(position_seen_at) AS position_seen_at,
               arg_max(reported_status, reported) AS reported_status, arg_max_null(reported_at, reported) AS reported_at,
               arg_max_null(sighted_status, sighted) AS sighted_status, arg_max_null(world_zone, sighted) AS world_zone, arg_max_null(sighting_seen_at, sighted) AS sighting_seen_at,
               arg_max(laden, sighted) AS laden, arg_max(laden_at, sighted) AS laden_at, arg_max(for_order, sighted) AS for_order, arg_max(for_order_at, sighted) AS for_order_at
        FROM (
{{- $x := .}}
{{- range fields "registration particulars engine management"}}
            {{if $x.now}}{{template "versions_of" dict "dataset" . "at" $x.at}}{{else}}{{template "versions_then" dict "dataset" . "at" $x.at}}{{end}}
            UNION ALL BY NAME
{{- end}}
            {{if .now}}{{template "voyages_of" dict "dataset" "voyages" "at" .at}}{{else}}{{template "versions_then" dict "dataset" "voyages" "at" .at}}{{end}}
            UNION ALL BY NAME
{{- if .now}}
            SELECT {{template "now_id" "l"}} AS vessel_id, t.at_night, t.at_instant, l.rowid AS stay
            FROM   {{template "time" .}} AS t
            JOIN   listed AS l ON l.from_date <= t.at_night AND coalesce(l.to_date, 'infinity') >= t.at_night
            LEFT JOIN {{template "renumbered"}} ON h.alias_id = l.vessel_id AND l.from_date >= h.night_before AND l.from_date < h.snapshot_date
{{- else}}
            SELECT l.vessel_id, t.at_night, t.at_instant, l.rowid AS stay -- it ends on the first night that missed the vessel, once that is proved, or gave it another id
            FROM   {{template "time" .}} AS t
            JOIN   listed AS l ON l.from_date <= t.at_night AND CASE WHEN l.to_date IS NULL THEN 'infinity' ELSE coalesce(l.missing_since, l.to_date + 1) END > t.at_night
{{- end}}
            UNION ALL BY NAME
            SELECT {{if .now}}{{template "now_id" "p"}} AS vessel_id{{else}}p.vessel_id{{end}}, t.at_night, t.at_instant, p.seen_at AS position_seen_at,
                   p.navigational_status AS reported_status, if(p.navigational_status IS NOT NULL, p.position_at, NULL) AS reported_at,
                   epoch_us({{template "placed_at" "p"}})::HUGEINT << 40 | p.rowid AS position, if(p.navigational_status IS NOT NULL, position, NULL) AS reported
            FROM   {{template "time" .}} AS t
            JOIN   positions AS p ON {{if .now}}{{template "placed_at" "p"}}{{else}}p.seen_at{{end}} <= t.at_instant
            {{if .now}}{{template "renumbered_at" dict "of" "p" "at" "seen_at"}}{{end}}
            UNION ALL BY NAME
            SELECT {{if .now}}{{template "now_id" "p"}} AS vessel_id{{else}}p.vessel_id{{end}}, t.at_night, t.at_instant, p.seen_at AS position_seen_at, p.navigational_status AS reported_status, p.position_at AS reported_at,
                   epoch_us({{template "placed_at" "p"}})::HUGEINT << 40 | p.rowid AS reported -- an answer without coordinates
            FROM   {{template "time" .}} AS t
            JOIN   internal.reported_statuses AS p ON {{if .now}}{{template "placed_at" "p"}}{{else}}p.seen_at{{end}} <= t.at_instant
            {{if .now}}{{template "renumbered_at" dict "of" "p" "at" "seen_at"}}{{end}}
            UNION ALL BY NAME
            SELECT l.vessel_id, t.at_night, t.at_instant, l.position_seen_at -- an answer without a new position has no row in positions
            FROM   {{template "time" .}} AS t
            JOIN   internal.latest AS l ON l.position_seen_at <= t.at_instant
            UNION ALL BY NAME
            SELECT {{if .now}}{{template "now_id" "e"}} AS vessel_id{{else}}e.vessel_id{{end}}, t.at_night, t.at_instant, e.navigational_status AS sighted_status, e.world_zone,
                   if(e.last_seen <= t.at_instant, e.last_seen, e.first_seen) AS sighting_seen_at,
                   e.laden, if(e.laden IS NOT NULL, sighting_seen_at, NULL) AS laden_at, e.for_order, if(e.for_order IS NOT NULL, sighting_seen_at, NULL) AS for_order_at, epoch_us(least(e.last_seen, t.at_instant))::HUGEINT << 40 | e.rowid AS sighted
            FROM   {{template "time" .}} AS t
            JOIN   episodes AS e ON e.first_seen <= t.at_instant
            {{if .now}}{{template "renumbered_at" dict "of" "e" "at" "first_seen"}}{{end}}
        )
        GROUP BY vessel_id{{if not .at}}, at_night{{end}}
    ) AS k
    LEFT JOIN positions AS p ON p.rowid = (k.position & ((1::HUGEINT << 40) - 1))::BIGINT
)
{{- end}}
