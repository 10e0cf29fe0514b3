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
)
SELECT r.vessel_id, coalesce(r.imo, 0), coalesce(r.mmsi, ''), {{template "is_vessel" "r"}}, {{template "category" "r"}},
       o.vessel_id IS NOT NULL,
       p.last_seen, e.last_seen, m.last_seen, s.position_seen_at, r.valid_from, coalesce(r.known_since, r.first_seen),
       coalesce(r.name, ''), coalesce(r.flag, ''), coalesce(r.vessel_type, ''), coalesce(s.navigational_status, ''), coalesce(s.world_zone, ''), coalesce(l.versions, 1), {{template "age_band" "p"}}, o.missing_since
FROM   registration AS r
LEFT JOIN particulars AS p ON p.vessel_id = r.vessel_id AND p.valid_to IS NULL AND {{template "part" "p"}}
LEFT JOIN engine AS e ON e.vessel_id = r.vessel_id AND e.valid_to IS NULL AND {{template "part" "e"}}
LEFT JOIN management AS m ON m.vessel_id = r.vessel_id AND m.valid_to IS NULL AND {{template "part" "m"}}
LEFT JOIN internal.latest AS s ON s.vessel_id = r.vessel_id AND {{template "part" "s"}}
LEFT JOIN listed AS o ON o.vessel_id = r.vessel_id AND o.to_date IS NULL AND {{template "part" "o"}}
LEFT JOIN lately AS l ON l.vessel_id = r.vessel_id
ANTI JOIN (SELECT alias_id FROM vessel_aliases WHERE until IS NULL) AS a ON a.alias_id = r.vessel_id
WHERE  r.valid_to IS NULL AND {{template "part" "r"}} AND (r.imo IS NOT NULL OR r.mmsi IS NOT NULL)
ORDER BY r.vessel_id;
