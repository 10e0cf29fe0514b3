"""pyarrow: the published file through DuckDB, the lake directly.

    pip install duckdb pytz pyarrow
    python with_pyarrow.py fleetlake-data lake
"""
import sys
from datetime import datetime, timedelta, timezone

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fleet import files, in_utc


def warehouse(data, sql):
    """The answer to a question as a table. Its instants have the time zone UTC."""
    with in_utc(data) as fleet:
        return fleet.sql(sql).to_arrow_table()


def facts(lake, table, night=None):
    """A table of the lake. An earlier night may lack a column that was added later."""
    nights = [pq.read_table(f, partitioning=None) for f in files(lake, table, night)]
    return pa.concat_tables(nights, promote_options="default")


def joined(data, lake):
    """The paid requests of the warehouse and their facts in the lake, by the instant at which they were sent."""
    keys = ["run_id", "entry", "sent_at"]
    paid = warehouse(data, "SELECT run_id, entry, sent_at FROM requests")
    return facts(lake, "facts.requests").select(keys).join(paid, keys, join_type="inner").num_rows


def seen_since(data, instant):
    """The vessels that a night has seen since an instant, which is a datetime with a time zone."""
    seen = warehouse(data, "SELECT last_seen FROM vessels")["last_seen"]
    return pc.sum(pc.greater(seen, pa.scalar(instant, pa.timestamp("us", "UTC")))).as_py() or 0


if __name__ == "__main__":
    data, lake = sys.argv[1:]
    print(warehouse(data, "SELECT flag, count(*) AS vessels FROM vessels WHERE listed AND is_vessel GROUP BY flag ORDER BY 2 DESC, 1 LIMIT 5").to_pylist())
    print(facts(lake, "facts.requests").group_by(["snapshot_date", "operation"]).aggregate([([], "count_all")]).num_rows, "operations of nights")
    print(joined(data, lake), "requests of the lake are in the warehouse")
    print(seen_since(data, datetime.now(timezone.utc) - timedelta(hours=26)), "vessels seen in the last 26 hours")
