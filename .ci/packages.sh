#!/usr/bin/env bash
# Builds the packages of the commit for this platform as a release does, and looks at them: that two builds in two
# folders give the same program, what it is linked from and under which licences, whether vulnerabilities of that are
# known, what is in the packages, with which owner and mode, that no secret is, and that installing, upgrading,
# removing and purging in a scratch directory leaves what a person changed and what was paid for. It says what it
# skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "packages: $*"
  exit 1
}
for tool in dpkg objdump python3; do
  if ! command -v $tool >/dev/null; then
    echo "packages: skipped, there is no $tool"
    exit 0
  fi
done
nfpm=$(sed -n 's|^nfpm=\(.*\)/cmd/nfpm@\(.*\)|\1@\2|p' schedules/deploy/packages/build.sh)
if ! go list -m "$nfpm" >"$work/log" 2>&1; then
  echo "packages: skipped, nfpm cannot be had here: $(tail -n 1 "$work/log")"
  exit 0
fi

# Both folders are clones: Go finds no commit in a linked worktree of git, where .git is a file.
for folder in "$work/one" "$work/another/folder/two"; do
  git clone -q . "$folder"
  (cd "$folder" && go build -buildvcs=true -trimpath -ldflags='-s -w' -o fleetlake ./cmd/fleetlake)
done
cmp "$work/one/fleetlake" "$work/another/folder/two/fleetlake" || fail "two builds of one commit differ"
mv "$work/one/fleetlake" "$work/fleetlake"
if ! go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 -mode binary "$work/fleetlake" >"$work/log" 2>&1; then
  ! grep -q 'exit status 3' "$work/log" || fail "known vulnerabilities: $(cat "$work/log")"
  echo "packages: vulnerabilities were not looked up: $(grep -v '^go: downloading' "$work/log" | head -n 1)"
