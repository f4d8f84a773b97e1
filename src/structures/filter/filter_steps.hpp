// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/steps.hpp"
#include "base/sized_elements.hpp"
#include "structures/filter/key_filter.hpp"

/// @file
/// How a filter is made, and how a batch asks it: each probe is tested, those that pass are gathered and searched, and
/// their answers go to the places of their probes.
namespace warpdex::filter_steps {

/// Writes consecutive numbers.
template <class Number> struct count_up {
  Number* to;
  Number first;

  WDX_HD void operator()(std::uint64_t i) const { store_element(to, i, static_cast<Number>(first + i)); }
};

struct add_key {
  key_hashes hashes;
  key_filter in;
  filter_block* blocks;  ///< of the filter

  WDX_HD void operator()(std::uint64_t i) const {
    filter_mark const mark = in.mark_of(hashes(i));
    mark.add_to(blocks[mark.block]);
  }
};

/// Whether a key that was added is not there.
struct lacks_key {
  key_hashes hashes;
  key_filter in;

  WDX_HD bool operator()(std::uint64_t i) const { return !in.may_hold(hashes(i)); }
};

/// The arrays of a batch's answers, all of one width; null for those that are not wanted.
struct answer_arrays {
  static constexpr int most = 3;
  void* at[most];
  std::size_t width;

  WDX_HD void put(std::uint64_t i, int array, u128 value) const {
    if (at[array] != nullptr) detail::store_bytes(at[array], width, i, value);
  }
};

/// Notes whether a probe may be a key. Otherwise it answers it.
struct test_probe {
  key_hashes hashes;
  key_filter in;
  std::uint8_t* passes;
  answer_arrays to;
  std::uint64_t answer;  ///< without a key

  WDX_HD bool read(std::uint64_t i) const { return in.may_hold(hashes(i)); }
  WDX_HD void operator()(std::uint64_t i, bool may_be_key) const {
    passes[i] = may_be_key;
    if (may_be_key) return;
    for (int array = 0; array < answer_arrays::most; ++array) to.put(i, array, answer);
  }
};

/// Gathers the probes that may be keys.
struct keep_probe {
  std::uint8_t const* passes;
  void const* probes;
  std::size_t width;
  void* kept;
  std::uint32_t* numbers;  ///< of the kept probes

  WDX_HD bool operator()(std::uint64_t i) const { return passes[i] != 0; }
  WDX_HD void write(std::uint64_t i, std::uint64_t k) const {
    detail::store_bytes(kept, width, k, detail::load_bytes(probes, width, i));
    numbers[k] = static_cast<std::uint32_t>(i);
  }
};

/// Brings the answers of a kept probe to their places.
struct put_answers {
  answer_arrays from;
  std::uint32_t const* numbers;
  answer_arrays to;

  WDX_HD void operator()(std::uint64_t k) const {
    for (int array = 0; array < answer_arrays::most; ++array)
      if (to.at[array] != nullptr) to.put(numbers[k], array, detail::load_bytes(from.at[array], from.width, k));
  }
};

struct all
    : steps::list<steps::runs<count_up<std::uint32_t>, count_up<std::uint64_t>, add_key, test_probe, put_answers>,
                  steps::finds_first<lacks_key>, steps::selects<keep_probe>> {};
all list_of_step(...);

}  // namespace warpdex::filter_steps
