-- Tankers reflagged to a flag of convenience, the latest first.
-- Flags of convenience are registers, as the table registers has them; flags names the source. seen_again is false as long as a
-- single observation has the new flag.
-- param category (category): a category of types, such as cargo; tanker if not given
SELECT r.snapshot_date AS night, r.vessel_id, r.name, r.flag_before, r.flag_after, coalesce(r.register_after, f.name) AS registry,
       r.open_registry_before AS was_open_registry, v.year_built, v.deadweight_t, r.seen_again
FROM   reflaggings AS r
JOIN   flags AS f ON f.flag = r.flag_after
JOIN   vessels AS v USING (vessel_id)
WHERE  r.open_registry_after AND r.is_vessel AND r.category = coalesce(getvariable('category'), 'tanker')
ORDER BY r.seen_after DESC, r.vessel_id;