fi
schedules/deploy/packages/build.sh "$work/dist" "$work/fleetlake" >"$work/log" 2>&1 || fail "they cannot be built: $(cat "$work/log")"
(cd "$work/dist" && sha256sum --quiet -c SHA256SUMS) || fail "SHA256SUMS is wrong"
deb=$(echo "$work"/dist/*.deb) rpm=$(echo "$work"/dist/*.rpm)

# What the program is linked from is listed, beside the packages and in them.
sbom=$(echo "$work"/dist/*.spdx.json)
python3 -c '
import json, sys
packages = json.load(open(sys.argv[1]))["packages"]
names = [p["name"] for p in packages]
sys.exit(len(packages) != int(sys.argv[2]) or not {"fleetlake", "go", "duckdb"} <= set(names))
' "$sbom" "$(($(go version -m "$work/fleetlake" | grep -c $'^\tdep\t') + 3))" || fail "the list of modules is wrong: $(cat "$sbom")"
dpkg-deb --fsys-tarfile "$deb" | tar -xOf - ./usr/share/doc/fleetlake/fleetlake.spdx.json | cmp - "$sbom" || fail "the package lists other modules"

# What is in the package of Debian.
dpkg-deb -c "$deb" >"$work/list"
if grep -v ' root/root ' "$work/list"; then fail "these do not belong to root"; fi
if awk '{print $NF}' "$work/list" | grep -Ev '^\./(etc/(fleetlake/(fleetlake\.yaml)?)?|usr/(bin/(fleetlake)?|lib/((systemd|sysusers\.d)/.*)?|share/(doc|fleetlake|bash-completion|zsh|fish)/.*|share/)?)$'; then
  fail "these should not be in the package"
fi
awk '$1 ~ /^-/ && $1 !~ /^-rw-r--r--/ {print $1, $NF}' "$work/list" | sort >"$work/modes"
diff - "$work/modes" <<'MODES' || fail "other modes than expected"
-rw------- ./etc/fleetlake/fleetlake.yaml
-rwxr-xr-x ./usr/bin/fleetlake
MODES
[ "$(dpkg-deb -I "$deb" conffiles)" = /etc/fleetlake/fleetlake.yaml ] || fail "the configuration is no conffile"
dpkg-deb -f "$deb" Depends | grep -q 'libc6 (>= 2\.[0-9]*), libstdc++6, ca-certificates' || fail "it depends on $(dpkg-deb -f "$deb" Depends)"

# Install it, change what a person changes, install it again, remove and purge it. The scripts of the package know
# that the directory is not the system's.
root=$work/root
package() {
  dpkg --root="$root" --force-script-chrootless --force-depends --force-not-root --log=/dev/null "$@" >"$work/log" 2>&1 || fail "dpkg $*: $(cat "$work/log")"
}
there() { [ -e "$root/$1" ] || fail "$2: $1 is gone"; }
gone() { [ ! -e "$root/$1" ] || fail "$2: $1 is still there"; }
mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
touch "$root/var/lib/dpkg/status"
package --install "$deb"
grep -q 'systemctl enable --now fleetlake' "$work/log" || fail "it does not say what is next: $(cat "$work/log")"
diff <(sed 's|/usr/local/bin/|/usr/bin/|' schedules/deploy/fleetlake.service) "$root/usr/lib/systemd/system/fleetlake.service" || fail "the unit is another one"
diff cmd/fleetlake/config/fleetlake.yaml "$root/etc/fleetlake/fleetlake.yaml" || fail "the configuration is not the default"
"$root/usr/bin/fleetlake" --version | grep -q "commit $(git rev-parse --short=12 HEAD) of " || fail "the program says $("$root/usr/bin/fleetlake" --version)"
[ -z "$(nm "$root/usr/bin/fleetlake" 2>/dev/null)" ] || fail "the program is not stripped"
echo "# changed by a person" >>"$root/etc/fleetlake/fleetlake.yaml"
echo key >"$root/etc/fleetlake/api-key"
mkdir -p "$root/var/lib/fleetlake/journal"
touch "$root/var/lib/fleetlake/journal/paid"
package --install "$deb"
grep -q "changed by a person" "$root/etc/fleetlake/fleetlake.yaml" || fail "an upgrade replaced the configuration"
package --remove fleetlake
gone usr/bin/fleetlake remove
there etc/fleetlake/fleetlake.yaml remove
package --purge fleetlake
gone etc/fleetlake/fleetlake.yaml purge
for kept in etc/fleetlake/api-key var/lib/fleetlake/journal/paid; do there "$kept" purge; done

# The steps of the container as its page has them, and the command of the CronJob, by the user of the image and with
# nothing but what that has: the configuration that init wrote can be read, and a night runs.
container() {
  local box=$work/box user service base
  user=$(sed -n 's/^USER \([0-9]*\):.*/\1/p' schedules/deploy/Dockerfile)
  mkdir -p "$box/bin" "$box/data" "$box/etc"
  chmod 0711 "$work"
  cp "$work/fleetlake" "$box/bin/"
  (cd "$box/etc" && sed -n '/^## Container/,/^docker/p' "$OLDPWD/schedules/deploy/README.md" | grep -E '^(fleetlake|chgrp|chmod) ' |
    PATH=$box/bin:$PATH sh -e >"$work/log" 2>&1) || fail "the steps of the container: $(cat "$work/log")"
  chown "$user:$user" "$box/data"
  "$work/fleetlake" simulate --vessels 60 --unlimited --listen 127.0.0.1:0 >"$work/service" 2>&1 &
  service=$!
  for _ in $(seq 100); do grep -q '^serving' "$work/service" && break || sleep 0.1; done # another process has no event
  base=$(sed -n 's/^serving \([^ ]*\) .*/\1/p' "$work/service")
  as_user() {
    (cd "$box/data" && setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs env -i PATH="$box/bin:/usr/bin:/bin" \
      FLEETLAKE_CONFIG="$box/etc/fleetlake.yaml" FLEETLAKE_DATA="$box/data" FLEETLAKE_BASE_URL="$base" FLEETLAKE_API_KEY=simulated \
      FLEETLAKE_BUDGET=10 "$@")
  }
  as_user fleetlake doctor >"$work/log" 2>&1 || { kill $service; fail "doctor in the container: $(cat "$work/log")"; }
  sed -n '/^ *- |$/,/^ *env:/p' schedules/deploy/cronjob.yaml | sed '1d;$d' >"$work/command"
  as_user /bin/sh -c "$(cat "$work/command")" >"$work/log" 2>&1 || { kill $service; fail "the command of the CronJob: $(cat "$work/log")"; }
  kill $service
  [ -n "$(find "$box/data/journal" -name '*.zst' -user "$user")" ] || fail "the CronJob left no journal"
}
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  container
else
  echo "packages: the steps of the container were not run: that takes root and setpriv"
fi

if command -v rpm >/dev/null; then
  [ "$(rpm -qp --configfiles "$rpm")" = /etc/fleetlake/fleetlake.yaml ] || fail "the RPM's configuration is no config file"
  awk '$1 ~ /^-/ {print $1, substr($NF, 2)}' "$work/list" | sort >"$work/files"
  rpm -qp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' "$rpm" | grep '^-' | sort | diff "$work/files" - || fail "the RPM has other files"
  rpm -qp --qf '[%{FILEUSERNAME} %{FILEGROUPNAME}\n]' "$rpm" | sort -u | diff <(echo root root) - || fail "the RPM's files do not belong to root"
else
  echo "packages: the RPM was built, and not looked at: there is no rpm"
fi
echo "packages: $(cd "$work/dist" && echo *)"
