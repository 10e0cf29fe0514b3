-- has_changed: whether tonight has other values of a dataset than the open versions.
SELECT count(*) > 0 FROM compared_{{.Name}} WHERE NOT same AND rid IS NOT NULL;
