-- company: every name of a company, in any role, and every id of one.
SELECT upper(name) FROM company_names UNION SELECT company_id FROM company_names
