-- identities: the vessels that tonight's rows name, and how they describe them. Engine and management rows come
-- with a particulars row of the same answer.
-- reads: lake_listings, lake_particulars, lake_positions, lake_sightings
-- makes: lake_numbers
-- needs: lake_listings or lake_particulars or lake_sightings or lake_positions
CREATE OR REPLACE TEMP VIEW lake_numbers AS
SELECT vessel_id, imo, mmsi, name, callsign, vessel_type, category, seen_at, run_id, entry, 'registration' AS dataset FROM lake_listings
UNION ALL
SELECT vessel_id, imo, mmsi, name, callsign, vessel_type, category, seen_at, run_id, entry, 'registration' FROM lake_particulars
UNION ALL
SELECT vessel_id, imo, mmsi, name, NULL, NULL, NULL, seen_at, run_id, entry, 'sighting' FROM lake_sightings
UNION ALL
SELECT vessel_id, imo, mmsi, NULL, NULL, NULL, NULL, seen_at, run_id, entry, 'position' FROM lake_positions;
