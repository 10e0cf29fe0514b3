-- targets: every vessel that can be looked up of a part of the ids, when each dataset was last seen, and how
-- many versions of its registration began within a week of the newest: more than a few mean that
-- the sources disagree, and not that the vessel changed.
--
-- It is the view vessels, but the ids are limited in each table: DuckDB would join all of them otherwise, and
-- the join of a million vessels does not fit into the memory of a small machine. Nor does it turn IN around,
-- as it does a join, to keep all columns of the vessels instead of the ids of the list.
{{- define "part"}}{{.}}.vessel_id > $after AND {{.}}.vessel_id <= $last{{end}}
WITH busy AS (
    SELECT r.vessel_id, max(r.valid_from) AS newest
    FROM   registration AS r
    WHERE  {{template "part" "r"}}
    GROUP BY r.vessel_id
    HAVING count(*) > 1
),
lately AS (
    SELECT r.vessel_id, count(*) AS versions
    FROM   registration AS r
    JOIN   busy AS b ON b.vessel_id = r.vessel_id AND r.valid_from > b.newest - INTERVAL 7 DAY
    WHERE  {{template "part" "r"}}
    GROUP BY r.vessel_id
),
-- empty: the datasets of which answers have had no value, and until when they are not asked for: as long as refused
-- waits for a vessel that is not found. A value cancels the answers before it
empty AS (
    SELECT i.vessel_id, i.dataset, max(i.snapshot_date)::TIMESTAMPTZ + to_days(least(7 * pow(2, count(DISTINCT i.snapshot_date) - 1), 182)::INTEGER) AS until
    FROM   issues AS i
    LEFT JOIN particulars AS p ON i.dataset = 'particulars' AND p.vessel_id = i.vessel_id AND p.valid_to IS NULL AND {{template "part" "p"}}
    LEFT JOIN engine AS e ON i.dataset = 'engine' AND e.vessel_id = i.vessel_id AND e.valid_to IS NULL AND {{template "part" "e"}}
    LEFT JOIN management AS m ON i.dataset = 'management' AND m.vessel_id = i.vessel_id AND m.valid_to IS NULL AND {{template "part" "m"}}
    LEFT JOIN internal.latest AS s ON i.dataset = 'position' AND s.vessel_id = i.vessel_id AND {{template "part" "s"}}
    WHERE  i.reason = 'no values' AND {{template "part" "i"}}
      AND  i.snapshot_date > coalesce((coalesce(p.last_seen, e.last_seen, m.last_seen, s.position_seen_at) AT TIME ZONE 'UTC')::DATE, '-infinity')
    GROUP BY i.vessel_id, i.dataset
    HAVING until > (SELECT max(started_at) FROM runs)
),
waits AS (
    SELECT vessel_id, max(until) FILTER (dataset = 'particulars') AS particulars, max(until) FILTER (dataset = 'engine') AS engine,
           max(until) FILTER (dataset = 'management') AS management, max(until) FILTER (dataset = 'position') AS position
    FROM   empty
    GROUP BY vessel_id
)
SELECT r.vessel_id, coalesce(r.imo, 0), coalesce(r.mmsi, ''), {{template "is_vessel" "r"}}, {{template "category" "r"}},
       o.vessel_id IS NOT NULL,
       coalesce(w.particulars, p.last_seen), coalesce(w.engine, e.last_seen), coalesce(w.management, m.last_seen), coalesce(w.position, s.position_seen_at), r.valid_from, coalesce(r.known_since, r.first_seen),
       coalesce(r.name, ''), coalesce(r.flag, ''), coalesce(r.vessel_type, ''), coalesce(s.navigational_status, ''), coalesce(s.world_zone, ''), coalesce(l.versions, 1), {{template "age_band" "p"}}, CASE WHEN r.imo IS NOT NULL THEN o.missing_since END
FROM   registration AS r
LEFT JOIN particulars AS p ON p.vessel_id = r.vessel_id AND p.valid_to IS NULL AND {{template "part" "p"}}
LEFT JOIN engine AS e ON e.vessel_id = r.vessel_id AND e.valid_to IS NULL AND {{template "part" "e"}}
LEFT JOIN management AS m ON m.vessel_id = r.vessel_id AND m.valid_to IS NULL AND {{template "part" "m"}}
LEFT JOIN internal.latest AS s ON s.vessel_id = r.vessel_id AND {{template "part" "s"}}
LEFT JOIN listed AS o ON o.vessel_id = r.vessel_id AND o.to_date IS NULL AND {{template "part" "o"}}
LEFT JOIN waits AS w ON w.vessel_id = r.vessel_id
LEFT JOIN lately AS l ON l.vessel_id = r.vessel_id
ANTI JOIN (SELECT alias_id FROM vessel_aliases WHERE until IS NULL) AS a ON a.alias_id = r.vessel_id
WHERE  r.valid_to IS NULL AND {{template "part" "r"}} AND (r.imo IS NOT NULL OR r.mmsi IS NOT NULL)
ORDER BY r.vessel_id;
