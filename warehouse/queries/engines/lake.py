"""What an export says of itself: tables, columns, files, and where the Iceberg catalog has the tables."""
import json
import os
import sqlite3

CATALOG = "fleetlake"  # the name under which fleetlake-iceberg registers


class Lake:
    """An export in a directory, with the SQL catalog that fleetlake-iceberg keeps in it."""

    def __init__(self, directory):
        self.directory = os.path.realpath(directory)
        self.uri = "file://" + self.directory
        self.catalog_file = f"{self.directory}/_iceberg/catalog.db"
        self.catalog_copy = f"{self.directory}/_iceberg/catalog-read.db"  # for those who only read: whole at any moment

    def manifest(self):
        with open(f"{self.directory}/current.json") as f:
            return json.load(f)

    def tables(self):
        """The columns of each table, as (name, type) in the words of Iceberg."""
        return {name: [(c["name"], c["type"]) for c in t["columns"]] for name, t in sorted(self.manifest()["tables"].items())}

    def files(self, table):
        """The files of a table that are valid now. Never list the folder: it may have half a night."""
        return [f"{self.directory}/{f['path']}" for f in self.manifest()["files"] if f["table"] == table]

    def metadata(self, table):
        """The metadata file of a table that is valid now, for engines without an Iceberg catalog."""
        namespace, name = table.split(".")
        with sqlite3.connect(f"file:{self.catalog_copy}?mode=ro", uri=True) as db:
            return db.execute(
                "SELECT metadata_location FROM iceberg_tables WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?",
                (CATALOG, namespace, name)).fetchone()[0]
