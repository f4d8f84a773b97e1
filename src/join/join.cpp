// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/join.hpp>

#include "base/api_border.hpp"
#include "join/collect.hpp"
#include "join/pairs.hpp"
#include "join/validity.hpp"
#include "request/batches.hpp"
#include "request/expect.hpp"

namespace warpdex {
namespace {

join_request equality(char const* call, nullable_column const& probes, join_kind kind) {
  return {call, kind, probe_form::keys, {probes}};
}

join_request within(char const* call, key_ranges const& ranges, join_kind kind) {
  return {call, kind, probe_form::ranges, ranges};
}

joined collect(structure const& right, join_request const& request, execution const& exec,
               join_options const& options) {
  pair_collector pairs(right.shape().backend, exec);
  run_join(
      right, request, [&](join_batch const& batch) { pairs.take(batch); }, exec, options);
  return pairs.all(row_type_for(request.probes.size()), right.shape().rows);
}

/// The two sides of a hash join: an index over one of them, and the other as probes. There is no hash table of strings:
/// a sorted array takes its place.
struct hash_sides {
  bool swapped;  ///< whether the index is over the left side
  index table;
  nullable_column probes;

  hash_sides(nullable_column const& left, nullable_column const& right, join_kind kind, execution const& exec)
      : swapped(kind == join_kind::inner && left.size < right.size),
        table(build_valid(left.type == key_type::bytes ? "AO+BS" : "HT(open,load=0.5)", swapped ? left : right, exec)),
        probes(swapped ? right : left) {}

  join_batch in_order(join_batch const& batch) const { return swapped ? join_batch{batch.right, batch.left} : batch; }
};

}  // namespace

std::uint64_t join(index const& right, nullable_column const& probes, join_kind kind, join_sink const& sink,
                   execution const& exec, join_options const& options) {
  constexpr char const* call = "join";
  return run_call(call, exec, [&] {
    return run_join(structure_of(right, call), equality(call, probes, kind), sink, exec, options);
  });
}

joined join(index const& right, nullable_column const& probes, join_kind kind, execution const& exec,
            join_options const& options) {
  constexpr char const* call = "join";
  return run_call(call, exec,
                  [&] { return collect(structure_of(right, call), equality(call, probes, kind), exec, options); });
}

std::uint64_t range_join(index const& right, key_ranges const& ranges, join_kind kind, join_sink const& sink,
                         execution const& exec, join_options const& options) {
  constexpr char const* call = "range_join";
  return run_call(call, exec,
                  [&] { return run_join(structure_of(right, call), within(call, ranges, kind), sink, exec, options); });
}

joined range_join(index const& right, key_ranges const& ranges, join_kind kind, execution const& exec,
                  join_options const& options) {
  constexpr char const* call = "range_join";
  return run_call(call, exec,
                  [&] { return collect(structure_of(right, call), within(call, ranges, kind), exec, options); });
}

std::uint64_t hash_join(nullable_column const& left, nullable_column const& right, join_kind kind,
                        join_sink const& sink, execution const& exec, join_options const& options) {
  constexpr char const* call = "hash_join";
  return run_call(call, exec, [&] {
    if (!sink) throw invalid_argument(std::string(call) + ": the sink is empty");
    hash_sides const sides(left, right, kind, exec);
    auto const ordered = [&](join_batch const& batch) { sink(sides.in_order(batch)); };
    return run_join(structure_of(sides.table, call), equality(call, sides.probes, kind), ordered, exec, options);
  });
}

joined hash_join(nullable_column const& left, nullable_column const& right, join_kind kind, execution const& exec,
                 join_options const& options) {
  constexpr char const* call = "hash_join";
  return run_call(call, exec, [&] {
    hash_sides const sides(left, right, kind, exec);
    joined made = collect(structure_of(sides.table, call), equality(call, sides.probes, kind), exec, options);
    if (sides.swapped) {
      std::swap(made.left, made.right);
      std::swap(made.left_type, made.right_type);
    }
    return made;
  });
}

index build_valid(spec const& s, nullable_column const& keys, execution const& exec) {
  constexpr char const* call = "build_valid";
  if (keys.validity == nullptr || keys.size == 0) return index::build(s, keys, exec);
  return run_call(call, exec, [&] {
    valid_rows const valid(call, keys, {}, s, exec);
    key_list const kept = valid.take(keys, "the key column");
    return index::build(s, kept.view(), valid.rows(), exec);
  });
}

}  // namespace warpdex
