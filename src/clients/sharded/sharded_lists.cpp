// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "clients/sharded/exchange.hpp"
#include "clients/sharded/pieces.hpp"
#include "clients/sharded/tuning.hpp"

/// @file
/// Lookups that list rows, and the rows and keys of ranks: each shard makes its lists, which are joined in the order of
/// shards.
namespace warpdex {
namespace {

void synchronize(call_home const& home) { backend_of(home.exec).synchronize(home.exec); }

/// @return a buffer of a place as one of the call
buffer brought(buffer from, shard_place const& place, call_home const& home) {
  if (home.is(place)) return from;
  place_scope const scope(home.device);
  buffer result(from.bytes(), home.exec);
  carry(result.data(), from.data(), from.bytes(), home.exec);
  return result;
}

/// Calls work(part) for each part where its shard is.
template <class Work>
void for_parts(sharded_parts const& parts, std::vector<shard_part> const& targets, Work const& work) {
  std::vector<shard_part const*> part_of(parts.shards.size());
  std::vector<std::size_t> numbers;
  for (shard_part const& part : targets) {
    part_of[part.shard] = &part;
    numbers.push_back(part.shard);
  }
  for_shards(parts, numbers, [&](std::size_t number) { work(*part_of[number]); });
}

/// @return lists of a shard, where the call runs
matches ask_list(sharded_parts const& parts, lookup const& what, shard_part const& part, range_array const& probes,
                 call_home const& home) {
  index const& from = parts.shards[part.shard].entries;
  shard_place const& place = parts.place_of(part.shard);
  if (home.is(place)) return whole_batches(structure_of(from, what.name)).list(what, probes, part.size, home.exec);
  moved_ranges const mine(probes, part.size, home, place);
  matches found = from.list(what, mine.view(), place.exec);
  found.offsets = brought(std::move(found.offsets), place, home);
  found.rows = brought(std::move(found.rows), place, home);
  return found;
}

/// @return the shards that list rows: of copies, each answers a stretch of the probes
shard_route route_lists(sharded_parts const& parts, lookup const& what, range_array const& probes, std::uint64_t size,
                        call_home const& home) {
  placed_borders const& borders = borders_at(parts, what.name, home);
  if (parts.parts_of_keys() != 1) return route_probes(borders, what, probes, size, home.exec);
  shard_route result{buffer(size * sizeof(std::uint64_t), home.exec), {}};
  std::uint64_t const copies = size < tuning::dealt_probes * parts.shards.size() ? 1 : parts.shards.size();
  auto* const first = result.first.as<std::uint64_t>();
  steps::run(sharded_steps::number_stretches{size / copies + 1, first}, size, home.exec);
  for (probe_array const& bound : {probes.lower, probes.upper})
    answer_nulls(bound.valid, size, first, sizeof(*first), steps::part_range::none, home.exec);
  return result;
}

}  // namespace

matches sharded_batches::list(lookup const& what, range_array const& whole, std::uint64_t size,
                              execution const& exec) const {
  call_home const home(exec);
  auto const& backend = backend_of(exec);
  matches found = room_for_matches(size, like().shape().rows, exec);
  auto* const offsets = found.offsets.as<std::uint64_t>();
  backend.fill_zero(offsets, found.offsets.bytes(), exec);
  std::size_t const shards = parts_.shards.size();
  dealt_arrays const dealt = deal_probes(route_lists(parts_, what, whole, size, home), shards, whole, size, exec);
  auto const parts = parts_of(dealt, shards);
  synchronize(home);
  std::vector<matches> lists(shards);
  for_parts(parts_, parts, [&](shard_part const& part) {
    lists[part.shard] = ask_list(parts_, what, part, probes_of(dealt, part, whole), home);
  });
  auto const add_lengths = [&](shard_part const& part, std::uint64_t* to) {
    auto const* const ends = lists[part.shard].offsets.as<std::uint64_t const>();
    steps::run(sharded_steps::add_length{numbers_of(dealt, part), ends, to}, part.size, exec);
  };
  for (shard_part const& part : parts) add_lengths(part, offsets);
  make_rows(what.name, found, exec);
  buffer const behind(found.offsets.bytes(), exec);
  backend.copy(behind.data(), offsets, behind.bytes(), exec);
  auto* const ends = behind.as<std::uint64_t>();
  for (shard_part const& part : parts) {
    matches const& list = lists[part.shard];
    steps::run(sharded_steps::move_row{numbers_of(dealt, part), list.offsets.as<std::uint64_t>(), part.size, ends,
                                       size_of(found.row_type), list.rows.data(), found.rows.data()},
               list.total, exec);
    add_lengths(part, ends);
  }
  backend.synchronize(exec);
  return found;
}

namespace {

/// Ranks, dealt to the shards that have them.
struct dealt_ranks {
  dealt_arrays ranks;
  std::vector<shard_part> parts;
};

/// Deals ranks, and calls work(part, its ranks in the shard) where each shard is.
template <class Work>
dealt_ranks at_ranks(char const* call, sharded_parts const& parts, std::span<std::uint64_t const> ranks,
                     call_home const& home, Work const& work) {
  execution const& exec = home.exec;
  borders_at(parts, call, home);
  std::size_t const shards = parts.parts_of_keys();
  staging arrays(call, exec);
  auto const* const wanted = stage_ranks(call, parts.like(), parts.before.back(), ranks, arrays, exec);
  buffer const before((shards + 1) * sizeof(std::uint64_t), exec);
  backend_of(exec).copy(before.data(), parts.before.data(), before.bytes(), exec);
  buffer const within(ranks.size_bytes(), exec);
  shard_route const route{buffer(ranks.size_bytes(), exec), {}};
  steps::run(sharded_steps::split_rank{wanted, before.as<std::uint64_t>(), shards, route.first.as<std::uint64_t>(),
                                       within.as<std::uint64_t>()},
             ranks.size(), exec);
  range_array const probes{probe_form::keys, {within.data(), key_type::u64}};
  dealt_ranks dealt{deal_probes(route, shards, probes, ranks.size(), exec), {}};
  dealt.parts = parts_of(dealt.ranks, shards);
  synchronize(home);
  for_parts(parts, dealt.parts, [&](shard_part const& part) {
    placed_column const mine(probes_of(dealt.ranks, part, probes).lower, part.size, home, parts.place_of(part.shard));
    work(part, std::span(static_cast<std::uint64_t const*>(mine.view().data), part.size));
  });
  return dealt;
}

}  // namespace

matches rows_at(sharded_parts const& parts, std::span<std::uint64_t const> ranks, execution const& exec) {
  call_home const home(exec);
  std::vector<buffer> rows(parts.shards.size());
  dealt_ranks const dealt = at_ranks("rows_at", parts, ranks, home, [&](shard_part const& part, auto mine) {
    shard_place const& place = parts.place_of(part.shard);
    execution const& run_on = home.is(place) ? exec : place.exec;
    rows[part.shard] = brought(parts.shards[part.shard].entries.rows_at(mine, run_on).rows, place, home);
  });
  matches found = room_for_matches(ranks.size(), parts.like().shape().rows, exec);
  std::vector<std::uint64_t> const ones(ranks.size() + 1, 1);
  backend_of(exec).copy(found.offsets.data(), ones.data(), found.offsets.bytes(), exec);
  make_rows("rows_at", found, exec);
  for (shard_part const& part : dealt.parts)
    steps::run(sharded_steps::store_answer{numbers_of(dealt.ranks, part), size_of(found.row_type),
                                           rows[part.shard].data(), found.rows.data()},
               part.size, exec);
  synchronize(home);
  return found;
}

key_list keys_at(sharded_parts const& parts, std::span<std::uint64_t const> ranks, execution const& exec) {
  call_home const home(exec);
  std::vector<key_list> keys(parts.shards.size());
  dealt_ranks const dealt = at_ranks("keys_at", parts, ranks, home, [&](shard_part const& part, auto mine) {
    shard_place const& place = parts.place_of(part.shard);
    key_list got = parts.shards[part.shard].entries.keys_at(mine, home.is(place) ? exec : place.exec);
    got.keys = brought(std::move(got.keys), place, home);
    got.offsets = brought(std::move(got.offsets), place, home);
    keys[part.shard] = std::move(got);
  });
  key_list found;
  found.size = ranks.size();
  found.type = parts.like().shape().keys;
  std::size_t const width = size_of(found.type);
  found.keys = buffer(ranks.size() * width, exec);
  found.bytes = found.keys.bytes();
  std::vector<buffer> references;
  for (shard_part const& part : dealt.parts) {
    key_list const& mine = keys[part.shard];
    void const* from = mine.keys.data();
    if (found.type == key_type::bytes) {
      string_source const strings{mine.keys.as<unsigned char const>(), mine.view().strings};
      from = references.emplace_back(backend_of(exec).references(strings, mine.size, exec)).data();
    }
    steps::run(sharded_steps::store_answer{numbers_of(dealt.ranks, part), width, from, found.keys.data()}, part.size,
               exec);
  }
  if (found.type == key_type::bytes) pack_references(found, exec);
  synchronize(home);
  return found;
}

}  // namespace warpdex
