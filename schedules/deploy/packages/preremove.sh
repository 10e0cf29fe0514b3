#!/bin/sh
# Before the package is removed: "remove" says Debian, 0 says RPM. An upgrade leaves the service running, and its
# new program restarts it.
set -e
case "$1" in
remove | 0)
  if [ -z "${DPKG_ROOT:-}" ] && [ -d /run/systemd/system ]; then
    systemctl disable --now fleetlake.service || true
  fi
  ;;
esac
