// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "backend/cpu/parallel.hpp"
#include "backend/cpu/stop.hpp"
#include "backend/cpu/tuning.hpp"

namespace warpdex {

/// Cuts [0, size) into pieces for work that passes over it several times and keeps a result per piece in between. All
/// passes see the same pieces. There are at most `most` of them, and only one if one thread does all the work.
class pieces {
 public:
  static constexpr std::uint64_t most = cpu::tuning::most_pieces;

  /// @param least elements per piece, at least; the last piece may have fewer
  pieces(int threads, std::uint64_t size, std::uint64_t least)
      : threads_(threads), size_(size),
        length_(threads == 1 ? std::max<std::uint64_t>(size, 1) : std::max(least, (size + most - 1) / most)) {}

  std::uint64_t count() const { return (size_ + length_ - 1) / length_; }

  /// Calls body(piece, begin, end) for each piece, in parallel.
  template <class Body> void for_each(Body const& body) const {
    parallel_chunks(threads_, count(), 1, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t p = first; p < last; ++p) body(p, p * length_, std::min(size_, (p + 1) * length_));
    });
  }

 private:
  int threads_;
  std::uint64_t size_;
  std::uint64_t length_;
};

/// A parallel scan in two passes over [0, size). The first pass walks each piece from zero, and the results are joined:
/// this gives the result of everything before each piece. The second pass walks each piece from there and writes.
/// @param walk called as walk(begin, end, before, writes), where `before` is the result of [0, begin). Returns the
/// result
///        of [0, end). It may write only if `writes` is true. The result of an empty range is zero
/// @param join combines the results of two adjacent pieces, each walked from zero
/// @return the result of [0, size)
template <class Number, class Walk, class Join>
Number scan_pieces(int threads, std::uint64_t size, Walk const& walk, Join const& join) {
  pieces const parts(threads, size, cpu::tuning::loop_grain);
  auto const walk_piece = [&](std::uint64_t begin, std::uint64_t end, Number before, bool writes) {
    for (; begin < end; begin += cpu::tuning::copy_grain) {
      stop_scope::look();
      before = walk(begin, std::min<std::uint64_t>(end, begin + cpu::tuning::copy_grain), before, writes);
    }
    return before;
  };
  std::array<Number, pieces::most> before{};
  if (parts.count() > 1)
    parts.for_each([&](std::uint64_t p, std::uint64_t begin, std::uint64_t end) {
      before[p] = walk_piece(begin, end, Number{0}, false);
    });
  Number all{0};
  for (std::uint64_t p = 0; p < parts.count(); ++p) all = join(std::exchange(before[p], all), all);
  std::uint64_t const last = parts.count() - 1;
  parts.for_each([&](std::uint64_t p, std::uint64_t begin, std::uint64_t end) {
    Number const result = walk_piece(begin, end, before[p], true);
    if (p == last) all = result;
  });
  return all;
}

}  // namespace warpdex
