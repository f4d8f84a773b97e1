#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# Unpacks Debian packages, also those of another architecture (PACKAGE:arm64), below a folder, without installing them:
# unpack-packages.sh FOLDER PACKAGE...
set -eu

folder=$1
shift
mkdir -p "$folder"
cd "$folder"
fail() {
  cat apt.log >&2
  echo "unpack-packages: cannot fetch $packages: $1" >&2
  exit 1
}

packages=$*
command -v apt-get >/dev/null || { : >apt.log; fail "there is no apt-get"; }
if ! apt-get download -qq "$@" >apt.log 2>&1; then
  if [ "$(id -u)" -eq 0 ]; then
    as_root=
  elif command -v sudo >/dev/null; then
    as_root=sudo
  else
    fail "the lists of packages may be old, and only root or sudo can renew them"
  fi
  $as_root apt-get update -qq </dev/null >apt.log 2>&1 || fail "the lists of packages cannot be renewed"
  apt-get download -qq "$@" >apt.log 2>&1 || fail "the download failed"
fi
for package in "$@"; do
  dpkg-deb -x "${package%:*}"_*.deb .
  rm -f "${package%:*}"_*.deb
done
rm -f apt.log
