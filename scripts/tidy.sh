#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# tidy.sh BUILD [BASE]: runs clang-tidy with the options of .clang-tidy, by the compile commands of a build folder, for
# the lines that differ from the commit BASE: where the branch left origin/main, or the commit before this one. Without
# such a commit these are all lines. After TIDY_SECONDS (150) it says what is left, and ends.
set -eu
cd "$(dirname "$0")/.."
build=${1:?usage: tidy.sh BUILD [BASE]}
base=${2:-$(git merge-base origin/main HEAD 2>/dev/null || true)}
[ "$base" != "$(git rev-parse HEAD 2>/dev/null)" ] || base=$(git rev-parse --verify --quiet HEAD~1 || true)
[ -n "$base" ] || base=$(git hash-object -t tree /dev/null) # the empty tree

# [{"name":"FILE","lines":[[FIRST,LAST],...]},...]
lines=$(git diff --unified=0 --diff-filter=d "$base" -- '*.cpp' '*.hpp' | sed -n '
  s|^+++ b/\(.*\)|\1|p
  s|^@@ -[^ ]* +\([0-9]*\) @@.*|\1 1|p
  s|^@@ -[^ ]* +\([0-9]*\),\([0-9]*\) @@.*|\1 \2|p' | awk '
  NF == 1 { file = $1 }
  NF == 2 && $2 > 0 { of[file] = of[file] (of[file] == "" ? "" : ",") "[" $1 "," $1 + $2 - 1 "]" }
  END { for (file in of) out = out (out == "" ? "" : ",") "{\"name\":\"" file "\",\"lines\":[" of[file] "]}"; print "[" out "]" }')
# The same commands without precompiled headers, which are there for targets alone that were built.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
sed 's/-Xclang -include-pch -Xclang [^ ]*//g' "$build/compile_commands.json" >"$commands/compile_commands.json"
known=$(sed -n "s|^ *\"file\": \"$PWD/\(.*\)\".*|\1|p" "$commands/compile_commands.json" | sort -u)
# Of a header the source of the same name.
sources=$(git diff --name-only --diff-filter=d "$base" -- '*.cpp' '*.hpp' | sed 's/\.hpp$/.cpp/' | sort -u | grep -Fx "$known" || true)
end=$(($(date +%s) + ${TIDY_SECONDS:-150}))
printf '%s\n' "$sources" | xargs -r -n 1 -P "$(nproc)" sh -c '
  left=$(($2 - $(date +%s)))
  status=124
  [ $left -le 0 ] || { timeout $left clang-tidy --quiet --warnings-as-errors="*" --line-filter="$1" -p "$0" "$3" && exit; status=$?; }
  [ $status -eq 124 ] || exit 1
  echo "tidy: no time left for $3"' "$commands" "$lines" "$end"
