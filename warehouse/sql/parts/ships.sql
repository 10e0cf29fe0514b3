-- Whether two descriptions are of one ship: name, call sign, type and category of two relations, whose aliases
-- the arguments a and b give. A null says nothing. Neither part is ever null.

-- unlike: nothing of two descriptions of an MMSI agrees, and two of name, call sign and type disagree. A name alone
-- does not tell two ships apart: ships are renamed.
{{define "unlike" -}}
(NOT coalesce(internal.one_name({{.a}}.name, {{.b}}.name), false) AND NOT coalesce({{.a}}.callsign = {{.b}}.callsign, false)
 AND coalesce((NOT internal.one_name({{.a}}.name, {{.b}}.name))::INTEGER, 0) + coalesce(({{.a}}.callsign <> {{.b}}.callsign)::INTEGER, 0)
     + coalesce(({{.a}}.vessel_type <> {{.b}}.vessel_type AND {{.a}}.category <> {{.b}}.category)::INTEGER, 0) >= 2)
{{- end}}

-- not_back: a ship that shows the MMSI of one that is gone is not that one. She is it if name or call sign agree,
-- and the types do not speak against it. Without a name and a call sign nothing does.
{{define "not_back" -}}
CASE WHEN coalesce(internal.one_name({{.a}}.name, {{.b}}.name)::VARCHAR, ({{.a}}.callsign = {{.b}}.callsign)::VARCHAR) IS NULL THEN false
     WHEN NOT coalesce(internal.one_name({{.a}}.name, {{.b}}.name), false) AND NOT coalesce({{.a}}.callsign = {{.b}}.callsign, false) THEN true
     ELSE NOT coalesce(internal.one_name({{.a}}.name, {{.b}}.name) AND {{.a}}.callsign = {{.b}}.callsign, false)
          AND coalesce({{.a}}.vessel_type <> {{.b}}.vessel_type AND {{.a}}.category <> {{.b}}.category, false) END
{{- end}}

-- another: the description s of tonight is not of the vessel that the description c is of.
{{define "another"}}CASE WHEN c.departed THEN {{template "not_back" dict "a" "s" "b" "c"}} ELSE {{template "unlike" dict "a" "s" "b" "c"}} END{{end}}
