-- What history needs beside its intervals: which night closed a version, what an answer left
-- out, how a vessel stood on the list, and how each partition was last covered.

ALTER TABLE registration ADD COLUMN closed_date DATE;
ALTER TABLE registration ADD COLUMN untold VARCHAR;
COMMENT ON COLUMN registration.closed_date IS 'The night that closed the version; null while it is open. A version holds from its snapshot_date to the night before this.';
COMMENT ON COLUMN registration.untold IS 'JSON object: columns that the last observation left out, and when each was last told. Null if it left out nothing that is known.';

ALTER TABLE registration ADD COLUMN known_since TIMESTAMP;
COMMENT ON COLUMN registration.known_since IS 'First observation of the vessel in any of its versions, those included of the time when it was known by its MMSI alone. UTC.';

ALTER TABLE particulars ADD COLUMN closed_date DATE;
ALTER TABLE particulars ADD COLUMN untold VARCHAR;
COMMENT ON COLUMN particulars.closed_date IS 'The night that closed the version; null while it is open. A version holds from its snapshot_date to the night before this.';
COMMENT ON COLUMN particulars.untold IS 'JSON object: columns that the last observation left out, and when each was last told. Null if it left out nothing that is known.';

ALTER TABLE engine ADD COLUMN closed_date DATE;
ALTER TABLE engine ADD COLUMN untold VARCHAR;
COMMENT ON COLUMN engine.closed_date IS 'The night that closed the version; null while it is open. A version holds from its snapshot_date to the night before this.';
COMMENT ON COLUMN engine.untold IS 'JSON object: columns that the last observation left out, and when each was last told. Null if it left out nothing that is known.';

ALTER TABLE management ADD COLUMN closed_date DATE;
ALTER TABLE management ADD COLUMN untold VARCHAR;
COMMENT ON COLUMN management.closed_date IS 'The night that closed the version; null while it is open. A version holds from its snapshot_date to the night before this.';
COMMENT ON COLUMN management.untold IS 'JSON object: columns that the last observation left out, and when each was last told. Null if it left out nothing that is known.';

ALTER TABLE listed ADD COLUMN has_country BOOLEAN;
ALTER TABLE listed ADD COLUMN has_type BOOLEAN;
COMMENT ON COLUMN listed.has_country IS 'Whether the vessel was last listed with a country. One without stands under no country of the search, so that countries prove nothing of it.';
COMMENT ON COLUMN listed.has_type IS 'Whether the vessel was last listed with a specific type. One without stands under no type of the search, so that types prove nothing of it.';

ALTER TABLE episodes ADD COLUMN nights_unseen INTEGER;
COMMENT ON COLUMN episodes.nights_unseen IS 'Nights between the first and the last on which the vessel was not seen there and could not be missed, because the search was not covered.';

ALTER TABLE second_mmsi_claims ADD COLUMN country VARCHAR;
ALTER TABLE second_mmsi_claims ADD COLUMN until DATE;
COMMENT ON COLUMN second_mmsi_claims.country IS 'The country of the entry that showed it.';
COMMENT ON COLUMN second_mmsi_claims.until IS 'The night whose coverage proved that the vessel does not show it any more, or that made it the one of its registration; null while the claim holds.';

CREATE TABLE partitions (
    operation VARCHAR, kind VARCHAR, value VARCHAR,
    covered_on DATE, covered_at TIMESTAMP, rows INTEGER,
    zeros INTEGER, proven_on DATE
);
COMMENT ON TABLE partitions IS 'The latest of coverage, by partition, so that no load and no plan has to read all of it.';
COMMENT ON COLUMN partitions.operation IS 'by-type or by-status.';
COMMENT ON COLUMN partitions.kind IS 'country, type, type+country or status.';
COMMENT ON COLUMN partitions.value IS 'As coverage.value, in lower case.';
COMMENT ON COLUMN partitions.covered_on IS 'The last night on which it was covered completely; null if never.';
COMMENT ON COLUMN partitions.covered_at IS 'The start of the latest run that did. UTC.';
COMMENT ON COLUMN partitions.rows IS 'Vessels that came then.';
COMMENT ON COLUMN partitions.zeros IS 'Nights in a row on which it was answered, with no vessels.';
COMMENT ON COLUMN partitions.proven_on IS 'The last night that proved who is not in it: covered completely, and not empty for the first night after it held vessels, since an empty answer may be a silent fault.';
