"""DuckDB: questions to the published file, alone and together with the lake.

    pip install duckdb pytz
    python with_duckdb.py fleetlake-data lake
"""
import sys
from datetime import datetime, timedelta, timezone

import duckdb

from fleet import files, newest


def joined(data, lake):
    """The paid requests of the warehouse and their facts in the lake, by the instant at which they were sent."""
    with duckdb.connect(newest(data), read_only=True) as fleet:
        return fleet.execute("""
            SELECT count(*)
            FROM   read_parquet($files, hive_partitioning = false) AS l
            JOIN   requests AS w ON w.run_id = l.run_id AND w.entry = l.entry AND w.sent_at = l.sent_at
            """, {"files": files(lake, "facts.requests")}).fetchone()[0]


def seen_since(data, instant):
    """The vessels that a night has seen since an instant, which is a datetime with a time zone."""
    with duckdb.connect(newest(data), read_only=True) as fleet:
        return fleet.execute("SELECT count(*) FROM vessels WHERE last_seen > ?", [instant]).fetchone()[0]


if __name__ == "__main__":
    data, lake = sys.argv[1:]
    with duckdb.connect(newest(data), read_only=True) as fleet:
        print(fleet.sql("SELECT flag, count(*) AS vessels FROM vessels WHERE listed AND is_vessel GROUP BY flag ORDER BY 2 DESC, 1 LIMIT 5"))
        fleet.execute("SET TimeZone = 'UTC'")  # how instants are written and where a day begins; the default is your zone
        print(fleet.sql("SELECT run_id, snapshot_date, finished_at FROM runs ORDER BY finished_at DESC LIMIT 3"))
    print(joined(data, lake), "requests of the lake are in the warehouse")
    print(seen_since(data, datetime.now(timezone.utc) - timedelta(hours=26)), "vessels seen in the last 26 hours")
