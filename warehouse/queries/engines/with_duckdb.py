"""DuckDB: the files that current.json lists, and the Iceberg tables where the extension is to be had.

    python with_duckdb.py LAKE
"""
import sys

import duckdb

import measures
from lake import Lake


def plain(lake, table):
    """A table as SQL over its files. The date is a column of them, so the folders need not be read."""
    files = ", ".join(f"'{f}'" for f in lake.files(table))
    return f"read_parquet([{files}], union_by_name = true, hive_partitioning = false)"


def measure_plain(lake, tables):
    db = duckdb.connect()
    db.execute("SET TimeZone = 'UTC'")
    return {t: [measures.plain(v) for v in db.sql(measures.query(plain(lake, t), columns)).fetchone()]
            for t, columns in tables.items()}


def load_iceberg(db):
    """Load the extension from DuckDB's repository or, where that cannot be reached, from its Python wheels."""
    try:
        db.execute("INSTALL iceberg")
        db.execute("LOAD iceberg")
    except duckdb.Error:
        import importlib.resources
        for name in ("avro", "iceberg"):
            folder = importlib.resources.files(f"duckdb_extension_{name}") / f"extensions/v{duckdb.__version__}"
            db.execute(f"LOAD '{folder / (name + '.duckdb_extension')}'")


def measure(lake, tables):
    db = duckdb.connect()
    db.execute("SET TimeZone = 'UTC'")
    load_iceberg(db)
    return {t: [measures.plain(v) for v in db.sql(measures.query(f"iceberg_scan('{lake.metadata(t)}')", columns)).fetchone()]
            for t, columns in tables.items()}


if __name__ == "__main__":
    here = Lake(sys.argv[1])
    print(duckdb.sql(f"""SELECT flag, count(*) AS vessels FROM {plain(here, 'history.registration')}
                         WHERE valid_to IS NULL GROUP BY flag ORDER BY vessels DESC, flag LIMIT 5"""))
