#!/bin/sh
# After the package was removed. It never deletes /var/lib/fleetlake, not even when purged: the journal in it is what
# was paid for, and nothing else can make it again. The key and other files that a person put into /etc/fleetlake
# stay, too.
set -e
if [ -z "${DPKG_ROOT:-}" ] && [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
fi
if [ "$1" = purge ] && [ -d "${DPKG_ROOT:-}/var/lib/fleetlake" ]; then
  echo "fleetlake: /var/lib/fleetlake is kept, since its journal is what was paid for; delete it by hand"
fi
