-- Values and records that were not accepted as received, by reason.
-- A sudden rise points to a rule of ours or to a fault of the service.
SELECT dataset, field, reason, count(*) AS issues, count(DISTINCT vessel_id) AS vessels, min(snapshot_date) AS first_night, max(snapshot_date) AS last_night,
       max(snapshot_date) = (SELECT max(snapshot_date) FROM runs) AS still, min(raw_value) AS example
FROM   issues
GROUP BY dataset, field, reason
ORDER BY issues DESC, dataset, field, reason;
