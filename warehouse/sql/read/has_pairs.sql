-- has_pairs: whether ships of tonight's list may be vessels that were known before under another flag.
SELECT count(*) > 0 FROM links;
