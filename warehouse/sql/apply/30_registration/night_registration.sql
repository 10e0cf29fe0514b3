-- night_registration: all of tonight's rows that say who a vessel is, from three lake tables.
CREATE OR REPLACE TEMP VIEW night_registration AS
SELECT vessel_id, seen_at, run_id, entry, imo, mmsi, name, callsign, flag, country, register, country_iso,
       ship_type, vessel_type, category, is_vessel, 'listings' AS source, raw, extra
FROM   night_listings
UNION ALL
SELECT vessel_id, seen_at, run_id, entry, imo, mmsi, name, callsign, flag, country, register, country_iso,
       ship_type, vessel_type, category, is_vessel, 'particulars', raw, extra
FROM   night_particulars
UNION ALL
SELECT vessel_id, seen_at, run_id, entry, imo, mmsi, name, NULL, flag, country, register, NULL,
       ship_type, NULL, NULL, NULL, 'sightings', raw, extra
FROM   sighted_only;
