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
(coalesce({{.}}.is_vessel, true) AND CASE WHEN {{template "category" .}} <> 'unknown' OR {{.}}.imo IS NOT NULL THEN true ELSE NOT coalesce(regexp_matches({{.}}.mmsi, '^(0|111|8|97|99)'), false) END)
{{- end}}

-- vessel_key: a vessel_id as one number: the IMO number, or the MMSI below zero. The later vessels of an MMSI, as
-- MMSI257000903.2, are a billion further down each. Ten million of them are joined in a fifth of the time that the texts take.
{{define "vessel_key"}}if(starts_with({{.}}, 'MMSI'), -1, 1) * (internal.number_of({{.}})::BIGINT + {{template "later" .}}){{end}}

-- registration_key: the same of a registration, whose number is known.
{{define "registration_key"}}if(starts_with({{.}}.vessel_id, 'MMSI'), -1, 1) * ({{.}}.vessel_number::BIGINT + {{template "later" printf "%s.vessel_id" .}}){{end}}

-- later: what the key of a vessel_id has beside the number.
{{define "later"}}if(contains({{.}}, '.'), 1000000000::BIGINT * (split_part({{.}}, '.', 2)::INTEGER - 1), 0){{end}}

-- last_seen: when a version was last observed; then, as far as it is known: of one that was observed again
-- after that only the first observation is kept.
{{define "last_seen"}}{{if .then}}if({{.of}}.last_seen <= s.at_instant, {{.of}}.last_seen, {{.of}}.first_seen){{else}}{{.of}}.last_seen{{end}}{{end}}

-- voyage_seen: when a lookup last told of the voyage; then, as far as it is known: of the lookups that told the same only
-- the first and the last are kept. A status search tells nothing of a destination.
{{define "voyage_seen" -}}
{{if .}}CASE WHEN v.last_looked_up <= s.at_instant THEN v.last_looked_up WHEN v.first_looked_up <= s.at_instant THEN v.first_looked_up END{{else}}v.last_looked_up{{end}}
{{- end}}

-- vessel_columns: the columns of the view vessels and of the macros that have an earlier state of it, from
-- a registration r, particulars p, an engine e, a management m, a voyage v, the latest position and status s, and a
-- stay on the list l. The argument "then" is for what was known then.
{{define "vessel_columns" -}}
r.vessel_id, r.imo, r.mmsi, r.name, r.callsign, r.flag, r.country, r.register, r.vessel_type,
       {{template "category" "r"}} AS category, {{template "is_vessel" "r"}} AS is_vessel,
       p.length_m, p.beam_m, p.deadweight_t, p.gross_tonnage, p.net_tonnage, p.teu, p.year_built,
       m.manager, m.registered_owner, m.class_society,
       s.navigational_status, s.navigational_status_at, s.world_zone,
       s.laden, s.laden_at, s.for_order, s.for_order_at,
       s.latitude, s.longitude, s.speed_kn, s.course_deg, s.position_at, v.destination, v.locode, v.eta, v.draught_m,
       l.vessel_id IS NOT NULL AS listed,
       coalesce(r.known_since, r.first_seen) AS first_seen,
       greatest({{template "last_seen" dict "of" "r" "then" .}}, {{template "last_seen" dict "of" "p" "then" .}}, {{template "last_seen" dict "of" "e" "then" .}}, {{template "last_seen" dict "of" "m" "then" .}}, s.position_seen_at, s.sighting_seen_at) AS last_seen,
       {{template "last_seen" dict "of" "r" "then" .}} AS registration_seen_at, {{template "last_seen" dict "of" "p" "then" .}} AS particulars_seen_at, {{template "last_seen" dict "of" "e" "then" .}} AS engine_seen_at, {{template "last_seen" dict "of" "m" "then" .}} AS management_seen_at,
       s.position_seen_at, {{template "voyage_seen" .}} AS voyage_seen_at, s.sighting_seen_at, r.run_id
{{- end}}
