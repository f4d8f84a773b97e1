#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# test-aarch64.sh [--python] [EXCHANGE]: builds for aarch64 with the preset `aarch64`, and runs unit tests and a sample of
# conformance under qemu-user, with pages of 64 KiB. Then index files pass between EXCHANGE (examples/exchange.cpp, by
# default build/bin/exchange), and that of aarch64: both write the same bytes, and each answers alike from the files of
# the other. With --python the module of Python is built, too, and Python imports it and asks an index.
set -eu
cd "$(dirname "$0")/.."
python=
[ "${1:-}" != --python ] || { python=1 && shift; }
here=$(realpath "${1:-build/bin/exchange}")
build=$(pwd)/build/aarch64

scripts/install-deps.sh g++-aarch64-linux-gnu qemu-user libfmt-dev:arm64 libgtest-dev:arm64 libxxhash-dev:arm64
cmake --preset aarch64
cmake --build --preset aarch64

export QEMU_PAGESIZE=65536
run() { qemu-aarch64 "$build/bin/$1" --gtest_brief=1 --gtest_filter="$2"; }
run warpdex_tests '-*slow_*:damaged_open_table.spec' & # that one needs AO+IS
tests=$!
run warpdex_conformance '*/AOpBS_on_cpu:*/PGM_64_16_on_cpu:*/HT_open_on_cpu:-*slow_*:*wide*'
wait $tests

work=$build/exchange
rm -rf "$work"
mkdir -p "$work"
cd "$work"
there() { qemu-aarch64 "$build/bin/exchange" "$@"; }

number=0
while read -r spec type; do
  number=$((number + 1))
  "$here" build "$spec" "$type" here.wdx 20000
  there build "$spec" "$type" there.wdx 20000
  cmp here.wdx there.wdx
  "$here" find there.wdx here.txt
  there find here.wdx there.txt
  cmp here.txt there.txt
done <<END
AO+BS u32
AO+BS bytes
HT(open) u32
HT(open)/layout=AoS u64
HT(open) bytes
PGM(64,4) u64
AO+BS/filter=8 f64
PGM(64,4) f64
END
echo "$number index files passed both ways"

[ -n "$python" ] || exit 0
# Headers and interpreter are Debian's. The wheel of NumPy is the one that pip would choose on aarch64.
cd ../../..
scripts/install-deps.sh python3-venv libpython3-dev:arm64
headers=$(ls -d /usr/include/python3.*)
version=${headers##*/python}
environment=$build/python-env
[ -x "$environment/bin/python" ] || /usr/bin/python3 -m venv "$environment"
pip="$environment/bin/python -m pip --quiet --disable-pip-version-check"
$pip install 'nanobind>=3.0'
[ -d "$build/python-site/numpy" ] || $pip install --target "$build/python-site" --only-binary=:all: \
  --python-version "$version" --platform manylinux_2_28_aarch64 --platform manylinux2014_aarch64 numpy
[ -d "$build/python-home" ] || scripts/unpack-packages.sh "$build/python-home" "python$version-minimal:arm64" \
  "libpython$version-minimal:arm64" "libpython$version-stdlib:arm64"
cmake --preset aarch64 -DWARPDEX_BUILD_PYTHON=ON -DPython_EXECUTABLE="$environment/bin/python" \
  -DPython_INCLUDE_DIR="$headers" -DNB_SUFFIX=.so
cmake --build --preset aarch64 --target _core
cmake --install "$build" --component python --prefix "$build/python-site" >/dev/null
cp -R python/warpdex "$build/python-site"
cd "$work"
OPENBLAS_NUM_THREADS=1 PYTHONHOME=$build/python-home/usr PYTHONPATH=$build/python-site \
  qemu-aarch64 "$build/python-home/usr/bin/python$version" - <<END
import platform
import numpy
from warpdex import Index

keys = numpy.random.default_rng(1).permutation(10000)
for spec in "AO+BS", "PGM(64,4)", "HT(open)":
    assert (Index(keys, spec).find(keys) == numpy.arange(10000)).all(), spec
assert Index.load("here.wdx", mmap=True).contains([-1e6]).tolist() == [False]
assert Index(["one", "two", "three"], "HT(open)").contains(["three", "four"]).tolist() == [True, False]
print("Python", platform.python_version(), "on", platform.machine())
END
