// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Runs one text at the best instruction set of the machine. `flatten` pulls everything `body` calls into
/// the one function that carries the target attribute, so no function compiled for a newer processor can
/// be picked by the linker for an older one.
namespace warpdex {

enum class isa { baseline, avx2, avx512 };

/// The best set the processor has, or the lower one named by the environment variable WARPDEX_ISA.
isa best_isa();

template <class Body> void run_on_isa(Body const& body) {
#if defined(__x86_64__) && defined(__GNUC__)
  struct on {
    [[gnu::flatten, gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,lzcnt,popcnt")]] static void avx512(
        Body const& b) {
      b();
    }
    [[gnu::flatten, gnu::target("avx2,bmi,bmi2,lzcnt,popcnt")]] static void avx2(Body const& b) { b(); }
  };
  switch (best_isa()) {
    case isa::avx512: return on::avx512(body);
    case isa::avx2: return on::avx2(body);
    case isa::baseline: break;
  }
#endif
  body();
}

}  // namespace warpdex
