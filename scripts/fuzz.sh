#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# fuzz.sh BUILD [OPTION...]: runs each fuzzer of a build folder from new seeds, with the given options of libFuzzer. Its
# findings go to BUILD/found/<fuzzer> and are among the seeds of the next run.
set -eu
build=${1:?usage: fuzz.sh BUILD [OPTION...]}
shift
rm -rf "$build/corpus"
"$build/bin/make_corpus" "$build/corpus"
for seeds in "$build"/corpus/*; do
  name=$(basename "$seeds")
  echo "fuzz: $name"
  mkdir -p "$build/found/$name"
  "$build/bin/${name}_fuzzer" "$@" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="$build/" "$build/found/$name" "$seeds"
done
