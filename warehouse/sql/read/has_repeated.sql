-- has_repeated: whether tonight has several observations of a dataset of any vessel.
SELECT count(*) > 0 FROM repeated_{{.Name}};
