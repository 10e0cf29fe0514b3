"""The published file and the lake, for the programs beside this file. DuckDB's package needs pytz for instants.

A process of DuckDB opens a file once: whoever opens the same path again while any connection to it is open gets
the night that was opened first. So open a night by the path of its version, which no other night ever gets.
"""
import glob
import json
import os

import duckdb


def newest(data):
    """The path of the version that is published now, in the data directory. A rollback makes it an earlier one."""
    published = f"{data}/warehouse/fleet.duckdb"
    for version in glob.glob(f"{data}/warehouse/versions/*.duckdb"):
        if os.path.samefile(version, published):
            return version
    return published  # a copy or a restored backup, which has no versions


class Fleet:
    """One connection to the newest version, for a process that runs for days.

    >>> fleet = Fleet("fleetlake-data")
    >>> fleet.connection().sql("SELECT count(*) FROM vessels WHERE listed AND is_vessel")
    """

    def __init__(self, data):
        self.data, self.opened, self.open = data, None, None

    def connection(self):
        """The connection, opened again if another version was published. Ask for it before each question, and
        keep no other one: results that were not read to their end are lost when it is closed."""
        path = newest(self.data)
        found = os.stat(path)
        found = (path, found.st_ino, found.st_mtime_ns)
        if found != self.opened:
            if self.open:
                self.open.close()  # first, or the same path would give the night from before
            self.open = duckdb.connect(path, read_only=True)
            self.opened = found
        return self.open


def in_utc(data):
    """A connection for data frames: Arrow, pandas and Polars write the session's time zone into the type of a
    column, and Polars and Arrow refuse to join columns of two zones. The lake's columns have UTC."""
    connection = duckdb.connect(newest(data), read_only=True)
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def files(lake, table, night=None):
    """The Parquet files of a table of an export, or those of one night: facts.requests, history.registration.
    Only current.json says which files are valid: never list the folder, it may have half a night."""
    with open(f"{lake}/current.json") as f:
        listed = json.load(f)["files"]
    return [f"{lake}/{f['path']}" for f in listed if f["table"] == table and night in (None, f.get("snapshot_date"))]
