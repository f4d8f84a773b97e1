// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/sharded.hpp>
#include <warpdex/stop.hpp>

#include "base/api_border.hpp"
#include "request/update_request.hpp"
#include "sharded/pieces.hpp"

/// @file
/// Updates: each shard gets its part of the batch. Copies of the shards are changed first, and then take their places.
namespace warpdex {
namespace {

/// The part of a batch that changes a shard.
struct shard_batch {
  piece insert;
  piece erase;
  bool empty() const { return insert.size == 0 && erase.size == 0; }
};

std::vector<shard_batch> batches_of_shards(sharded_parts const& parts, update_request const& asked,
                                           call_home const& home, staging& arrays) {
  execution const& exec = home.exec;
  index const& borders = borders_at(parts, asked.call, home);
  std::vector<shard_batch> made(parts.shards.size());
  auto const deal = [&](column keys, char const* what, whole_array const& rows, piece shard_batch::*to) {
    if (keys.size == 0) return;
    probe_array const probes{arrays.input(keys, what, true).data, keys.type};
    bool const all = parts.how == placement::replicate;
    shard_route const route = route_probes(borders, lookups::find, {probe_form::keys, probes}, keys.size, exec);
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i].*to = take_piece(route.who(all ? 0 : i), keys.size, {probes.keys, size_of(keys.type)}, rows,
                               sizeof(std::uint64_t), exec);
  };
  std::size_t const row_width = size_of(asked.insert_rows.type);
  void const* const rows = arrays.input(asked.insert_rows.data, asked.insert_rows.size, row_width, "the row column");
  deal(asked.insert_keys, "the column of inserted keys", {rows, row_width}, &shard_batch::insert);
  deal(asked.erase_keys, "the column of erased keys", {}, &shard_batch::erase);
  backend_of(exec).synchronize(exec);
  return made;
}

update_counts apply(index& to, update_request const& asked, shard_batch const& batch, call_home const& home,
                    shard_place const& place) {
  index_shape const& shape = structure_of(to, asked.call).shape();
  auto const keys_of = [&](piece const& from) {
    return placed_column({from.lower.data(), shape.keys}, from.size, home, place);
  };
  placed_column const insert = keys_of(batch.insert);
  placed_column const erase = keys_of(batch.erase);
  placed_column const numbers(as_keys(batch.insert.upper.data(), shape.rows), batch.insert.size, home, place);
  row_column const rows(numbers.view().data, batch.insert.size, shape.rows);
  if (asked.assigns) return to.insert_or_assign(insert.view(), rows, place.exec);
  if (batch.erase.size == 0) return to.insert(insert.view(), rows, place.exec);
  if (batch.insert.size == 0) return to.erase(erase.view(), place.exec);
  return to.update(insert.view(), rows, erase.view(), place.exec);
}

update_counts run_update(sharded_parts& parts, update_request const& asked, execution const& exec) {
  stop_scope const whole{std::stop_token()};
  index_shape const& shape = parts.like().shape();
  expect_columns(asked, shape);
  if (!asked.erases()) expect_room(asked.call, shape.rows, parts.before.back() + asked.insert_keys.size);
  call_home const home(exec);
  staging arrays(asked.call, exec);
  std::vector<shard_batch> const batches = batches_of_shards(parts, asked, home, arrays);
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < batches.size(); ++i)
    if (!batches[i].empty()) changed.push_back(i);
  std::vector<std::optional<shard>> made(batches.size());
  std::vector<update_counts> counts(batches.size());
  for_shards(parts, changed, [&](std::size_t i) {
    shard_place const& place = parts.place_of(i);
    shard& here = parts.shards[i];
    shard& target = changed.size() == 1 ? here : made[i].emplace(shard{here.entries.clone(place.exec), here.place});
    counts[i] = apply(target.entries, asked, batches[i], home, place);
    find_ends(target, place.exec);
  });
  update_counts all;
  for (std::size_t const i : changed) {
    if (made[i]) parts.shards[i] = std::move(*made[i]);
    if (i != 0 && parts.how == placement::replicate) continue;
    all.inserted += counts[i].inserted;
    all.erased += counts[i].erased;
    all.cancelled += counts[i].cancelled;
  }
  parts.count_entries();
  return all;
}

}  // namespace

update_counts sharded_index::insert(column keys, row_column rows, execution const& exec) {
  sharded_parts& parts = built("insert");
  return run_call("insert", exec, [&] {
    return run_update(parts, {"insert", keys, rows, column(nullptr, 0, parts.like().shape().keys)}, exec);
  });
}

update_counts sharded_index::erase(column keys, execution const& exec) {
  sharded_parts& parts = built("erase");
  return run_call("erase", exec, [&] {
    index_shape const& shape = parts.like().shape();
    return run_update(parts, {"erase", column(nullptr, 0, shape.keys), row_column(nullptr, 0, shape.rows), keys}, exec);
  });
}

update_counts sharded_index::update(column insert_keys, row_column insert_rows, column erase_keys,
                                    execution const& exec) {
  sharded_parts& parts = built("update");
  return run_call("update", exec, [&] {
    return run_update(parts, {"update", insert_keys, insert_rows, erase_keys}, exec);
  });
}

update_counts sharded_index::insert_or_assign(column keys, row_column rows, execution const& exec) {
  sharded_parts& parts = built("insert_or_assign");
  return run_call("insert_or_assign", exec, [&] {
    column const none(nullptr, 0, parts.like().shape().keys);
    return run_update(parts, {"insert_or_assign", keys, rows, none, true}, exec);
  });
}

}  // namespace warpdex
