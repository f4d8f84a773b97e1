#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# build_docs_test.sh SCRIPTS WORK: what is missing is named, with what has it, before anything is made; and a wrong link, a
# public name without a text and a text that tells of what is not there are errors.
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
refused 'has no warpdex-bench, which lists structures'
mkdir -p "$work/build/python-prefix/bin"
tool "$work/build/python-prefix/bin/warpdex-bench" 0
# The first call of Python imports the package; pip fails as without a network.
printf '#!/bin/sh\n[ "$2" != pip ]\n' >"$work/build/python-env/bin/python"
refused 'pip has not installed all of: sphinx>=9'

# The browser, and what its check needs.
python=$(python3 -c 'import sys; print(sys.executable)')
browse() { PATH=$work/$1 "$python" -S "$scripts/check-site.py" "$work/html" 2>&1 || true; }
case $(browse empty) in *"there is no Chromium; it is in Debian's package chromium"*) ;; *) browse empty; exit 1 ;; esac
tool "$work/bin/chromium" 0
case $(browse bin) in *"there is no tornado; make docs installs it"*) ;; *) browse bin; exit 1 ;; esac

# wrong FILE WORDS COMMAND...: the command fails, and what it tells has the words and the file.
wrong() {
  file=$1 words=$2
  shift 2
  if told=$("$@" 2>&1); then echo "not refused: $words"; exit 1; fi
  case $told in *"$file"*"$words"*) ;; *) echo "expected: $file: $words"; echo "told: $told"; exit 1 ;; esac
}

links() { cmake -D root="$work/pages" -P "$scripts/check-links.cmake"; }
page() { printf '# One\n\n%s\n\n## A part\n' "$1" >"$work/pages/docs/page.md"; }
mkdir -p "$work/pages/docs"
page '[here](page.md#a-part), `[code](none.md)`, [afar](https://example.org/none)'
links
page '[there](none.md)'
wrong docs/page.md none.md links
page '[part](#another-part)'
wrong docs/page.md '#another-part' links

# Texts of C++, as `make docs` has them read.
PATH=${PATH#"$work/bin:"}
command -v doxygen >/dev/null || { echo "no doxygen: texts of C++ were not looked at"; exit 0; }
root=$(cd "$scripts/.." && pwd)
texts() { (cd "$1" && mkdir -p "$work/texts" && DOCS_BUILD=$work/texts doxygen "$root/docs/site/Doxyfile"); }
header() { printf '/// @file\n/// A header.\n\n%s\n' "$1" >"$work/header/include/warpdex/one.hpp"; }
texts "$root"
mkdir -p "$work/header/include/warpdex/search"
header '/// Doubles. @param value a number @return its double
int doubled(int value);'
texts "$work/header"
header 'int doubled(int value);'
wrong one.hpp 'doubled(int value) (function) of file one.hpp is not documented' texts "$work/header"
header '/// Doubles. @param number what to double
int doubled(int value);'
wrong one.hpp "argument 'number' of command @param is not found" texts "$work/header"
