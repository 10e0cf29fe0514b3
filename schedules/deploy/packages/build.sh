#!/usr/bin/env bash
# Builds what is released for this platform into a folder: the stripped program with its files as .tar.gz and, on
# Linux, a .deb and an .rpm; the list of what the program is linked from as .spdx.json, which is in each of them, too;
# and SHA256SUMS.
#
#   schedules/deploy/packages/build.sh dist            build the program from this checkout, and pack it
#   schedules/deploy/packages/build.sh dist PROGRAM    pack a program that is built already
#
# The version is that of the commit's tag (v1.2.3), or 0~<date>.<commit>. DuckDB is linked in through cgo, so each
# platform is built on a machine of its own: linux/amd64, linux/arm64, darwin/amd64 and darwin/arm64 have DuckDB's
# static libraries. A program for Linux needs the glibc of the machine that built it, or a newer one.
# Building one commit twice, in whatever folder, gives the same program, and packing it gives the same bytes.
set -euo pipefail
cd "$(dirname "$0")/../../.."
dist=${1:?"usage: build.sh DIST [PROGRAM]"}
nfpm=github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.4
mkdir -p "$dist"
dist=$(cd "$dist" && pwd)
STAGE=$(mktemp -d)
trap 'rm -rf "$STAGE"' EXIT
GOARCH=$(go env GOARCH)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
if VERSION=$(git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null); then
  VERSION=${VERSION#v}
  VERSION=${VERSION/-/\~} # 1.2.3-rc.1 is older than 1.2.3
else
  VERSION=0~$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y%m%d%H%M%S).$(git rev-parse --short=12 HEAD)
fi

if [ -n "${2:-}" ]; then
  install -m 0755 "$2" "$STAGE/fleetlake"
else
  CGO_ENABLED=1 go build -buildvcs=true -trimpath -ldflags='-s -w' -o "$STAGE/fleetlake" ./cmd/fleetlake
  if ! "$STAGE/fleetlake" --version | grep -q "commit $(git rev-parse --short=12 HEAD) of [^,]*)"; then
    echo "build.sh: a release is built from a clean clone: the program says $("$STAGE/fleetlake" --version)" >&2
    exit 1
  fi
fi
export SOURCE_DATE_EPOCH VERSION
schedules/deploy/packages/licences.sh --sbom "$STAGE/fleetlake" >"$STAGE/fleetlake.spdx.json"
for shell in bash zsh fish; do
  "$STAGE/fleetlake" completion "$shell" >"$STAGE/completion.$shell"
done

# The files of the commit, and no others.
git archive HEAD schedules/deploy warehouse/queries docs | tar -xf - -C "$STAGE" --no-same-permissions
mv "$STAGE/schedules/deploy" "$STAGE/deploy"
mv "$STAGE/warehouse/queries" "$STAGE/queries"
chmod -R u=rwX,go=rX "$STAGE/deploy" "$STAGE/queries" "$STAGE/docs"

# tarball packs a folder so that the same files give the same bytes.
tarball() {
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$STAGE" -cf - "$1" | gzip -n >"$dist/$1.tar.gz"
}
name=fleetlake_${VERSION}_$(go env GOOS)_$GOARCH
mkdir -p "$STAGE/$name"
cp "$STAGE/fleetlake" "$STAGE/fleetlake.spdx.json" README.md CHANGELOG.md LICENSE "$STAGE/$name/"
cp -R "$STAGE/deploy" "$STAGE/queries" "$STAGE/docs" "$STAGE/$name/"
tarball "$name"
cp "$STAGE/fleetlake.spdx.json" "$dist/$name.spdx.json"

if [ "$(go env GOOS)" = linux ]; then
  # The oldest glibc that has what the program calls.
  GLIBC=$(objdump -T "$STAGE/fleetlake" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1 | cut -d_ -f2)
  sed 's|^ExecStart=/usr/local/bin/|ExecStart=/usr/bin/|' schedules/deploy/fleetlake.service >"$STAGE/fleetlake.service"
  export STAGE GOARCH GLIBC
  for packager in deb rpm; do
    go run "$nfpm" package --config schedules/deploy/packages/nfpm.yaml --packager "$packager" --target "$dist"
  done
fi
(cd "$dist" && sha256sum -- *"$VERSION"* >SHA256SUMS)
cat "$dist/SHA256SUMS"
