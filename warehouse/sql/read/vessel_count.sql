-- vessel_count: how many vessels there are.
SELECT count(*) FROM vessels;
