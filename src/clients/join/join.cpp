// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/join.hpp>

#include "base/api_border.hpp"
#include "clients/join/pairs.hpp"
#include "clients/join/validity.hpp"
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

}  // namespace

std::uint64_t join(any_index const& right, nullable_column const& probes, join_kind kind, join_sink const& sink,
                   execution const& exec, join_options const& options) {
  constexpr char const* call = "join";
  return run_call(call, exec, [&] {
    return run_join(searched_index(right, call, exec), equality(call, probes, kind), sink, exec, options);
  });
}

joined join(any_index const& right, nullable_column const& probes, join_kind kind, execution const& exec,
            join_options const& options) {
  constexpr char const* call = "join";
  return run_call(call, exec, [&] {
    return collect_join(searched_index(right, call, exec), equality(call, probes, kind), exec, options);
  });
}

std::uint64_t join_between(any_index const& right, key_ranges const& ranges, join_kind kind, join_sink const& sink,
                           execution const& exec, join_options const& options) {
  constexpr char const* call = "join_between";
  return run_call(call, exec, [&] {
    return run_join(searched_index(right, call, exec), within(call, ranges, kind), sink, exec, options);
  });
}

joined join_between(any_index const& right, key_ranges const& ranges, join_kind kind, execution const& exec,
                    join_options const& options) {
  constexpr char const* call = "join_between";
  return run_call(call, exec, [&] {
    return collect_join(searched_index(right, call, exec), within(call, ranges, kind), exec, options);
  });
}

index build_valid(spec const& s, nullable_column const& keys, execution const& exec) {
  constexpr char const* call = "build_valid";
  column const& all = keys;
  if (keys.validity == nullptr || keys.size == 0) return index::build(s, all, exec);
  return run_call(call, exec, [&] {
    valid_rows const valid(call, keys, {}, s, exec);
    key_list const kept = valid.take(keys, "the key column");
    return index::build(s, kept.view(), valid.rows(), exec);
  });
}

}  // namespace warpdex
