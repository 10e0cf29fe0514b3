-- Owners and managers: who puts vessels under whom, and over how many flags.
-- It shows owners with several managers, and managers for many owners.
SELECT registered_owner, manager, count(*) AS vessels, count(DISTINCT flag) AS flags, sum(gross_tonnage)::BIGINT AS gross_tonnage,
       count(*) OVER (PARTITION BY registered_owner) AS managers_of_owner, count(*) OVER (PARTITION BY manager) AS owners_of_manager
FROM   vessels
WHERE  registered_owner IS NOT NULL AND manager IS NOT NULL AND listed AND is_vessel
GROUP BY registered_owner, manager
ORDER BY vessels DESC, registered_owner, manager;
