// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/sharded.hpp>
#include <warpdex/stop.hpp>

#include "base/api_border.hpp"
#include "clients/sharded/pieces.hpp"
#include "index/rows.hpp"
#include "request/update_request.hpp"

/// @file
/// Updates: each shard gets its part of the batch. If several change, new shards are made first, and then take their
/// places.
namespace warpdex {
namespace {

/// A batch of changes, dealt to the shards. Copies of an index all get the part of the first.
struct dealt_changes {
  dealt_arrays insert;
  dealt_arrays erase;
  bool copies;

  static std::uint64_t size(dealt_arrays const& of, std::size_t part) {
    return of.shares.begins.empty() ? 0 : of.size(part);
  }
  std::size_t part_of(std::size_t shard) const { return copies ? 0 : shard; }
  bool changes(std::size_t shard) const {
    return size(insert, part_of(shard)) != 0 || size(erase, part_of(shard)) != 0;
  }
};

dealt_changes deal_changes(sharded_parts const& parts, update_request const& request, call_home const& home,
                           staging& arrays) {
  execution const& exec = home.exec;
  placed_borders const& borders = borders_at(parts, request.call, home);
  auto const deal = [&](column keys, char const* what, whole_array const& rows) -> dealt_arrays {
    if (keys.size == 0) return {};
    probe_array const probes{arrays.input(keys, what, true).data, keys.type};
    return deal_arrays(route_probes(borders, lookups::find, {probe_form::keys, probes}, keys.size, exec),
                       parts.parts_of_keys(), keys.size, {probes.keys, size_of(keys.type)}, rows, {}, exec);
  };
  std::size_t const row_width = size_of(request.insert_rows.type);
  void const* const rows =
      arrays.input(request.insert_rows.data, request.insert_rows.size, row_width, "the row column");
  dealt_changes result{deal(request.insert_keys, "the column of inserted keys", {rows, row_width}),
                       deal(request.erase_keys, "the column of erased keys", {}), parts.parts_of_keys() == 1};
  backend_of(exec).synchronize(exec);
  return result;
}

/// The part of a batch for a shard, where that is.
struct shard_changes {
  placed_column insert;
  placed_column erase;
  placed_column numbers;
  update_request request;

  shard_changes(update_request const& whole, dealt_changes const& batch, std::size_t shard, row_type rows,
                call_home const& home, shard_place const& place)
      : request(whole) {
    std::size_t const part = batch.part_of(shard);
    auto const placed = [&](dealt_arrays const& from, int array, key_type type) {
      std::uint64_t const size = batch.size(from, part);
      return size == 0 ? placed_column() : placed_column({from.part(array, part), type}, size, home, place);
    };
    key_type const keys = whole.insert_keys.type;
    insert = placed(batch.insert, 0, keys);
    erase = placed(batch.erase, 0, keys);
    numbers = placed(batch.insert, 1, as_keys(nullptr, rows).type);
    auto const column_of = [&](placed_column const& from) {
      return from.keys().size == 0 ? column(nullptr, 0, keys) : from.keys();
    };
    request.insert_keys = column_of(insert);
    request.erase_keys = column_of(erase);
    request.insert_rows = row_column(numbers.view().data, request.insert_keys.size, rows);
  }
};

update_counts run_update(sharded_parts& parts, update_request const& request, execution const& exec) {
  stop_scope const whole{std::stop_token()};
  index_shape const& shape = parts.like().shape();
  expect_columns(request, shape);
  if (!request.erases()) expect_room(request.call, shape.rows, parts.before.back() + request.insert_keys.size);
  call_home const home(exec);
  staging arrays(request.call, exec);
  dealt_changes const batch = deal_changes(parts, request, home, arrays);
  parts.lanes.synchronize();  // lookups may still run
  parts.ends.reset();
  parts.windows.reset();
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < parts.shards.size(); ++i)
    if (batch.changes(i)) changed.push_back(i);
  std::vector<std::optional<shard>> result(parts.shards.size());
  std::vector<update_counts> counts(parts.shards.size());
  for_shards(parts, changed, [&](std::size_t i) {
    shard_place const& place = parts.place_of(i);
    shard& here = parts.shards[i];
    shard_changes const mine(request, batch, i, shape.rows, home, place);
    auto next = updated(here.entries, mine.request, changed.size() == 1, counts[i], place.exec);
    if (next) result[i].emplace(shard{std::move(*next), here.place});
  });
  update_counts all;
  for (std::size_t const i : changed) {
    if (result[i]) parts.shards[i] = std::move(*result[i]);
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

void sharded_index::widen_rows(execution const&) {
  constexpr char const* call = "widen_rows";
  sharded_parts& parts = built(call);
  run_call(call, [&] {
    parts.lanes.synchronize();  // lookups may still run
    std::vector<std::optional<index>> built(parts.shards.size());
    for_shards(parts, numbers_below(built.size()), [&](std::size_t i) {
      built[i] = with_wide_rows(parts.shards[i].entries, call, parts.place_of(i).exec);
    });
    parts.ends.reset();
    parts.windows.reset();
    for (std::size_t i = 0; i < built.size(); ++i)
      if (built[i]) parts.shards[i].entries = std::move(*built[i]);
  });
}

}  // namespace warpdex
