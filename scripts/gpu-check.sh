#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# gpu-check.sh OUTDIR [STEP...]: on a machine with a GPU, runs the tests, then the memory and race checker
# on small sizes, then the benchmarks. Full results go to OUTDIR, a short table to the standard output.
#   steps: tests sanitizer point ranges build (all by default)
#   BIN    folder of the programs (default build/bin)
set -uo pipefail
cd "$(dirname "$0")/.."
out=${1:?usage: gpu-check.sh OUTDIR [STEP...]}
shift
steps=${*:-tests sanitizer point ranges build}
bin=${BIN:-build/bin}
export LD_LIBRARY_PATH=$bin/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
mkdir -p "$out"
failed=0

check() { # name, command: logs to OUTDIR/name.log
  local name=$1 start=$SECONDS
  shift
  if "$@" >"$out/$name.log" 2>&1; then echo "ok      $name ($((SECONDS - start)) s)"
  else echo "FAILED  $name ($((SECONDS - start)) s):"; tail -n 25 "$out/$name.log"; failed=1; fi
}

bench() { # name, arguments: JSON lines to OUTDIR/name.jsonl
  local name=$1
  shift
  check "$name" bash -c '"$0" bench "${@:2}" --json >"$1"' "$bin/warpdex" "$out/$name.jsonl" "$@"
}

family='AO+BS,EO+BS,EO+KS(9),EO+KS(17),AO+PB+BS,AO+PB+KS(9),AO+PB+KS(17)'

for step in $steps; do
  case $step in
    tests)
      check conformance "$bin/warpdex_conformance" --gtest_brief=1 --gtest_filter='*on_cuda*'
      check unit "$bin/warpdex_tests" --gtest_brief=1
      ;;
    sanitizer)
      for tool in memcheck racecheck synccheck; do
        check "$tool" compute-sanitizer --tool "$tool" --error-exitcode 1 "$bin/warpdex_conformance" --gtest_brief=1 \
          --gtest_filter="${SANITIZER_FILTER:-*small*on_cuda*}"
      done
      ;;
    point)
      for n in 28 26 24 20 16; do
        bench "point-u32-$n" point --backend cuda --baselines gpu --index "$family" --n "2^$n" --probes 2^27
      done
      bench point-u64-28 point --backend cuda --baselines gpu --index "$family" --n 2^28 --probes 2^27 --key-type u64
      ;;
    ranges)
      bench ranges-14 range --backend cuda --baselines gpu --index "$family" --n 2^28 --ranges 2^16 --hits 2^14
      bench ranges-6 range --backend cuda --baselines gpu --index "$family" --n 2^28 --ranges 2^22 --hits 2^6
      ;;
    build)
      bench build-28 build --backend cuda --baselines gpu --index "$family" --n 2^28
      ;;
    *) echo "unknown step: $step"; exit 2 ;;
  esac
done

python3 - "$out" <<'PY'
import json, pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.jsonl")):
    print(f"\n{path.stem}")
    for line in path.read_text().splitlines():
        record = json.loads(line)
        name = record.get("spec") or record.get("name") or "?"
        times = {k: v * 1e3 for k, v in record.items() if k.endswith("_s") and isinstance(v, float)}
        text = "  ".join(f"{k[:-2]} {v:.3f} ms" for k, v in times.items() if k not in ("min_s", "max_s"))
        rate = record.get("rate")
        print(f"  {name:44} {text}" + (f"  {rate / 1e9:.2f} G/s" if rate else ""))
PY
exit $failed
