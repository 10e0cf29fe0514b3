#!/bin/sh
# After an installation or an upgrade, of Debian's packages and of RPM. A service that runs is started again with the
# new program: it stops in order, publishes what was paid for, and resumes. One that does not run is not started.
set -e
if [ -z "${DPKG_ROOT:-}" ] && command -v systemd-sysusers >/dev/null; then
  systemd-sysusers fleetlake.conf
fi
if [ -z "${DPKG_ROOT:-}" ] && [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
  systemctl try-restart fleetlake.service || true
fi
if [ ! -e "${DPKG_ROOT:-}/etc/fleetlake/api-key" ]; then
  cat <<'NEXT'
fleetlake is installed and not started. Set api.base_url in /etc/fleetlake/fleetlake.yaml, then:
  install -m 0600 /dev/null /etc/fleetlake/api-key     # and the key, and nothing else, into it
  systemctl enable --now fleetlake
NEXT
fi
