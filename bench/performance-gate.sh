#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# performance-gate.sh BUILD [BASE]: compares the rates of this commit with those of BASE, where the branch left
# origin/main, on this machine: it builds `warpdex-bench` of both in release below BUILD, runs it in turns, and prints how
# many times as fast this commit is. Fails if an index is more than 10 % slower in each of two rounds.
set -eu
cd "$(dirname "$0")/.."
build=${1:?usage: performance-gate.sh BUILD [BASE]}
base=${2:-$(git merge-base origin/main HEAD)}
specs='AO+BS,AO+PB+KS(9),AO+PB+KS(17),EO+KS(17),HT(open),GRT,PGM,RS'
trap 'git worktree remove --force "$build/base-sources" 2>/dev/null || true' EXIT
[ -d "$build/base-sources" ] || git worktree add --detach "$build/base-sources" "$base"
for tree in . "$build/base-sources"; do
  name=$([ "$tree" = . ] && echo now || echo base)
  cmake -S "$tree" --preset release -B "$build/gate-$name" -DWARPDEX_BUILD_BENCHMARKS=ON >/dev/null
  cmake --build "$build/gate-$name" --target warpdex_bench
done
slow=0
for round in 1 2; do
  rm -f "$build/base.jsonl"
  "$build/gate-base/bin/warpdex-bench" point --index "$specs" --n 2^24 --probes 2^24 --repeat 7 --json >"$build/base.jsonl"
  "$build/gate-now/bin/warpdex-bench" --against "$build/base.jsonl" point --index "$specs" --n 2^24 --probes 2^24 \
    --repeat 7 --json >"$build/now-$round.jsonl" || true
  python3 - "$build/now-$round.jsonl" "$round" <<'END' || slow=$((slow + 1))
import json, sys
worst = 1.0
for line in open(sys.argv[1]):
    row = json.loads(line)
    for rate, ratio in row.get("against", {}).items():
        print(f"round {sys.argv[2]}: {row['name']} {rate} {ratio:.2f}")
        worst = min(worst, ratio)
sys.exit(worst < 0.9)
END
done
[ "$slow" -lt 2 ] || { echo "performance-gate: more than 10 % slower in two rounds" >&2; exit 1; }
