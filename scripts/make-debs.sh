#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# make-debs.sh BUILD [CMAKE-OPTION...]: builds the library for packages of Debian and Ubuntu in BUILD, and leaves these in
# BUILD/debs. They need no library but those of the C++ compiler, so that one build serves all releases that are no older
# than this machine's.
set -eu
cd "$(dirname "$0")/.."
build=${1:?usage: make-debs.sh BUILD [CMAKE-OPTION...]}
shift
mkdir -p "$build"
# Nothing that is compiled names a folder of this machine.
root=$(pwd)
folder=$(cd "$build" && pwd)
export CXXFLAGS="${CXXFLAGS:-} -ffile-prefix-map=$root=. -ffile-prefix-map=$folder=build"
export CUDAFLAGS="${CUDAFLAGS:-} -Xcompiler=-ffile-prefix-map=$root=.,-ffile-prefix-map=$folder=build"
cmake --preset release -B "$build" -D WARPDEX_NO_SHARED=ON -D WARPDEX_EMBREE=OFF -D WARPDEX_VULKAN=OFF \
  -D CMAKE_INSTALL_PREFIX=/usr "$@"
cmake --build "$build"
rm -rf "$build/debs"
cpack --config "$build/CPackConfig.cmake" -B "$build/debs"
rm -rf "$build/debs/_CPack_Packages"
