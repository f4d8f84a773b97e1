#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# install-deps.sh [--library] [PACKAGE...]: installs the packages that building and testing warpdex needs, or with
# --library those of the library alone, and those named, such as libfmt-dev:arm64 of another architecture. Silent when
# all are there. For Debian 12 and 13 and Ubuntu 24.04, as root or with sudo.
set -eu

packages="cmake g++ libfmt-dev libxxhash-dev make ninja-build nlohmann-json3-dev"
if [ "${1:-}" = --library ]; then
  shift
else
  packages="$packages libabsl-dev libcli11-dev libgtest-dev libtbb-dev"
fi
packages="$packages $*"

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install-deps: no apt-get here; warpdex needs what these Debian packages hold: $packages" >&2
  echo "install-deps: where all of it is there, build with: cmake --preset cpu && cmake --build --preset cpu" >&2
  exit 1
fi

native=$(dpkg --print-architecture)
missing=
for package in $packages; do
  case $package in *:*) architecture=${package#*:} ;; *) architecture=$native ;; esac
  dpkg-query -W -f '${Architecture} ${db:Status-Status}\n' "${package%:*}" 2>/dev/null |
    grep -Eqx "($architecture|all) installed" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root="env"
elif command -v sudo >/dev/null; then
  as_root="sudo env"
else
  echo "install-deps: neither root nor sudo; as root, run: apt-get install$missing" >&2
  exit 1
fi

echo "install-deps: installing$missing"
for package in $missing; do
  case $package in *:*) $as_root dpkg --add-architecture "${package#*:}" ;; esac
done
$as_root DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null
# shellcheck disable=SC2086 # a list
$as_root DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing </dev/null
