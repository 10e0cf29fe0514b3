-- position: the values of a position and of what the same answer says of the voyage, as a struct. The argument is the column
-- that has its status, if that is not navigational_status.
{{define "position" -}}
{latitude: latitude, longitude: longitude, speed_kn: speed_kn, course_deg: course_deg, heading_deg: heading_deg,
            draught_m: draught_m, max_draught_m: max_draught_m, navigational_status: {{if .}}{{.}}{{else}}navigational_status{{end}},
            destination: destination, destination_unlocode: destination_unlocode, eta: eta,
            last_port: last_port, last_port_unlocode: last_port_unlocode, departed_at: departed_at}
{{- end}}

-- tells_more: whether a position has a value that another one has not. An answer that leaves a value out tells nothing of it.
{{define "tells_more" -}}
{{$x := .}}({{range $i, $c := fields "latitude longitude speed_kn course_deg heading_deg draught_m max_draught_m navigational_status destination destination_unlocode eta last_port last_port_unlocode departed_at"}}{{if $i}}
        OR {{end}}{{$x.of}}.{{$c}} <> {{$x.than}}.{{$c}} OR ({{$x.of}}.{{$c}} IS NOT NULL AND {{$x.than}}.{{$c}} IS NULL){{end}})
{{- end}}
