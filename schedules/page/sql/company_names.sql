-- company_names.sql: the spellings of a company, the usual one first as companies has it, by one of them or by its
-- company_id, which is $1.
SELECT name, company_id
FROM   company_names
WHERE  company_id = (SELECT any_value(company_id) FROM company_names WHERE $1 IN (name, company_id))
ORDER BY versions DESC, last_seen DESC, name DESC;
