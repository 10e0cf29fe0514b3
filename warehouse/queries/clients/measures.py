"""What a client finds in the warehouse and in the lake, printed as JSON: check.py compares it.

    TZ=Asia/Singapore python measures.py fleetlake-data lake duckdb polars
    python measures.py fleetlake-data lake spark UTC Asia/Singapore

An instant is its microseconds since 1970; a value without a time zone is no instant, and is said to be none.
"""
import importlib
import json
import sys
from collections import Counter
from datetime import datetime, timedelta, timezone

import duckdb

import with_pyarrow
from fleet import files, newest

TABLES = ["facts.requests", "facts.vessels", "history.runs", "history.registration", "history.particulars",
          "history.positions", "history.episodes", "history.changes"]  # those that the warehouse has, with their instants
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def micros(value):
    if isinstance(value, int):
        return value
    return (value - EPOCH) // timedelta(microseconds=1) if value.tzinfo else "has no time zone"


def summary(values):
    """Count, smallest, largest and sum of the instants."""
    found = [micros(v) for v in values if v is not None]
    if "has no time zone" in found:
        return "has no time zone"
    return [len(found), min(found, default=None), max(found, default=None), sum(found)]


def nights(values):
    return dict(sorted(Counter(str(v)[:10] for v in values).items()))


def attempt(question, *arguments):
    """The answer, or what the client refuses it with: that is a difference, too."""
    try:
        return question(*arguments)
    except Exception as reason:
        return f"{type(reason).__name__}: {str(reason).strip().splitlines()[0]}"


class Frames:
    """A client with data frames: Polars, pandas or pyarrow."""

    def __init__(self, name, data, lake):
        self.client, self.data, self.lake = importlib.import_module(f"with_{name}"), data, lake
        self.values = {"polars": lambda c: c.to_list(), "pandas": lambda c: c.dropna().tolist(), "pyarrow": lambda c: c.to_pylist()}[name]

    def warehouse(self, table, columns):
        frame = self.client.warehouse(self.data, f"SELECT {', '.join(columns)} FROM {table}")
        return {c: self.values(frame[c]) for c in columns}

    def facts(self, table, night, columns):
        frame = self.client.facts(self.lake, table, night)
        frame = frame.collect() if hasattr(frame, "collect") else frame
        return {c: self.values(frame[c]) for c in columns}

    def joined(self):
        return self.client.joined(self.data, self.lake)

    def seen_since(self, instant):
        return self.client.seen_since(self.data, instant)


class DuckDB(Frames):
    """DuckDB in SQL alone, in the time zone of the process."""

    def __init__(self, data, lake):
        self.client, self.data, self.lake = importlib.import_module("with_duckdb"), data, lake

    def rows(self, source, columns):
        with duckdb.connect(newest(self.data), read_only=True) as fleet:
            rows = fleet.execute(f"SELECT {', '.join(columns)} FROM {source}").fetchall()
        return dict(zip(columns, zip(*rows)))

    def warehouse(self, table, columns):
        return self.rows(table, columns)

    def facts(self, table, night, columns):
        return self.rows(f"read_parquet({files(self.lake, table, night)}, hive_partitioning = false)", columns)

    def days(self):
        """Requests by the day, in UTC, on which they were sent."""
        day = "(sent_at AT TIME ZONE 'UTC')::DATE"
        return {"warehouse": nights(self.warehouse("requests", [day])[day]), "lake": nights(self.facts("facts.requests", None, [day])[day])}


class Spark(Frames):
    """Spark, which gives Python instants without a time zone: so the engine counts their microseconds."""

    def __init__(self, data, lake, zone):
        self.client, self.data, self.lake = importlib.import_module("with_spark"), data, lake
        self.spark = self.client.session(zone)

    def rows(self, frame, columns):
        kinds = dict(frame.dtypes)
        select = [f"unix_micros({c}) AS {c}" if kinds[c] == "timestamp" else f"CAST({c} AS STRING) AS {c}" for c in columns]
        rows = frame.selectExpr(*select).collect()
        return {c: [r[c] for r in rows] for c in columns}

    def warehouse(self, table, columns):
        return self.rows(self.client.warehouse(self.spark, self.data, f"SELECT {', '.join(columns)} FROM {table}"), columns)

    def facts(self, table, night, columns):
        return self.rows(self.client.facts(self.spark, self.lake, table, night), columns)

    def joined(self):
        return self.client.joined(self.spark, self.data, self.lake)

    def seen_since(self, instant):
        return self.client.seen_since(self.spark, self.data, instant)


def measure(client, lake):
    with open(f"{lake}/current.json") as f:
        current = json.load(f)
    found = {"warehouse": {}, "lake": {}}
    for table in TABLES:
        instants = [c["name"] for c in current["tables"][table]["columns"] if c["type"] == "timestamptz"]
        night = current["snapshot_date"] if table == "facts.vessels" else None  # the lake has them as of each night
        name = table.partition(".")[2]
        for where, rows in {"warehouse": client.warehouse(name, instants), "lake": client.facts(table, night, instants)}.items():
            found[where].update({f"{name}.{c}": summary(v) for c, v in rows.items()})
    found["warehouse"]["requests by night"] = nights(client.warehouse("requests", ["snapshot_date"])["snapshot_date"])
    found["lake"]["requests by night"] = nights(client.facts("facts.requests", None, ["snapshot_date"])["snapshot_date"])
    if isinstance(client, DuckDB):
        for where, days in client.days().items():
            found[where]["requests by day in UTC"] = days
    seen = with_pyarrow.facts(lake, "facts.vessels", current["snapshot_date"])["last_seen"].to_pylist()
    since = max(seen) - timedelta(hours=8)
    found["warehouse"]["vessels seen since"] = attempt(client.seen_since, since)
    found["lake"]["vessels seen since"] = sum(v > since for v in seen)
    found["warehouse"]["requests joined on sent_at"] = attempt(client.joined)
    found["lake"]["requests joined on sent_at"] = found["lake"]["requests.sent_at"][0]
    return found


if __name__ == "__main__":
    data, lake, *clients = sys.argv[1:]
    if clients[0] == "spark":
        print(json.dumps({f"spark in {zone}": measure(Spark(data, lake, zone), lake) for zone in clients[1:]}))
    else:
        print(json.dumps({c: measure(DuckDB(data, lake) if c == "duckdb" else Frames(c, data, lake), lake) for c in clients}))
