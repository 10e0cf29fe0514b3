"""Checks what README.md says of a process that opens the published file while nights are published.

    python open_files.py fleetlake-data

It prints what was done, what was found and what the page says. The directory must have two versions or more.
"""
import glob
import json
import os
import shutil
import sys
import tempfile

import duckdb

from fleet import Fleet, newest

NIGHTS = ["before.duckdb", "after.duckdb"]
LAST = "SELECT max(snapshot_date)::VARCHAR FROM {}runs"


def ask(connection, database=""):
    return connection.execute(LAST.format(database)).fetchone()[0]


class Published:
    """A data directory below a folder, with the two nights that are in the folder. The first one is published."""

    def __init__(self, folder):
        self.data = tempfile.mkdtemp(dir=folder)
        self.path = f"{self.data}/warehouse/fleet.duckdb"
        self.versions = [f"{self.data}/warehouse/versions/{name}" for name in NIGHTS]
        os.makedirs(os.path.dirname(self.versions[0]))
        for name, link in zip(NIGHTS, self.versions):
            os.link(f"{folder}/{name}", link)
        self.publish(0)

    def publish(self, i):
        """Publish a version as fleetlake does: by rename."""
        os.link(self.versions[i], self.path + ".next")
        os.rename(self.path + ".next", self.path)

    def open(self):
        return duckdb.connect(self.path, read_only=True)


def second_connection(p):
    first = p.open()
    p.publish(1)
    second = p.open()
    both = [ask(first), ask(second)]
    first.close()
    third = p.open()
    both.append(ask(third))
    second.close()
    third.close()
    return both + [ask(p.open())]


def closed_between(p):
    with p.open() as first:
        before = ask(first)
    p.publish(1)
    with p.open() as second:
        return [before, ask(second)]


def own_path(p):
    first = duckdb.connect(newest(p.data), read_only=True)
    p.publish(1)
    second = duckdb.connect(newest(p.data), read_only=True)
    return [ask(first), ask(second)]


def both_nights(p):
    with duckdb.connect() as both:
        for name, version in zip(["before", "after"], p.versions):
            both.execute(f"ATTACH '{version}' AS {name} (READ_ONLY)")
        return [ask(both, "before."), ask(both, "after.")]


def follower(p):
    fleet = Fleet(p.data)
    found = [ask(fleet.connection())]
    other = p.open()  # of another part of the same program
    same = fleet.connection() is fleet.connection()
    p.publish(1)
    found.append(ask(fleet.connection()))
    p.publish(0)  # a rollback
    return found + [ask(fleet.connection()), ask(other), same]


def attached(p, again):
    with duckdb.connect() as one:
        one.execute(f"ATTACH '{p.path}' AS fleet (READ_ONLY)")
        found = [ask(one, "fleet.")]
        p.publish(1)
        for statement in again:
            one.execute(statement.format(p.path))
        return found + [ask(one, "fleet.")]


def attached_elsewhere(p):
    with duckdb.connect() as one, duckdb.connect() as other:
        one.execute(f"ATTACH '{p.path}' AS fleet (READ_ONLY)")
        p.publish(1)
        try:
            other.execute(f"ATTACH '{p.path}' AS fleet (READ_ONLY)")
        except duckdb.BinderException as refused:
            return str(refused)
        return ask(other, "fleet.")


def main(original):
    with tempfile.TemporaryDirectory() as folder:
        versions = sorted(glob.glob(f"{original}/warehouse/versions/*.duckdb"))
        for version, name in zip(versions[-2:], NIGHTS):
            shutil.copy(version, f"{folder}/{name}")
        return sentences(folder)


def sentences(folder):
    """What was found and what README.md says, by what was done."""
    old, new = (ask(duckdb.connect(f"{folder}/{name}", read_only=True)) for name in NIGHTS)
    done = {
        "the same path, opened again while any connection to it is open": (second_connection, [old, old, old, new]),
        "every connection closed before the path is opened again": (closed_between, [old, new]),
        "the path of the version": (own_path, [old, new]),
        "two versions attached side by side": (both_nights, [old, new]),
        "Fleet, beside a connection that stays open": (follower, [old, new, old, old, True]),
        "ATTACH OR REPLACE of the same path": (lambda p: attached(p, ["ATTACH OR REPLACE '{}' AS fleet (READ_ONLY)"]), [old, old]),
        "DETACH and ATTACH": (lambda p: attached(p, ["DETACH fleet", "ATTACH '{}' AS fleet (READ_ONLY)"]), [old, new]),
        "ATTACH while another connection of the process has the path attached": (attached_elsewhere, new),
    }
    return {what: (found(Published(folder)), want) for what, (found, want) in done.items()}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
