-- frequent: the most frequent values of a column, and in how many rows each is.
SELECT {{.Quoted}}::VARCHAR, count(*)
FROM   {{.Table}}
WHERE  {{.Quoted}} IS NOT NULL
GROUP BY 1
ORDER BY 2 DESC, 1
LIMIT  {{.Limit}};
