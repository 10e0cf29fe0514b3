"""Polars: the published file through DuckDB, the lake directly.

    pip install duckdb pytz polars pyarrow
    python with_polars.py fleetlake-data lake
"""
import sys
from datetime import datetime, timedelta, timezone

import polars as pl

from fleet import files, in_utc


def warehouse(data, sql):
    """The answer to a question as a frame. Its instants have the time zone UTC."""
    with in_utc(data) as fleet:
        return fleet.sql(sql).pl()


def facts(lake, table, night=None):
    return pl.scan_parquet(files(lake, table, night), hive_partitioning=False)


def joined(data, lake):
    """The paid requests of the warehouse and their facts in the lake, by the instant at which they were sent."""
    paid = warehouse(data, "SELECT run_id, entry, sent_at FROM requests")
    return facts(lake, "facts.requests").join(paid.lazy(), on=["run_id", "entry", "sent_at"]).select(pl.len()).collect().item()


def seen_since(data, instant):
    """The vessels that a night has seen since an instant, which is a datetime with a time zone."""
    return warehouse(data, "SELECT last_seen FROM vessels").filter(pl.col("last_seen") > instant).height


if __name__ == "__main__":
    data, lake = sys.argv[1:]
    print(warehouse(data, "SELECT flag, count(*) AS vessels FROM vessels WHERE listed AND is_vessel GROUP BY flag ORDER BY 2 DESC, 1 LIMIT 5"))
    print(facts(lake, "facts.requests").group_by("snapshot_date", "operation").len().sort("snapshot_date", "operation").tail(5).collect())
    print(joined(data, lake), "requests of the lake are in the warehouse")
    print(seen_since(data, datetime.now(timezone.utc) - timedelta(hours=26)), "vessels seen in the last 26 hours")
