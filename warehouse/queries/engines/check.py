"""Compares the Iceberg tables in every engine with the plain files, after each thing that can happen to them.

    python check.py LAKE FLEETLAKE_ICEBERG [ENGINE…]

LAKE is a copy of an export of at least four nights: it is changed. FLEETLAKE_ICEBERG is the program. The engines
are pyiceberg, polars, duckdb, pandas, spark and trino; those that cannot be imported or started are skipped, with
the reason, unless they are named. FLEETLAKE_ENGINES_SECONDS bounds the time (default 540): an engine that would
exceed it is left out of the later comparisons, which the last lines say. It ends with 1 if any measure differs.
"""
import importlib
import os
import subprocess
import sys
import time

import measures
from lake import Lake
from scenario import Scenario
from with_duckdb import measure_plain

ENGINES = ["pyiceberg", "polars", "duckdb", "pandas", "spark", "trino"]


class Check:
    def __init__(self, lake, program, engines):
        self.lake, self.program, self.failed, self.ran = lake, program, 0, {}
        self.required, self.skipped = engines, {}
        self.engines = engines or ENGINES
        self.end = time.monotonic() + float(os.environ.get("FLEETLAKE_ENGINES_SECONDS", "540"))
        self.last = {}  # the seconds that each engine needed for a table
        self.compared = {}  # the metadata file of each table when it was last compared

    def do(self, *verb):
        out = subprocess.run([self.program, verb[0], self.lake.directory, *verb[1:]], check=True, capture_output=True, text=True).stdout
        print(f"  {' '.join(verb)}: {out.strip().splitlines()[-1]}", flush=True)
        return out

    def stage(self, name, every=False):
        """Compare all engines with the files that current.json lists. A table with the same metadata file as before
        is the same table: it is compared again only if files were deleted."""
        print(name, flush=True)
        now = {t: self.lake.metadata(t) for t in self.lake.tables()}
        tables = {t: c for t, c in self.lake.tables().items()
                  if self.lake.files(t) and (every or now[t] != self.compared.get(t))}  # no file is no question to read_parquet
        self.compared = now
        want = measure_plain(self.lake, tables)
        self.compare_field_ids()
        for engine in self.engines:
            if engine in self.skipped:
                continue
            start = time.monotonic()
            if start + self.last.get(engine, 0) * len(tables) > self.end:
                self.skipped[engine] = f"no time is left for it from here on: {name}"
                continue
            try:
                have = importlib.import_module(f"with_{engine}").measure(self.lake, tables)
            except Exception as reason:  # whatever an engine says: it is named, or it is reported
                if engine in self.required or self.ran.get(engine):
                    raise
                self.skipped[engine] = f"{type(reason).__name__}: {str(reason).strip().splitlines()[0][:200]}"
                print(f"  {engine}: skipped, {self.skipped[engine]}", flush=True)
                continue
            wrong = self.compare(engine, tables, want, have)
            self.ran[engine] = self.ran.get(engine, 0) + 1
            self.last[engine] = (time.monotonic() - start) / max(1, len(tables))
            rows = sum(m[0] for m in have.values())
            print(f"  {engine}: {len(have)} tables, {rows} rows, {sum(map(len, have.values()))} measures, {wrong} differ, {time.monotonic() - start:.1f} s", flush=True)

    def compare(self, engine, tables, want, have):
        wrong = 0
        for table, columns in tables.items():
            for name, a, b in zip(measures.label(columns), want[table], have[table], strict=True):
                if name.startswith("sum("):
                    a, b = a or 0, b or 0  # the sum of nothing is 0 or nothing
                if a != b:
                    wrong += 1
                    print(f"  {engine} {table} {name}: {b!r}, the files have {a!r}")
        self.failed += wrong
        return wrong

    def compare_field_ids(self):
        from with_pyiceberg import field_ids
        for table, have in field_ids(self.lake).items():
            for c in self.lake.manifest()["tables"][table]["columns"]:
                if have.get(c["name"]) != c["id"]:
                    self.failed += 1
                    print(f"  {table}.{c['name']} has the id {have.get(c['name'])}, current.json says {c['id']}")

    def run(self):
        scenario = Scenario(self.lake)
        scenario.nights(2)
        self.do("register")
        self.stage("two nights")
        scenario.derive_anew(0)
        self.do("register")
        self.stage("a night derived anew")
        scenario.nights(4)
        scenario.add_column(3, ["facts.positions", "facts.listings"], 9001)
        self.do("register")
        self.stage("a new column")
        self.do("compact", "--min-files", "2")
        self.stage("a compaction")
        self.do("expire", "--older-than", "0s", "--grace", "0s")
        if "changed: 0 of" not in self.do("register"):
            raise SystemExit("register changed a table after the expiry, although nothing was new")
        self.stage("an expiry", every=True)
        if self.ran.get("spark") and "spark" not in self.skipped:
            self.job()

    def job(self):
        """The Spark job writes a table beside ours; neither disturbs the other."""
        import spark_job
        rows = spark_job.run(self.lake)
        self.do("expire", "--older-than", "0s", "--grace", "0s")
        again = spark_job.run(self.lake)
        print(f"the Spark job: {rows} rows in research.vessel_days, {again} when run again", flush=True)
        if rows == 0 or rows != again or "changed: 0 of" not in self.do("register"):
            raise SystemExit("the Spark job and fleetlake-iceberg disturb each other")
        self.stage("a table of a Spark job beside ours, and an expiry", every=True)


if __name__ == "__main__":
    check = Check(Lake(sys.argv[1]), sys.argv[2], sys.argv[3:])
    check.run()
    for engine, reason in check.skipped.items():
        print(f"skipped {engine}: {reason}")
    print(f"compared: {', '.join(f'{e} after {n} changes' for e, n in check.ran.items())}; {check.failed} measures differ")
    sys.exit(1 if check.failed else 0)
