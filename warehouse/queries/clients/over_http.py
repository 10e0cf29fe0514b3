"""Over HTTP: follow the newest version that `fleetlake serve` offers, as a copy on this machine.

    python over_http.py http://fleet.example:8080 copies

FLEETLAKE_SERVE_TOKEN is the token of the page, if it has one. A copy has the name of its version, so a night that
is there is not fetched again, and whoever reads an earlier copy is not disturbed.
"""
import json
import os
import sys
import urllib.request

import duckdb


def get(url):
    request = urllib.request.Request(url)
    if token := os.environ.get("FLEETLAKE_SERVE_TOKEN"):
        request.add_header("Authorization", f"Bearer {token}")
    return urllib.request.urlopen(request, timeout=60)


def newest(server, copies):
    """Fetch the newest version unless it is there, and return its path."""
    with get(f"{server}/warehouse/current.json") as answer:
        current = json.load(answer)
    path = os.path.join(copies, f"{current['etag'].strip(chr(34))}.duckdb")  # names the content, also after a rebuild
    if os.path.exists(path):
        return path
    os.makedirs(copies, exist_ok=True)
    unfinished = f"{path}.{os.getpid()}"
    with get(server + current["url"]) as answer, open(unfinished, "wb") as part:
        if answer.headers["ETag"] != current["etag"]:
            raise RuntimeError("another night was published meanwhile: ask again")
        while block := answer.read(1 << 20):
            part.write(block)
    if (size := os.path.getsize(unfinished)) != current["bytes"]:
        raise RuntimeError(f"{server} sent {size} bytes of {current['bytes']}: ask again")
    os.replace(unfinished, path)
    return path


if __name__ == "__main__":
    with duckdb.connect(newest(*sys.argv[1:]), read_only=True) as fleet:
        print(fleet.sql("SELECT flag, count(*) AS vessels FROM vessels WHERE listed AND is_vessel GROUP BY flag ORDER BY 2 DESC, 1 LIMIT 5"))
