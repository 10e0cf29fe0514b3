-- has_affected: whether tonight can alter what the ready views say of the changes of a vessel.
SELECT count(*) > 0 FROM changes_affected;
