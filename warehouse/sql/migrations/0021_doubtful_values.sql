-- The flags and types of which the list of a single night gave several, and which no later night has decided.
CREATE TABLE internal.doubtful_values (
    vessel_id VARCHAR USING COMPRESSION fsst,
    field VARCHAR USING COMPRESSION dictionary,
    value VARCHAR,
    seen_after TIMESTAMPTZ,
    settled_on DATE
);
