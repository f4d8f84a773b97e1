#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# build-docs.sh BUILD: makes the documentation site in BUILD/docs/html from the pages of docs/, the comments of the public
# headers and the docstrings of the Python package that `make test-python` installed below BUILD. A warning is an error.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${1:?usage: build-docs.sh BUILD}" && pwd)
python=$build/python-env/bin/python
if ! [ -x "$python" ] || ! "$python" -c 'import os; os.chdir("/"); import warpdex' 2>/dev/null; then
  echo "build-docs: $build has no Python package; run make test-python first" >&2
  exit 1
fi
command -v doxygen >/dev/null || { echo "build-docs: there is no doxygen; it is in Debian's package doxygen" >&2; exit 1; }
[ -x "$build/python-prefix/bin/warpdex-bench" ] || {
  echo "build-docs: $build/python-prefix has no warpdex-bench, which lists structures; build with WARPDEX_BUILD_BENCHMARKS=ON" >&2
  exit 1
}
set -- 'sphinx>=9' 'myst-nb>=1.4' 'breathe>=5' pydata-sphinx-theme sphinx-copybutton ipykernel
# Without a network, those that are there already will do.
"$python" -m pip install --quiet --disable-pip-version-check "$@" || {
  echo "build-docs: pip has not installed all of: $*; it needs a network, or a wheel of each (PIP_FIND_LINKS)" >&2
  exit 1
}
export DOCS_BUILD="$build/docs"
mkdir -p "$DOCS_BUILD"
# Pages are made beside those of docs/, in a copy of it from which links to other files lead where they do here.
rm -rf "$DOCS_BUILD/tree"
mkdir -p "$DOCS_BUILD/tree"
cp -rp docs ./*.md "$DOCS_BUILD/tree"
for page in contributing changelog; do
  sed 's|](docs/|](|g' "$(echo $page | tr '[:lower:]' '[:upper:]').md" >"$DOCS_BUILD/tree/docs/$page.md"
done
ln -s "$PWD/examples" "$PWD/include" "$PWD/scripts" "$PWD/tests" "$DOCS_BUILD/tree"
# Kernels of notebooks tell errors alone, not that others on this machine could listen to them.
export IPYTHONDIR="$DOCS_BUILD/ipython"
mkdir -p "$IPYTHONDIR/profile_default"
echo 'c.IPKernelApp.log_level = "ERROR"' >"$IPYTHONDIR/profile_default/ipython_kernel_config.py"
doxygen docs/site/Doxyfile
# Not from the root, where the folder of the sources would be imported.
root=$(pwd)
cd "$DOCS_BUILD"
PATH=$build/python-prefix/bin:$PATH "$python" -m sphinx --jobs auto --quiet --fail-on-warning --keep-going -c "$root/docs/site" -d doctrees "$DOCS_BUILD/tree/docs" html
echo "the site is $DOCS_BUILD/html/index.html"
