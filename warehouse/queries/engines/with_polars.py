"""Polars: the Iceberg tables by their metadata files.

    python with_polars.py LAKE
"""
import sys

import polars as pl

import measures
from lake import Lake


def column(name, kind):
    """The measures of measures.of as expressions."""
    c = pl.col(name)
    if kind == "boolean":
        return [c.count(), c.sum()]
    distinct = [c.drop_nulls().n_unique()] if measures.is_id(name) else []
    total = c
    if kind == "string":
        total = c.str.len_chars()
    if kind == "double":
        c = total = (c * 1e6).floor()
    if kind == "timestamptz":
        c = c.dt.epoch("us")
        total = (c.cast(pl.Float64) / 1e6).floor()
    both = [c.min(), c.max()]
    if kind == "date":
        return [c.count()] + [e.dt.to_string("iso") for e in both] + distinct
    return [c.count()] + both + [total.cast(pl.Int64).sum()] + distinct


def measure(lake, tables):
    found = {}
    for table, columns in tables.items():
        expressions = [pl.len()] + [e for name, kind in columns for e in column(name, kind)]
        named = [e.alias(str(i)) for i, e in enumerate(expressions)]
        row = pl.scan_iceberg(lake.metadata(table)).select(named).collect().row(0)
        found[table] = [measures.plain(v) for v in row]
    return found


if __name__ == "__main__":
    print(pl.scan_iceberg(Lake(sys.argv[1]).metadata("history.registration"))
          .filter(pl.col("valid_to").is_null()).group_by("flag").len()
          .sort(["len", "flag"], descending=[True, False]).head(5).collect())
