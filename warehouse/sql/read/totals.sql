-- totals: the latest complete coverage of each partition, and its number of vessels. It dates from the
-- start of its run, which no answer precedes. A partition that was answered without vessels on
-- three nights counts as empty, so that a closed register, or a spelling that is no longer used,
-- is not suspect for ever.
SELECT operation, kind, value, CASE WHEN zeros >= 3 THEN 0 ELSE rows END, covered_at
FROM   partitions
WHERE  covered_on IS NOT NULL
ORDER BY operation, kind, value;
