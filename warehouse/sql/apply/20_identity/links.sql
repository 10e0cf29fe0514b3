-- links: the ships without an IMO number that tonight's list has under another flag and MMSI than a vessel that the list
-- no longer has, and whether it is proved that they are one: name and type are the same, nobody else has them, and so is
-- the call sign, the size, or the last port. Where nothing of these is known, a person may decide. A ship can stand under
-- both flags on the night of the change, and is then known as a vessel of her own. A vessel whose country the service accepts
-- no more may still be there, where no list shows her: that she is the ship under another flag is never proved. Nor is it of
-- a ship that has changed her flag again since she came: the flag in between would be lost.
-- reads: lake_identities, lake_listings, lake_particulars, lake_positions, listed, mmsi_claimed, mmsi_doubted
-- reads: mmsi_evidence, particulars, positions, proven_countries, registration, runs, shown_as, withdrawn
-- makes: links
-- columns: mmsi VARCHAR, known_as VARCHAR, shown_id VARCHAR, from_date DATE, seen_at TIMESTAMPTZ, run_id VARCHAR
-- columns: entry INTEGER, vessel_id VARCHAR, missing_since DATE, absent_on DATE, same VARCHAR, proved BOOLEAN
-- needs: lake_listings
-- needs: mmsi_wanted
-- needs: registration
CREATE OR REPLACE TEMP TABLE links AS
-- fresh: the entries of tonight's list without an IMO number, of ships that came on the list tonight or in the last 30 nights
WITH fresh AS MATERIALIZED (
    SELECT l.mmsi, l.vessel_id, l.name, l.vessel_type, l.flag, l.callsign, l.seen_at, l.run_id, l.entry, k.vessel_id AS known_as, coalesce(k.from_date, $date) AS from_date
    FROM   (SELECT n.* REPLACE (coalesce(a.vessel_id, n.vessel_id) AS vessel_id) FROM lake_listings AS n LEFT JOIN shown_as AS a ON a.mmsi = n.mmsi AND a.name = n.name WHERE n.imo IS NULL) AS l
    LEFT JOIN mmsi_claimed AS c ON c.mmsi = l.mmsi
    LEFT JOIN (
        SELECT vessel_id, from_date FROM listed WHERE to_date IS NULL AND from_date > greatest($date::DATE - 30, (SELECT min(snapshot_date) FROM runs))
    ) AS k ON k.vessel_id = l.vessel_id
    WHERE  starts_with(l.vessel_id, 'MMSI') AND l.name IS NOT NULL AND l.vessel_type IS NOT NULL AND l.flag IS NOT NULL
      AND  (c.vessel_id IS NULL OR c.vessel_id = l.vessel_id AND k.vessel_id IS NOT NULL OR l.mmsi IN (FROM mmsi_doubted))
      AND  (l.mmsi NOT IN (SELECT mmsi FROM mmsi_evidence) OR l.mmsi IN (FROM mmsi_doubted))
-- shown: these ships, each once
), shown AS MATERIALIZED (
    SELECT f.mmsi, f.vessel_id, min(f.name) AS name, min(f.vessel_type) AS vessel_type, min(f.flag) AS flag, max(f.callsign) AS callsign, min(f.seen_at) AS seen_at,
           arg_min(f.run_id, f.seen_at) AS run_id, arg_min(f.entry, f.seen_at) AS entry, any_value(f.known_as) AS known_as, min(f.from_date) AS from_date
    FROM   fresh AS f
    WHERE  f.known_as IS NOT NULL OR f.vessel_id NOT IN (SELECT vessel_id FROM registration WHERE valid_to IS NULL AND vessel_number IN (SELECT mmsi::INTEGER FROM fresh))
    GROUP BY f.mmsi, f.vessel_id
    HAVING min(f.name) = max(f.name) AND min(f.flag) = max(f.flag)
-- namesakes: the vessels that are known by their names and types, and named: tonight's entries with them
), namesakes AS MATERIALIZED (
    SELECT r.vessel_id, r.imo, r.mmsi, r.name, r.vessel_type, r.flag, r.callsign, r.country FROM registration AS r SEMI JOIN shown AS s ON s.name = r.name AND s.vessel_type = r.vessel_type WHERE r.valid_to IS NULL
), named AS MATERIALIZED (
    SELECT l.vessel_id, l.imo, l.mmsi, l.name, l.vessel_type FROM lake_listings AS l SEMI JOIN shown AS s ON s.name = l.name AND s.vessel_type = l.vessel_type
-- missed: the namesakes that tonight's list does not have, and those that were proved gone lately, or that no list can show
), unlisted AS (
    SELECT vessel_id, last_date, missing_since, absent_on, coalesce(ends_with(proof, 'no longer accepted'), false) AS unseen
    FROM   listed
    WHERE  vessel_id IN (SELECT vessel_id FROM namesakes)
    QUALIFY row_number() OVER (PARTITION BY vessel_id ORDER BY from_date DESC) = 1 AND (to_date IS NULL AND last_date < $date OR absent_on > $date::DATE - 30 OR unseen AND to_date > $date::DATE - 30)
), missed AS MATERIALIZED (
    SELECT r.*, o.last_date, o.missing_since, o.absent_on,
           o.unseen OR o.missing_since IS NULL AND o.absent_on IS NULL AND r.country IN (SELECT name FROM withdrawn WHERE kind = 'country') AS unseen
    FROM   namesakes AS r
    JOIN   unlisted AS o ON o.vessel_id = r.vessel_id
    WHERE  (o.absent_on IS NOT NULL OR o.missing_since IS NOT NULL OR o.unseen OR r.country IN (FROM proven_countries))
      AND  r.vessel_id NOT IN (SELECT vessel_id FROM lake_identities WHERE vessel_id IN (SELECT vessel_id FROM namesakes))
      AND  coalesce(r.mmsi NOT IN (SELECT mmsi FROM lake_identities WHERE mmsi IN (SELECT mmsi FROM namesakes)), true)
-- pairs: each of them beside each vessel that it may be
), pairs AS MATERIALIZED (
    SELECT s.mmsi, s.known_as, s.vessel_id AS shown_id, s.from_date, s.seen_at, s.run_id, s.entry, m.vessel_id, m.missing_since, m.absent_on, m.unseen,
           coalesce(s.callsign = m.callsign, false) AS one_callsign, coalesce(s.known_as[5:13] <> s.mmsi, false) AS reflagged_since,
           count(*) OVER (PARTITION BY s.mmsi) = 1 AND count(*) OVER (PARTITION BY m.vessel_id) = 1
           AND (SELECT count(DISTINCT n.vessel_id) FROM named AS n WHERE n.name = s.name AND n.vessel_type = s.vessel_type) = 1 AS only_ones
    FROM   shown AS s
    JOIN   missed AS m ON m.name = s.name AND m.vessel_type = s.vessel_type AND m.mmsi <> s.mmsi AND m.flag <> s.flag
    WHERE  m.last_date <= s.from_date AND (m.unseen OR m.last_date >= s.from_date - 7)
-- sizes, ports: what is known of them beside
), ids AS (
    SELECT vessel_id FROM pairs UNION SELECT shown_id FROM pairs
), sizes AS (
    SELECT vessel_id, max(length_m) AS length_m, max(beam_m) AS beam_m, max(deadweight_t) AS deadweight_t
    FROM   (SELECT vessel_id, length_m, beam_m, deadweight_t FROM particulars WHERE valid_to IS NULL AND vessel_id IN (FROM ids)
            UNION ALL SELECT vessel_id, length_m, beam_m, deadweight_t FROM lake_particulars WHERE vessel_id IN (FROM ids))
    GROUP BY vessel_id
), ports AS (
    SELECT vessel_id, arg_max(last_port_unlocode, seen_at) AS port
    FROM   (SELECT vessel_id, last_port_unlocode, seen_at FROM positions WHERE vessel_number IN (SELECT internal.number_of(vessel_id) FROM ids)
            UNION ALL SELECT vessel_id, last_port_unlocode, seen_at FROM lake_positions WHERE vessel_id IN (FROM ids))
    GROUP BY vessel_id
), compared AS (
    SELECT p.*, coalesce(a.length_m = b.length_m AND a.beam_m = b.beam_m, false) OR coalesce(a.length_m = b.length_m AND a.deadweight_t = b.deadweight_t, false) AS one_size,
           coalesce(abs(a.length_m - b.length_m) > 1, false) OR coalesce(abs(a.beam_m - b.beam_m) > 1, false) AS two_sizes, coalesce(c.port = d.port, false) AS one_port
    FROM   pairs AS p
    LEFT JOIN sizes AS a ON a.vessel_id = p.shown_id
    LEFT JOIN sizes AS b ON b.vessel_id = p.vessel_id
    LEFT JOIN ports AS c ON c.vessel_id = p.shown_id
    LEFT JOIN ports AS d ON d.vessel_id = p.vessel_id
)
SELECT mmsi, known_as, shown_id, from_date, seen_at, run_id, entry, vessel_id, missing_since, absent_on,
       concat_ws(', ', 'name', 'type', if(one_callsign, 'call sign', NULL), if(one_size, 'size', NULL), if(one_port, 'last port', NULL)) AS same,
       NOT unseen AND NOT reflagged_since AND only_ones AND (one_callsign OR one_size OR one_port) AS proved
FROM   compared
WHERE  NOT two_sizes;
