// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/key_set.hpp>
#include <warpdex/range_quantiles.hpp>

#include <string>
#include <utility>

#include "clients/c_api/border.hpp"

/// @file
/// The functions of warpdex.h for sets of keys and quantiles.

using namespace warpdex;
using namespace warpdex::c;

static_assert(WARPDEX_CODE_COMPRESSED == static_cast<int>(set_code::compressed) &&
              WARPDEX_QUANTILE_NEAREST == static_cast<int>(quantile_side::nearest) && sizeof(warpdex_set_how) == 32);

std::int32_t warpdex_build_set(warpdex_column const* keys, warpdex_column const* rows, std::int32_t code,
                               warpdex_execution const* exec, warpdex_index** built, warpdex_error* error) {
  constexpr auto call = "warpdex_build_set";
  return guarded(error, [&] {
    auto const from = keys_of(call, "the key column", keys);
    row_column const ids = rows == nullptr ? row_column() : rows_of(call, rows);
    auto const how = chosen(call, "the code", code, set_code::compressed);
    auto& result = expect(call, "the place of the set", built);
    place const on(call, exec);
    result = new warpdex_index{rows == nullptr ? key_set(from, on, how) : key_set(from, ids, on, how), on.device()};
  });
}

std::int32_t warpdex_build_set_of_batches(warpdex_set_how const* how, warpdex_source next, void* context,
                                          warpdex_execution const* exec, warpdex_index** built, warpdex_error* error) {
  constexpr auto call = "warpdex_build_set_of_batches";
  return guarded(error, [&] {
    auto const& from = expect(call, "how the set is built", how);
    if (next == nullptr) throw invalid_argument(std::string(call) + ": the source is a null pointer");
    auto& result = expect(call, "the place of the set", built);
    set_build_options options;
    options.code = chosen(call, "the code", from.code, set_code::compressed);
    if (from.memory != 0) options.memory = from.memory;
    if (from.folder != nullptr) options.folder = from.folder;
    options.map = from.map != 0;
    options.rows = from.rows != 0;
    place const on(call, exec);
    key_set_builder builder(chosen(call, "the key type", from.key_type, key_type::bytes), std::move(options));
    auto const has_next = [&](warpdex_column& column) {
      std::int32_t const code = next(context, &(column = {}));
      if (code != 0 && code != 1)
        throw cancelled(std::string(call) + ": the source has ended the build with " + std::to_string(code));
      return code == 1;
    };
    for (warpdex_column batch, rows; has_next(batch);) {
      auto const keys = keys_of(call, "a batch", batch);
      if (from.rows == 0) {
        builder.add(keys, on);
        continue;
      }
      if (!has_next(rows)) throw invalid_argument(std::string(call) + ": the last batch has no rows");
      builder.add(keys, rows_of(call, &rows), on);
    }
    result = new warpdex_index{builder.finish(on), on.device()};
  });
}

std::int32_t warpdex_combine_sets(warpdex_index const* left, warpdex_index const* right, std::int32_t which,
                                  warpdex_execution const* exec, warpdex_index** made, warpdex_error* error) {
  constexpr auto call = "warpdex_combine_sets";
  return guarded(error, [&] {
    auto const& one = as<key_set>(call, "the left set", left);
    auto const& other = as<key_set>(call, "the right set", right);
    chosen(call, "which keys are taken", which, std::int32_t{WARPDEX_DIFFERENCE});
    auto& result = expect(call, "the place of the set", made);
    place const on(call, exec, *left);
    result = new warpdex_index{which == WARPDEX_UNION          ? one.merge(other, on)
                               : which == WARPDEX_INTERSECTION ? one.intersection(other, on)
                                                               : one.difference(other, on),
                               on.device()};
  });
}

std::int32_t warpdex_count_in_set(warpdex_index const* set, warpdex_column const* probes, warpdex_execution const* exec,
                                  std::uint64_t* count, warpdex_error* error) {
  constexpr auto call = "warpdex_count_in_set";
  return guarded(error, [&] {
    auto const& searched = as<key_set>(call, "the set", set);
    auto const from = keys_of(call, "the column of probes", probes);
    auto& to = expect(call, "the place of the number", count);
    to = searched.count(from, place(call, exec, *set));
  });
}

std::int32_t warpdex_set_keys(warpdex_index const* set, warpdex_execution const* exec, warpdex_result* keys,
                              warpdex_error* error) {
  constexpr auto call = "warpdex_set_keys";
  return guarded(error, [&] {
    auto const& of = as<key_set>(call, "the set", set);
    auto& to = expect(call, "the result", keys);
    place const on(call, exec, *set);
    hand_over_keys(to, of.keys(on), on.device());
  });
}

std::int32_t warpdex_build_quantiles(warpdex_index const* over, warpdex_column const* values,
                                     warpdex_execution const* exec, warpdex_index** built, warpdex_error* error) {
  constexpr auto call = "warpdex_build_quantiles";
  return guarded(error, [&] {
    auto const& of = ordered_in(call, over);
    auto const from = keys_of(call, "the column of values", values);
    auto& result = expect(call, "the place of the quantiles", built);
    place const on(call, exec, *over);
    result = new warpdex_index{range_quantiles(of, from, on), on.device()};
  });
}

std::int32_t warpdex_quantiles(warpdex_index const* quantiles, warpdex_index const* over, warpdex_probes const* ranges,
                               double quantile, std::int32_t side, warpdex_output const* rows,
                               warpdex_execution const* exec, warpdex_error* error) {
  constexpr auto call = "warpdex_quantiles";
  return guarded(error, [&] {
    auto const& ranked = as<range_quantiles>(call, "the quantiles", quantiles);
    auto const& of = ordered_in(call, over);
    auto const which = chosen(call, "the side", side, quantile_side::nearest);
    row_output const to = rows_out(call, rows);
    place const on(call, exec, *quantiles);
    ordered_probes const query(call, *over, ranges, true, on);
    ranked.in_ranges(of, query.ranges(), quantile, which, to, on);
  });
}
