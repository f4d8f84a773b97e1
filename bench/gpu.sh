#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# bench/gpu.sh OUTDIR [STEP...]: on a machine with a GPU, runs the benchmarks of all structures in large sizes, each answer
# checked. Lines of JSON go to OUTDIR/results.jsonl, those of figures to OUTDIR/paper.jsonl, a short table to the standard
# output.
#   steps: point ranges build update strings paper (all by default)
#   BIN      folder of the programs (default build/bin)
#   PAPERS   of the step paper (default '000 003'), and FIGURES of these (default all, which takes minutes)
set -uo pipefail
cd "$(dirname "$0")/.." || exit
out=${1:?usage: bench/gpu.sh OUTDIR [STEP...]}
shift
steps=${*:-point ranges build update strings paper}
bin=${BIN:-build/bin}
export LD_LIBRARY_PATH=$bin/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
mkdir -p "$out"
failed=0

bench() { # name, arguments
  local name=$1 start=$SECONDS
  shift
  if "$bin/warpdex-bench" "$@" --json >>"$out/results.jsonl" 2>"$out/last.txt"; then echo "ok      $name ($((SECONDS - start)) s)"
  else echo "FAILED  $name:"; tail -n 25 "$out/last.txt"; failed=1; fi
}

# What is measured of each structure that the registry knows: the usual spec, its other forms, and what is tuned.
specs() { # [ordered|usual]
  "$bin/warpdex-bench" info --json | python3 -c '
import json, sys
def specs(structure):
    forms = [form for form in structure["forms"] if form in structure["samples"]]
    return [structure["samples"][0], *([] if "usual" in sys.argv else forms + [tuned["spec"] for tuned in structure["tuned"]])]
print(*dict.fromkeys(spec for structure in json.load(sys.stdin)["structures"]
                     if not structure["chooses"] and (structure["ordered"] or "ordered" not in sys.argv)
                     for spec in specs(structure)), sep=",")' "$@"
}
all=$(specs)
each_way=$all,$(sed 's|,|/reorder=none,|g; s|$|/reorder=none|' <<<"$all")

for step in $steps; do
  case $step in
    point)
      for n in 28 26 24 20 16; do
        bench "point-u32-$n" point --backend cuda --baselines gpu --index "$each_way" --n "2^$n" --probes 2^27
      done
      bench point-u64-28 point --backend cuda --baselines gpu --index "$each_way" --n 2^28 --probes 2^27 --key-type u64
      ;;
    ranges)
      bench ranges-14 range --backend cuda --baselines gpu --index "$(specs ordered)" --n 2^28 --ranges 2^16 --hits 2^14
      bench ranges-6 range --backend cuda --baselines gpu --index "$(specs ordered)" --n 2^28 --ranges 2^22 --hits 2^6
      ;;
    build)
      bench build-28 build --backend cuda --baselines gpu --index "$all" --n 2^28
      ;;
    update)
      updated=$(specs usual)
      bench update-large update --backend cuda --baselines none --index "$updated" --n 2^28 --waves 1 --batch 2^24 --probes 2^24
      bench update-small update --backend cuda --baselines none --index "$updated" --n 2^28 --waves 1 --batch 2^16 --probes 2^24
      bench update-26 update --backend cuda --baselines none --index "$updated" --n 2^26 --waves 1 --batch 2^24 --probes 2^24
      ;;
    strings) # the table of docs/performance/bytes.md: byte strings, and u128 in order
      each=AO+BS,AO+BS/reorder=none,GRT
      for keys in random16 urls; do
        bench "strings-$keys" point --backend cuda --baselines gpu --index "$each" --keys "$keys" --n 2^26 --probes 2^27 \
          --ops find
        bench "strings-build-$keys" build --backend cuda --baselines gpu --index AO+BS,GRT --keys "$keys" --n 2^26
      done
      bench strings-wide point --backend cuda --baselines gpu --index "$each" --key-type u128 --n 2^27 --probes 2^27
      for keys in random16 urls; do
        bench "strings-zipf-$keys" point --backend cuda --baselines none --index "$each" --keys "$keys" --n 2^26 \
          --probes 2^27 --zipf 1
      done
      bench strings-zipf-wide point --backend cuda --baselines none --index "$each" --key-type u128 --n 2^27 \
        --probes 2^27 --zipf 1
      # Heads in shared memory, and tiles in the order of their routes.
      bench strings-blocks point --backend cuda --baselines none --keys random16 --n 2^26 --probes 2^27 \
        --index AO+BS/reorder=none,AO+BS/reorder=none/pin=steps
      # Offsets of 64 bits: 2^27 URLs have more than 2^32 bytes.
      bench strings-wide-offsets point --backend cuda --baselines none --index "$each" --keys urls --n 2^27 \
        --probes 2^26
      bench strings-encode encode --backend cuda --n 2^26 --repeat 3
      for op in find prefix_count; do
        bench "strings-$op" point --backend cuda --baselines none --index "$each" --keys random16 --n 2^26 --probes 2^24 \
          --ops "$op"
      done
      bench strings-update update --backend cuda --baselines none --index AO+BS --keys random16 --n 2^26 --waves 1 \
        --batch 2^22 --probes 2^24
      for place in pinned host; do
        bench "strings-$place" point --backend cuda --baselines none --index AO+BS --keys random16 --n 2^26 \
          --probes 2^26 --place "$place"
      done
      ;;
    paper) # OUTDIR/paper.jsonl; bench/figures.py, which needs PyYAML, makes tables of it
      for paper in ${PAPERS:-000 003}; do
        python3 bench/figures.py run "$paper" "${FIGURES:-all}" --bin "$bin/warpdex-bench" >>"$out/paper.jsonl" || failed=1
      done
      ;;
    *) echo "unknown step: $step"; exit 2 ;;
  esac
done

[ ! -s "$out/results.jsonl" ] || python3 - "$out/results.jsonl" <<'PY'
import json, sys
last = None
for line in open(sys.argv[1]):
    record = json.loads(line)
    what = f'{record["bench"]} {record["key_type"]} n={record["n"]}' + (
        f' probes={record["probes"]}' if "probes" in record else "") + (f' hits={record["hits"]}' if "hits" in record else "")
    if what != last:
        print("\n" + what)
        last = what
    name = record.get("resolved") or record["name"]
    build = f'  build {record["build_s"] * 1e3:8.3f} ms' if record.get("build_s") else ""
    rate = f'{record["rate"] / 1e9:9.3f} G/s' if record.get("rate") else ""
    print(f'  {name:52} {record["median_s"] * 1e3:9.3f} ms {rate}{build}')
PY
exit $failed
