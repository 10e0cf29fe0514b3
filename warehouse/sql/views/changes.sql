-- changes: macros that select changes.
CREATE OR REPLACE MACRO changes_between(a, b) AS TABLE
SELECT c.*
FROM   {{template "own"}},
       (SELECT CASE WHEN {{template "is_night" "a"}} THEN a::VARCHAR::DATE END AS from_night, CASE WHEN NOT {{template "is_night" "a"}} THEN {{template "instant" "a"}} END AS from_instant,
               CASE WHEN {{template "is_night" "b"}} THEN b::VARCHAR::DATE END AS before_night, CASE WHEN NOT {{template "is_night" "b"}} THEN {{template "instant" "b"}} END AS before_instant) AS t
JOIN   changes AS c ON (c.snapshot_date >= t.from_night OR c.seen_after >= t.from_instant) AND (c.snapshot_date < t.before_night OR c.seen_after < t.before_instant)
WHERE  own.ok;
COMMENT ON MACRO TABLE changes_between IS 'changes_between(a, b): the changes that were first seen from a on and before b. A date, also as text, is that night: changes_between(DATE ''2026-11-20'', DATE ''2026-11-22'') are those of two nights. Else it is an instant; without a zone it is UTC.';

CREATE OR REPLACE MACRO changes_of(vessel) AS TABLE
SELECT c.*
FROM {{template "own"}}, (
    -- the vessel that the argument stands for: the one whose MMSI in use it is, the one that the id is an
    -- alias of, the one with the id, or one that had the MMSI earlier or has it beside another
    SELECT arg_min(n.vessel_id, n.place || n.vessel_id) AS vessel_id
    FROM (
        SELECT unnest([CASE WHEN regexp_full_match(id, '\d{7}') THEN 'IMO' || id WHEN regexp_full_match(id, '\d{9}') THEN 'MMSI' || id ELSE id END, id]) AS id
        FROM   (SELECT upper(trim(vessel::VARCHAR)) AS id)
    ) AS a
    JOIN (
        FROM (
            SELECT mmsi AS id, vessel_id, if(valid_to IS NULL, 1, 4) AS place FROM registration WHERE mmsi IS NOT NULL
            UNION ALL
            SELECT alias_id, vessel_id, 2 FROM vessel_aliases WHERE until IS NULL
            UNION ALL
            SELECT vessel_id, vessel_id, 3 FROM registration
            UNION ALL
            SELECT mmsi, vessel_id, 4 FROM second_mmsi_claims
        ) AS k
        ANTI JOIN (SELECT alias_id FROM vessel_aliases WHERE until IS NULL) AS o ON o.alias_id = k.vessel_id
    ) AS n ON n.id = a.id
) AS v
JOIN (
    SELECT vessel_id, alias_id AS id, since AS until FROM vessel_aliases
    UNION ALL
    SELECT vessel_id, vessel_id, NULL FROM registration WHERE valid_to IS NULL
) AS i ON i.vessel_id = v.vessel_id
JOIN   changes AS c ON c.vessel_id = i.id AND c.seen_after <= coalesce(i.until, 'infinity')
WHERE  own.ok;
COMMENT ON MACRO TABLE changes_of IS 'changes_of(vessel): the changes of one vessel, those while it was known by its MMSI alone included. The vessel is an IMO number of 7 digits, an MMSI of 9, as number or text, or a vessel_id, also one that has become an alias. An MMSI is first the vessel that has it in use, then one that had it earlier. MMSIs that begin with 0 must be texts.';
