// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/random.hpp"

#include <warpdex/search/common.hpp>

#include <cstdint>

namespace warpdex {
struct cli_context;
}

namespace warpdex::bench {

struct config;
class report;

/// Reads of cache lines, none of which waits for another: of random ones, or of one that is drawn from each of as many
/// equal parts of the array as there are reads, in ascending order.
struct line_reads {
  static constexpr std::uint64_t line_bytes = 64;

  std::uint64_t lines;  ///< in the array, at least 1
  std::uint64_t reads;  ///< below 2^32
  std::uint64_t seed;
  bool ascending = false;

  /// @return the line of a read
  WDX_HD std::uint64_t place(std::uint64_t read) const {
    std::uint64_t const drawn = mix(seed + read);
    if (!ascending) return below(drawn, lines);
    std::uint64_t const part = lines / reads;
    return part * read + lines % reads * read / reads + below(drawn, part > 0 ? part : 1);
  }

 private:
  WDX_HD static std::uint64_t below(std::uint64_t drawn, std::uint64_t n) {
    return static_cast<std::uint64_t>((u128{drawn} * n) >> 64);
  }
};

/// `warpdex-bench lines`: time per line of reads from an array of `c.n` numbers of 8 bytes, where `c.place` says. How
/// it grows with the array is what translations of addresses cost (paper 002, sections 3.3.2 and 4.3.2).
/// @throws usage_error for pageable memory and a device
void run_lines(config const& c, cli_context const& context, report& out);

}  // namespace warpdex::bench
