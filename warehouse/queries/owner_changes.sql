-- Changes of the registered owner, the latest first.
-- A vessel is looked up seldom: the sale lies somewhere between the lookups not_before and not_after. A vessel
-- whose owner was not known before is not among them.
SELECT vessel_id, name, category, flag, company_before AS owner_before, company_after AS owner_after, both_changed AS manager_too,
       (seen_before AT TIME ZONE 'UTC')::DATE AS not_before, (seen_after AT TIME ZONE 'UTC')::DATE AS not_after
FROM   ownership_changes
WHERE  role = 'registered_owner' AND is_vessel
ORDER BY seen_after DESC, vessel_id;
