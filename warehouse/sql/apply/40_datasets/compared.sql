-- compared: tonight's observations against the open versions. The fingerprint finds the unchanged
-- ones, which are nearly all, without reading their columns. An observation
-- that is not newer than the version changes nothing.
CREATE OR REPLACE TEMP TABLE compared_{{.Name}} AS
SELECT h.rid, t.seen_at, t.fingerprint = h.fingerprint AS same, CASE WHEN t.fingerprint <> h.fingerprint THEN t.vessel_id END AS vessel_id
FROM   tonight_{{.Name}} AS t
JOIN   (
    SELECT rowid AS rid, vessel_id, fingerprint, last_seen FROM {{.Name}} WHERE valid_to IS NULL
    UNION ALL
    SELECT l.rid, l.vessel_id, o.fingerprint, o.last_seen FROM linked_{{.Name}} AS l JOIN {{.Name}} AS o ON o.rowid = l.rid
) AS h USING (vessel_id)
WHERE  t.seen_at > h.last_seen
ORDER BY h.rid;
