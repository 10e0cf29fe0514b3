-- has_unconfirmed: whether an earlier change waits for an observation that confirms it.
SELECT count(*) > 0 FROM internal.vessel_changes WHERE NOT seen_again;
