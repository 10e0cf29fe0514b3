-- partitions_tonight: tonight's coverage of each partition, over all runs of the night.
-- reads: lake_coverage, runs
-- makes: partitions_tonight
-- needs: lake_coverage
CREATE OR REPLACE TEMP TABLE partitions_tonight AS
SELECT c.operation, c.kind, lower(trim(c.value)) AS value, bool_or(c.state = 'complete') AS complete,
       arg_max(c.state, {complete: c.state = 'complete', run: c.run_id}) AS state,
       max(r.started_at) FILTER (c.state = 'complete') AS covered_at, max(c.run_id) AS run_id,
       max(c.received_rows) AS rows,
       any_value(c.navigational_status) AS navigational_status, any_value(c.world_zone) AS world_zone,
       any_value(c.laden) AS laden, any_value(c.for_order) AS for_order, any_value(c.vessel_type_filter) AS vessel_type
FROM   lake_coverage AS c
JOIN   runs AS r USING (run_id)
WHERE  c.state IN ('complete', 'partial', 'suspect')
GROUP BY ALL;
