// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/join/repeats.hpp"

#include <warpdex/error.hpp>
#include <warpdex/join.hpp>

#include <algorithm>

#include "backend/backend.hpp"
#include "base/api_border.hpp"
#include "base/tuning.hpp"
#include "request/batches.hpp"

namespace warpdex {
bool keys_repeat(structure const& s, execution const& exec) {
  if (auto const known = s.known_repeats()) return *known;
  bool repeat = false;
  if (!s.ordered()) {  // a hash table has row lists for such keys, and only for them
    auto const sections = s.sections();
    repeat = std::any_of(sections.begin(), sections.end(), [](auto const& part) { return part.name == "list_rows"; });
  } else {
    index_shape const& shape = s.shape();
    s.expect_whole();
    try {
      sorted_pairs copied;
      auto in_place = s.entries_in_place();
      if (!in_place) {
        copied = s.entries(exec);
        in_place = copied.view();
      }
      repeat = backend_of(shape.backend).repeats(*in_place, {kind_of(shape.keys), shape.rows}, exec);
    } catch (out_of_memory const&) {
      return true;
    }
  }
  s.note_repeats(repeat);
  return repeat;
}

bool may_repeat(structure const& s, std::uint64_t probes, execution const& exec) {
  if (auto const known = s.known_repeats()) return *known;
  if (probes < s.shape().size / tuning::entries_per_probe) return true;
  return backend_of(s.shape().backend).records(exec) || keys_repeat(s, exec);
}

bool is_unique(index const& of, execution const& exec) {
  constexpr char const* call = "is_unique";
  return run_call(call, exec, [&] { return !keys_repeat(structure_of(of, call), exec); });
}

}  // namespace warpdex
