-- companies: who owns and manages ships. A company is what internal.company_key makes of its name: spellings that differ
-- in case, accents, punctuation and legal form are one, and two companies that differ in nothing else are one as well.

-- company_names: each spelling, and the company that it is of. The key is computed for a name, and not for each row.
CREATE OR REPLACE VIEW company_names AS
SELECT name, internal.company_key(name) AS company_id, count(*)::INTEGER AS versions, min(first_seen) AS first_seen, max(last_seen) AS last_seen
FROM (
    SELECT registered_owner AS name, first_seen, last_seen FROM management
    UNION ALL
    SELECT manager, first_seen, last_seen FROM management
    UNION ALL
    SELECT ism, first_seen, last_seen FROM management
)
WHERE  name IS NOT NULL
GROUP BY name;
COMMENT ON VIEW company_names IS 'One row per name of a company, as it is written: registered owners, managers and ISM managers, of now and of before. Joins vessels.registered_owner and vessels.manager to companies: the spellings of one company have one company_id.';
COMMENT ON COLUMN company_names.name IS 'The name, as in management and vessels.';
COMMENT ON COLUMN company_names.company_id IS 'The name in capitals without legal form, punctuation, blanks and accents: the same for all spellings of a company.';
COMMENT ON COLUMN company_names.versions IS 'In how many versions of management, in any role, the name is written so.';
COMMENT ON COLUMN company_names.first_seen IS 'The first lookup that had the name so.';
COMMENT ON COLUMN company_names.last_seen IS 'The last lookup that had it so.';

CREATE OR REPLACE VIEW companies AS
WITH named AS (
    SELECT company_id, arg_max(name, {versions: versions, last_seen: last_seen, name: name}) AS name, min(first_seen) AS since, max(last_seen) AS last_seen
    FROM   company_names
    GROUP BY company_id
), others AS (
    SELECT c.company_id, string_agg(c.name, '; ' ORDER BY c.name) AS spellings FROM company_names AS c JOIN named AS n ON n.company_id = c.company_id AND n.name <> c.name GROUP BY c.company_id
-- held: who is what to a vessel now
), held AS (
    SELECT vessel_id, 'registered_owner' AS role, registered_owner AS name FROM management WHERE valid_to IS NULL
    UNION ALL
    SELECT vessel_id, 'manager', manager FROM management WHERE valid_to IS NULL
    UNION ALL
    SELECT vessel_id, 'ism', ism FROM management WHERE valid_to IS NULL
-- fleets: a vessel of a company once, whatever it is to her
), fleets AS (
    SELECT n.company_id, v.vessel_id, bool_or(h.role = 'registered_owner') AS owned, bool_or(h.role = 'manager') AS managed, bool_or(h.role = 'ism') AS ism,
           any_value(v.gross_tonnage) AS gross_tonnage, any_value(v.deadweight_t) AS deadweight_t
    FROM   held AS h
    JOIN   company_names AS n ON n.name = h.name
    JOIN   (SELECT vessel_id, gross_tonnage, deadweight_t FROM vessels WHERE listed AND is_vessel) AS v ON v.vessel_id = h.vessel_id
    GROUP BY n.company_id, v.vessel_id
), counted AS (
    SELECT company_id, count(*)::INTEGER AS vessels, (count(*) FILTER (owned))::INTEGER AS owned, (count(*) FILTER (managed))::INTEGER AS managed, (count(*) FILTER (ism))::INTEGER AS ism_managed,
           sum(gross_tonnage) AS gross_tonnage, count(gross_tonnage)::INTEGER AS with_gross_tonnage, sum(deadweight_t) AS deadweight_t, count(deadweight_t)::INTEGER AS with_deadweight
    FROM   fleets
    GROUP BY company_id
)
SELECT n.company_id, n.name, coalesce(o.spellings, '') AS spellings,
       concat_ws(', ', CASE WHEN c.owned > 0 THEN 'registered_owner' END, CASE WHEN c.managed > 0 THEN 'manager' END, CASE WHEN c.ism_managed > 0 THEN 'ism' END) AS roles,
       coalesce(c.vessels, 0) AS vessels, coalesce(c.owned, 0) AS owned, coalesce(c.managed, 0) AS managed, coalesce(c.ism_managed, 0) AS ism_managed,
       c.gross_tonnage, coalesce(c.with_gross_tonnage, 0) AS with_gross_tonnage, c.deadweight_t, coalesce(c.with_deadweight, 0) AS with_deadweight, n.since, n.last_seen
