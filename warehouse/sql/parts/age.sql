-- age_band: the age of a vessel in bands of five years in the year of the latest night, from the particulars
-- whose alias the statement gives: 1 is less than five years, 7 is thirty and more, 0 is unknown.
{{define "age_band" -}}
CASE WHEN {{.}}.year_built IS NULL THEN 0 ELSE 1 + least(6, greatest(0, (SELECT year(max(snapshot_date)) FROM runs) - {{.}}.year_built) // 5) END
{{- end}}
