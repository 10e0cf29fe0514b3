-- The operations of the service, and what an answer of each has: lists of the program, for joins.
CREATE TABLE operations (
    operation VARCHAR,
    kind VARCHAR,
    credits INTEGER,
    per_minute INTEGER,
    paged BOOLEAN
);
CREATE TABLE operation_datasets (
    operation VARCHAR,
    dataset VARCHAR,
    lake_table VARCHAR,
    share DOUBLE
);
