-- own: the first table of a macro that reads the file. DuckDB binds the names in a view in the file of the view, and those
-- in a macro wherever the session looks first: `other.fleet_on(night)` reads the tables of the database in use, and no
-- macro can know which file it came from. Where this view is not found, its name is what DuckDB answers; where it is
-- found, its ok refuses what may be another file's; a macro over another one leaves that to it.
{{define "own_name" -}}
internal."a macro reads the database in use: USE it first, or ask vessels_on_night, fleet_of_night, company_fleet_of_night, vessel_changes or vessels, which need no USE"
{{- end}}
{{define "own"}}{{template "own_name"}} AS own{{end}}
