-- countries_new: tonight's countries that no list has. The flag is that of all their vessels, if they have one.
-- reads: countries, night_registration
-- adds to: countries
-- needs: night_registration WHERE country NOT IN (SELECT name FROM countries)
INSERT INTO countries BY NAME
SELECT country AS spelling, CASE WHEN count(DISTINCT flag) = 1 THEN any_value(flag) END AS flag, country AS name, 'answers' AS source, $date AS since
FROM   night_registration
WHERE  country NOT IN (SELECT name FROM countries)
GROUP BY country
ORDER BY country;
