#!/usr/bin/env bash
# Runs the stock clients of Arrow Flight SQL against `fleetlake serve` over a demo: ADBC and flightsql-dbapi in Python, and
# the JDBC driver, in three time zones, if there is Java 17 or newer. It installs what it needs from the package registries into a folder outside the project,
# and says what it skipped and why. It fails if a client gets something else than it should.
#
# FLEETLAKE_ENGINES_CACHE is that folder (default ~/.cache/fleetlake-engines).
set -euo pipefail
cd "$(dirname "$0")/.."
clients=$PWD/schedules/flight/clients
cache=${FLEETLAKE_ENGINES_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/fleetlake-engines}
driver=18.3.0
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || { kill "$server" && wait "$server"; } || true; rm -rf "$work"' EXIT

if ! command -v python3 >/dev/null; then
  echo "flight: skipped, there is no python3"
  exit 0
fi
mkdir -p "$cache"
venv=$cache/$(sha256sum "$clients/requirements.txt" | cut -c1-16)
if [ ! -e "$venv/complete" ]; then
  rm -rf "$venv"
  if ! { python3 -m venv "$venv" && "$venv/bin/pip" install -q -r "$clients/requirements.txt"; } >"$work/pip.log" 2>&1; then
    echo "flight: skipped, the packages cannot be installed here:"
    tail -n 3 "$work/pip.log"
    exit 0
  fi
  touch "$venv/complete"
fi

go build -o "$work/fleetlake" ./cmd/fleetlake
"$work/fleetlake" demo --vessels 1000 --data "$work/data" >"$work/demo.log"
token=$(head -c 24 /dev/urandom | base64 | tr -d '+/=')
(umask 077 && echo "clients $token" >"$work/tokens")
cat >"$work/fleetlake.yaml" <<CONFIG
api: {base_url: "http://127.0.0.1:9/api/vessels_operations"}
data_dir: $work/data
jobs: {nightly: {schedule: "0 0 1 1 *", missed: skip}}
serve: {listen: ""}
flight: {listen: "127.0.0.1:0", tokens_file: $work/tokens}
CONFIG
FLEETLAKE_API_KEY=unused "$work/fleetlake" serve --config "$work/fleetlake.yaml" >/dev/null 2>"$work/serve.log" &
server=$!
address=
for _ in $(seq 100); do
  address=$(sed -n 's/.*"Flight SQL","address":"grpc:\/\/\([^"]*\)".*/\1/p' "$work/serve.log")
  [ -z "$address" ] || break
  sleep 0.1
done
if [ -z "$address" ]; then
  echo "flight: the server does not start:"
  cat "$work/serve.log"
  exit 1
fi
vessels=$("$work/fleetlake" query --data "$work/data" --format csv "SELECT count(*) FROM vessels" | tail -n 1)

PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" -W ignore "$clients/adbc.py" "$address" "$token" "$vessels"
PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" -W ignore "$clients/dbapi.py" "$address" "$token"

java=$({ java -version 2>&1 || true; } | sed -n 's/.*version "\([0-9]*\).*/\1/p')
jar=$cache/flight-sql-jdbc-driver-$driver.jar
if [ "${java:-0}" -lt 17 ] || ! java --list-modules 2>/dev/null | grep -q '^jdk.compiler'; then
  echo "flight: the JDBC driver is skipped, there is no JDK of Java 17 or newer"
  exit 0
fi
if [ ! -e "$jar" ] && ! { curl -sSfL -o "$jar.part" "https://repo1.maven.org/maven2/org/apache/arrow/flight-sql-jdbc-driver/$driver/flight-sql-jdbc-driver-$driver.jar" && mv "$jar.part" "$jar"; } 2>"$work/curl.log"; then
  echo "flight: the JDBC driver is skipped, it cannot be fetched here: $(tail -n 1 "$work/curl.log")"
  exit 0
fi
jdbc() { # class, zone, arguments
  if ! java -Duser.timezone="$2" --add-opens=java.base/java.nio=ALL-UNNAMED -cp "$jar" "$clients/$1.java" "${@:3}" 2>"$work/jdbc.log"; then
    cat "$work/jdbc.log"
    exit 1
  fi
}
jdbc Jdbc UTC "$address" "$token" "$vessels"
for zone in UTC America/New_York Asia/Tokyo; do
  jdbc JdbcValues "$zone" "$address" "$token"
done
