"""Compares what DuckDB's Python package, Polars, pandas, pyarrow and Spark find in the warehouse and in the lake, in
four time zones, and checks what README.md says of open files.

    python check.py fleetlake-data lake DUCKDB…

Each DUCKDB is a folder with a version of DuckDB's package, which is used instead of the
installed one. It ends with 1 if anything differs.
"""
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ZONES = ["UTC", "America/New_York", "Asia/Singapore", "Asia/Kathmandu"]
FRAMES = ["polars", "pandas", "pyarrow"]
# Settings of Spark for many small questions: compiling code for each costs more than it gains.
SMALL = ('--driver-java-options "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" --conf spark.sql.codegen.wholeStage=false '
         "--conf spark.sql.codegen.factoryMode=NO_CODEGEN pyspark-shell")


def run(program, *arguments, duckdb, zone="UTC"):
    """The output of a program of this folder, in a process of its own with a time zone and a version of DuckDB."""
    environment = {**os.environ, "PYTHONPATH": duckdb, "TZ": zone, "PYSPARK_SUBMIT_ARGS": SMALL}
    done = subprocess.run([sys.executable, "-W", "ignore", f"{HERE}/{program}", *arguments], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{program} {' '.join(arguments)} in {zone} with {duckdb}:\n{done.stderr}")
    return done.stdout


class Check:
    def __init__(self, data, lake):
        self.data, self.lake, self.wrong, self.compared, self.want = data, lake, 0, 0, None

    def measures(self, duckdb, zone, *clients):
        found = json.loads(run("measures.py", self.data, self.lake, *clients, duckdb=duckdb, zone=zone))
        for client, measured in found.items():
            if self.want is None:
                self.start(measured["lake"])
            where = f"{client} with {os.path.basename(duckdb)}, on a machine in {zone}"
            before = self.wrong
            for side, values in measured.items():
                for name, value in values.items():
                    self.same(where, f"{side}: {name}", value, self.want[name])
            print(f"{where}: {self.wrong - before} of {sum(map(len, measured.values()))} measures differ", flush=True)

    def start(self, want):
        """The first client's lake, in UTC, is what all others are compared with. It must be able to tell them apart."""
        self.want = want
        seen, vessels = want["vessels seen since"], want["vessels.last_seen"][0]
        if not 0 < seen < vessels or not want["requests joined on sent_at"]:
            raise SystemExit(f"the data tells nothing: {seen} of {vessels} vessels seen, {want['requests joined on sent_at']} requests")

    def same(self, where, what, got, want):
        self.compared += 1
        if got != want:
            self.wrong += 1
            print(f"  {where}: {what}: {got}, want {want}")


def main(data, lake, *versions):
    check = Check(data, lake)
    start = time.monotonic()
    for duckdb in versions:
        for zone in ZONES:
            check.measures(duckdb, zone, "duckdb", *FRAMES)
        for name, (got, want) in json.loads(run("open_files.py", data, duckdb=duckdb)).items():
            check.same(os.path.basename(duckdb), name, got, want)
        for program in ["with_duckdb.py", "with_polars.py", "with_pandas.py", "with_pyarrow.py"]:
            run(program, data, lake, duckdb=duckdb)  # the quick start as it stands
    check.measures(versions[-1], "America/New_York", "spark", *ZONES)  # one session for all zones
    run("with_spark.py", data, lake, duckdb=versions[-1])
    print(f"clients: {check.compared} measures compared in {time.monotonic() - start:.0f} s, {check.wrong} differ")
    return check.wrong > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
