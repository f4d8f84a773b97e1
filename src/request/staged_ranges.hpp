// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>

#include <vector>

#include "request/batches.hpp"
#include "request/staging.hpp"

namespace warpdex {

/// The most arrays of a lookup: two columns of probes and two of answers.
inline constexpr std::size_t most_arrays = 4;

/// What messages call the columns of a call, and their validity bits.
struct range_names {
  char const* lower;
  char const* lower_valid;
  char const* upper = nullptr;
  char const* upper_valid = nullptr;
};

inline constexpr range_names names_of_probes{"the probe column", "the validity of the probes"};
inline constexpr range_names names_of_bounds{"the column of lower bounds", "the validity of the lower bounds",
                                             "the column of upper bounds", "the validity of the upper bounds"};
inline constexpr range_names names_of_groups{"the column of groups", "the validity of the groups", "the probe column",
                                             "the validity of the probes"};

/// The probes of a call, which batches get part by part. Keys and prefixes are lower bounds alone.
class staged_ranges {
 public:
  staged_ranges(probe_form form, key_ranges const& from, staging& stage)
      : staged_ranges(form, from, stage, form == probe_form::ranges ? names_of_bounds : names_of_probes) {}

  staged_ranges(probe_form form, key_ranges const& from, staging& stage, range_names const& names)
      : form_(form), from_(from), names_(names) {
    if (has_lower()) lower_valid_ = stage.validity(*from.lower, names.lower_valid);
    if (has_upper()) upper_valid_ = stage.validity(*from.upper, names.upper_valid);
  }

  /// Calls add(column, its name) for each column.
  template <class Add> void for_each_column(Add const& add) const {
    if (has_lower()) add(*from_.lower, names_.lower);
    if (has_upper()) add(*from_.upper, names_.upper);
  }

  /// @return the columns for `staging::run`
  std::vector<batch_array> columns(staging& stage) const {
    std::vector<batch_array> result;
    result.reserve(most_arrays);
    for_each_column([&](column const& c, char const* what) { result.push_back(stage.probes(c, what)); });
    return result;
  }

  /// @return all of them, for a call that takes its probes at once
  range_array whole(staging& stage) const {
    void* at[2];
    void** next = at;
    for_each_column([&](column const& c, char const* what) { *next++ = const_cast<void*>(stage.input(c, what).data); });
    return part(at, 0);
  }

  /// @param at the columns of the part
  /// @param first number of its first probe
  range_array part(void* const* at, std::uint64_t first) const {
    range_array result{form_, {nullptr, type_of(from_.lower), lower_valid_.from(first)}};
    result.upper = {nullptr, type_of(from_.upper), upper_valid_.from(first)};
    result.closed = from_.closed;
    result.has_lower = has_lower();
    result.has_upper = has_upper();
    if (has_lower()) result.lower.keys = *at++;
    if (has_upper()) result.upper.keys = *at;
    return result;
  }

 private:
  static key_type type_of(std::optional<nullable_column> const& bound) { return bound.value_or(column()).type; }

  bool has_lower() const { return from_.lower.has_value(); }
  bool has_upper() const { return form_ == probe_form::ranges && from_.upper.has_value(); }

  probe_form form_;
  key_ranges const& from_;
  range_names names_;
  validity_bits lower_valid_;
  validity_bits upper_valid_;
};

}  // namespace warpdex
