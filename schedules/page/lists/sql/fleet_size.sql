-- fleet_size.sql: how many vessels there are, with those that became aliases of others.
SELECT count(*) FROM registration WHERE valid_to IS NULL;
