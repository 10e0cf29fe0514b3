-- has_links: whether tonight proves ships without an IMO number to be vessels that were known before.
SELECT count(*) > 0 FROM links WHERE proved;
