-- A run is applied once.
SELECT 'runs: ' || min(run_id) || ' is there more than once' FROM (SELECT run_id FROM runs GROUP BY run_id HAVING count(*) > 1) HAVING count(*) > 0;
