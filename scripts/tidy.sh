#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# tidy.sh BUILD [SOURCE...]: runs clang-tidy with the options of .clang-tidy, by the compile commands of a build folder,
# on the given sources, or else on some that include most headers and are quick to check.
set -eu
cd "$(dirname "$0")/.."
build=${1:?usage: tidy.sh BUILD [SOURCE...]}
shift
[ $# -gt 0 ] || set -- \
  tools/input/binary.cpp \
  tools/input/delimited.cpp \
  src/backend/cpu/borrowed_threads.cpp \
  src/backend/cpu/copy_crew.cpp \
  src/base/words.cpp \
  src/batch/tuning_table.cpp \
  src/index/index.cpp \
  src/index/update.cpp \
  src/io/read.cpp \
  src/io/write.cpp \
  src/spec.cpp
printf '%s\n' "$@" | xargs -n 1 -P "$(nproc)" clang-tidy --quiet --warnings-as-errors='*' -p "$build"
