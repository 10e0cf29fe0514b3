"""PyIceberg: the tables through the SQLite catalog.

    python with_pyiceberg.py LAKE
"""
import sys

import pyarrow.compute as pc
from pyiceberg.catalog.sql import SqlCatalog

import measures
from lake import CATALOG, Lake


def catalog(lake):
    return SqlCatalog(CATALOG, uri=f"sqlite:///{lake.catalog_file}", warehouse=f"{lake.uri}/_iceberg", init_catalog_tables="false")


def column(values, name, kind):
    """The measures of measures.of over an Arrow column."""
    n = len(values) - values.null_count
    if kind == "boolean":
        return [n, pc.sum(values).as_py()]
    distinct = [pc.count_distinct(values, mode="only_valid").as_py()] if measures.is_id(name) else []
    total = values
    if kind == "string":
        total = pc.utf8_length(values)
    if kind == "double":
        values = total = pc.cast(pc.floor(pc.multiply(values, 1e6)), "int64")
    if kind == "timestamptz":
        values = pc.cast(values, "int64")
        total = pc.cast(pc.floor(pc.divide(pc.cast(values, "double"), 1e6)), "int64")
    both = [v.as_py() for v in pc.min_max(values).values()]
    if kind == "date":
        return [n] + [v and v.isoformat() for v in both] + distinct
    return [n] + both + [pc.sum(total).as_py()] + distinct


def measure(lake, tables):
    c, found = catalog(lake), {}
    for table, columns in tables.items():
        rows = c.load_table(table).scan().to_arrow()
        found[table] = [rows.num_rows] + [m for name, kind in columns for m in column(rows[name], name, kind)]
    return found


def field_ids(lake):
    """The ids of the columns of each table, as the catalog has them."""
    c = catalog(lake)
    return {t: {f.name: f.field_id for f in c.load_table(t).schema().fields} for t in lake.tables()}


if __name__ == "__main__":
    scan = catalog(Lake(sys.argv[1])).load_table("history.registration").scan(row_filter="valid_to is null", selected_fields=("flag",))
    for count in sorted(pc.value_counts(scan.to_arrow()["flag"]).to_pylist(), key=lambda c: (-c["counts"], c["values"] or ""))[:5]:
        print(count["values"], count["counts"])
