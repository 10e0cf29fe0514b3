"""pandas: a table as a data frame, through PyIceberg and with Arrow's types, so that whole numbers stay whole.

    python with_pandas.py LAKE
"""
import sys

import pandas as pd

import measures
from lake import Lake
from with_pyiceberg import catalog


def frame(lake, table):
    return catalog(lake).load_table(table).scan().to_arrow().to_pandas(types_mapper=pd.ArrowDtype)


def column(values, name, kind):
    """The measures of measures.of over a series."""
    values = values.dropna()
    n = len(values)
    if kind == "boolean":
        return [n, int(values.sum())]
    distinct = [values.nunique()] if measures.is_id(name) else []
    total = values
    if kind == "string":
        total = values.str.len()
    if kind == "double":
        values = total = (values.astype("float64") * 1e6).floordiv(1).astype("int64")
    if kind == "timestamptz":
        values = values.astype("int64[pyarrow]")
        total = (values.astype("float64") / 1e6).floordiv(1).astype("int64")
    both = [values.min(), values.max()] if n else [None, None]
    if kind in ("date", "string"):
        both = [v and str(v) for v in both]
    else:
        both = [measures.plain(v) for v in both]
    return [n] + both + ([] if kind == "date" else [int(total.sum()) if n else None]) + distinct


def measure(lake, tables):
    found = {}
    for table, columns in tables.items():
        f = frame(lake, table)
        found[table] = [len(f)] + [m for name, kind in columns for m in column(f[name], name, kind)]
    return found


if __name__ == "__main__":
    now = frame(Lake(sys.argv[1]), "history.registration")
    print(now[now["valid_to"].isna()]["flag"].value_counts().head(5))
