#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# test-sdist.sh OUT PYTHON [CMAKE-OPTION...]: makes the sdist in OUT, builds and installs it without a network, with the
# packages of Debian and the requirements of the build alone, and uses it. A CMAKE-OPTION is -D NAME=VALUE.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "${1:?usage: test-sdist.sh OUT PYTHON [PIP-OPTION...]}"
out=$(cd "$1" && pwd)
python=${2:?usage: test-sdist.sh OUT PYTHON [CMAKE-OPTION...]}
shift 2
for option; do # -D NAME=VALUE is two arguments, -DNAME=VALUE one
  shift
  [ "$option" = -D ] || set -- "$@" "-Ccmake.define.${option#-D}"
done
work=$out/sdist-test
rm -rf "$work"
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work"
"$work/bin/python" -m pip install --quiet --disable-pip-version-check build numpy 'nanobind>=3.0' 'scikit-build-core>=1.0'
"$work/bin/python" -m build --sdist --no-isolation --outdir "$out" . >/dev/null
alone=
if unshare --net true 2>/dev/null; then alone='unshare --net'; fi
$alone "$work/bin/python" -m pip install --quiet --no-index --no-build-isolation --no-deps "$out"/warpdex-*.tar.gz "$@"
cd "$work"
bin/python -c 'import warpdex; assert warpdex.Index([3, 1, 2]).find([2, 7]).tolist() == [2, -1]; print("the sdist works")'
ls -l "$out"/warpdex-*.tar.gz
