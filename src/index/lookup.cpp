// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "request/batches.hpp"

#include <warpdex/stop.hpp>

#include <limits>

#include "base/api_border.hpp"
#include "request/expect.hpp"
#include "request/lookup_batches.hpp"
#include "request/staged_ranges.hpp"

/// @file
/// The lookups of lookups.hpp: arrays are checked and brought within reach, and batches run over them.
namespace warpdex {

structure const& structure_of(index const& from, char const* call) { return from.built(call); }

void expect_ordered(structure const& s, char const* call) {
  if (!s.ordered())
    throw unsupported(std::string(call) + ": " + s.spec_text() + " finds keys but has no order of them" +
                      ordered_instead(s.shape().keys, "answers bounds and ranges"));
}

void expect_prefixes(structure const& s, char const* call) {
  expect_ordered(s, call);
  if (s.shape().keys != key_type::bytes)
    throw unsupported(std::string(call) + ": keys of type " + std::string(to_string(s.shape().keys)) +
                      " have no prefixes of bytes; prefix_range gives the ends of a range for numbers");
}

void expect_ranges(char const* call, key_type keys, key_ranges const& probes) {
  auto const& [lower, upper, closed] = probes;
  if (static_cast<unsigned>(closed) > static_cast<unsigned>(closed_ends::none))
    throw invalid_argument(std::string(call) + ": closed ends number " + std::to_string(static_cast<int>(closed)) +
                           " are unknown");
  if (lower) expect_comparable(call, "the column of lower bounds", lower->type, keys);
  if (upper) expect_comparable(call, "the column of upper bounds", upper->type, keys);
  if (lower && upper) expect_size(call, "the column of upper bounds", upper->size, lower->size);
}

void expect_probes(structure const& s, char const* call, probe_form form, key_ranges const& probes) {
  if (form != probe_form::ranges) {
    if (!probes.lower || probes.upper || probes.closed != closed_ends::both)
      throw invalid_argument(std::string(call) +
                             ": probes are one column, as `lower` alone; bounds of ranges are given");
    return expect_comparable(call, "the probe column", probes.lower->type, s.shape().keys);
  }
  expect_ranges(call, s.shape().keys, probes);
  if (!probes.lower && !probes.upper)
    throw invalid_argument(std::string(call) + ": there is no bound; every entry would match");
}

std::size_t width_of(answer_kind kind, index_shape const& shape) {
  switch (kind) {
    case answer_kind::flag: return sizeof(std::uint8_t);
    case answer_kind::row: return size_of(shape.rows);
    case answer_kind::key: return size_of(shape.keys);
    case answer_kind::position:
    case answer_kind::length: return sizeof(std::uint32_t);
    default: return sizeof(std::uint64_t);
  }
}

namespace {

void expect_probes(structure const& like, lookup const& what, key_ranges const& probes) {
  if (what.takes == probe_form::prefixes) expect_prefixes(like, what.name);
  else if (what.ordered) expect_ordered(like, what.name);
  expect_probes(like, what.name, what.takes, probes);
}

/// @return the name of an output in messages
char const* name_of(answer_kind kind, std::size_t outputs) {
  if (outputs == 1) return "the output";
  switch (kind) {
    case answer_kind::row: return "the row output";
    case answer_kind::rank: return "the rank output";
    case answer_kind::count: return "the count output";
    case answer_kind::key: return "the key output";
    case answer_kind::position: return "the position output";
    default: return "the length output";
  }
}

/// @return whether a lookup writes to an output: keys may be left out
bool is_wanted(answer_kind kind, lookup_output const& output) {
  return kind != answer_kind::key || output.data != nullptr || output.size != 0;
}

}  // namespace

void expect_outputs(lookup const& what, index_shape const& shape, std::uint64_t probes,
                    std::span<lookup_output const> outputs) {
  auto const start = std::string(what.name) + ": ";
  std::size_t const expected = what.writes[1] == answer_kind::none ? 1 : 2;
  if (outputs.size() != expected || what.lists())
    throw invalid_argument(start + std::to_string(outputs.size()) + " outputs; it has " +
                           (what.lists() ? "none, but returns matches" : std::to_string(expected)));
  for (std::size_t i = 0; i < expected; ++i) {
    lookup_output const& to = outputs[i];
    answer_kind const kind = what.writes[i];
    char const* const name = name_of(kind, expected);
    if (!is_wanted(kind, to)) continue;
    if (kind == answer_kind::row) expect_type(what.name, name, to.rows, shape.rows);
    if (kind == answer_kind::key && shape.keys == key_type::bytes)
      throw unsupported(start + "keys of type bytes have no fixed length; ask for rows alone, and " +
                        "`keys_at` for keys");
    if (kind == answer_kind::key) expect_type(what.name, name, to.keys, shape.keys);
    if (std::size_t const width = width_of(kind, shape); to.width != width)
      throw invalid_argument(start + name + " has elements of " + std::to_string(to.width) + " bytes; " +
                             std::to_string(width) + " are needed");
    expect_size(what.name, name, to.size, probes);
    if (kind == answer_kind::position && to.size > std::numeric_limits<std::uint32_t>::max())
      throw invalid_argument(start + std::to_string(to.size) + " probes, but positions have 32 bits; split the batch");
  }
}

void whole_batches::answer(lookup const& what, range_array const& part, std::uint64_t size, std::uint64_t first,
                           void* const (&to)[2], execution const& exec) const {
  if (what.writes[1] == answer_kind::length)
    return run_longest(like(), part.lower, size, to[0], static_cast<std::uint32_t*>(to[1]), exec);
  run_batch(like(), what, part, size, first, to, exec);
}

matches whole_batches::list(lookup const& what, range_array const& whole, std::uint64_t size,
                            execution const& exec) const {
  matches found = room_for_matches(size, like().shape().rows, exec);
  auto* const counts = found.offsets.as<std::uint64_t>();
  buffer const first(size * sizeof(std::uint64_t), exec);
  run_ranges(like(), whole, size, {counts, first.as<std::uint64_t>()}, exec);
  make_rows(what.name, found, exec);
  if (found.total != 0) like().fill({first.as<std::uint64_t>(), counts, size, found.rows.data()}, exec);
  backend_of(exec).synchronize(exec);
  return found;
}

staging staging_of(lookup_batches const& batches, char const* call, execution const& exec) {
  index_shape const& shape = batches.like().shape();
  if (batches.anywhere()) return staging(call, exec);
  return staging(call, shape.backend, shape.device, exec);
}

matches room_for_matches(std::uint64_t probes, row_type rows, execution const& exec) {
  matches result;
  result.probes = probes;
  result.row_type = rows;
  result.offsets = buffer((probes + 1) * sizeof(std::uint64_t), exec);
  return result;
}

void make_rows(char const* call, matches& found, execution const& exec) {
  stop_scope::look();
  auto* const counts = found.offsets.as<std::uint64_t>();
  auto const& backend = backend_of(exec);
  if (found.probes == 0) backend.fill_zero(counts, sizeof *counts, exec);
  else found.total = backend.exclusive_scan(counts, found.probes, exec);
  std::size_t const width = size_of(found.row_type);
  if (found.total > std::numeric_limits<std::size_t>::max() / width)
    throw out_of_memory(std::string(call) + ": " + std::to_string(found.total) + " matches exceed the address space");
  found.rows = buffer(found.total * width, exec);
}

void run_lookup(lookup_batches const& batches, lookup const& what, key_ranges const& query,
                std::span<lookup_output const> outputs, execution const& exec) {
  structure const& like = batches.like();
  expect_usable(what.name, exec);
  expect_probes(like, what, query);
  expect_outputs(what, like.shape(), query.size(), outputs);
  staging stage = staging_of(batches, what.name, exec);
  if (query.size() == 0) return;
  staged_ranges const probes(what.takes, query, stage);
  std::vector<batch_array> arrays = probes.columns(stage);
  std::size_t slots[2] = {};  // of outputs among the arrays; 0 for none
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    answer_kind const kind = what.writes[i];
    if (!is_wanted(kind, outputs[i])) continue;
    slots[i] = arrays.size();
    bool const reads = kind == answer_kind::key;  // what it holds remains where there is no key
    arrays.push_back({outputs[i].data, outputs[i].width, name_of(kind, outputs.size()), reads, true});
  }
  auto const run_part = [&](void* const* at, std::uint64_t count, std::uint64_t first) {
    auto const output = [&](int i) { return slots[i] == 0 ? nullptr : at[slots[i]]; };
    batches.answer(what, probes.part(at, first), count, first, {output(0), output(1)}, exec);
  };
  std::uint64_t const size = query.size();
  if (stage.use(size, arrays)) {
    void* at[most_arrays];
    for (std::size_t i = 0; i < arrays.size(); ++i) at[i] = arrays[i].data;
    return run_part(at, size, 0);
  }
  std::uint64_t const efficient = what.op == search_op::count ? 1 : like.efficient_batch();
  std::uint64_t done = 0;  // probes of earlier parts: a long batch comes in consecutive parts
  // for the number of probes that pass, or for other devices
  bool const waits = batches.anywhere() || like.resolved().option("filter") != nullptr;
  stage.run_used(
      size, arrays, efficient,
      [&](void* const* at, std::uint64_t count) {
        run_part(at, count, done);
        done += count;
      },
      waits);
}

