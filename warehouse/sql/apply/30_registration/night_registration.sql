-- night_registration: all of tonight's rows that say who a vessel is, from three lake tables. The raw values of a profile
-- are those of all its columns: of these the registration keeps its own, so that it is the same whichever answer comes last.
-- reads: night_listings, night_particulars, sighted_only
-- makes: night_registration
-- needs: night_listings or night_particulars or sighted_only
CREATE OR REPLACE TEMP VIEW night_registration AS
SELECT vessel_id, seen_at, run_id, entry, imo, mmsi, name, callsign, flag, country, register, country_iso,
       ship_type, vessel_type, category, is_vessel, 'listings' AS source, raw, extra
FROM   night_listings
UNION ALL
SELECT vessel_id, seen_at, run_id, entry, imo, mmsi, name, callsign, flag, country, register, country_iso,
       ship_type, vessel_type, category, is_vessel, 'particulars',
       nullif('{' || array_to_string([to_json(key)::VARCHAR || ':' || (raw::JSON -> key)::VARCHAR FOR key IN json_keys(raw)
                                      IF key IN ('name', 'callsign', 'country', 'countryIso', 'imo', 'mmsi', 'shipType', 'typeSpecific')], ',') || '}', '{}'),
       extra
FROM   night_particulars
UNION ALL
SELECT vessel_id, seen_at, run_id, entry, imo, mmsi, name, NULL, flag, country, register, NULL,
       ship_type, NULL, NULL, NULL, 'sightings', raw, extra
FROM   sighted_only;
