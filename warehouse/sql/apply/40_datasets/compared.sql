-- compared: tonight's observations against the open versions, in one pass over both. The fingerprint finds
-- the unchanged ones, which are nearly all, without their columns; each of the others is stored whole, as a
-- list of one, and without a rid if the vessel has no open version. An observation that is not newer than
-- the version changes nothing. A table without a version has nothing to compare: all are new.
-- for each: dataset
-- reads: tonight_{{.Name}}, linked_{{.Name}}, {{.Name}}
-- makes: compared_{{.Name}}
-- needs: tonight_{{.Name}}
-- joins: as written
CREATE OR REPLACE TEMP TABLE compared_{{.Name}} AS
SELECT h.rid, t.seen_at, t.fingerprint IS NOT DISTINCT FROM h.fingerprint AS same,{{if .Searched}} t.looked_up,{{end}}
       CASE WHEN t.fingerprint IS DISTINCT FROM h.fingerprint THEN [{vessel_id: t.vessel_id, seen_at: t.seen_at, run_id: t.run_id, entry: t.entry,
           {{- range .All}} {{.Name}}: t.{{.Name}},{{end}} raw: t.raw, extra: t.extra, {{if .Searched}}looked_up: t.looked_up, {{end}}fingerprint: t.fingerprint}] END AS observation
FROM   tonight_{{.Name}} AS t
LEFT JOIN (
    SELECT rowid AS rid, vessel_id, fingerprint, last_seen FROM {{.Name}} WHERE valid_to IS NULL
    UNION ALL
    SELECT l.rid, l.vessel_id, o.fingerprint, o.last_seen FROM linked_{{.Name}} AS l JOIN {{.Name}} AS o ON o.rowid = l.rid
) AS h USING (vessel_id)
WHERE  {{if .Empty}}false{{else}}h.rid IS NULL OR t.seen_at > h.last_seen{{end}};
