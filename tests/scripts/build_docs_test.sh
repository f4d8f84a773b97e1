#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# build_docs_test.sh SCRIPTS WORK: what is missing is named, with what has it, before anything is made.
set -eu
scripts=$1
work=$2
rm -rf "$work"
mkdir -p "$work/build/python-env/bin" "$work/bin"

refused() {  # refused MESSAGE
  if told=$(PATH=$work/bin:$PATH "$scripts/build-docs.sh" "$work/build" 2>&1); then
    echo "build-docs.sh was not refused: $1"
    exit 1
  fi
  case $told in *"$1"*) ;; *) echo "expected: $1"; echo "told: $told"; exit 1 ;; esac
}

tool() {  # tool PATH STATUS: a program that does nothing
  printf '#!/bin/sh\nexit %s\n' "$2" >"$1"
  chmod +x "$1"
}

refused 'has no Python package; run make test-python first'
tool "$work/build/python-env/bin/python" 0
mkdir -p "$work/empty"
for name in sh dirname; do ln -s "$(command -v $name)" "$work/empty/$name"; done
if told=$(PATH=$work/empty "$scripts/build-docs.sh" "$work/build" 2>&1); then exit 1; fi
case $told in *"there is no doxygen; it is in Debian's package doxygen"*) ;; *) echo "told: $told"; exit 1 ;; esac
tool "$work/bin/doxygen" 0
refused 'has no command warpdex, of which pages are made'
mkdir -p "$work/build/python-prefix/bin"
tool "$work/build/python-prefix/bin/warpdex" 0
# The first call of Python imports the package; pip fails as without a network.
printf '#!/bin/sh\n[ "$2" != pip ]\n' >"$work/build/python-env/bin/python"
refused 'pip has not installed all of: sphinx>=9'
