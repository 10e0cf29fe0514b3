"""Counts and checksums of a table, the same in every engine: rows, and of each column the values, the smallest, the
largest and a sum; of ids also the distinct ones. Everything is text or a whole number, so that it compares exactly."""

# What is measured of a column of each type, as SQL. Doubles are counted in millionths, times in microseconds.
SQL = {
    "string": ["count({c})", "min({c})", "max({c})", "sum(length({c}))"],
    "int": ["count({c})", "min({c})", "max({c})", "sum({c})"],
    "long": ["count({c})", "min({c})", "max({c})", "sum({c})"],
    "double": ["count({c})", "CAST(min(floor({c}*1e6)) AS BIGINT)", "CAST(max(floor({c}*1e6)) AS BIGINT)",
               "sum(CAST(floor({c}*1e6) AS BIGINT))"],
    "boolean": ["count({c})", "sum(CASE WHEN {c} THEN 1 ELSE 0 END)"],
    "date": ["count({c})", "CAST(min({c}) AS {text})", "CAST(max({c}) AS {text})"],
}
DISTINCT = "count(DISTINCT {c})"


def is_id(name):
    """Whether the distinct values of a column are counted. Engines are slow with many such counts in one query."""
    return name in ("vessel_id", "run_id")


def times(micros):
    """The measures of a time; micros makes microseconds of it."""
    return ["count({c})", micros.format("min({c})"), micros.format("max({c})"), f"sum(CAST(floor({micros.format('{c}')}/1e6) AS BIGINT))"]


def of(name, kind, micros="micros({})"):
    return (times(micros) if kind == "timestamptz" else SQL[kind]) + ([DISTINCT] if is_id(name) else [])


def query(source, columns, quote='"', text="VARCHAR", micros="epoch_us({})"):
    """One SELECT with all measures of a table; the dialects differ in a few names."""
    expressions = ["count(*)"]
    for name, kind in columns:
        c = quote + name + quote
        expressions += [e.replace("{c}", c).replace("{text}", text) for e in of(name, kind, micros)]
    return f"SELECT {', '.join(expressions)} FROM {source}"


def label(columns):
    """A name for each measure, in the order of query."""
    return ["rows"] + [e.replace("{c}", name) for name, kind in columns for e in of(name, kind)]


def plain(value):
    """A value as it compares: whole numbers as int, text as it is; a sum of nothing is nothing."""
    if value is None or isinstance(value, str):
        return value
    return int(value)
