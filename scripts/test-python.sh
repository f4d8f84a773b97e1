#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# test-python.sh BUILD: installs the library of a build folder below it, builds the Python package over that, and runs
# the package's tests. PYTHON chooses the interpreter.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${1:?usage: test-python.sh BUILD}" && pwd)

"${PYTHON:-python3}" -m venv "$build/python-env"
python=$build/python-env/bin/python
"$python" -m pip install --quiet --disable-pip-version-check 'nanobind>=3.0' numpy pytest 'scikit-build-core>=1.0'
cmake --install "$build" --prefix "$build/python-prefix" >/dev/null
"$python" -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall . \
  -Ccmake.source-dir=python -Ccmake.define.CMAKE_PREFIX_PATH="$build/python-prefix"
# Not from the root, where the folder of the sources would be imported.
cd "$build"
"$python" -m pytest --quiet -p no:cacheprovider ../python/tests
