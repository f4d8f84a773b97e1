#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# Locates ten million IP addresses with the table of Debian's package tor-geoipdb (examples/locate_ips.cpp).
# The package depends on tor, which would run a service. So if it is not installed, only its table is
# unpacked, below the build folder. Where that fails, as without network, the small table of the sources takes its place.
# Arguments are passed on: demo.sh [ADDRESSES [TABLE [SPEC [BACKEND]]]]; without them SPEC and BACKEND are variables.
# demo.sh --options SPEC prints with what the demo is built.
set -eu

# The CMake options of a build with the structure of a spec alone; of `auto` with all.
options_of() {
  fanout=$(echo "$1" | sed -n 's/.*KS(\([0-9]*\).*/\1/p')
  case $(echo "$1" | tr '[:upper:]' '[:lower:]') in
  ao+bs*) structure=sorted_array ;;
  ao+is*) structure=interpolated ;;
  eo+*) structure=eytzinger ;;
  ao+pb+*) structure=pivot_tree ;;
  pgm*) structure=pgm ;;
  rs*) structure=radix_spline ;;
  grt*) structure=radix_tree ;;
  cgrxu*) structure=cgrxu ;;
  cgrx* | rx*) structure=cgrx ;;
  b+*) structure=bplus_tree ;;
  harmonia*) structure=harmonia ;;
  "ht(open"*) structure=hash_open ;;
  "ht(buckets"*) structure=hash_buckets ;;
  *) structure= ;; # all
  esac
  echo "-DWARPDEX_STRUCTURES=$structure -DWARPDEX_FANOUTS=2${fanout:+;$fanout}" | sed "s/=2\$/=2;5;9;17/; s/=2;2\$/=2/"
}
if [ "${1:-}" = --options ]; then
  options_of "${2:?usage: demo.sh --options SPEC}"
  exit
fi

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
