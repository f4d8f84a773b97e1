// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/api_border.hpp"
#include "index/ancestor_steps.hpp"
#include "request/expect.hpp"
#include "request/lookup_batches.hpp"
#include "request/staging.hpp"
#include "request/text_of.hpp"

/// @file
/// The calls whose answers take several rounds of lookups.
namespace warpdex {
namespace {

/// @return a key for messages; dates are days, timestamps microseconds
std::string text_of(key_type type, void const* key, execution const& exec) {
  auto const& backend = backend_of(exec);
  std::byte bytes[sizeof(u128)];
  backend.copy(bytes, key, size_of(type), exec);
  backend.synchronize(exec);
  if (type == key_type::bytes) return text_of(load_element<byte_key>(bytes, 0), exec);
  return with_key_type(type, [&]<class Key>() { return fmt::format("{}", load_element<key_number<Key>>(bytes, 0)); });
}

/// What `ancestors` follows. All arrays are within reach of the index's backend.
struct trace_request {
  probe_array probes;
  std::uint64_t size;
  void const* parents;         ///< keys of the index's type; strings as references
  std::uint64_t parents_size;  ///< row ids on a path are less
};

/// Refuses a row id on a path: one that the column of parents does not have, or one of a path that does not end.
/// @param key the key whose row it is, within reach of the index's backend; null in the first round, in which no key
/// can be met again
/// @throws invalid_argument
[[noreturn]] void fail_trace(key_type keys, trace_request const& request, std::uint64_t row, void const* key,
                             execution const& exec) {
  if (row >= request.parents_size)
    throw invalid_argument(fmt::format("ancestors: row id {} has no parent; the column of parents has {} keys", row,
                                       request.parents_size));
  // Only keys of the index can be met again, so this one comes from the parents.
  throw invalid_argument(fmt::format("ancestors: a path does not end; the key {} with row id {} is its own ancestor",
                                     text_of(keys, key, exec), row));
}

/// The rows at one place of the paths that reach it.
struct level {
  buffer numbers;  ///< of the probes, ascending
  buffer rows;
  std::uint64_t size;
};

/// Turns the lengths of paths to offsets, and writes the rows. Synchronises.
template <class Row> void write_paths(std::vector<level> const& levels, matches& paths, execution const& exec) {
  auto* const ends = paths.offsets.as<std::uint64_t>();
  if (paths.probes != 0) paths.total = backend_of(exec).exclusive_scan(ends, paths.probes, exec);
  paths.rows = buffer(paths.total * sizeof(Row), exec);
  for (std::uint64_t position = 0; position < levels.size(); ++position) {
    level const& from = levels[position];
    steps::run(ancestor_steps::write_path<Row>{from.numbers.as<std::uint64_t>(), from.rows.as<Row>(), ends, position,
                                               paths.rows.as<Row>()},
               from.size, exec);
  }
  backend_of(exec).synchronize(exec);
}

template <class Row>
matches follow(lookup_batches const& batches, trace_request const& request, execution const& exec) {
  auto const& backend = backend_of(exec);
  key_type const keys_are = batches.like().shape().keys;
  std::size_t const key_width = size_of(keys_are);
  matches paths = room_for_matches(request.size, batches.like().shape().rows, exec);
  auto* const lengths = paths.offsets.as<std::uint64_t>();
  backend.fill_zero(lengths, (request.size + 1) * sizeof(std::uint64_t), exec);

  std::vector<level> levels;
  buffer marks;
  buffer keys;
  probe_array wanted = request.probes;
  for (std::uint64_t pending = request.size; pending != 0;) {
    buffer const rows(pending * sizeof(Row), exec);
    bool const first = levels.empty();
    batches.answer(lookups::find, {probe_form::keys, wanted}, pending, 0, {rows.data(), nullptr}, exec);
    ancestor_steps::path_ends<Row> const found{rows.as<Row>(), first ? nullptr : levels.back().rows.as<Row>(),
                                               marks.as<Row>(), request.parents_size};
    if (auto const bad = steps::find_first(found, pending, exec)) {
      Row row = 0;
      backend.copy(&row, found.rows + *bad, sizeof(row), exec);
      backend.synchronize(exec);
      fail_trace(keys_are, request, row, first ? nullptr : keys.as<std::byte>() + *bad * key_width, exec);
    }
    buffer const flags((pending + 1) * sizeof(std::uint64_t), exec);
    auto* const before = flags.as<std::uint64_t>();
    steps::run(ancestor_steps::note_paths<Row>{found, before}, pending, exec);
    std::uint64_t const kept = backend.exclusive_scan(before, pending, exec);
    if (kept == 0) break;
    level next{buffer(kept * sizeof(std::uint64_t), exec), buffer(kept * sizeof(Row), exec), kept};
    buffer next_marks(kept * sizeof(Row), exec);
    buffer next_keys(kept * key_width, exec);
    ancestor_steps::keep_path<Row> const keep{before,
                                              found,
                                              first ? nullptr : levels.back().numbers.as<std::uint64_t>(),
                                              request.parents,
                                              key_width,
                                              levels.size() + 1,
                                              next.numbers.as<std::uint64_t>(),
                                              next.rows.as<Row>(),
                                              next_marks.as<Row>(),
                                              next_keys.data(),
                                              lengths};
    steps::run(keep, pending, exec);
    levels.push_back(std::move(next));
    marks = std::move(next_marks);
    keys = std::move(next_keys);
    wanted = {keys.data(), keys_are};
    pending = kept;
  }

  write_paths<Row>(levels, paths, exec);
  return paths;
}

}  // namespace

matches run_ancestors(lookup_batches const& batches, nullable_column const& probes, column parents,
                      execution const& exec) {
  constexpr char const* call = "ancestors";
  index_shape const& shape = batches.like().shape();
  expect_comparable(call, "the probe column", probes.type, shape.keys);
  expect_type(call, "the column of parents", parents.type, shape.keys);
  expect_size(call, "the column of parents", parents.size, batches.size());
  staging arrays = staging_of(batches, call, exec);
  validity_bits const valid = arrays.validity(probes, "the validity of the probes");
  column const from = arrays.input(static_cast<column const&>(probes), "the probe column");
  column const to = arrays.input(parents, "the column of parents");
  batches.like().expect_whole();
  trace_request const request{{from.data, probes.type, valid}, probes.size, to.data, parents.size};
  return with_row(shape.rows, [&]<class Row>() { return follow<Row>(batches, request, exec); });
}

}  // namespace warpdex
