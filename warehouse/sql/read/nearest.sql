-- nearest: whether a list of values has one, and the three that are most like it, separated by commas.
SELECT coalesce(bool_or(value = $1), false),
       coalesce(array_to_string((list(value ORDER BY contains(lower(value), lower($1)) DESC, damerau_levenshtein(lower(value), lower($1)), value))[:3], ', '), '')
FROM   ({{.}}) AS v(value)
