#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# Unpacks Debian packages below a folder, without installing them: unpack-packages.sh FOLDER PACKAGE...
set -eu

folder=$1
shift
mkdir -p "$folder"
cd "$folder"
if ! apt-get download -qq "$@" >apt.log 2>&1; then
  as_root=
  [ "$(id -u)" -eq 0 ] || as_root=sudo
  $as_root apt-get update -qq </dev/null
  apt-get download -qq "$@" >apt.log 2>&1 || { cat apt.log >&2; exit 1; }
fi
for package in "$@"; do
  dpkg-deb -x "$package"_*.deb .
  rm -f "$package"_*.deb
done
rm -f apt.log
