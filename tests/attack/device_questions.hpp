// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/answers.hpp"
#include "support/arrays.hpp"

#include <warpdex/join.hpp>

#include <memory>
#include <string>
#include <vector>

namespace warpdex::test {

/// All operations and joins with probes and outputs on the device, of an index with row ids of 32 bits; ranges go from
/// each probe to the one after it. The probes are in the memory of `exec`.
template <class Key>
std::vector<question> all_questions_on_device(std::vector<Key> const& probes, bool ordered, execution const& exec) {
  using numbers = std::vector<std::uint64_t>;
  std::size_t const m = probes.size() - 1;
  auto const array = std::make_shared<input_array<Key>>(probes, place::device, 0, exec);
  key_type const type = column(std::span(probes)).type;
  column const lower(array->data(), m, type);
  column const upper(static_cast<Key const*>(array->data()) + 1, m, type);

  std::vector<question> questions;
  /// @param call fills an output of Ts
  auto const add = [&]<class T>(char const* name, T fill, auto const& call) {
    questions.push_back({name, [call, m, fill, array](index const& i, execution const& e) {
                           output_array<T> out(m, fill, place::device, e);
                           call(i, out, e);
                           auto const read = out.read();
                           return numbers(read.begin(), read.end());
                         }});
  };
  auto const add_matches = [&](char const* name, auto const& call) {
    questions.push_back({name, [call, m, array](index const& i, execution const& e) {
                           matches const found = call(i, e);
                           auto out = read_buffer<std::uint64_t>(found.offsets, m + 1, e);
                           auto const rows = read_buffer<std::uint32_t>(found.rows, found.total, e);
                           out.insert(out.end(), rows.begin(), rows.end());
                           return out;
                         }});
  };
  auto const add_pairs = [&](char const* name, auto const& call) {
    questions.push_back({name, [call, array](index const& i, execution const& e) {
                           joined const found = call(i, e);
                           numbers out;
                           for (buffer const* side : {&found.left, &found.right}) {
                             auto const rows =
                                 read_buffer<std::uint32_t>(*side, side->bytes() / sizeof(std::uint32_t), e);
                             out.insert(out.end(), rows.begin(), rows.end());
                           }
                           return out;
                         }});
  };
  using flags = output_array<std::uint8_t>;
  using rows = output_array<std::uint32_t>;
  using counts = output_array<std::uint64_t>;
  auto const rows_to = [](rows& out) { return row_output(out.data(), out.size(), row_type::u32); };

  add("contains", std::uint8_t{7},
      [=](index const& i, flags& out, execution const& e) { i.contains(lower, out.span(), e); });
  add("find", 7u, [=](index const& i, rows& out, execution const& e) { i.find(lower, rows_to(out), e); });
  add("find_unordered", 7u, [=](index const& i, rows& out, execution const& e) {
    rows unordered(m, 7, place::device, e);
    i.find_unordered(lower, out.span(), rows_to(unordered), e);
    auto const positions = out.read();
    auto const found = unordered.read();
    std::vector<std::uint32_t> in_order(m + 2, 7);
    for (std::size_t j = 0; j < m; ++j) in_order.at(positions[j] + 1) = found[j];
    copy(out.data() - 1, in_order.data(), in_order.size() * sizeof(std::uint32_t), e);
  });
  add("count", std::uint64_t{7},
      [=](index const& i, counts& out, execution const& e) { i.count(lower, out.span(), e); });
  add_matches("retrieve", [=](index const& i, execution const& e) { return i.retrieve(lower, e); });
  add_pairs("join", [=](index const& i, execution const& e) { return join(i, lower, join_kind::inner, e); });
  add_pairs("semi join", [=](index const& i, execution const& e) { return join(i, lower, join_kind::semi, e); });
  if (!ordered) return questions;
  add("lower_bound", std::uint64_t{7},
      [=](index const& i, counts& out, execution const& e) { i.lower_bound(lower, out.span(), e); });
  add("upper_bound", std::uint64_t{7},
      [=](index const& i, counts& out, execution const& e) { i.upper_bound(lower, out.span(), e); });
  add("floor", 7u, [=](index const& i, rows& out, execution const& e) {
    output_array<Key> keys(m, Key{7}, place::device, e);
    i.floor(lower, key_output(keys.data(), m, type), rows_to(out), e);
  });
  add("range_count", std::uint64_t{7}, [=](index const& i, counts& out, execution const& e) {
    i.range_count({lower, upper}, out.span(), e);
  });
  add("range_sum", std::uint64_t{7}, [=](index const& i, counts& out, execution const& e) {
    i.range_sum({lower, upper}, out.span(), e);
  });
  add_matches("range_retrieve", [=](index const& i, execution const& e) {
    return i.range_retrieve({lower, upper}, e);
  });
  add_pairs("join_between", [=](index const& i, execution const& e) {
    return join_between(i, {lower, upper}, join_kind::left, e);
  });
  for (auto const strategy : {asof_strategy::backward, asof_strategy::nearest})
    add(strategy == asof_strategy::nearest ? "join_asof nearest" : "join_asof", 7u,
        [=](index const& i, rows& out, execution const& e) { join_asof(i, lower, rows_to(out), e, {strategy}); });
  return questions;
}

}  // namespace warpdex::test
