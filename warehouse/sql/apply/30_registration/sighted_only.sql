-- sighted_only: the sightings of vessels that no listing and no profile has named, so that these
-- have a name and a flag too. A sighting never replaces what a listing or a profile says: those
-- have more columns, and may spell differently. That holds, too, for a vessel whose IMO number tonight is
-- the first to show, and that a listing or a profile has named under its MMSI.
-- reads: night_listings, night_particulars, night_sightings, registration, vessel_aliases
-- makes: sighted_only
-- columns: vessel_id VARCHAR, seen_at TIMESTAMPTZ, run_id VARCHAR, entry INTEGER, imo INTEGER, mmsi VARCHAR, name VARCHAR
-- columns: flag VARCHAR, country VARCHAR, register VARCHAR, ship_type VARCHAR, raw VARCHAR, extra VARCHAR
-- needs: night_sightings
CREATE OR REPLACE TEMP TABLE sighted_only AS
SELECT s.vessel_id, s.seen_at, s.run_id, s.entry, s.imo, s.mmsi, s.name, s.flag, s.country, s.register, s.ship_type, s.raw, s.extra
FROM   night_sightings AS s
ANTI JOIN night_listings AS l ON l.vessel_id = s.vessel_id
ANTI JOIN night_particulars AS p ON p.vessel_id = s.vessel_id
ANTI JOIN (SELECT vessel_id FROM registration WHERE valid_to IS NULL AND source <> 'sightings') AS r ON r.vessel_id = s.vessel_id
ANTI JOIN (
    SELECT a.vessel_id
    FROM   vessel_aliases AS a
    JOIN   registration AS r ON r.vessel_id = a.alias_id
    WHERE  a.snapshot_date = $date AND a.until IS NULL AND r.valid_to IS NULL AND r.source <> 'sightings'
) AS m ON m.vessel_id = s.vessel_id;
