-- Gone dark in a zone: listed vessels that were sighted there last, and in no status search since.
-- Only nights that prove the absence count; proof says how far they looked. A vessel that is absent where it was
-- last seen may have sailed to where nobody looked.
-- param zone (zone): a world zone, such as north-sea; all zones if not given
SELECT world_zone, vessel_id, name, flag, category, navigational_status AS last_status, last_date AS last_sighted, complete_nights_since, proof
FROM   gone_dark
WHERE  getvariable('zone') IS NULL OR world_zone = getvariable('zone')
ORDER BY complete_nights_since DESC, vessel_id;
