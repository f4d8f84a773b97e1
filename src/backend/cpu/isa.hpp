// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Runs code compiled for the best instruction set of the machine. `flatten` inlines everything that `body` calls into
/// the one function with the target attribute. So no function compiled for a newer processor can be chosen by the
/// linker for an older one. Without WARPDEX_CPU_DISPATCH there is the baseline alone.
namespace warpdex {

enum class isa { baseline, avx2, avx512 };

/// @return the best instruction set that the processor has, or a lower one that the environment variable WARPDEX_ISA
/// names: baseline, avx2 or avx512
/// @throws invalid_argument if that is another word
isa best_isa();

template <class Body> void run_on_isa(Body const& body) {
#if WARPDEX_CPU_DISPATCH && defined(__x86_64__) && defined(__GNUC__)
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
