-- A vessel is gone when two successive complete coverages missed her, or one did and a lookup by her number
-- did not find her: the stay says since which night, and which of the two proves it.
ALTER TABLE listed ADD COLUMN missing_since DATE;
ALTER TABLE listed ADD COLUMN proof VARCHAR;
