-- A version whose flag or type is one of several that the list of a single night gave says so, until a later night decides.
ALTER TABLE registration ADD COLUMN doubtful VARCHAR;
