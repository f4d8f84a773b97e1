#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# reproduce.sh COMMIT WORK PYTHON [CMAKE-OPTION...]: makes the sdist, a wheel and the Debian packages of a commit twice in
# WORK, in folders of other names, and fails unless each has the same bytes both times. The hashes are in
# WORK/SHA256SUMS; those of another machine agree if it has the same compiler, CMake, Python and packages of the build.
set -eu
cd "$(dirname "$0")/.."
usage='usage: reproduce.sh COMMIT WORK PYTHON [CMAKE-OPTION...]'
commit=$(git rev-parse "${1:?$usage}^{commit}")
mkdir -p "${2:?$usage}"
work=$(cd "$2" && pwd)
python=${3:?$usage}
shift 3
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$commit")
export SOURCE_DATE_EPOCH

for here in "$work/first" "$work/another/place"; do
  rm -rf "$here"
  mkdir -p "$here/sources" "$here/out"
  git archive "$commit" | tar -x -C "$here/sources"
  "$python" -m venv "$here/tools"
  "$here/tools/bin/python" -m pip install --quiet --disable-pip-version-check build 'nanobind>=3.0' \
    'scikit-build-core>=1.0'
  "$here/tools/bin/python" -m build --sdist --no-isolation --outdir "$here/out" "$here/sources" >/dev/null
  "$here/sources/scripts/make-debs.sh" "$here/build" "$@" >/dev/null
  "$here/sources/scripts/make-wheels.sh" "$here/build" "$here/out" "$python" >/dev/null
  mv "$here/build/debs"/*.deb "$here/out"
  (cd "$here/out" && sha256sum -- *) >"$here/sums"
done
cp "$here/sums" "$work/SHA256SUMS"
diff "$work/first/sums" "$here/sums" || { echo "reproduce: these packages differ" >&2; exit 1; }
cat "$work/SHA256SUMS"
