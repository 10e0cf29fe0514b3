"""Spark SQL: the tables through the SQLite catalog, by JDBC.

    python with_spark.py LAKE

The name of the catalog in Spark must be the one under which the tables are registered. FLEETLAKE_SPARK_JARS may
name the two jars, separated by a comma; otherwise Spark fetches them from Maven Central.
"""
import os
import sys

from pyspark.sql import SparkSession

import measures
from lake import CATALOG, Lake

PACKAGES = "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0,org.xerial:sqlite-jdbc:3.54.1.0"


# Settings for many small queries: compiling code for each costs more than it gains.
SMALL = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
         "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", "spark.sql.shuffle.partitions": "1"}


def session(lake, more=None):
    prefix = f"spark.sql.catalog.{CATALOG}"
    settings = {
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        prefix: "org.apache.iceberg.spark.SparkCatalog",
        f"{prefix}.type": "jdbc",
        f"{prefix}.uri": f"jdbc:sqlite:{lake.catalog_file}",
        f"{prefix}.jdbc.schema-version": "V1",
        f"{prefix}.jdbc.init-catalog-tables": "false",
        f"{prefix}.warehouse": f"{lake.uri}/_iceberg",
        f"{prefix}.cache-enabled": "false",  # every query sees the night that is valid then
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **(more or {}),
    }
    jars = os.environ.get("FLEETLAKE_SPARK_JARS")
    settings["spark.jars" if jars else "spark.jars.packages"] = jars or PACKAGES
    builder = SparkSession.builder.master("local[2]").appName("fleetlake")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def measure(lake, tables):
    spark = session(lake, SMALL)
    return {t: [measures.plain(v) for v in spark.sql(
                measures.query(f"{CATALOG}.{t}", columns, quote="`", text="STRING", micros="unix_micros({})")).collect()[0]]
            for t, columns in tables.items()}


if __name__ == "__main__":
    session(Lake(sys.argv[1])).sql(f"""SELECT flag, count(*) AS vessels FROM {CATALOG}.history.registration
        WHERE valid_to IS NULL GROUP BY flag ORDER BY vessels DESC, flag LIMIT 5""").show()
