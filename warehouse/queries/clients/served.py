"""Checks over_http.py and ATTACH over HTTP against `fleetlake serve`, which it starts on loopback.

    python served.py fleetlake-data FLEETLAKE

ATTACH needs DuckDB's extension httpfs, from DuckDB's repository or its Python package; without it that part is left
out. It ends with 1 if a client finds something else than the published file has.
"""
import contextlib
import importlib.resources
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error

import duckdb

import over_http

CONFIGURATION = """api: {{base_url: "http://127.0.0.1:9/api/vessels_operations"}}
data_dir: {data}
jobs: {{nightly: {{schedule: "0 0 1 1 *", missed: skip}}}}
serve: {{listen: "{listen}"}}
"""
LISTED = "SELECT count(*) FROM {}vessels WHERE listed AND is_vessel"


@contextlib.contextmanager
def serve(data, fleetlake, folder):
    """The address of a server, which ends with the block. Its job never starts within the test."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        listen = f"127.0.0.1:{s.getsockname()[1]}"
    with open(f"{folder}/fleetlake.yaml", "w") as f:
        f.write(CONFIGURATION.format(data=os.path.abspath(data), listen=listen))
    with open(f"{folder}/log", "w") as log:
        server = subprocess.Popen([os.path.abspath(fleetlake), "serve", "--config", f"{folder}/fleetlake.yaml"], stderr=log, stdout=log,
                                  cwd=folder, env={**os.environ, "FLEETLAKE_API_KEY": "no-request-is-sent"})
    try:
        wait(f"http://{listen}", server, f"{folder}/log")
        yield f"http://{listen}"
    finally:
        server.terminate()
        server.wait(60)


def wait(address, server, log):
    for _ in range(300):  # half a minute; a process has no other way to say that it listens
        with contextlib.suppress(urllib.error.URLError):
            over_http.get(f"{address}/warehouse/current.json").close()
            return
        if server.poll() is not None:
            break
        time.sleep(0.1)
    with open(log) as f:
        raise SystemExit(f"fleetlake serve does not answer:\n{f.read()}")


def attached(address):
    with duckdb.connect() as client:
        try:
            client.execute("INSTALL httpfs")
            client.execute("LOAD httpfs")
        except duckdb.Error:
            folder = importlib.resources.files("duckdb_extension_httpfs") / f"extensions/v{duckdb.__version__}"
            client.execute(f"LOAD '{folder / 'httpfs.duckdb_extension'}'")
        client.execute(f"ATTACH '{address}/warehouse/fleet.duckdb' AS fleet (READ_ONLY)")
        return client.execute(LISTED.format("fleet.")).fetchone()[0]


def main(data, fleetlake):
    with duckdb.connect(f"{data}/warehouse/fleet.duckdb", read_only=True) as fleet:
        want = fleet.execute(LISTED.format("")).fetchone()[0]
    with tempfile.TemporaryDirectory() as folder, serve(data, fleetlake, folder) as address:
        copy = over_http.newest(address, f"{folder}/copies")
        fetched = os.stat(copy).st_mtime_ns
        with duckdb.connect(copy, read_only=True) as fleet:
            found = {"a copy": (fleet.execute(LISTED.format("")).fetchone()[0], want)}
        again = over_http.newest(address, f"{folder}/copies")
        found["a copy that is there"] = ([again, os.stat(again).st_mtime_ns], [copy, fetched])
        try:
            found["ATTACH"] = (attached(address), want)
        except (duckdb.Error, ImportError) as reason:
            print(f"ATTACH over HTTP was not tried: {str(reason).splitlines()[0]}")
    wrong = {name: values for name, values in found.items() if values[0] != values[1]}
    print(f"over HTTP with DuckDB {duckdb.__version__}: {', '.join(found)}: {len(wrong)} differ")
    for name, (got, expected) in wrong.items():
        print(f"  {name}: {got}, want {expected}")
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
