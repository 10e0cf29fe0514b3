-- known_gaps: what is not known of each vessel, and why: the columns of particulars, engine and management that are
-- null, each with the one meaning of the null that holds. Whether a lookup asked is found by the numbers that it asks
-- for: the IMO number, and the MMSI.
--
-- It is filled with the datasets that a lookup gives, and the columns of each.
CREATE OR REPLACE VIEW known_gaps AS
-- named: the vessels, each with the numbers by which a lookup asks for it
WITH named AS (
    SELECT vessel_id, vessel_number, TRY_CAST(mmsi AS INTEGER) AS mmsi
    FROM   registration
    WHERE  valid_to IS NULL AND vessel_id NOT IN (SELECT alias_id FROM vessel_aliases WHERE until IS NULL)
-- gaps: the columns of each dataset that are null, also of a vessel without a version of it
), gaps AS (
    {{- range $i, $d := .}}
    {{- if $i}}
    UNION ALL
    {{- end}}
    SELECT n.*, '{{$d.Name}}' AS dataset, d.last_seen AS answered_at, unnest([
               {{- range $i, $c := $d.Columns}}{{if $i}},{{end}}
               if(d.{{.Name}} IS NULL, '{{.Name}}', NULL)
               {{- end}}
           ]) AS field
    FROM   named AS n
    LEFT JOIN {{$d.Name}} AS d ON d.vessel_id = n.vessel_id AND d.valid_to IS NULL
    {{- end}}
-- refused: what was given, and is no value of the column
), refused AS (
    SELECT vessel_id, dataset, field, arg_max(raw_value, {run_id: run_id, entry: entry}) AS raw_value
    FROM   vessel_issues
    WHERE  field IS NOT NULL
    GROUP BY vessel_id, dataset, field
-- without: the vessels whose answer had no value of the dataset at all
), without AS (
    SELECT DISTINCT vessel_id, dataset FROM vessel_issues WHERE reason = 'no values'
-- asked: the numbers of which a lookup has asked for the dataset
), asked AS (
    SELECT DISTINCT q.vessel_number, o.dataset
    FROM   (SELECT DISTINCT vessel_number, operation FROM requests WHERE vessel_number IS NOT NULL) AS q
    JOIN   operation_datasets AS o USING (operation)
)
SELECT g.vessel_id, g.dataset, g.field,
       CASE WHEN r.vessel_id IS NOT NULL THEN 'given, but refused'
            WHEN g.answered_at IS NOT NULL OR w.vessel_id IS NOT NULL THEN 'asked, not given'
            WHEN a.vessel_number IS NOT NULL OR m.vessel_number IS NOT NULL THEN 'asked, no answer'
            ELSE 'never asked' END AS reason,
       r.raw_value, g.answered_at
FROM   (FROM gaps WHERE field IS NOT NULL) AS g
LEFT JOIN refused AS r ON r.vessel_id = g.vessel_id AND r.dataset = g.dataset AND r.field = g.field
LEFT JOIN without AS w ON w.vessel_id = g.vessel_id AND w.dataset = g.dataset
LEFT JOIN asked AS a ON a.vessel_number = g.vessel_number AND a.dataset = g.dataset
LEFT JOIN asked AS m ON m.vessel_number = g.mmsi AND m.dataset = g.dataset;
COMMENT ON VIEW known_gaps IS 'What is not known of each vessel, and why: one row per vessel and column of particulars, engine and management that is null, in the vessels of the view vessels. A column without a row has a value.';
COMMENT ON COLUMN known_gaps.vessel_id IS 'See vessels.';
COMMENT ON COLUMN known_gaps.dataset IS 'particulars, engine or management: the table of the column.';
COMMENT ON COLUMN known_gaps.field IS 'The column that is null.';
COMMENT ON COLUMN known_gaps.reason IS 'never asked: no lookup has asked for the dataset. asked, no answer: one has, and the service had nothing about the vessel, or its answer did not arrive. asked, not given: it answered, without this column. given, but refused: it gave what is no value; see raw_value and issues.';
COMMENT ON COLUMN known_gaps.raw_value IS 'What was given last and refused; null for the other reasons.';
COMMENT ON COLUMN known_gaps.answered_at IS 'When a value of the dataset was last observed; null if never.';
