#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# test-wheel.sh BUILD PYTHON...: makes a wheel with the first interpreter, over the library of a build folder, checks
# that it holds to the stable ABI and needs no library of CUDA, and tests the same wheel under all of the interpreters,
# which are 3.12 or newer. The wheel is left in BUILD/wheel.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
build=$(cd "${1:?usage: test-wheel.sh BUILD PYTHON...}" && pwd)
shift
work=$build/wheel-test
rm -rf "$build/wheel" "$work"

"$1" -m venv "$work/tools"
export PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1
"$work/tools/bin/python" -m pip install 'nanobind>=3.0' 'scikit-build-core>=1.0' abi3audit
cmake --install "$build" --strip --prefix "$work/prefix" >/dev/null
"$work/tools/bin/python" -m pip wheel . --no-build-isolation --no-deps -w "$build/wheel" -Ccmake.source-dir=python \
  -Ccmake.define.CMAKE_PREFIX_PATH="$work/prefix" -Cbuild-dir="$work/module"
wheel=$(ls "$build"/wheel/*-cp312-abi3-*.whl) # fails for a wheel of one version
ls -l "$wheel"
"$work/tools/bin/abi3audit" --strict --summary "$wheel"

for python; do
  environment=$work/$(basename "$(dirname "$(dirname "$python")")")-$(basename "$python")
  "$python" -m venv "$environment"
  "$environment/bin/python" -m pip install numpy pytest "$wheel"
  (
    cd "$work"
    "$environment/bin/python" --version
    # Other docstrings need other libraries.
    "$environment/bin/python" -m pytest --quiet -p no:cacheprovider "$root/python/tests/test_index.py" \
      -k "not docstrings or docstrings[lookups.index or docstrings[lookups.table"
    cd "$environment"/lib/python*/site-packages/warpdex
    if readelf -d _core.abi3.so libwarpdex.so.* | grep -E 'NEEDED.*lib(cuda|nccl|nv)'; then
      echo "test-wheel: the wheel needs a library of CUDA" >&2
      exit 1
    fi
  )
done
