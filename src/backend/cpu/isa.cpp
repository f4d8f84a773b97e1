// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/isa.hpp"

#include "base/words.hpp"

#include <warpdex/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

namespace warpdex {

isa best_isa() {
  static isa const best = [] {
    isa found = isa::baseline;
#if defined(__x86_64__) && defined(__GNUC__)
    bool const has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    bool const has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (has_avx2) found = has_avx512 ? isa::avx512 : isa::avx2;
#endif
    if (char const* const name = std::getenv("WARPDEX_ISA"); name != nullptr && *name != '\0') {
      constexpr std::string_view names[] = {"baseline", "avx2", "avx512"};  // in the order of `isa`
      auto const* const match = std::find(std::begin(names), std::end(names), name);
      if (match == std::end(names)) throw invalid_argument("WARPDEX_ISA is " + in_quotes(name) + hint(name, names));
      found = std::min(found, static_cast<isa>(match - names));
    }
    return found;
  }();
  return best;
}

}  // namespace warpdex
