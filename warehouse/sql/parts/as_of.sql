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

-- version: the version of each vessel in a dataset at a time. When it was last observed before that time
-- is not known if it was observed again after it: then the first observation counts.
{{define "version" -}}
(
    SELECT v.* REPLACE (if(v.last_seen <= t.at_instant, v.last_seen, v.first_seen) AS last_seen)
    FROM   {{template "at" .at}} AS t
    JOIN   {{.dataset}} AS v ON v.valid_from <= t.at_instant AND coalesce(v.valid_to, 'infinity') > t.at_instant
)
{{- end}}

-- renumbered: the periods in which an id stood for a vessel that has another id since.
{{define "renumbered" -}}
(
    SELECT alias_id, vessel_id, since, snapshot_date,
           coalesce(lag(since) OVER earlier, '-infinity') AS since_before, coalesce(lag(snapshot_date) OVER earlier, '-infinity') AS night_before
    FROM   vessel_aliases
    WINDOW earlier AS (PARTITION BY alias_id ORDER BY since)
)
{{- end}}

-- versions_of: the versions of a dataset that a night had or that began later, under the id that each
-- vessel has now. The earliest of them with a value has the best that is known for the night.
{{define "versions_of" -}}
    (
        SELECT v.* REPLACE (coalesce(h.vessel_id, v.vessel_id) AS vessel_id)
        FROM   {{template "at_night" .at}} AS t
        JOIN   {{.dataset}} AS v ON coalesce(v.closed_date, 'infinity') > t.at_night
        LEFT JOIN {{template "renumbered"}} AS h ON h.alias_id = v.vessel_id AND v.valid_from >= h.since_before AND v.valid_from < h.since
    )
{{- end}}

-- movements: the latest position and status of each vessel at a time, of the positions whose column time is
-- not after it. A stay in a status that later nights saw again counts as seen until then, and is
-- dated by its first sighting. The latest row is found as one number, of its time in microseconds and its
-- rowid: to find it by arg_max of a struct takes ten times as long. With now, it is under the id that
-- each vessel has now.
{{define "movements" -}}
(
    SELECT k.vessel_id, p.latitude, p.longitude, p.speed_kn, p.course_deg, p.destination, p.eta, p.position_at, k.position_seen_at,
           if(k.sighted >> 40 >= k.reported >> 40 OR k.reported IS NULL, e.navigational_status, r.navigational_status) AS navigational_status,
           if(k.sighted >> 40 >= k.reported >> 40 OR k.reported IS NULL, if(e.last_seen <= k.at_instant, e.last_seen, e.first_seen), r.position_at) AS navigational_status_at,
           e.world_zone, if(e.last_seen <= k.at_instant, e.last_seen, e.first_seen) AS sighting_seen_at
    FROM (
        SELECT vessel_id, at_instant, max(position) AS position, max(reported) AS reported, max(sighted) AS sighted, max(seen_at) AS position_seen_at
        FROM (
            SELECT {{if .now}}coalesce(h.vessel_id, p.vessel_id) AS vessel_id{{else}}p.vessel_id{{end}}, t.at_instant, p.seen_at, epoch_us(p.position_at)::HUGEINT << 40 | p.rowid AS position, if(p.navigational_status IS NOT NULL, position, NULL) AS reported
            FROM   {{if .now}}{{template "at_night" .at}}{{else}}{{template "at" .at}}{{end}} AS t
            JOIN   positions AS p ON p.{{.time}} <= t.at_instant
{{- if .now}}
            LEFT JOIN {{template "renumbered"}} AS h ON h.alias_id = p.vessel_id AND p.seen_at >= h.since_before AND p.seen_at < h.since
{{- end}}
            UNION ALL BY NAME
            SELECT l.vessel_id, t.at_instant, l.position_seen_at AS seen_at -- an answer without a new position has no row in positions
            FROM   {{if .now}}{{template "at_night" .at}}{{else}}{{template "at" .at}}{{end}} AS t
            JOIN   internal.latest AS l ON l.position_seen_at <= t.at_instant
            UNION ALL BY NAME
            SELECT {{if .now}}coalesce(h.vessel_id, e.vessel_id) AS vessel_id{{else}}e.vessel_id{{end}}, t.at_instant, epoch_us(least(e.last_seen, t.at_instant))::HUGEINT << 40 | e.rowid AS sighted
            FROM   {{if .now}}{{template "at_night" .at}}{{else}}{{template "at" .at}}{{end}} AS t
            JOIN   episodes AS e ON e.first_seen <= t.at_instant
{{- if .now}}
            LEFT JOIN {{template "renumbered"}} AS h ON h.alias_id = e.vessel_id AND e.first_seen >= h.since_before AND e.first_seen < h.since
{{- end}}
        )
        GROUP BY vessel_id, at_instant
    ) AS k
    LEFT JOIN positions AS p ON p.rowid = (k.position & ((1::HUGEINT << 40) - 1))::BIGINT
    LEFT JOIN positions AS r ON r.rowid = (k.reported & ((1::HUGEINT << 40) - 1))::BIGINT
    LEFT JOIN episodes AS e ON e.rowid = (k.sighted & ((1::HUGEINT << 40) - 1))::BIGINT
)
{{- end}}

-- stays: the vessels that were on the list at a time, as far as was known then: a stay ends on the night that
-- proved the absence or gave the vessel another id.
{{define "stays" -}}
(
    SELECT DISTINCT l.vessel_id
    FROM   {{template "at" .at}} AS t
    JOIN   listed AS l ON l.from_date <= t.at_night AND coalesce(l.absent_on, l.to_date + 1, 'infinity') > t.at_night
)
{{- end}}

-- stays_of: the vessels that were on the list on a night, as far as is known now, under the ids that
-- they have now.
{{define "stays_of" -}}
(
    SELECT DISTINCT coalesce(h.vessel_id, l.vessel_id) AS vessel_id
    FROM   {{template "at_night" .at}} AS t
    JOIN   listed AS l ON l.from_date <= t.at_night AND coalesce(l.to_date, 'infinity') >= t.at_night
    LEFT JOIN {{template "renumbered"}} AS h ON h.alias_id = l.vessel_id AND l.from_date >= h.night_before AND l.from_date < h.snapshot_date
)
{{- end}}
