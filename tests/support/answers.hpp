// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/arrays.hpp"

#include <functional>
#include <string>
#include <utility>

/// @file
/// Calls every operation of an index once, for tests that compare two indexes, or one index before and after an event.
namespace warpdex::test {

/// An answer has a name and the bytes that the call wrote.
using answer = std::pair<std::string, std::vector<std::uint64_t>>;

/// One operation, to be run with some execution.
struct question {
  std::string name;
  std::function<std::vector<std::uint64_t>(index const&, execution const&)> ask;
};

/// All operations with `probes` on the host; ranges go from each probe to the one after it. The probes
/// must outlive the questions. Indexes without ranks get the first four only.
template <class Key> std::vector<question> all_questions(std::vector<Key> const& probes, bool ordered) {
  using numbers = std::vector<std::uint64_t>;
  std::size_t const m = probes.size();
  column const all{std::span(probes)};
  column const lower{std::span(probes).first(m - 1)};
  column const upper{std::span(probes).subspan(1)};

  auto const rows_of = [](index const& from, std::uint64_t size, auto const& call) {
    if (from.row_type() == row_type::u64) {
      numbers out(size);
      call(row_output(std::span(out)));
      return out;
    }
    std::vector<std::uint32_t> out(size);
    call(row_output(std::span(out)));
    return numbers(out.begin(), out.end());
  };
  auto const flat = [](index const& from, matches const& found, execution const& exec) {
    numbers out = read_buffer<std::uint64_t>(found.offsets, found.probes + 1, exec);
    if (from.row_type() == row_type::u64) {
      auto const rows = read_buffer<std::uint64_t>(found.rows, found.total, exec);
      out.insert(out.end(), rows.begin(), rows.end());
    } else {
      auto const rows = read_buffer<std::uint32_t>(found.rows, found.total, exec);
      out.insert(out.end(), rows.begin(), rows.end());
    }
    return out;
  };

  std::vector<question> questions = {
      {"contains",
       [=](index const& i, execution const& exec) {
         std::vector<std::uint8_t> out(m);
         i.contains(all, std::span(out), exec);
         return numbers(out.begin(), out.end());
       }},
      {"find", [=](index const& i,
                   execution const& exec) { return rows_of(i, m, [&](row_output out) { i.find(all, out, exec); }); }},
      {"count",
       [=](index const& i, execution const& exec) {
         numbers out(m);
         i.count(all, std::span(out), exec);
         return out;
       }},
      {"retrieve", [=](index const& i, execution const& exec) { return flat(i, i.retrieve(all, exec), exec); }},
  };
  if (!ordered) return questions;
  auto const ranks = [&](char const* name, auto const member, column a, std::uint64_t size) {
    questions.push_back({name, [=](index const& i, execution const& exec) {
                           numbers out(size);
                           (i.*member)(a, std::span(out), exec);
                           return out;
                         }});
  };
  auto const ranges = [&](char const* name, auto const member) {
    questions.push_back({name, [=](index const& i, execution const& exec) {
                           numbers out(m - 1);
                           (i.*member)(lower, upper, std::span(out), exec);
                           return out;
                         }});
  };
  ranks("lower_bound", &index::lower_bound, all, m);
  ranks("upper_bound", &index::upper_bound, all, m);
  questions.push_back({"floor", [=](index const& i, execution const& exec) {
                         std::vector<Key> keys(m);
                         auto out = rows_of(
                             i, m, [&](row_output rows) { i.floor(all, key_output(std::span(keys)), rows, exec); });
                         out.insert(out.end(), keys.begin(), keys.end());
                         return out;
                       }});
  questions.push_back({"ceil", [=](index const& i, execution const& exec) {
                         return rows_of(i, m, [&](row_output rows) { i.ceil(all, {}, rows, exec); });
                       }});
  ranges("range_count", &index::range_count);
  ranges("range_sum", &index::range_sum);
  questions.push_back({"range_retrieve", [=](index const& i, execution const& exec) {
                         return flat(i, i.range_retrieve(lower, upper, exec), exec);
                       }});
  return questions;
}

/// @return the answers to all questions
inline std::vector<answer> ask_all(std::vector<question> const& questions, index const& of, execution const& exec) {
  std::vector<answer> answers;
  for (question const& q : questions) answers.emplace_back(q.name, q.ask(of, exec));
  return answers;
}

}  // namespace warpdex::test
