-- searched: the best that the runs of a night know of each search. One that rests was made lately, or is no longer offered.
{{define "searched"}}
    SELECT r.job, c.snapshot_date, c.operation, c.kind, lower(c.value) AS value,
           arg_min(c.state, CASE c.state WHEN 'complete' THEN 0 WHEN 'partial' THEN 1 WHEN 'suspect' THEN 2 WHEN 'failed' THEN 3 ELSE 4 END) AS state,
           arg_min(coalesce(c.reason, ''), CASE c.state WHEN 'complete' THEN 0 WHEN 'partial' THEN 1 WHEN 'suspect' THEN 2 WHEN 'failed' THEN 3 ELSE 4 END) AS reason,
           bool_and(c.state = 'skipped' AND coalesce(starts_with(c.reason, 'covered at ') OR c.reason LIKE 'about % vessels have come or left %' OR c.reason = 'no longer accepted', false)) AS rests
    FROM   coverage AS c
    JOIN   runs AS r USING (run_id)
    {{.}}
    GROUP BY r.job, c.snapshot_date, c.operation, c.kind, lower(c.value)
{{- end}}

-- verdict: how far the counts of a night can be trusted whose runs are published, as p, with their searches counted, as c.
{{define "verdict" -}}
CASE WHEN coalesce(c.due, 0) = 0 THEN if(p.answers > 0 AND p.state = 'done', 'whole', 'broken')
                     WHEN c.covered = c.due THEN 'whole'
                     WHEN c.covered = 0 THEN 'broken'
                     ELSE 'partial' END
{{- end}}

-- makes_no_search: whether a job only looks vessels up, or asks questions: it says nothing of the counts of other jobs.
{{define "makes_no_search" -}}
NOT EXISTS (FROM runs AS s SEMI JOIN coverage AS c ON c.run_id = s.run_id WHERE s.job IS NOT DISTINCT FROM {{.}})
{{- end}}
