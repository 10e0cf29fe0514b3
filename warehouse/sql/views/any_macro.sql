-- any_macro: whether the names in a macro are those of its own file: it is in use, no other warehouse is attached, and no
-- temporary table has the name of one of its tables. Each macro that reads the file has this view as its first table.
CREATE OR REPLACE VIEW {{template "own_name"}} AS
SELECT CASE WHEN count(*) = 1 AND bool_and(w.database_name = current_database())
                 AND NOT EXISTS (FROM (SELECT table_name FROM system.main.duckdb_tables() WHERE temporary UNION ALL SELECT view_name FROM system.main.duckdb_views() WHERE temporary) AS d
                                 SEMI JOIN (SELECT table_name FROM system.main.duckdb_tables() WHERE database_name = current_database() AND schema_name = 'main') AS t USING (table_name)) THEN true
            ELSE error('a macro reads the warehouse in use, which must be the only one attached, without temporary tables of the names of its tables. Views read their own file under any name: fleet_of_night and vessels_on_night instead of fleet_of, fleet_on and vessels_as_of, company_fleet_of_night instead of company_fleet, vessel_changes instead of changes_of and changes_between') END AS ok
FROM   (SELECT DISTINCT database_name FROM system.main.duckdb_tables() WHERE schema_name = 'internal' AND table_name = 'schema_migrations') AS w;
