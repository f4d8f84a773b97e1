#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# test-packages.sh sdist OUT PYTHON [CMAKE-OPTION...]: makes the sdist in OUT, builds and installs it without a network, with
# the packages of Debian and the requirements of the build alone, and uses it. A CMAKE-OPTION is -D NAME=VALUE.
#
# test-packages.sh wheels WHEELS ROOT: installs the wheel of a folder that fits in an empty environment of a system below ROOT
# (scripts/root.sh), which has Python and no compiler, and uses it. Needs root.
#
# test-packages.sh debs DEBS ROOT: installs the packages of a folder with apt in a system below ROOT, builds a
# consumer in C++ and one in C by CMake and by pkg-config, and removes the packages, after which no file is left.
# Needs root.
set -eu
cd "$(dirname "$0")/.."
usage='usage: test-packages.sh sdist OUT PYTHON [CMAKE-OPTION...] | wheels WHEELS ROOT | debs DEBS ROOT'

test_sdist() {
  mkdir -p "$1"
  out=$(cd "$1" && pwd)
  python=$2
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
}

test_wheels() {
  wheels=$(cd "$1" && pwd)
  root=$2
  work=$root/tmp/warpdex-wheels
  trap 'rm -rf "$work"' EXIT
  rm -rf "$work"
  mkdir -p "$work"
  cp "$wheels"/*.whl "$work"
  cat >"$work/use.py" <<'END'
import importlib.metadata
import numpy as np
import warpdex

keys = np.random.default_rng(1).integers(0, 1000, 5000)
index = warpdex.Index(keys)
assert index.find(keys[:100]).tolist() == [int(np.flatnonzero(keys == key)[0]) for key in keys[:100]]
assert index.range_count([0], [499])[0] == (keys < 500).sum()
assert warpdex.join({"k": keys}, {"k": np.arange(10), "v": np.arange(10)}, on="k")["v"].size == (keys < 10).sum()
files = [str(file) for file in importlib.metadata.files("warpdex")]
for name in ("LICENSE", "libfmt-dev", "libxxhash-dev", "nanobind", "nlohmann-json3-dev"):
    assert any("licenses" in file and file.endswith(name) for file in files), name
print("warpdex", warpdex.__version__, "works")
END
  scripts/root.sh in "$root" sh -c '
    dpkg -s python3-venv >/dev/null 2>&1 || apt-get install -y -qq --no-install-recommends python3-venv >/dev/null'
  # The machine's pip knows the way to the index.
  version=$(scripts/root.sh in "$root" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  python3 -m pip download --quiet --disable-pip-version-check --dest "$work" --only-binary :all: \
    --python-version "$version" 'numpy>=1.26'
  cat >"$work/test" <<'END'
set -eu
cd /tmp/warpdex-wheels
if command -v cc >/dev/null; then echo "there is a compiler; use another root than for Debian packages" >&2; exit 1; fi
python3 -m venv environment
environment/bin/python -m pip install --quiet --disable-pip-version-check --no-index --find-links . warpdex
environment/bin/python use.py
END
  scripts/root.sh in "$root" sh /tmp/warpdex-wheels/test
}

test_debs() {
  debs=$(cd "$1" && pwd)
  root=$2
  work=$root/tmp/warpdex-debs
  trap 'rm -rf "$work"' EXIT
  rm -rf "$work"
  mkdir -p "$work/consumer"
  cp "$debs"/*.deb "$work"
  cp examples/ten_lines.cpp examples/c_lookups.c "$work/consumer"
  cat >"$work/consumer/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.24)
project(consumer LANGUAGES C CXX)
find_package(warpdex REQUIRED)
foreach(program ten_lines.cpp c_lookups.c)
  cmake_path(GET program STEM name)
  add_executable(${name} ${program})
  target_link_libraries(${name} PRIVATE warpdex::warpdex)
endforeach()
END
  cat >"$work/test" <<'END'
set -eu
cd /tmp/warpdex-debs
files() { find /etc /usr | sort; }
dpkg -s g++ cmake pkg-config >/dev/null 2>&1 ||
  apt-get install -y -qq --no-install-recommends cmake g++ make pkg-config >/dev/null
files >before
apt-get install -y -qq --no-install-recommends ./*.deb >/dev/null
cmake -S consumer -B built >/dev/null
cmake --build built >/dev/null
built/ten_lines
built/c_lookups
c++ consumer/ten_lines.cpp -o by_pkg_config $(pkg-config --cflags --libs warpdex)
./by_pkg_config
cc consumer/c_lookups.c -o by_name -lwarpdex
./by_name
apt-get purge -y -qq '*warpdex*' >/dev/null
files >after
diff before after
END
  scripts/root.sh in "$root" sh /tmp/warpdex-debs/test
}

what=${1:?$usage}
: "${2:?$usage}" "${3:?$usage}"
shift
case $what in
sdist | wheels | debs) "test_$what" "$@" ;;
*) echo "$usage" >&2; exit 2 ;;
esac
