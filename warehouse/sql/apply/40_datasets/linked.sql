-- linked: the open version of each vessel that has its IMO number for the first time tonight. Its
-- history continues under the new id. If the vessel had several ids without the number, as under
-- two flags, the new id continues the one that was seen on the latest night, and of several such
-- the one that was first seen last.
-- for each: dataset
-- reads: vessel_aliases, registration{{if ne .Name "registration"}}, {{.Name}}{{end}}
-- makes: linked_{{.Name}}
-- columns: rid BIGINT, vessel_id VARCHAR, alias_id VARCHAR, since TIMESTAMPTZ
-- needs: vessel_aliases WHERE snapshot_date = $date
CREATE OR REPLACE TEMP TABLE linked_{{.Name}} AS
SELECT h.rowid AS rid, a.vessel_id, a.alias_id, a.since
FROM   {{.Name}} AS h
JOIN   vessel_aliases AS a ON a.alias_id = h.vessel_id
WHERE  h.valid_to IS NULL AND a.until IS NULL AND a.snapshot_date = $date
  AND  NOT EXISTS (FROM {{.Name}} AS o WHERE o.vessel_id = a.vessel_id AND o.valid_to IS NULL)
QUALIFY row_number() OVER (
            PARTITION BY a.vessel_id
            ORDER BY (h.last_seen AT TIME ZONE 'UTC')::DATE DESC, (SELECT min(snapshot_date) FROM registration AS r WHERE r.vessel_id = a.alias_id) DESC, h.last_seen DESC, a.alias_id
        ) = 1;
