// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/mark.hpp>
#include <warpdex/search/common.hpp>

#include <cstdint>

#include "backend/steps.hpp"
#include "base/row_array.hpp"
#include "clients/aggregates/aggregate_steps.hpp"

/// @file
/// What is done with marks, for host and device. Arrays are within reach of the backend.
namespace warpdex::mark_steps {

/// Sets the bit of row id i. Many threads may set bits of one word. Words on the host may have any address, so there it
/// is the bit of a byte.
struct set_row {
  row_reader rows;
  std::uint32_t* words;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const row = rows.at(i);
    if (rows.is_none(row)) return;
#if defined(__CUDA_ARCH__)
    std::uint32_t const bit = 1u << row % 32;
    if ((words[row / 32] & bit) == 0) atomicOr(words + row / 32, bit);
#else
    auto const bit = static_cast<std::uint8_t>(1u << row % 8);
    auto* const byte = reinterpret_cast<std::uint8_t*>(words) + row / 8;
    if ((__atomic_load_n(byte, __ATOMIC_RELAXED) & bit) == 0) __atomic_fetch_or(byte, bit, __ATOMIC_RELAXED);
#endif
  }
};

/// @return a word without bits after the last row
WDX_HD inline std::uint32_t bits_of_rows(std::uint32_t word, std::uint64_t rows, std::uint64_t i) {
  std::uint64_t const bits = rows - 32 * i;
  return bits >= 32 ? word : word & ((1u << bits) - 1);
}

/// Changes word i. Bits after the last row become 0.
struct change_word {
  std::uint32_t* words;
  std::uint64_t rows;
  std::uint32_t const* with;  ///< null if there are no other marks
  mark_operation how;         ///< with them
  bool inverts;               ///< without them: whether bits are inverted, else they become `value`
  bool value;

  WDX_HD std::uint32_t changed(std::uint64_t i) const {
    auto const word = load_element<std::uint32_t>(words, i);
    if (with == nullptr) return inverts ? ~word : value ? ~std::uint32_t{0} : 0;
    auto const other = load_element<std::uint32_t>(with, i);
    if (how == mark_operation::both) return word & other;
    return how == mark_operation::either ? word | other : word & ~other;
  }
  WDX_HD void operator()(std::uint64_t i) const { store_element(words, i, bits_of_rows(changed(i), rows, i)); }
};

/// A number of marked rows.
struct total {
  std::uint64_t rows = 0;
  WDX_HD total with(total const& other) const { return {rows + other.rows}; }
};

struct count_word {
  std::uint32_t const* words;
  std::uint64_t rows;
  WDX_HD total operator()(std::uint64_t i) const {
    return {static_cast<std::uint64_t>(count_ones(bits_of_rows(load_element<std::uint32_t>(words, i), rows, i)))};
  }
};

/// Lists the rows that are marked.
struct list_row {
  std::uint32_t const* words;
  std::uint64_t begin;   ///< row number 0
  std::uint64_t listed;  ///< of the rows before
  row_array rows;
  WDX_HD bool operator()(std::uint64_t i) const {
    return (load_element<std::uint32_t>(words, (begin + i) / 32) >> (begin + i) % 32 & 1) != 0;
  }
  WDX_HD void write(std::uint64_t i, std::uint64_t at) const { rows.set(listed + at, begin + i); }
};

struct all : steps::list<steps::runs<set_row, change_word>, steps::selects<list_row>, steps::reduces<count_word>> {};
all list_of_step(...);

}  // namespace warpdex::mark_steps
