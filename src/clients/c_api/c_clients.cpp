// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/distinct.hpp>
#include <warpdex/gather.hpp>
#include <warpdex/intervals.hpp>
#include <warpdex/mark.hpp>
#include <warpdex/networks.hpp>
#include <warpdex/range_aggregates.hpp>

#include <string>
#include <vector>

#include "clients/c_api/border.hpp"

/// @file
/// The functions of warpdex.h for aggregates, intervals, networks and distinct keys.
namespace warpdex::c {
namespace {

static_assert(WARPDEX_MOMENTS_SUMS == static_cast<int>(moments::sums) &&
              WARPDEX_SIDE_AFTER == static_cast<int>(interval_side::after) &&
              WARPDEX_KEEP_NONE == static_cast<int>(keep_row::none));
static_assert(sizeof(warpdex_aggregate_i128) == sizeof(aggregate<i128>) &&
              sizeof(warpdex_aggregate_f64) == sizeof(aggregate<double>));

/// The type number of the sums of aggregates.
template <class Number> constexpr std::int32_t sum_type = std::is_same_v<Number, double> ? WARPDEX_F64 : WARPDEX_I128;

value_column values_of(char const* call, warpdex_column const* given) {
  auto const& from = expect(call, "the column of values", given);
  expect_zero(call, "the column of values", from.reserved);
  value_column result;
  result.data = from.data;
  result.size = from.size;
  result.validity = from.validity;
  result.offset = from.validity_offset;
  result.width = 1;
  result.kind = number_kind::unsigned_integer;
  if (from.type == WARPDEX_U8) return result;
  auto const type = chosen(call, "the column of values", from.type, key_type::timestamp);
  result.width = static_cast<std::uint32_t>(size_of(type));
  if (type == key_type::f32 || type == key_type::f64) result.kind = number_kind::floating;
  else if (type != key_type::u32 && type != key_type::u64) result.kind = number_kind::signed_integer;
  return result;
}

/// Hands over a second array of an answer, if it is wanted.
template <class Held>
void hand_over_more(warpdex_result* to, result_array first, result_array second, int device,
                    std::shared_ptr<Held> const& held) {
  if (to != nullptr) hand_over(*to, first, second, device, held);
}

marks marks_of(char const* call, char const* what, warpdex_output const* given, std::uint64_t rows) {
  return {elements_of<std::uint32_t>(call, what, given), rows};
}

}  // namespace
}  // namespace warpdex::c

using namespace warpdex;
using namespace warpdex::c;

std::int32_t warpdex_build_aggregates(warpdex_index const* over, warpdex_column const* values, std::int32_t known,
                                      warpdex_execution const* exec, warpdex_index** built, warpdex_error* error) {
  constexpr auto call = "warpdex_build_aggregates";
  return guarded(error, [&] {
    any_index const& of = ordered_in(call, over);
    value_column const numbers = values_of(call, values);
    auto const how = chosen(call, "the moments", known, moments::sums);
    auto& result = expect(call, "the place of the aggregates", built);
    place const on(call, exec, *over);
    result = numbers.kind == number_kind::floating
                 ? new warpdex_index{range_aggregates<double>(of, numbers, on, how), on.device()}
                 : new warpdex_index{range_aggregates<i128>(of, numbers, on, how), on.device()};
  });
}

std::int32_t warpdex_aggregate(warpdex_index const* aggregates, warpdex_index const* over, warpdex_probes const* probes,
                               std::int32_t on_what, warpdex_output const* out, warpdex_execution const* exec,
                               warpdex_error* error) {
  constexpr auto call = "warpdex_aggregate";
  return guarded(error, [&] {
    auto const& sums = expect(call, "the aggregates", aggregates);
    any_index const& of = ordered_in(call, over);
    bool const on_ranges =
        chosen(call, "what is added up", on_what, std::int32_t{WARPDEX_ON_RANGES}) == WARPDEX_ON_RANGES;
    place const on(call, exec, sums);
    ordered_probes const query(call, *over, probes, on_ranges, on);
    with_kind(call, sums, [&]<class Number>(range_aggregates<Number> const& one) {
      auto const to = elements_of<aggregate<Number>>(call, "the output", out, sum_type<Number>);
      if (on_ranges) one.in_ranges(of, query.ranges(), to, on);
      else one.of_keys(of, query.keys(), to, on);
    });
  });
}

std::int32_t warpdex_top_k(warpdex_index const* aggregates, warpdex_index const* over, warpdex_probes const* ranges,
                           std::uint64_t k, std::int32_t bottom, warpdex_execution const* exec, warpdex_result* rows,
                           warpdex_result* values, warpdex_error* error) {
  constexpr auto call = "warpdex_top_k";
  return guarded(error, [&] {
    auto const& sums = expect(call, "the aggregates", aggregates);
    any_index const& of = ordered_in(call, over);
    auto& to = expect(call, "the result", rows);
    place const on(call, exec, sums);
    ordered_probes const query(call, *over, ranges, true, on);
    with_kind(call, sums, [&]<class Number>(range_aggregates<Number> const& one) {
      auto const held = hand_over_matches(
          to, bottom != 0 ? one.bottom_k(of, query.ranges(), k, on) : one.top_k(of, query.ranges(), k, on),
          on.device());
      hand_over_more(values, {held->values.data(), held->total, sum_type<Number>}, {}, on.device(), held);
    });
  });
}