matches run_list(lookup_batches const& batches, lookup const& what, key_ranges const& query, execution const& exec) {
  if (!what.lists() || what.op != search_op::count)
    throw invalid_argument(std::string(what.name) + ": index::list runs retrieve, range_retrieve and prefix_retrieve");
  expect_probes(batches.like(), what, query);
  staging stage = staging_of(batches, what.name, exec);
  staged_ranges const probes(what.takes, query, stage);
  return batches.list(what, probes.whole(stage), query.size(), exec);
}

void index::look_up(lookup const& what, key_ranges const& probes, std::initializer_list<lookup_output> outputs,
                    execution const& exec) const {
  structure const& s = built(what.name);
  run_call(what.name, [&] { run_lookup(whole_batches(s), what, probes, {outputs.begin(), outputs.size()}, exec); });
}

matches index::list(lookup const& what, key_ranges const& probes, execution const& exec) const {
  structure const& s = built(what.name);
  return run_call(what.name, exec, [&] { return run_list(whole_batches(s), what, probes, exec); });
}

matches index::ancestors(nullable_column const& probes, column parents, execution const& exec) const {
  structure const& s = built("ancestors");
  return run_call("ancestors", exec, [&] { return run_ancestors(whole_batches(s), probes, parents, exec); });
}

}  // namespace warpdex
