#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# test-debs.sh DEBS ROOT: installs the packages of a folder with apt in a system below ROOT (scripts/make-root.sh), runs the
# command there, builds a consumer in C++ and one in C by CMake and by pkg-config, and removes the packages, after which no
# file is left. Needs root.
set -eu
cd "$(dirname "$0")/.."
debs=$(cd "${1:?usage: test-debs.sh DEBS ROOT}" && pwd)
root=${2:?usage: test-debs.sh DEBS ROOT}
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
dpkg -s g++ cmake pkg-config man-db >/dev/null 2>&1 ||
  apt-get install -y -qq --no-install-recommends cmake g++ make man-db pkg-config >/dev/null
files >before
apt-get install -y -qq --no-install-recommends ./*.deb >/dev/null
printf 'key\n30\n10\n20\n' >keys.csv
printf 'key\n10\n25\n' >probes.csv
warpdex --version
[ "$(warpdex count --index auto --keys keys.csv --probes probes.csv | tr '\n' ' ')" = 'probe,count 10,1 25,0 ' ]
man -w warpdex >/dev/null
for file in bash-completion/completions/warpdex zsh/vendor-completions/_warpdex fish/vendor_completions.d/warpdex.fish; do
  [ -s /usr/share/$file ]
done
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
scripts/in-root.sh "$root" sh /tmp/warpdex-debs/test
