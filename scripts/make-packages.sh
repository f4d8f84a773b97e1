#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# make-packages.sh OUT [CMAKE-OPTION...]: makes all packages in OUT and tests each: the sdist, wheels and Debian packages, in
# systems of Debian 12 and 13 and Ubuntu 24.04, and the library below another project. What CI has no time for; it takes hours
# with all structures. Needs root, debootstrap and pyenv's Python 3.11 and 3.12; WARPDEX_CUDA=ON adds packages with CUDA
# code for compute capabilities 8.0, 9.0, 10.0 and 12.0, and PTX for those after.
# shellcheck disable=SC2086 # lists
set -eu
cd "$(dirname "$0")/.."
mkdir -p "${1:?usage: make-packages.sh OUT [CMAKE-OPTION...]}"
out=$(cd "$1" && pwd)
shift
work=$out/work
pyenv=${PYENV_ROOT:-$HOME/.pyenv}/versions
pythons=$(ls -d "$pyenv"/3.11.*/bin/python "$pyenv"/3.12.*/bin/python)
releases=${RELEASES:-bookworm trixie noble}

step() { printf '\n== %s\n' "$*"; }

for release in $releases; do # first, so that a system that cannot be had shows before hours of building
  step "system of $release"
  scripts/root.sh make "$release" "$work/$release"
done

step "sdist"
scripts/test-packages.sh sdist "$out" "$(echo "$pythons" | tail -1)" -D WARPDEX_CUDA=OFF "$@"

step "library, Debian packages"
scripts/make-debs.sh "$work/cpu" -D WARPDEX_CUDA=OFF "$@"
cp "$work"/cpu/debs/*.deb "$out"

step "wheels"
scripts/make-wheels.sh "$work/cpu" "$out" $pythons
if [ "${WARPDEX_CUDA:-OFF}" = ON ]; then
  # The structures and fan-outs of `pip install`, for the wheels shall have at most 100 MB.
  chosen=$(sed -nE 's/^(WARPDEX_STRUCTURES|WARPDEX_FANOUTS) = "(.*)"$/-D\1=\2/p' pyproject.toml)
  scripts/make-debs.sh "$work/cuda" -D WARPDEX_CUDA=ON -D CMAKE_CUDA_ARCHITECTURES='80-real;90-real;100-real;120' $chosen "$@"
  scripts/make-wheels.sh "$work/cuda" "$out/cuda" $pythons
  large=$(find "$out/cuda" -name '*.whl' -size +100000000c)
  [ -z "$large" ] || { echo "make-packages: more than 100 MB: $large" >&2; exit 1; }
fi

for release in $releases; do
  step "on $release"
  for folder in "$out" "$out/cuda"; do
    [ ! -d "$folder" ] || scripts/test-packages.sh wheels "$folder" "$work/$release"
  done
  cp -a "$work/$release" "$work/$release-debs"
  scripts/test-packages.sh debs "$work/cpu/debs" "$work/$release-debs"
  rm -rf "$work/$release-debs"
done

for by in add_subdirectory FetchContent; do
  step "below another project, by $by"
  cmake -S tests/subproject -B "$work/$by" -G Ninja -D by=$by -D "sources=$(pwd)" -D CMAKE_BUILD_TYPE= -D WARPDEX_CUDA=OFF \
    -D WARPDEX_STRUCTURES="sorted_array;pivot_tree;hash_open" -D WARPDEX_FANOUTS="2;9"
  cmake --build "$work/$by"
  ctest --test-dir "$work/$by" --no-tests=error --output-on-failure
done

step "all packages passed"
ls -l "$out"
