-- listed.sql: vessels and things on the list on night $1 and on night $2, from the stays. A night
-- that is NULL counts none.
SELECT count(*) FILTER (from_date <= $1::DATE AND (to_date IS NULL OR to_date >= $1::DATE)) AS on_night,
       count(*) FILTER (from_date <= $2::DATE AND (to_date IS NULL OR to_date >= $2::DATE)) AS on_night_before
FROM   listed;
