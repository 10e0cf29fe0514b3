-- spent.sql: credits counted on the UTC day of $1, in its month, and in the seven days up to it.
SELECT coalesce(sum(credits_spent) FILTER ((started_at AT TIME ZONE 'UTC')::DATE = $1::DATE), 0)::BIGINT AS today,
       coalesce(sum(credits_spent) FILTER (date_trunc('month', started_at AT TIME ZONE 'UTC') = date_trunc('month', $1::DATE)), 0)::BIGINT AS this_month,
       coalesce(sum(credits_spent) FILTER ((started_at AT TIME ZONE 'UTC')::DATE BETWEEN $1::DATE - 6 AND $1::DATE), 0)::BIGINT AS this_week
FROM   runs;
