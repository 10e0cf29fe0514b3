-- night_listings: tonight's rows, under the vessel that they belong to.
CREATE OR REPLACE TEMP VIEW night_listings AS
SELECT l.* REPLACE (coalesce(h.vessel_id, l.vessel_id) AS vessel_id)
FROM   lake_listings AS l
LEFT JOIN held AS h ON h.mmsi_id = l.vessel_id;