std::int32_t warpdex_nearest(warpdex_index const* in, warpdex_probes const* probes, std::uint64_t k, std::int32_t side,
                             std::int32_t ignore_overlaps, warpdex_execution const* exec, warpdex_result* rows,
                             warpdex_result* distances, warpdex_error* error) {
  constexpr auto call = "warpdex_nearest";
  return guarded(error, [&] {
    auto const& searched = as<intervals>(call, "the intervals", in);
    auto const query = interval_probes_of(call, searched, expect(call, "the probes", probes));
    nearest_options const how{.side = chosen(call, "the side", side, interval_side::after),
                              .ignore_overlaps = ignore_overlaps != 0,
                              .with_distances = distances != nullptr};
    auto& to = expect(call, "the result", rows);
    place const on(call, exec, *in);
    auto const held = hand_over_matches(to, searched.nearest(query, k, on, how), on.device());
    hand_over_more(distances, {held->distances.data(), held->total, held->are_real ? WARPDEX_F64 : WARPDEX_U64}, {},
                   on.device(), held);
  });
}

std::int32_t warpdex_merge(warpdex_index const* in, warpdex_execution const* exec, warpdex_result* stretches,
                           warpdex_result* more, warpdex_error* error) {
  constexpr auto call = "warpdex_merge";
  return guarded(error, [&] {
    auto const& merged = as<intervals>(call, "the intervals", in);
    auto& to = expect(call, "the result", stretches);
    place const on(call, exec, *in);
    auto const held = std::make_shared<merged_intervals>(merged.merge(on));
    auto const rows = [&](buffer const& of, std::uint64_t size) {
      return array_of(row_column(of.data(), size, held->row_type));
    };
    hand_over(to, rows(held->starts, held->size), rows(held->ends, held->size), on.device(), held);
    hand_over_more(more, {held->counts.data(), held->size, WARPDEX_U64}, rows(held->clusters, held->rows), on.device(),
                   held);
  });
}

std::int32_t warpdex_gaps(warpdex_index const* in, warpdex_probes const* probes, warpdex_execution const* exec,
                          warpdex_result* starts, warpdex_result* ends, warpdex_error* error) {
  constexpr auto call = "warpdex_gaps";
  return guarded(error, [&] {
    auto const& searched = as<intervals>(call, "the intervals", in);
    auto const query = interval_probes_of(call, searched, expect(call, "the probes", probes));
    auto& to = expect(call, "the result of starts", starts);
    auto& other = expect(call, "the result of ends", ends);
    place const on(call, exec, *in);
    auto const held = hand_over_matches(to, searched.gaps(query, on), on.device());
    hand_over(other, array_of(row_column(held->ends.data(), held->total, held->row_type)), {}, on.device(), held);
  });
}

std::int32_t warpdex_parse_networks(warpdex_column const* texts, std::int32_t mask_host_bits,
                                    warpdex_output const* addresses, warpdex_output const* lengths,
                                    warpdex_output const* valid, warpdex_execution const* exec, warpdex_error* error) {
  constexpr auto call = "warpdex_parse_networks";
  return guarded(error, [&] {
    auto const from = keys_of(call, "the column of texts", texts);
    auto const bits = mask_host_bits != 0 ? host_bits::mask : host_bits::refuse;
    auto const to = elements_of<u128>(call, "the output of addresses", addresses);
    place const on(call, exec);
    auto const bytes = [&](char const* what, warpdex_output const* of) {
      return elements_of<std::uint8_t>(call, what, of);
    };
    if (lengths == nullptr && valid == nullptr) return parse_addresses(from, to, on);
    if (lengths == nullptr) return parse_addresses(from, to, bytes("the output of flags", valid), on);
    auto const sizes = bytes("the output of lengths", lengths);
    if (valid == nullptr) return parse_networks(from, to, sizes, on, bits);
    parse_networks(from, to, sizes, bytes("the output of flags", valid), on, bits);
  });
}

