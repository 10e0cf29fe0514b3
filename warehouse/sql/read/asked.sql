-- asked: when each request of some operations was last answered. That the service has nothing is an answer, too, and so
-- is one that is too large to be read, which would be as large the next time.
SELECT operation, parameters, max(sent_at)
FROM   requests
WHERE  list_contains($1::VARCHAR[], operation)
  AND  outcome IN ('ok', 'empty', 'not_found', 'rejected', 'too_large')
GROUP BY operation, parameters;
