// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/arrays.hpp"

#include <algorithm>
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

/// @param call writes rows to the output that it is given
/// @return the rows, with 64 bits
template <class Call> std::vector<std::uint64_t> rows_of(index const& from, std::uint64_t size, Call const& call) {
  using numbers = std::vector<std::uint64_t>;
  if (from.row_type() == row_type::u64) {
    numbers out(size);
    call(row_output(std::span(out)));
    return out;
  }
  std::vector<std::uint32_t> out(size);
  call(row_output(std::span(out)));
  return numbers(out.begin(), out.end());
}

/// @return the offsets of matches, and after them their rows
inline std::vector<std::uint64_t> numbers_of(index const& from, matches const& found, execution const& exec) {
  std::vector<std::uint64_t> out = read_buffer<std::uint64_t>(found.offsets, found.probes + 1, exec);
  if (from.row_type() == row_type::u64) {
    auto const rows = read_buffer<std::uint64_t>(found.rows, found.total, exec);
    out.insert(out.end(), rows.begin(), rows.end());
  } else {
    auto const rows = read_buffer<std::uint32_t>(found.rows, found.total, exec);
    out.insert(out.end(), rows.begin(), rows.end());
  }
  return out;
}

/// All operations but `floor` with the keys of `all` on the host; ranges go from the keys of `lower` to those of
/// `upper`, of which there is one less. The arrays must outlive the questions. Indexes without ranks get the first four
/// only.
inline std::vector<question> questions_of(column all, column lower, column upper, bool ordered) {
  using numbers = std::vector<std::uint64_t>;
  std::size_t const m = all.size;

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
      {"retrieve", [=](index const& i, execution const& exec) { return numbers_of(i, i.retrieve(all, exec), exec); }},
  };
  if (!ordered) return questions;
  auto const ask_numbers = [&](lookup const& what, key_ranges const& probes) {
    questions.push_back({what.name, [=, &what](index const& i, execution const& exec) {
                           numbers out(probes.size());
                           i.look_up(what, probes, {std::span(out)}, exec);
                           return out;
                         }});
  };
  ask_numbers(lookups::lower_bound, {all});
  ask_numbers(lookups::upper_bound, {all});
  questions.push_back({"ceil", [=](index const& i, execution const& exec) {
                         return rows_of(i, m, [&](row_output rows) { i.ceil(all, {}, rows, exec); });
                       }});
  ask_numbers(lookups::range_count, {lower, upper});
  ask_numbers(lookups::range_sum, {lower, upper});
  questions.push_back({"range_retrieve", [=](index const& i, execution const& exec) {
                         return numbers_of(i, i.range_retrieve({lower, upper}, exec), exec);
                       }});
  return questions;
}

/// All operations with `probes`; ranges go from each probe to the one after it. The probes must outlive the questions.
template <class Key> std::vector<question> all_questions(std::vector<Key> const& probes, bool ordered) {
  std::size_t const m = probes.size();
  column const all{std::span(probes)};
  auto questions = questions_of(all, std::span(probes).first(m - 1), std::span(probes).subspan(1), ordered);
  if (!ordered) return questions;
  questions.push_back({"floor", [=](index const& i, execution const& exec) {
                         std::vector<Key> keys(m);
                         auto out = rows_of(
                             i, m, [&](row_output rows) { i.floor(all, key_output(std::span(keys)), rows, exec); });
                         out.insert(out.end(), keys.begin(), keys.end());
                         return out;
                       }});
  return questions;
}

/// The same with strings, and what only strings are asked.
inline std::vector<question> all_questions(byte_strings const& probes, bool ordered) {
  using numbers = std::vector<std::uint64_t>;
  column const all = probes;
  column lower = all;
  lower.size = all.size - 1;
  column upper = lower;
  upper.strings.offsets = static_cast<std::uint64_t const*>(all.strings.offsets) + 1;
  auto questions = questions_of(all, lower, upper, ordered);
  if (!ordered) return questions;
  questions.push_back({"floor", [=](index const& i, execution const& exec) {
                         return rows_of(i, all.size, [&](row_output rows) { i.floor(all, {}, rows, exec); });
                       }});
  questions.push_back({"longest_prefix", [=](index const& i, execution const& exec) {
                         std::vector<std::uint32_t> lengths(all.size);
                         auto out = rows_of(i, all.size, [&](row_output rows) {
                           i.longest_prefix(all, rows, std::span(lengths), exec);
                         });
                         out.insert(out.end(), lengths.begin(), lengths.end());
                         return out;
                       }});
  questions.push_back({"prefix_count", [=](index const& i, execution const& exec) {
                         numbers out(all.size);
                         i.prefix_count(all, std::span(out), exec);
                         return out;
                       }});
  questions.push_back({"prefix_sum", [=](index const& i, execution const& exec) {
                         numbers out(all.size);
                         i.prefix_sum(all, std::span(out), exec);
                         return out;
                       }});
  questions.push_back({"prefix_retrieve", [=](index const& i, execution const& exec) {
                         return read_buffer<std::uint64_t>(i.prefix_retrieve(all, exec).offsets, all.size + 1, exec);
                       }});
  questions.push_back({"keys_at", [=](index const& i, execution const& exec) {
                         numbers ranks(std::min<std::uint64_t>(i.size(), 50));
                         for (std::size_t r = 0; r < ranks.size(); ++r) ranks[r] = r * 7 % i.size();
                         key_list const keys = i.keys_at(ranks, exec);
                         auto const bytes = read_buffer<std::uint8_t>(keys.keys, keys.bytes, exec);
                         return numbers(bytes.begin(), bytes.end());
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