std::int32_t warpdex_unique(warpdex_column const* columns, std::uint64_t count, std::int32_t keep,
                            warpdex_execution const* exec, warpdex_result* rows, warpdex_result* more,
                            warpdex_error* error) {
  constexpr auto call = "warpdex_unique";
  return guarded(error, [&] {
    auto const all = columns_of(call, columns, count);
    unique_options const how{chosen(call, "keep", keep, keep_row::none), more != nullptr, more != nullptr};
    auto& to = expect(call, "the result", rows);
    place const on(call, exec);
    auto const held = std::make_shared<unique_rows>(unique(all, on, how));
    hand_over(to, array_of(held->kept()), {}, on.device(), held);
    auto const numbers = array_of(row_column(held->inverse.data(), count == 0 ? 0 : all[0].size, held->type));
    hand_over_more(more, numbers, {held->counts.data(), held->size, WARPDEX_U64}, on.device(), held);
  });
}

std::int32_t warpdex_duplicates(warpdex_column const* columns, std::uint64_t count, std::int32_t keep,
                                warpdex_output const* flags, warpdex_execution const* exec, warpdex_error* error) {
  constexpr auto call = "warpdex_duplicates";
  static_assert(sizeof(bool) == 1);
  return guarded(error, [&] {
    auto const all = columns_of(call, columns, count);
    auto const which = chosen(call, "keep", keep, keep_row::none);
    auto const to = elements_of<bool>(call, "the output", flags, WARPDEX_U8);
    duplicates(all, to, place(call, exec), which);
  });
}

std::int32_t warpdex_gather_rows(void const* table, std::uint64_t size, std::uint64_t row_bytes,
                                 warpdex_column const* rows, void* out, warpdex_execution const* exec,
                                 warpdex_error* error) {
  constexpr auto call = "warpdex_gather_rows";
  return guarded(error, [&] {
    row_column const wanted = rows_of(call, rows);
    gather_rows({table, size, row_bytes}, wanted, out, place(call, exec));
  });
}

std::int32_t warpdex_mark(warpdex_index const* in, warpdex_probes const* probes, std::int32_t on_what,
                          warpdex_output const* given, std::uint64_t rows, warpdex_execution const* exec,
                          warpdex_error* error) {
  constexpr auto call = "warpdex_mark";
  return guarded(error, [&] {
    auto const& searched = expect(call, "the index", in);
    auto const& from = expect(call, "the probes", probes);
    bool const on_ranges = chosen(call, "what matches", on_what, std::int32_t{WARPDEX_ON_RANGES}) == WARPDEX_ON_RANGES;
    marks const to = marks_of(call, "the array of marks", given, rows);
    place const on(call, exec, searched);
    auto const ranges = [&] { return ranges_of(call, from, on_ranges); };
    with_kind(call, searched,
              for_kinds{[&](any_index const& one) {
                          if (on_ranges) mark_between(one, ranges(), to, on);
                          else mark(one, *ranges().lower, to, on);
                        },
                        [&](grouped_index const& one) {
                          auto query = ranges();
                          if (!on_ranges) query.upper = query.lower;
                          mark_between(one, keys_of(call, "the column of groups", from.groups), query, to, on);
                        },
                        [&](intervals const& one) { mark(one, interval_probes_of(call, one, from), to, on); },
                        [&](networks const& one) {
                          mark(one, keys_of(call, "the column of addresses", from.lower), to, on);
                        }});
  });
}

std::int32_t warpdex_mark_rows(warpdex_column const* row_ids, warpdex_output const* given, std::uint64_t rows,
                               warpdex_execution const* exec, warpdex_error* error) {
  constexpr auto call = "warpdex_mark_rows";
  return guarded(error, [&] {
    row_column const from = rows_of(call, row_ids);
    mark(from, marks_of(call, "the array of marks", given, rows), place(call, exec));
  });
}

std::int32_t warpdex_change_marks(warpdex_output const* given, std::uint64_t rows, std::int32_t how,
                                  warpdex_output const* with, warpdex_execution const* exec, warpdex_error* error) {
  constexpr auto call = "warpdex_change_marks";
  return guarded(error, [&] {
    marks const to = marks_of(call, "the array of marks", given, rows);
    chosen(call, "what becomes of marks", how, std::int32_t{WARPDEX_MARKS_WITHOUT});
    place const on(call, exec);
    if (how == WARPDEX_MARKS_INVERT) return invert_marks(to, on);
    if (how < WARPDEX_MARKS_BOTH) return set_marks(to, how == WARPDEX_MARKS_ALL, on);
    combine_marks(to, marks_of(call, "the array of other marks", with, rows),
                  static_cast<mark_operation>(how - WARPDEX_MARKS_BOTH), on);
  });
}

std::int32_t warpdex_marked(warpdex_output const* given, std::uint64_t rows, warpdex_output const* listed,
                            warpdex_execution const* exec, std::uint64_t* count, warpdex_error* error) {
  constexpr auto call = "warpdex_marked";
  return guarded(error, [&] {
    marks const of = marks_of(call, "the array of marks", given, rows);
    auto& total = expect(call, "the place of the number", count);
    place const on(call, exec);
    std::uint64_t const found = count_marks(of, on);
    if (listed != nullptr) list_marked(of, rows_out(call, listed), on);
    total = found;
  });
}
