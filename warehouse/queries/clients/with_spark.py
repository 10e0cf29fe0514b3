"""Spark SQL: the lake directly, answers of the published file through DuckDB and Arrow.

    pip install duckdb pytz pyarrow pandas pyspark
    python with_spark.py fleetlake-data lake

Spark cannot read a DuckDB file by itself. What is large is in the lake, as Parquet: facts and, under history, what
the warehouse has of versions, stays and changes. The tables are Iceberg tables too: see ../engines/with_spark.py.
"""
import sys
from datetime import datetime, timedelta, timezone

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import with_pyarrow
from fleet import files


def session(zone="UTC"):
    """The session. Its zone decides how instants are written and where a day begins, and changes no instant."""
    spark = (SparkSession.builder.master("local[2]").appName("fleetlake")
             .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
             .config("spark.sql.shuffle.partitions", "2").config("spark.log.level", "ERROR")
             .config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").getOrCreate())
    spark.conf.set("spark.sql.session.timeZone", zone)
    return spark


def warehouse(spark, data, sql):
    """The answer to a question as a frame of Spark."""
    return spark.createDataFrame(with_pyarrow.warehouse(data, sql))


def facts(spark, lake, table, night=None):
    return spark.read.option("mergeSchema", "true").parquet(*files(lake, table, night))


def joined(spark, data, lake):
    """The paid requests of the warehouse and their facts in the lake, by the instant at which they were sent."""
    paid = warehouse(spark, data, "SELECT run_id, entry, sent_at FROM requests")
    return facts(spark, lake, "facts.requests").join(paid, ["run_id", "entry", "sent_at"]).count()


def seen_since(spark, data, instant):
    """The vessels that a night has seen since an instant, which is a datetime with a time zone."""
    seen = warehouse(spark, data, "SELECT last_seen FROM vessels")
    return seen.filter(F.col("last_seen") > F.timestamp_micros(F.lit(int(instant.timestamp() * 1_000_000)))).count()


if __name__ == "__main__":
    data, lake = sys.argv[1:]
    spark = session()
    facts(spark, lake, "history.registration").filter("valid_to IS NULL").groupBy("flag").count().orderBy(F.desc("count"), "flag").show(5)
    print(joined(spark, data, lake), "requests of the lake are in the warehouse")
    print(seen_since(spark, data, datetime.now(timezone.utc) - timedelta(hours=26)), "vessels seen in the last 26 hours")