FROM   named AS n
LEFT JOIN others AS o USING (company_id)
LEFT JOIN counted AS c USING (company_id);
COMMENT ON VIEW companies IS 'One row per company that owns or manages a vessel, or did. Spellings that differ in case, accents, punctuation and legal form are one company; two companies whose names differ in nothing else are one here, too. Only vessels that were looked up have companies: a company may have more than it has here. company_names has each spelling, company_fleet(night) the vessels.';
COMMENT ON COLUMN companies.company_id IS 'The name in capitals without legal form, punctuation, blanks and accents: the same for all spellings. It is made of the name alone, so that a rebuild gives the same.';
COMMENT ON COLUMN companies.name IS 'The name as most versions of management write it; of several the latest.';
COMMENT ON COLUMN companies.spellings IS 'The other spellings, separated by semicolons; empty if there are none.';
COMMENT ON COLUMN companies.roles IS 'What the company is to vessels of now: registered_owner, manager and ism (the manager by the ISM code), separated by commas; empty if it has none any more.';
COMMENT ON COLUMN companies.vessels IS 'Vessels on the list that it owns or manages now, each once.';
COMMENT ON COLUMN companies.owned IS 'Those of which it is the registered owner.';
COMMENT ON COLUMN companies.managed IS 'Those that it manages.';
COMMENT ON COLUMN companies.ism_managed IS 'Those of which it is the manager by the ISM code.';
COMMENT ON COLUMN companies.gross_tonnage IS 'Of the vessels of which it is known, each once; null if it is known of none.';
COMMENT ON COLUMN companies.with_gross_tonnage IS 'The vessels of which the gross tonnage is known.';
COMMENT ON COLUMN companies.deadweight_t IS 'Of the vessels of which it is known, each once; null if it is known of none.';
COMMENT ON COLUMN companies.with_deadweight IS 'The vessels of which the deadweight is known.';
COMMENT ON COLUMN companies.since IS 'The first lookup that had the company: it may have had vessels before.';
COMMENT ON COLUMN companies.last_seen IS 'The last lookup that had it.';

-- companies_of: a row for each company of a vessel of a fleet, and what it is to her.
{{- define "companies_of"}}
SELECT {{.night}}n.company_id, r.role, CASE r.role WHEN 'manager' THEN f.manager ELSE f.registered_owner END AS company, f.vessel_id, f.imo, f.mmsi, f.name, f.flag, f.vessel_type, f.category, f.is_vessel,
       f.gross_tonnage, f.deadweight_t, f.teu, f.year_built
FROM   {{if not .night}}{{template "own"}}, {{end}}{{.fleet}} AS f
JOIN   (VALUES ('registered_owner'), ('manager')) AS r(role) ON true -- CROSS JOIN would be stored in another spelling than it is read
JOIN   company_names AS n ON n.name = CASE r.role WHEN 'manager' THEN f.manager ELSE f.registered_owner END
{{- end}}
CREATE OR REPLACE MACRO company_fleet(night) AS TABLE
{{- template "companies_of" dict "night" "" "fleet" "fleet_of(night)"}};
COMMENT ON MACRO TABLE company_fleet IS 'company_fleet(night): the vessels of each company on a night, as they are best known now: one row per vessel, company and role, of fleet_of(night). A company that owns and manages a vessel has two rows of her: count(DISTINCT vessel_id) counts her once. Filter by company_id or by company.';

CREATE OR REPLACE VIEW company_fleet_of_night AS
{{- template "companies_of" dict "night" "f.snapshot_date, " "fleet" "fleet_of_night"}};
COMMENT ON VIEW company_fleet_of_night IS 'One row per night, vessel, company and role: company_fleet(night) as a view, which reads its own file under whatever name that is attached. Filter by snapshot_date: without it all nights are computed.';
COMMENT ON COLUMN company_fleet_of_night.snapshot_date IS 'The night.';
COMMENT ON COLUMN company_fleet_of_night.company_id IS 'See companies.';
COMMENT ON COLUMN company_fleet_of_night.role IS 'What the company is to the vessel: registered_owner or manager.';
COMMENT ON COLUMN company_fleet_of_night.company IS 'Its name, as the lookup of the vessel has it.';
{{- range fields "vessel_id imo mmsi name flag vessel_type category is_vessel gross_tonnage deadweight_t teu year_built"}}
COMMENT ON COLUMN company_fleet_of_night.{{.}} IS 'As in vessels, of that night.';
{{- end}}
