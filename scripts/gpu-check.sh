#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# gpu-check.sh OUTDIR [STEP...]: on a machine with a GPU, runs the tests, attacks with failing calls and without memory,
# the checkers of memory, races, barriers and initialisation on small sizes, then the benchmarks. Full results go to
# OUTDIR, a short table to the standard output. Without a GPU it fails at once.
#   steps: tests attack sanitizer rays point ranges build update strings paper (all by default)
#   BIN      folder of the programs (default build/bin)
#   SHARDS   processes that run the conformance suite side by side (default 1: on one GPU they take turns, and 8 took
#            longer than one)
#   FAULTS   filter of the tests of the step attack (default all)
#   RAYS     figures of the step rays (default rays,8b,10a,10b,t1; in 8a, without scales, rays may take seconds)
#   SCALE    of its figures, an exponent that divides all sizes (default 2)
#   PAPERS   of the step paper (default '000 003'), and FIGURES of these (default all, which takes minutes)
#
# gpu-check.sh --pack [FOLDER]: packs the built programs into FOLDER/warpdex-gpu.tar.xz (default .gpu), for a machine that
# has a GPU and a driver but none of the packages. There:
#   tar xf warpdex-gpu.tar.xz -C /tmp && BIN=/tmp/warpdex-gpu scripts/gpu-check.sh OUTDIR
set -uo pipefail
cd "$(dirname "$0")/.."
pack() { # folder: the built programs, stripped, and the shared libraries they need
  out=$1
  stage=$(mktemp -d)
  trap 'rm -rf "$stage"' EXIT
  mkdir -p "$out" "$stage/warpdex-gpu/lib"
  for program in warpdex warpdex-bench warpdex_conformance warpdex_tests warpdex_join_tests warpdex_encoder_tests warpdex_thread_tests \
    warpdex_cuda_faults; do
    strip -o "$stage/warpdex-gpu/$program" "build/bin/$program"
    ldd "build/bin/$program" | awk '$3 ~ /^\// && $1 !~ /^(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+)\.so/ {print $3}'
  done | sort -u | xargs -r cp -L -t "$stage/warpdex-gpu/lib"
  # What ldd does not list: the loader of Vulkan, which is opened at run time, and what its driver needs.
  for library in libvulkan.so.1 libX11.so.6 libXext.so.6 libxcb.so.1 libXau.so.6 libXdmcp.so.6 libbsd.so.0 libmd.so.0; do
    found=$(ldconfig -p | awk -v name="$library" '$1 == name && /x86-64|AArch64/ {print $NF; exit}')
    if [ -n "$found" ]; then cp -L "$found" "$stage/warpdex-gpu/lib"
    else echo "gpu-check: no $library here; the tracer vulkan may be missing there" >&2; fi
  done
  for library in "$stage"/warpdex-gpu/lib/libwarpdex.so.*; do
    [ ! -e "$library" ] || strip --strip-unneeded "$library"
  done
  # One program also holds the library's objects. A dictionary longer than the library makes xz store them once.
  tar -C "$stage" -cf - warpdex-gpu | xz --lzma2=preset=3,dict=192MiB >"$out/warpdex-gpu.tar.xz"
  ls -l "$out/warpdex-gpu.tar.xz"
}
if [ "${1:-}" = --pack ]; then
  (set -e; pack "${2:-.gpu}")
  exit
fi

out=${1:?usage: gpu-check.sh OUTDIR [STEP...]}
shift
steps=${*:-tests attack sanitizer rays point ranges build update strings paper}
bin=${BIN:-build/bin}
export LD_LIBRARY_PATH=$bin/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export WARPDEX_TEST_BACKENDS=cpu,cuda # each of which must be there
export WARPDEX_TEST_FILES=$PWD/tests   # the programs may have been built elsewhere
mkdir -p "$out"
failed=0

if ! "$bin/warpdex" info --json | python3 -c 'import json, sys; sys.exit(not json.load(sys.stdin)["backends"]["cuda"])'; then
  echo "gpu-check: $bin/warpdex finds no GPU" >&2
  exit 1
fi

