#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# gpu-check.sh OUTDIR [STEP...]: on a machine with a GPU, runs the tests, attacks with failing calls and without memory,
# and the checkers of memory, races, barriers and initialisation on small sizes. Without a GPU it fails at once; what tests
# print goes to OUTDIR. bench/gpu.sh measures.
#   steps: tests attack sanitizer rays (all by default)
#   BIN      folder of the programs (default build/bin)
#   SHARDS   processes that run the conformance suite side by side (default 1: on one GPU they take turns, and 8 took
#            longer than one)
#   FAULTS   filter of the tests of the step attack (default all)
#   RAYS     figures of the step rays (default rays,8b,10a,10b,t1; in 8a, without scales, rays may take seconds)
#   SCALE    of its figures, an exponent that divides all sizes (default 2)
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
  for program in warpdex-bench warpdex_conformance warpdex_tests warpdex_join_tests warpdex_encoder_tests warpdex_thread_tests \
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
steps=${*:-tests attack sanitizer rays}
bin=${BIN:-build/bin}
export LD_LIBRARY_PATH=$bin/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export WARPDEX_TEST_BACKENDS=cpu,cuda # each of which must be there
export WARPDEX_TEST_FILES=$PWD/tests   # the programs may have been built elsewhere
mkdir -p "$out"
failed=0

if ! "$bin/warpdex-bench" info --json | python3 -c 'import json, sys; sys.exit(not json.load(sys.stdin)["backends"]["cuda"])'; then
  echo "gpu-check: $bin/warpdex-bench finds no GPU" >&2
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
          for op in find find_unordered; do
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
      check "rays, figures" bash -c 'python3 bench/figures.py run 003 "$2" --bin "$0" --scale "$3" --repeat 3 --baselines none >>"$1"' \
        "$bin/warpdex-bench" "$out/rays.jsonl" "${RAYS:-rays,8b,10a,10b,t1}" "${SCALE:-2}"
      ;;
    *) echo "unknown step: $step"; exit 2 ;;
  esac
done

exit $failed
