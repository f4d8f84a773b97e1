#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# check-abi.sh BUILD [--write]: compares the interface of the library in BUILD, which has debug information, with that of the
# release of its minor version, abi/libwarpdex.so.X.Y.abi, by Debian's abigail-tools. What was added is fine; what was
# removed or has another layout is an error. --write makes the file, at the release X.Y.0; without one nothing is compared.
set -eu
cd "$(dirname "$0")/.."
library=$(readlink -f "${1:?usage: check-abi.sh BUILD [--write]}/lib/libwarpdex.so")
name=$(basename "$library")
file=abi/${name%.*}.abi
if [ "${2:-}" = --write ]; then
  mkdir -p abi
  exec abidw --no-corpus-path --no-comp-dir-path --exported-interfaces-only --headers-dir include \
    --drop-private-types --out-file "$file" "$library"
fi
[ -f "$file" ] || { echo "check-abi: there is no $file, as there is no release of it yet"; exit 0; }
abidiff --no-added-syms --no-show-locs --headers-dir2 include --drop-private-types "$file" "$library"
