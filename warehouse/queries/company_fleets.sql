-- Fleets of companies: the vessels that each owns or manages, how large they are, and of how many that is known.
-- Another spelling, or another legal form, is the same company. A vessel counts once, also if owner and manager are one.
-- param company (company): a name or a company_id, such as DELTA TANKERS INC; all companies if not given
SELECT name, spellings, roles, vessels, owned, managed, deadweight_t::BIGINT AS deadweight_t, with_deadweight, gross_tonnage::BIGINT AS gross_tonnage, since
FROM   companies
WHERE  company_id = coalesce((SELECT any_value(company_id) FROM company_names WHERE upper(getvariable('company')::VARCHAR) IN (company_id, upper(name))), company_id)
ORDER BY vessels DESC, name;
