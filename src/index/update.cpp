// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/index.hpp>
#include <warpdex/stop.hpp>

#include "base/api_border.hpp"
#include "request/batches.hpp"
#include "request/expect.hpp"
#include "request/staging.hpp"
#include "request/update_request.hpp"
#include "structures/structure.hpp"

namespace warpdex {
namespace {

/// Sorts a column in the order of the structure `old`: by key, or by hash under its seed.
/// @param rows the row ids, or none if they do not matter
sorted_pairs sort_column(structure const& old, column keys, std::optional<row_column> rows, execution const& exec) {
  row_type const wide_enough = has_room(row_type::u32, keys.size) ? row_type::u32 : row_type::u64;
  row_type const width = rows ? rows->type : wide_enough;
  return backend_of(old.shape().backend).sort(keys, rows, width, old.hash_seed(), exec).pairs;
}

/// Sorts the batch and eliminates keys that are both inserted and erased.
/// @param arrays keeps the strings to which the result refers
changes sort_batch(structure const& old, update_request request, staging& arrays, update_counts& counts,
                   execution const& exec) {
  index_shape const& shape = old.shape();
  auto const& backend = backend_of(shape.backend);
  pair_types const types{kind_of(shape.keys), shape.rows};
  request.insert_keys = arrays.input(request.insert_keys, "the column of inserted keys", true);
  request.insert_rows.data = arrays.input(request.insert_rows.data, request.insert_rows.size,
                                          size_of(request.insert_rows.type), "the row column");
  request.erase_keys = arrays.input(request.erase_keys, "the column of erased keys", true);

  changes batch;
  batch.insert = sort_column(old, request.insert_keys, request.insert_rows, exec);
  if (request.assigns) {
    batch.erase = backend.distinct(batch.insert.keys.data(), batch.insert.size, types.key, exec);
  } else if (request.erase_keys.size != 0) {
    auto const sorted = sort_column(old, request.erase_keys, std::nullopt, exec);
    batch.erase = backend.distinct(sorted.keys.data(), sorted.size, types.key, exec);
    if (batch.insert.size == 0) return batch;
    auto alone = backend.without(batch.erase, batch.insert.keys.data(), batch.insert.size, types.key, exec);
    counts.cancelled = batch.erase.size - alone.size;
    if (counts.cancelled != 0) {
      auto const eliminated = backend.find_ranges(batch.insert.view(), batch.erase, types, exec);
      batch.insert = backend.merge(batch.insert.view(), eliminated, {}, {}, types, exec);
      batch.erase = std::move(alone);
    }
  }
  return batch;
}

/// Builds a new structure from the entries of the old one and the batch.
/// @return the new structure, or null if the batch changes nothing
std::unique_ptr<structure> rebuild(structure const& old, std::string const& spec_text, char const* call, changes batch,
                                   update_counts& counts, execution const& exec) {
  index_shape shape = old.shape();
  auto const& backend = backend_of(shape.backend);
  pair_types const types{kind_of(shape.keys), shape.rows};
  sorted_pairs copied;
  sorted_pairs merged;
  std::unique_ptr<plan> next;
  {
    auto const in_place = old.entries_in_place();
    if (!in_place) copied = old.entries_to_merge(exec);
    sorted_view const entries = in_place ? *in_place : copied.view();
    auto const erased = backend.find_ranges(entries, batch.erase, types, exec);
    counts.inserted = batch.insert.size;
    counts.erased = erased.entries;
    if (counts.inserted == 0 && counts.erased == 0) return nullptr;
    shape.size = entries.size - counts.erased + counts.inserted;
    expect_room(call, shape.rows, shape.size);
    next = make_plan(spec_text, shape);
    merged = backend.merge(entries, erased, batch.insert.view(), next->order(), types, exec);
    merged.seed = old.hash_seed();
  }
  copied = {};  // free this memory before the new structure takes its own
  batch = {};
  auto result = next->make(std::move(merged), exec);
  backend.synchronize(exec);
  result->outlive_stream();
  return result;
}

/// @param in_place whether the target may change, where that costs less
/// @return the new structure; null if the batch changes nothing, or has changed the target
std::unique_ptr<structure> run_update(structure& target, std::string const& spec_text, update_request const& request,
                                      bool in_place, update_counts& counts, execution const& exec) {
  index_shape const shape = target.shape();
  if (target.borrows())
    throw unsupported(std::string(request.call) + ": " + target.spec_text() +
                      " borrows its key column (over_sorted); an index that `build` makes can be updated");
  expect_idle(target, request.call);
  target.expect_whole();
  expect_columns(request, shape);
  bool const erases = request.erases();
  std::uint64_t const at_most = shape.size + request.insert_keys.size;
  if (!erases) expect_room(request.call, shape.rows, at_most);

  staging arrays(request.call, shape.backend, shape.device, exec);
  changes batch = sort_batch(target, request, arrays, counts, exec);
  if (batch.insert.size == 0 && batch.erase.size == 0) return nullptr;
  target.expect_entries_in_order(exec);
  bool const repeats = batch.insert.size != batch.erase.size;
  if (in_place && request.assigns && !repeats && target.assign(batch.insert, exec)) {
    backend_of(shape.backend).synchronize(exec);
    counts = {.inserted = batch.insert.size, .erased = batch.insert.size};
    return nullptr;
  }
  if (in_place && has_room(shape.rows, at_most) && target.apply(batch, exec)) {
    backend_of(shape.backend).synchronize(exec);
    target.outlive_stream();
    counts.inserted = batch.insert.size;
    counts.erased = shape.size + counts.inserted - target.shape().size;
    return nullptr;
  }
  return rebuild(target, spec_text, request.call, std::move(batch), counts, exec);
}

/// The same, where the new structure takes the place of the target.
update_counts run_update(std::unique_ptr<structure>& target, std::string const& spec_text,
                         update_request const& request, execution const& exec) {
  update_counts counts;
  if (auto replacement = run_update(*target, spec_text, request, true, counts, exec)) target = std::move(replacement);
  return counts;
}

}  // namespace

void expect_idle(structure const& s, char const* call) {
  if (s.held())
    throw invalid_argument(std::string(call) + ": a join with this index runs, whose sink must not update it");
}

std::optional<index> updated(index& from, update_request const& request, bool in_place, update_counts& counts,
                             execution const& exec) {
  from.built(request.call);
  auto result = run_update(*from.structure_, from.request_, request, in_place, counts, exec);
  return result == nullptr ? std::nullopt : std::optional(index(std::move(result), from.request_, from.times_));
}

update_counts index::insert(column keys, row_column rows, execution const& exec) {
  warpdex::key_type const type = built("insert").shape().keys;
  return run_call("insert", exec, [&] {
    stop_scope const whole{std::stop_token()};
    return run_update(structure_, request_, {"insert", keys, rows, column(nullptr, 0, type)}, exec);
  });
}

update_counts index::erase(column keys, execution const& exec) {
  index_shape const& shape = built("erase").shape();
  return run_call("erase", exec, [&] {
    stop_scope const whole{std::stop_token()};
    return run_update(structure_, request_,
                      {"erase", column(nullptr, 0, shape.keys), row_column(nullptr, 0, shape.rows), keys}, exec);
  });
}

update_counts index::update(column insert_keys, row_column insert_rows, column erase_keys, execution const& exec) {
  built("update");
  return run_call("update", exec, [&] {
    stop_scope const whole{std::stop_token()};
    return run_update(structure_, request_, {"update", insert_keys, insert_rows, erase_keys}, exec);
  });
}

update_counts index::insert_or_assign(column keys, row_column rows, execution const& exec) {
  warpdex::key_type const type = built("insert_or_assign").shape().keys;
  return run_call("insert_or_assign", exec, [&] {
    stop_scope const whole{std::stop_token()};
    return run_update(structure_, request_, {"insert_or_assign", keys, rows, column(nullptr, 0, type), true}, exec);
  });
}

}  // namespace warpdex
