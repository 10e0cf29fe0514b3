-- totals: the latest complete coverage of each partition, and what it showed. It counts from
-- the start of its run, when the oldest of its answers came at the earliest. A partition that
-- has answered with none for three nights is taken to hold none, so that a register that was
-- closed, or a spelling that is no longer used, is not suspected for ever.
SELECT operation, kind, value, CASE WHEN zeros >= 3 THEN 0 ELSE rows END, covered_at
FROM   partitions
WHERE  covered_on IS NOT NULL
ORDER BY operation, kind, value;
