-- aliases: the ids that a vessel had before its IMO number was reported.
SELECT alias_id, since, until, coalesce(reason, ''), coalesce(run_id, '') FROM vessel_aliases WHERE vessel_id = $1 ORDER BY since, alias_id;
