-- Expressions on a registration, whose alias the statement gives: what is known of the kind of thing
-- that it registers, never null.
--
-- unknown is the one word for a category that is not known: no type was reported, or one that says
-- nothing.
{{define "category"}}coalesce({{.}}.category, 'unknown'){{end}}
-- is_vessel is what the type says. Without a type that says something, an IMO number is a ship's, and
-- the MMSI says by its first digits what it was assigned to: 0 to coast stations and groups of ships,
-- 111 to aircraft, 8 to handheld radios, 97 to transmitters of emergencies, 99 to aids to navigation. All
-- else counts as a vessel.
{{define "is_vessel" -}}
(coalesce({{.}}.is_vessel, true) AND ({{template "category" .}} <> 'unknown' OR {{.}}.imo IS NOT NULL OR NOT coalesce(regexp_matches({{.}}.mmsi, '^(0|111|8|97|99)'), false)))
{{- end}}
