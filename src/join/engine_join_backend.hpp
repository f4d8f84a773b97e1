// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/pair_arrays.hpp"
#include "base/types.hpp"
#include "join/join_backend.hpp"

namespace warpdex {
namespace detail {

/// Whether entry i + 1 has the key of entry i.
template <class Entries> struct has_next_key {
  Entries entries;
  WDX_HD bool operator()(std::uint64_t i) const { return entries.key(i) == entries.key(i + 1); }
};

}  // namespace detail

/// The part that is the same for all engines.
template <class Loops> class engine_join_backend : public join_backend {
 public:
  void run(join_step const& step, std::uint64_t size, execution const& exec) const final {
    std::visit([&](auto const& typed) { Loops::for_each(exec, size, typed); }, step);
  }

  bool repeats(sorted_view entries, pair_types types, execution const& exec) const final {
    if (entries.size < 2) return false;
    std::uint64_t found = 0;
    with_types(types, [&]<class Key, class Row>() {
      with_slots<Row>(entries.order, {}, [&]<class Slots>() {
        using arrays = pair_arrays<Key, Row, Slots>;
        found = Loops::count_if(exec, entries.size - 1, detail::has_next_key<arrays>{arrays(entries)});
      });
    });
    return found != 0;
  }
};

}  // namespace warpdex
