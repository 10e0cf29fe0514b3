-- answer_columns: the columns of the temporary table that a query's answer is stored in, in their order.
SELECT column_name, column_type
FROM   (DESCRIBE temp.fleetlake_answer);
