#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# test-python.sh BUILD: installs the library of a build folder below it, builds the Python package over that, and runs
# the package's tests, with all libraries that the package knows. PYTHON chooses the interpreter, and WARPDEX_PYTHON_ENV
# an environment that exists already.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
build=$(cd "${1:?usage: test-python.sh BUILD [pytest options]}" && pwd)
shift

environment=${WARPDEX_PYTHON_ENV:-$build/python-env}
[ -x "$environment/bin/python" ] || "${PYTHON:-python3}" -m venv "$environment"
python=$environment/bin/python
"$python" -m pip install --quiet --disable-pip-version-check 'nanobind>=3.0' 'scikit-build-core>=1.0' numpy pandas polars \
  pyarrow duckdb click rich ml_dtypes pytest pytest-xdist mypy pandas-stubs pyright
cmake --install "$build" --prefix "$build/python-prefix" >/dev/null
"$python" -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall . \
  -Ccmake.source-dir=python -Ccmake.define.CMAKE_PREFIX_PATH="$build/python-prefix" -Cbuild-dir="$build/python-module/{wheel_tag}"
# Not from the root, where the folder of the sources would be imported.
cd "$build"
PATH=$build/python-prefix/bin:$PATH "$python" -m pytest --quiet --numprocesses=2 -p no:cacheprovider "$root/python/tests" "$@"
