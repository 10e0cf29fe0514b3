-- no_doubts: what the statements of this folder make on a night that has nothing for them. Each of them makes its table
-- anew where it has something to do: to plan all of them takes as long as half of a small night.
CREATE OR REPLACE TEMP TABLE imo_slips (imo INTEGER, mmsi VARCHAR, name VARCHAR, run_id VARCHAR, entry INTEGER);
CREATE OR REPLACE TEMP TABLE mmsi_claimed (rid BIGINT, mmsi VARCHAR, vessel_id VARCHAR, imo INTEGER, name_hash UBIGINT, departed BOOLEAN);
CREATE OR REPLACE TEMP TABLE mmsi_doubted (mmsi VARCHAR);
CREATE OR REPLACE TEMP TABLE claimants (mmsi VARCHAR, vessel_id VARCHAR, name VARCHAR, callsign VARCHAR, vessel_type VARCHAR, category VARCHAR, last_seen TIMESTAMPTZ, departed BOOLEAN, tonight BOOLEAN);
CREATE OR REPLACE TEMP TABLE shown_as (mmsi VARCHAR, name VARCHAR, vessel_id VARCHAR);
CREATE OR REPLACE TEMP TABLE kept_apart (mmsi VARCHAR, vessel_id VARCHAR, other_id VARCHAR, departed BOOLEAN);
CREATE OR REPLACE TEMP TABLE links (mmsi VARCHAR, known_as VARCHAR, shown_id VARCHAR, from_date DATE, seen_at TIMESTAMPTZ, run_id VARCHAR, entry INTEGER, vessel_id VARCHAR, missing_since DATE, absent_on DATE, same VARCHAR, proved BOOLEAN);
CREATE OR REPLACE TEMP TABLE assigned (number_id VARCHAR, name VARCHAR, vessel_id VARCHAR, slip BOOLEAN);
CREATE OR REPLACE TEMP TABLE answered_as (run_id VARCHAR, entry INTEGER, number_id VARCHAR, vessel_id VARCHAR, slip BOOLEAN);
