-- spent: the credits of the requests sent since a moment. Of the credits of unknown outcome, those
-- count that the balance shows as billed; if the balance is unknown, all of them count. For a run
-- that began earlier, everything billed may have been billed since. The rule is that of the view
-- run_credits, which a file of an older program does not have.
--
-- What the balance decreased during a run beyond our count counts too: a charge that we do not know,
-- or somebody else's with the same key. What it decreased between runs does not count.
SELECT coalesce(sum(q.sure + least(q.unknown, CASE WHEN r.billed BETWEEN r.sure AND r.spent THEN r.billed - r.sure ELSE q.unknown END) + r.beyond), 0)::BIGINT
FROM (
    SELECT run_id, coalesce(sum(credits) FILTER (charge <> 'unknown'), 0) AS sure, coalesce(sum(credits) FILTER (charge = 'unknown'), 0) AS unknown
    FROM   requests
    WHERE  sent_at >= $1::TIMESTAMPTZ
    GROUP BY run_id
) AS q
JOIN (
    SELECT run_id, credits_spent AS spent, credits_spent - credits_unknown AS sure,
           balance_before - coalesce(balance_after, lead(balance_before) OVER (ORDER BY run_id)) AS billed,
           greatest(0, coalesce(balance_before - balance_after - credits_spent, 0)) AS beyond
    FROM   runs
) AS r USING (run_id);
