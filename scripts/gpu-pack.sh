#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# gpu-pack.sh [FOLDER]: packs the built programs, stripped, with the shared libraries they need, into
# FOLDER/warpdex-gpu.tar.xz (default .gpu), for a machine that has a GPU and a driver but none of the
# packages. There: tar xf warpdex-gpu.tar.xz -C /tmp && BIN=/tmp/warpdex-gpu scripts/gpu-check.sh OUTDIR
set -eu
cd "$(dirname "$0")/.."
out=${1:-.gpu}
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
  else echo "gpu-pack: no $library here; the tracer vulkan may be missing there" >&2; fi
done
for library in "$stage"/warpdex-gpu/lib/libwarpdex.so.*; do
  [ ! -e "$library" ] || strip --strip-unneeded "$library"
done
# One program also holds the library's objects. A dictionary longer than the library makes xz store them once.
tar -C "$stage" -cf - warpdex-gpu | xz --lzma2=preset=3,dict=192MiB >"$out/warpdex-gpu.tar.xz"
ls -l "$out/warpdex-gpu.tar.xz"