check() { # name, command: its output goes to OUTDIR/log.txt
  local name=$1 start=$SECONDS
  shift
  printf '\n== %s\n' "$name" >>"$out/log.txt"
  # A filter that no test matches is a mistake.
  if "$@" >"$out/last.txt" 2>&1 && ! grep -q '^\[=*\] 0 tests' "$out/last.txt"; then
    echo "ok      $name ($((SECONDS - start)) s)"
  else echo "FAILED  $name ($((SECONDS - start)) s):"; tail -n 25 "$out/last.txt"; failed=1; fi
  cat "$out/last.txt" >>"$out/log.txt"
  rm -f "$out/last.txt"
}

# shellcheck disable=SC2329 # check calls it
sharded() { # program, filter: its tests in several processes side by side, which together must run each of them
  local program=$1 filter=$2 shards=${SHARDS:-1} status=0 expected ran shard
  local processes=()
  expected=$("$program" --gtest_list_tests --gtest_filter="$filter" | grep -c '^  ')
  for ((shard = 0; shard < shards; ++shard)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard "$program" --gtest_brief=1 --gtest_filter="$filter" \
      >"$out/shard$shard.txt" 2>&1 &
    processes+=($!)
  done
  for shard in "${!processes[@]}"; do
    wait "${processes[$shard]}" || { status=1; grep -v '^\[=*\]' "$out/shard$shard.txt"; }
  done
  ran=$(sed -n 's/^\[=*\] \([0-9]*\) tests* from .* ran\..*/\1/p' "$out"/shard*.txt | awk '{sum += $1} END {print sum + 0}')
  rm -f "$out"/shard*.txt
  echo "$ran of $expected tests ran"
  [ "$status" = 0 ] && [ "$expected" -gt 0 ] && [ "$ran" = "$expected" ]
}

sanitize() { # tool, command
  local tool=$1
  shift
  check "$tool" timeout 500 compute-sanitizer --tool "$tool" --error-exitcode 1 "$@"
}

bench() { # name, arguments: JSON lines to OUTDIR/results.jsonl
  local name=$1
  shift
  check "$name" bash -c '"$0" "${@:2}" --json >>"$1"' "$bin/warpdex-bench" "$out/results.jsonl" "$@"
}

# What is measured of each structure that the registry knows: the usual spec, its other forms, and what is tuned.
specs() { # [ordered|usual]
  "$bin/warpdex" info --json | python3 -c '
import json, sys
def specs(structure):
    forms = [form for form in structure["forms"] if form in structure["samples"]]
    return [structure["samples"][0], *([] if "usual" in sys.argv else forms + [tuned["spec"] for tuned in structure["tuned"]])]
print(*dict.fromkeys(spec for structure in json.load(sys.stdin)["structures"]
                     if not structure["chooses"] and (structure["ordered"] or "ordered" not in sys.argv)
                     for spec in specs(structure)), sep=",")' "$@"
}
all=$(specs)
# Names the driver of Vulkan to the loader, where containers have the driver without the file that does.
find_vulkan() {
  [ -z "${VK_DRIVER_FILES:-}" ] || return 0
  compgen -G '/usr/share/vulkan/icd.d/nvidia*.json' || compgen -G '/etc/vulkan/icd.d/nvidia*.json' && return 0
  local driver
  for driver in libGLX_nvidia.so.0 libEGL_nvidia.so.0; do
    python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$driver" 2>/dev/null || continue
    echo '{"file_format_version": "1.0.0", "ICD": {"library_path": "'"$driver"'", "api_version": "1.3.0"}}' >"$out/vulkan.json"
    VK_DRIVER_FILES=$(realpath "$out/vulkan.json")
    export VK_DRIVER_FILES
    return 0
  done
}
each_way=$all,$(sed 's|,|/reorder=none,|g; s|$|/reorder=none|' <<<"$all")

for step in $steps; do
  case $step in
    tests)
      check conformance sharded "$bin/warpdex_conformance" '*on_cuda*'
      check threads "$bin/warpdex_thread_tests" --gtest_brief=1
      check unit "$bin/warpdex_tests" --gtest_brief=1
      check joins "$bin/warpdex_join_tests" --gtest_brief=1
      check encoder "$bin/warpdex_encoder_tests" --gtest_brief=1
      ;;
    attack)
      check attack timeout 1500 "$bin/warpdex_cuda_faults" --gtest_brief=1 --gtest_filter="${FAULTS:-*}"
      ;;
    sanitizer)
      # Each structure with each operation and policy, with updates in place and updates that rebuild it.
      for tool in memcheck racecheck synccheck initcheck; do
        sanitize "$tool" "$bin/warpdex_conformance" --gtest_brief=1 --gtest_filter='*one_of_each*on_cuda'
      done
      # Strings: their sort, and tuples of them.
      sanitize memcheck "$bin/warpdex_tests" --gtest_brief=1 --gtest_filter='*byte_sort_on*cuda'
      sanitize memcheck "$bin/warpdex_encoder_tests" --gtest_brief=1 --gtest_filter='*key_encoder_on*cuda'
      sanitize memcheck "$bin/warpdex_tests" --gtest_brief=1 --gtest_filter='host_stream.arrays*:host_stream.sizes*:host_stream.failures*'
      # Joins over pairs on the device and on the host, each in windows, and as-of joins within groups.
      for tool in memcheck racecheck; do
        sanitize "$tool" "$bin/warpdex_join_tests" --gtest_brief=1 \
          --gtest_filter='apart/*few_probes_of_many_keys/*_on_cuda:apart/*.ranges/*_on_cuda:all/asof_in_groups.integers/cuda:all/hash_join_on.equals_a_scan/cuda'
      done
      # Windows of two levels, with linear borders and with splitters.
      for tool in memcheck racecheck; do
        for uniformity in 100 20; do
          for op in find find_any_order; do
            sanitize "$tool" "$bin/warpdex-bench" point --backend cuda --baselines none --repeat 1 --n 4200000 --probes 2^15 \
              --uniformity "$uniformity" --ops "$op" --index 'AO+BS/reorder=window,EO+KS(5)/reorder=window'
          done
        done
      done
      ;;
    rays) # each tracer that is there; the figures go to OUTDIR/rays.jsonl
      find_vulkan
      tracers='own none'
      "$bin/warpdex-bench" rays --n 2^10 --probes 2^10 --backend cuda --json >"$out/vulkan.jsonl" 2>"$out/vulkan.txt"
      if [ -s "$out/vulkan.jsonl" ]; then tracers+=' vulkan'
      else echo "no tracer vulkan: $(head -n 1 "$out/vulkan.txt")"; fi
      check "rays of vulkan, host" "$bin/warpdex_tests" --gtest_brief=1 --gtest_filter='vulkan_scene.*'
      for tracer in $tracers; do
        export WARPDEX_TRACER=$tracer
        check "rays by $tracer" "$bin/warpdex_conformance" --gtest_brief=1 \
          --gtest_filter='*combination*RX*on_cuda*:*one_of_each*RX*on_cuda*:*update*RX*on_cuda*'
        sanitize memcheck "$bin/warpdex_conformance" --gtest_brief=1 --gtest_filter='*one_of_each*RX*on_cuda'
        [ "$tracer" != vulkan ] || check "failing calls, rays by vulkan" timeout 500 "$bin/warpdex_cuda_faults" --gtest_brief=1 \
          --gtest_filter='all/cuda_faults_of_*.each_call/cgRX:all/cuda_faults_of_*.each_call/RX'
        unset WARPDEX_TRACER
      done
      check "rays, figures" bash -c 'python3 scripts/figures.py run 003 "$2" --bin "$0" --scale "$3" --repeat 3 --baselines none >>"$1"' \
        "$bin/warpdex-bench" "$out/rays.jsonl" "${RAYS:-rays,8b,10a,10b,t1}" "${SCALE:-2}"
      ;;
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
    paper) # OUTDIR/paper.jsonl; scripts/figures.py, which needs PyYAML, makes tables of it
      for paper in ${PAPERS:-000 003}; do
        check "paper $paper" bash -c 'python3 scripts/figures.py run "$3" "$2" --bin "$0" >>"$1"' \
          "$bin/warpdex-bench" "$out/paper.jsonl" "${FIGURES:-all}" "$paper"
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
