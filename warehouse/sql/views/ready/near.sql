-- near: distances between positions, and the vessels near one, in plain SQL: no extension is downloaded.
--
-- distance_nm: along the great circle of a sphere with the earth's mean radius, 6,371.0088 km: at most half a percent off. This form of the
-- formula needs no bound against rounding: least(1, NULL) is 1 in DuckDB, and a vessel without a position would be far away.
CREATE OR REPLACE MACRO distance_nm(latitude_a, longitude_a, latitude_b, longitude_b) AS
    3440.0695 * atan2(
        sqrt(pow(cos(radians(latitude_b)) * sin(radians(longitude_b - longitude_a)), 2)
             + pow(cos(radians(latitude_a)) * sin(radians(latitude_b)) - sin(radians(latitude_a)) * cos(radians(latitude_b)) * cos(radians(longitude_b - longitude_a)), 2)),
        sin(radians(latitude_a)) * sin(radians(latitude_b)) + cos(radians(latitude_a)) * cos(radians(latitude_b)) * cos(radians(longitude_b - longitude_a)));
COMMENT ON MACRO distance_nm IS 'distance_nm(latitude_a, longitude_a, latitude_b, longitude_b): the distance between two positions in nautical miles, along the great circle; null if one of them is not known.';

-- vessels_near: the latitude alone leaves out most vessels before a distance is computed: a degree of it is 60 miles everywhere.
CREATE OR REPLACE MACRO vessels_near(at_latitude, at_longitude, miles) AS TABLE
SELECT distance_nm(at_latitude, at_longitude, v.latitude, v.longitude) AS distance_nm,
       v.vessel_id, v.imo, v.mmsi, v.name, v.flag, v.vessel_type, v.category, v.is_vessel, v.listed, v.latitude, v.longitude, v.speed_kn, v.course_deg, v.navigational_status, v.destination, v.position_at
FROM   {{template "own"}}
JOIN   vessels AS v ON own.ok
WHERE  v.latitude BETWEEN at_latitude - miles / 59.0 AND at_latitude + miles / 59.0
  AND  distance_nm(at_latitude, at_longitude, v.latitude, v.longitude) <= miles;
COMMENT ON MACRO TABLE vessels_near IS 'vessels_near(at_latitude, at_longitude, miles): the vessels whose latest known position is within so many nautical miles of a position, with the distance, in any order. A position is as old as position_at says, and of an age that nobody knows where that is null: compare it before you believe that a vessel is there now. distance_nm(latitude_a, longitude_a, latitude_b, longitude_b) is the distance of any two positions, such as those of the table positions.';
