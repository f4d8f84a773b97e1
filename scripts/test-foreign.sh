#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# test-foreign.sh BUILD [rate]: builds the bindings of examples/rust and examples/java, and runs their tests with the
# library in BUILD/lib; with `rate` prints bytes per key and probes per second in their place.
set -euo pipefail
cd "$(dirname "$0")/.."

library=$(cd "$1/lib" && pwd)
to=$library/../foreign
rm -rf "$to"
mkdir "$to"
export LD_LIBRARY_PATH=$library

rustc --edition 2021 --test -O -D warnings -L "$library" -o "$to/warpdex_rs" examples/rust/warpdex.rs
javac -Xlint:all -Werror -proc:none -cp /usr/share/java/jna.jar -d "$to" examples/java/Warpdex.java
java=(java -cp "/usr/share/java/jna.jar:$to" -Djna.library.path="$library" -XX:MaxDirectMemorySize=2g Warpdex)
if [ "${2:-}" = rate ]; then
  "$to/warpdex_rs" --ignored --nocapture --test-threads 1
  "${java[@]}" rate
else
  "$to/warpdex_rs"
  "${java[@]}"
fi
