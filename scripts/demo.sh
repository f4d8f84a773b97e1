#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# Locates ten million IP addresses with the table of Debian's package tor-geoipdb (examples/locate_ips.cpp).
# The package depends on tor, which would run a service. So if it is not installed, only its table is
# unpacked, below the build folder. Where that fails, as without network, the small table of the sources takes its place.
# Arguments are passed on: demo.sh [ADDRESSES [TABLE [SPEC [BACKEND]]]]; without them SPEC and BACKEND are variables.
set -eu

sources=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=$sources/build/demo
program=$build/bin/locate_ips
if [ ! -x "$program" ]; then
  echo "demo: $program is missing; run 'make demo'" >&2
  exit 1
fi

find_table() {
  for table in /usr/share/tor/geoip "$build/usr/share/tor/geoip"; do
    [ ! -s "$table" ] || return 0
  done
  echo "demo: fetching the table from the package tor-geoipdb"
  "$sources/scripts/unpack-packages.sh" "$build" tor-geoipdb && return 0
  table=$sources/examples/ranges.csv
  echo "demo: without the package, the table is $table, which has a few ranges only"
}

addresses=${1:-10000000}
if [ $# -ge 2 ]; then
  shift
  exec "$program" "$addresses" "$@"
fi
find_table
exec "$program" "$addresses" "$table" "${SPEC:-AO+PB+KS(17)}" "${BACKEND:-auto}"
