#!/usr/bin/env bash
# Lists what a built program is linked from: its Go modules, Go's own library and DuckDB, each with its version and
# licence. It fails for a module whose licence is unknown, or is none of those that fleetlake may be given away with.
#
#   schedules/deploy/packages/licences.sh PROGRAM           a table: module, version, licence
#   schedules/deploy/packages/licences.sh --sbom PROGRAM    a software bill of materials, SPDX 2.3 as JSON
#
# The modules are those that Go recorded in the program, so that the list is of what is in it. Their licences are read
# from the module cache. The same program gives the same bytes.
set -euo pipefail
sbom=
if [ "${1:-}" = --sbom ]; then
  sbom=1
  shift
fi
program=$(realpath "${1:?"usage: licences.sh [--sbom] PROGRAM"}")
cd "$(dirname "$0")/../../.."

# licence prints the SPDX identifier of the licence in a file: each is known by words that only it has. What a
# licence says about a part of a module is left to the file itself.
licence() {
  local words
  words=$(tr -s '[:space:]' ' ' <"$1")
  case $words in
  *"Apache License Version 2.0"*) echo Apache-2.0 ;;
  *"Mozilla Public License"*) echo MPL-2.0 ;;
  *"GNU "*"GENERAL PUBLIC LICENSE"* | *"GNU "*"General Public License"*) echo GPL ;;
  *"Permission is hereby granted, free of charge, to any person obtaining a copy"*) echo MIT ;;
  *"Permission to use, copy, modify, and"*"distribute this software for any purpose"*) echo ISC ;;
  *"Redistribution and use in source and binary forms"*"either the name"* | *"Redistribution and use in source and binary forms"*"either name"* | *"Redistribution and use in source and binary forms"*"ames of its contributors may be used"*) echo BSD-3-Clause ;;
  *"Redistribution and use in source and binary forms"*) echo BSD-2-Clause ;;
  esac
}

# modules prints a line "name version licence" for each part of the program.
modules() {
  local kind module version sum dir file found
  echo "go $(go version "$program" | awk '{print $NF}' | sed 's/^go//') BSD-3-Clause"
  while read -r kind module version sum; do
    [ "$kind" = dep ] || continue
    dir=$(go mod download -json "$module@$version" | sed -n 's/^\t"Dir": "\(.*\)",\{0,1\}$/\1/p')
    found=
    for file in "$dir"/LICENSE* "$dir"/LICENCE* "$dir"/COPYING* "$dir"/README.md; do
      if [ -z "$found" ] && [ -f "$file" ]; then found=$(licence "$file"); fi
    done
    echo "$module $version ${found:-unknown}"
    case $module in
    github.com/duckdb/duckdb-go-bindings/*) echo "duckdb $(duckdb "$version") MIT" ;;
    esac
  done < <(go version -m "$program" | sed 's/^\t//')
}

# duckdb prints the version of DuckDB that the bindings of a version link, as their documentation lists it.
duckdb() {
  local dir
  dir=$(go mod download -json "github.com/duckdb/duckdb-go-bindings@$1" | sed -n 's/^\t"Dir": "\(.*\)",\{0,1\}$/\1/p')
  sed -n "s/^| *v\([0-9.]*\) *| *$1 *|.*/\1/p" "$dir/README.md" | grep . || echo unknown
}

list=$(modules)
if grep -vE ' (Apache-2\.0|BSD-2-Clause|BSD-3-Clause|ISC|MIT)$' <<<"$list" >&2; then
  echo "licences.sh: fleetlake may not be given away with these, or nobody has looked at their licences" >&2
  exit 1
fi
if [ -z "$sbom" ]; then
  column -t <<<"$list"
  exit
fi

hash=$(sha256sum "$program" | cut -d' ' -f1)
created=$(TZ=UTC date -d "@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}" +%Y-%m-%dT%H:%M:%SZ 2>/dev/null || TZ=UTC date -r "${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}" +%Y-%m-%dT%H:%M:%SZ)
cat <<SPDX
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "fleetlake",
  "documentNamespace": "https://github.com/fleetlake/fleetlake/sbom/$hash",
  "creationInfo": {"created": "$created", "creators": ["Tool: licences.sh"]},
  "packages": [
    {"SPDXID": "SPDXRef-fleetlake", "name": "fleetlake", "versionInfo": "${VERSION:-$hash}", "downloadLocation": "https://github.com/fleetlake/fleetlake", "filesAnalyzed": false, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION", "checksums": [{"algorithm": "SHA256", "checksumValue": "$hash"}]}
SPDX
number=0
while read -r module version licence; do
  number=$((number + 1))
  case $module in
  go) locator="pkg:golang/stdlib@$version" ;;
  duckdb) locator="pkg:github/duckdb/duckdb@v$version" ;;
  *) locator="pkg:golang/$module@${version/+/%2B}" ;;
  esac
  printf '    ,{"SPDXID": "SPDXRef-%d", "name": "%s", "versionInfo": "%s", "downloadLocation": "NOASSERTION", "filesAnalyzed": false, "licenseConcluded": "%s", "licenseDeclared": "%s", "copyrightText": "NOASSERTION", "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": "%s"}]}\n' "$number" "$module" "$version" "$licence" "$licence" "$locator"
done <<<"$list"
echo '  ],'
echo '  "relationships": ['
echo '    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-fleetlake"}'
for n in $(seq "$number"); do
  printf '    ,{"spdxElementId": "SPDXRef-fleetlake", "relationshipType": "STATIC_LINK", "relatedSpdxElement": "SPDXRef-%d"}\n' "$n"
done
printf '  ]\n}\n'
