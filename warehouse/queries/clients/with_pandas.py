"""pandas: the published file through DuckDB, the lake through pyarrow.

    pip install duckdb pytz pandas pyarrow
    python with_pandas.py fleetlake-data lake
"""
import sys
from datetime import datetime, timedelta, timezone

import pandas as pd

import with_pyarrow
from fleet import in_utc


def warehouse(data, sql):
    """The answer to a question as a frame. Its instants have the time zone UTC."""
    with in_utc(data) as fleet:
        return fleet.sql(sql).df()


def facts(lake, table, night=None):
    """A table of the lake. Arrow's types keep whole numbers whole where values are missing."""
    return with_pyarrow.facts(lake, table, night).to_pandas(types_mapper=pd.ArrowDtype)


def joined(data, lake):
    """The paid requests of the warehouse and their facts in the lake, by the instant at which they were sent."""
    paid = warehouse(data, "SELECT run_id, entry, sent_at FROM requests")
    made = with_pyarrow.facts(lake, "facts.requests").select(["run_id", "entry", "sent_at"]).to_pandas()
    return len(made.merge(paid, on=["run_id", "entry", "sent_at"]))


def seen_since(data, instant):
    """The vessels that a night has seen since an instant, which is a datetime with a time zone."""
    seen = warehouse(data, "SELECT last_seen FROM vessels")["last_seen"]
    return int((seen > instant).sum())


if __name__ == "__main__":
    data, lake = sys.argv[1:]
    print(warehouse(data, "SELECT flag, count(*) AS vessels FROM vessels WHERE listed AND is_vessel GROUP BY flag ORDER BY 2 DESC, 1 LIMIT 5"))
    print(facts(lake, "facts.requests").groupby(["snapshot_date", "operation"]).size().tail(5))
    print(joined(data, lake), "requests of the lake are in the warehouse")
    print(seen_since(data, datetime.now(timezone.utc) - timedelta(hours=26)), "vessels seen in the last 26 hours")
