-- search.sql: the vessels that a text may mean, the likeliest first, and why each was found. $1 is the text in
-- upper case, $2 the number that it may be, $3 the most, $4 how many to leave out before. A name that is no longer in use finds its vessel,
-- too, and so does one that is spelt nearly alike, if the text is no number: no name can be that alike whose
-- length is less than three fifths of the other's, and lengths are compared faster than letters. The found
-- vessels alone are joined with what the view vessels says of them, from the same tables.
WITH named AS (
    SELECT vessel_id, name, valid_to IS NULL AS now, valid_to,
           CASE WHEN name = $1 THEN 1
                WHEN starts_with(name, $1) THEN 2
                WHEN length($1) >= 3 AND contains(name, $1) THEN 4
                WHEN $2 = '' AND length($1) >= 4 AND 5 * length(name) >= 3 * length($1) AND 3 * length(name) <= 5 * length($1) AND jaro_winkler_similarity(name, $1) >= 0.92 THEN 6 END AS place
    FROM   registration
    WHERE  name IS NOT NULL AND $1 <> ''
), found AS (
    SELECT vessel_id, place, if(now, '', 'was ' || name) AS why, valid_to
    FROM   named
    WHERE  place IS NOT NULL
    UNION ALL
    SELECT vessel_id, if(valid_to IS NULL, 0, 3), if(valid_to IS NULL, 'MMSI ', 'had MMSI ') || mmsi, valid_to FROM registration WHERE mmsi = $2
    UNION ALL
    SELECT vessel_id, 3, 'reports MMSI ' || mmsi || ', too', NULL FROM second_mmsi_claims WHERE mmsi = $2
    UNION ALL
    SELECT vessel_id, 0, 'IMO ' || imo, NULL FROM registration WHERE imo = TRY_CAST($2 AS INTEGER)
    UNION ALL
    SELECT vessel_id, if(valid_to IS NULL, 1, 3), if(valid_to IS NULL, 'call sign ', 'had call sign ') || callsign, valid_to FROM registration WHERE callsign = $1
    UNION ALL
    SELECT vessel_id, if(valid_to IS NULL, 5, 7), if(valid_to IS NULL, 'owned by ', 'was owned by ') || registered_owner, valid_to FROM management WHERE contains(upper(registered_owner), $1) AND length($1) >= 3
    UNION ALL
    SELECT vessel_id, if(valid_to IS NULL, 5, 7), if(valid_to IS NULL, 'managed by ', 'was managed by ') || manager, valid_to FROM management WHERE contains(upper(manager), $1) AND length($1) >= 3
), joined AS ( -- an id that became the alias of another vessel finds that one
    SELECT coalesce(a.vessel_id, f.vessel_id) AS vessel_id, f.place, f.why, f.valid_to
    FROM   found AS f
    LEFT JOIN vessel_aliases AS a ON a.alias_id = f.vessel_id AND a.until IS NULL
), best AS ( -- the best place of a vessel, and why it has that place: the latest reason, by seconds since 1970
    SELECT vessel_id, min(place) AS place, arg_min(why, 1e12 * place - coalesce(epoch(valid_to), 1e11)) AS why FROM joined GROUP BY vessel_id
)
SELECT count(*) OVER () AS total, r.vessel_id, r.name, r.country, r.vessel_type, l.vessel_id IS NOT NULL AS listed, b.why
FROM   best AS b
JOIN   registration AS r ON r.vessel_id = b.vessel_id AND r.valid_to IS NULL
LEFT JOIN listed AS l ON l.vessel_id = b.vessel_id AND l.to_date IS NULL
ORDER BY b.place, r.imo IS NULL, NOT listed, r.name, r.vessel_id
LIMIT  $3 OFFSET $4;
