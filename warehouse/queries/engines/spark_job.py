"""A Spark job from end to end: it computes from all positions how each vessel spent its days, and writes the
result as an Iceberg table beside those of fleetlake.

    python spark_job.py LAKE

The table is research.vessel_days, in a namespace and a folder of its own: fleetlake-iceberg changes and deletes
only what lies below the namespaces facts, history and ready. Run it again after any night: the table is replaced in one
snapshot, and readers see either the old or the new one.
"""
import sys

from lake import CATALOG, Lake
from with_spark import session

RESULT = f"{CATALOG}.research.vessel_days"


def run(lake):
    """Replace the table and return the number of its rows."""
    spark = session(lake)
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {CATALOG}.research")
    spark.sql(f"""
        SELECT vessel_id, CAST(position_at AS DATE) AS day, count(*) AS positions,
               min(latitude) AS south, max(latitude) AS north, avg(speed_kn) AS mean_speed_kn,
               max_by(navigational_status, position_at) AS last_status
        FROM {CATALOG}.history.positions WHERE position_at IS NOT NULL
        GROUP BY vessel_id, CAST(position_at AS DATE)
        """).sort("vessel_id", "day").writeTo(RESULT).using("iceberg").createOrReplace()
    return spark.table(RESULT).count()


if __name__ == "__main__":
    here = Lake(sys.argv[1])
    print(run(here), "rows in", RESULT)
    session(here).sql(f"""SELECT r.flag, count(DISTINCT d.vessel_id) AS vessels, round(avg(d.mean_speed_kn), 1) AS mean_speed_kn
        FROM {RESULT} d JOIN {CATALOG}.history.registration r ON r.vessel_id = d.vessel_id AND r.valid_to IS NULL
        GROUP BY r.flag ORDER BY vessels DESC, r.flag LIMIT 5""").show()
