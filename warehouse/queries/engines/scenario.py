"""Changes an export as nights do, so that a check needs no second program: it shortens the list of current.json to
some runs, derives a night anew, and adds a column. What it writes has the form of the export."""
import copy
import hashlib
import json
import os

import pyarrow as pa
import pyarrow.parquet as pq


class Scenario:
    def __init__(self, lake):
        self.lake = lake
        self.all = lake.manifest()
        self.now = copy.deepcopy(self.all)
        self.runs = [r["run"] for r in sorted(self.all["runs"], key=lambda r: (r["snapshot_date"], r["run"]))]
        self.steps = 0

    def publish(self):
        self.steps += 1
        self.now["export"] = f"check-{self.steps}"
        temporary = f"{self.lake.directory}/current.json.new"
        with open(temporary, "w") as f:
            json.dump(self.now, f)
        os.replace(temporary, f"{self.lake.directory}/current.json")

    def nights(self, n):
        """List the facts of the first n runs only."""
        runs = set(self.runs[:n])
        known = {f["path"] for f in self.now["files"]}
        self.now["files"] = [f for f in self.now["files"] if not f["table"].startswith("facts.") or f["run"] in runs]
        self.now["files"] += [copy.deepcopy(f) for f in self.all["files"] if f.get("run") in runs and f["path"] not in known
                              and f["table"].startswith("facts.") and not self.replaced(f)]
        self.publish()

    def replaced(self, file):
        return any(f["table"] == file["table"] and f["run"] == file["run"] for f in self.now["files"])

    def derive_anew(self, n):
        """The nth night loses the last row of each of its tables."""
        for f in self.now["files"]:
            if f["table"].startswith("facts.") and f["run"] == self.runs[n] and f["rows"] > 1:
                rows = self.rows(f)
                self.write(f, rows.slice(0, rows.num_rows - 1))
        self.publish()

    def add_column(self, n, tables, field_id):
        """The nth night has a column more."""
        for table in tables:
            self.now["tables"][table]["columns"].append({"id": field_id, "name": "check_note", "type": "string", "comment": "added by the check"})
        for f in self.now["files"]:
            if f["table"] in tables and f["run"] == self.runs[n]:
                rows = self.rows(f)
                field = pa.field("check_note", pa.string(), metadata={"PARQUET:field_id": str(field_id)})
                self.write(f, rows.append_column(field, pa.array([f"note {i % 7}" for i in range(rows.num_rows)])))
        self.publish()

    def rows(self, file):
        return pq.read_table(f"{self.lake.directory}/{file['path']}", partitioning=None)

    def write(self, file, rows):
        """Write another derivation of a file under its own hash, and list it instead."""
        temporary = f"{self.lake.directory}/derived.parquet"
        pq.write_table(rows, temporary)
        with open(temporary, "rb") as f:
            content = f.read()
        digest = hashlib.sha256(content).hexdigest()
        path = f"{os.path.dirname(file['path'])}/{file['run']}-{digest[:16]}.parquet"
        os.replace(temporary, f"{self.lake.directory}/{path}")
        file.update(path=path, rows=rows.num_rows, bytes=len(content), sha256=digest)
