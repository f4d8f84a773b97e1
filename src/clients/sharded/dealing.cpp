// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/sharded/dealing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "clients/sharded/pieces.hpp"
#include "clients/sharded/tuning.hpp"
#include "request/staging.hpp"

namespace warpdex {
namespace {

/// @return an array of a column
void const* reached(column const& keys) {
  return keys.type == key_type::bytes && keys.strings.offsets != nullptr ? keys.strings.offsets : keys.data;
}

}  // namespace

shard_place home_of(char const* call, column const& piece, std::span<shard_place const> places) {
  auto const device = piece.size == 0 ? std::nullopt : device_of(reached(piece));
  if (!device) return {execution(host_memory(), {}, places.front().exec.threads)};
  for (shard_place const& place : places)
    if (place.device == *device) return place;
  throw invalid_argument(fmt::format("{}: the key column is on device {}, which is none of the places", call, *device));
}

std::vector<home_piece> home_pieces(char const* call, whole_columns const& columns, std::span<shard_place const> places,
                                    bool over_links) {
  std::vector<home_piece> result;
  std::uint64_t first = 0;
  auto const add = [&](shard_place const& place, column keys, row_column rows) {
    result.push_back({place, keys, rows, first, columns.with_rows});
    first += keys.size;
  };
  for (column const& piece : columns.pieces) {
    shard_place const home = home_of(call, piece, places);
    row_column const rows = columns.rows.value_or(row_column(nullptr, 0, columns.row));
    std::vector<shard_place> links;
    if (over_links && home.device < 0 && piece.type != key_type::bytes)
      std::copy_if(places.begin(), places.end(), std::back_inserter(links),
                   [](shard_place const& place) { return place.device >= 0; });
    if (links.empty()) links.push_back(home);
    for (std::size_t i = 0; i < links.size(); ++i) {
      std::uint64_t const begin = piece.size * i / links.size(), end = piece.size * (i + 1) / links.size();
      column part = piece;
      if (links.size() > 1) part = column(moved(piece.data, begin * size_of(piece.type)), end - begin, piece.type);
      row_column const part_rows(moved(rows.data, begin * size_of(columns.row)), columns.rows ? end - begin : 0,
                                 columns.row);
      add(links[i], part, part_rows);
    }
  }
  return result;
}

namespace {

/// Samples the keys of a piece of the columns: one of each of its stretches.
/// @param all keys of all pieces @return an index over the sample, on the host
index sample_of(char const* call, home_piece const& piece, std::uint64_t all) {
  bool const on_device = device_of(reached(piece.keys)).has_value();
  shard_place const here = on_device ? piece.place : shard_place{execution(host_memory())};
  place_scope const scope(here.device);
  staging arrays(call, here.exec);
  void const* const keys = arrays.input(piece.keys, "the key column", true).data;
  std::uint64_t const wanted = std::max<std::uint64_t>(1, tuning::border_sample * piece.keys.size / all);
  std::uint64_t const sampled = std::min(piece.keys.size, wanted);
  buffer const sample(sampled * piece.key_width(), here.exec);
  if (sampled != 0)
    steps::run(sharded_steps::sample_key{keys, piece.key_width(), piece.keys.size, sampled, sample.data()}, sampled,
               here.exec);
  placed_column const column_of_sample({sample.data(), piece.keys.type}, sampled, call_home(here.exec), here);
  index sorted = index::build("AO+BS", column_of_sample.keys(), here.exec);
  return on_device ? sorted.clone(execution(host_memory())) : std::move(sorted);
}

/// @return an index over the samples of all pieces, on the host
index sample_of(char const* call, std::vector<home_piece> const& pieces) {
  std::uint64_t const all = std::max<std::uint64_t>(1, pieces.back().first + pieces.back().keys.size);
  if (pieces.size() == 1) return sample_of(call, pieces.front(), all);
  std::vector<std::byte> keys;  // of one width, since strings come in one piece
  for (home_piece const& piece : pieces) {
    index const sample = sample_of(call, piece, all);
    std::vector<std::uint64_t> ranks(sample.size());
    std::iota(ranks.begin(), ranks.end(), std::uint64_t{0});
    key_list const some = sample.keys_at(ranks, {});
    auto const* const from = some.keys.as<std::byte const>();
    keys.insert(keys.end(), from, from + some.size * piece.key_width());
  }
  home_piece const& like = pieces.front();
  return index::build("AO+BS", column(keys.data(), keys.size() / like.key_width(), like.keys.type), {});
}

}  // namespace

index borders_of(char const* call, std::vector<home_piece> const& pieces, std::size_t shards) {
  index const sample = sample_of(call, pieces);
  std::vector<std::uint64_t> ranks;
  for (std::size_t i = 1; i < shards && sample.size() != 0; ++i) ranks.push_back(sample.size() * i / shards);
  return index::build("AO+BS", sample.keys_at(ranks, {}).view(), {});
}

namespace {

/// The keys of a shard with their row ids, in the place of the shard.
struct shard_pairs {
  buffer keys;
  buffer rows;
};

/// Deals a piece of the columns to the shards, in parts, which bounds its scratch. The current device is that of the
/// piece.
class key_dealer {
 public:
  key_dealer(char const* call, home_piece const& piece, index const& borders, std::size_t shards)
      : piece_(piece), exec_(piece.place.exec), shards_(shards), arrays_(call, exec_), borders_(borders, exec_),
        keys_(arrays_.input(piece.keys, "the key column", true).data),
        rows_(arrays_.input(piece.rows.data, piece.rows.size, piece.row_width(), "the row column")) {}

  /// @return the number of keys for each shard
  std::vector<std::uint64_t> count() {
    std::vector<std::uint64_t> counts(shards_);
    for_parts([&](std::uint64_t begin, std::uint64_t size) {
      steps::shares const shares = steps::count_shares(route(begin, size).dealer(), size, shards_, exec_);
      for (std::size_t i = 0; i < shards_; ++i) counts[i] += shares.of(i);
    });
    return counts;
  }

  /// Copies keys and row ids to where they will be sorted.
  /// @param places per shard, where its first key goes
  void deal_to(std::vector<shard_pairs> const& to, std::vector<std::uint64_t> places) {
    backend const& backend = backend_of(exec_);
    std::size_t const key_width = piece_.key_width(), row_width = piece_.row_width();
    for_parts([&](std::uint64_t begin, std::uint64_t size) {
      dealt_arrays const dealt =
          deal_arrays(route(begin, size), shards_, size, keys_from(begin), {moved(rows_, begin * row_width), row_width},
                      {.width = row_width, .first = piece_.first + begin}, exec_);
      for (std::size_t i = 0; i < shards_; ++i) {
        std::uint64_t const count = dealt.size(i);
        if (count == 0) continue;
        void const* const rows = rows_ == nullptr ? dealt.numbers_of(i) : dealt.part(1, i);
        backend.copy(to[i].keys.as<std::byte>() + places[i] * key_width, dealt.part(0, i), count * key_width, exec_);
        if (row_width != 0)
          backend.copy(to[i].rows.as<std::byte>() + places[i] * row_width, rows, count * row_width, exec_);
        places[i] += count;
      }
    });
    backend.synchronize(exec_);
  }

 private:
  template <class Work> void for_parts(Work const& work) const {
    for (std::uint64_t begin = 0; begin < piece_.keys.size; begin += tuning::dealt_keys)
      work(begin, std::min(piece_.keys.size - begin, tuning::dealt_keys));
  }

  whole_array keys_from(std::uint64_t begin) const {
    return {moved(keys_, begin * piece_.key_width()), piece_.key_width()};
  }
  shard_route route(std::uint64_t begin, std::uint64_t size) const {
    probe_array const probes{keys_from(begin).from, piece_.keys.type};
    return route_probes(borders_, lookups::find, {probe_form::keys, probes}, size, exec_);
  }

  home_piece const& piece_;
  execution exec_;
  std::size_t shards_;
  staging arrays_;
  placed_borders borders_;
  void const* keys_;
  void const* rows_;
};

}  // namespace

void expect_shards(char const* call, std::uint32_t shards) {
  constexpr std::uint32_t most_shards = 1 << 16;
  if (shards > most_shards)
    throw invalid_argument(fmt::format("{}: {} shards; at most {} are possible", call, shards, most_shards));
}

void deal_columns(char const* call, std::vector<home_piece> const& pieces, dealt_shards const& to,
                  std::function<void(std::size_t, column, row_column)> const& build) {
  std::size_t const shards = to.place_of.size();
  home_piece const& like = pieces.front();
  std::vector<shard_place> homes;
  homes.reserve(pieces.size());
  for (home_piece const& piece : pieces) homes.push_back(piece.place);
  auto const for_pieces = [&](std::function<void(std::size_t)> const& work) {
    at_places(homes, numbers_below(homes.size()), work);
  };
  auto const for_all = [&](std::function<void(std::size_t)> const& work) {
    for_shards(to.places, to.place_of, numbers_below(shards), work);
  };
  std::vector<std::unique_ptr<key_dealer>> dealers(pieces.size());
  std::vector<std::vector<std::uint64_t>> places(pieces.size());
  for_pieces([&](std::size_t i) {
    dealers[i] = std::make_unique<key_dealer>(call, pieces[i], to.borders, shards);
    places[i] = dealers[i]->count();
  });
  std::vector<std::uint64_t> sizes(shards);
  for (auto& counts : places)
    for (std::size_t i = 0; i < shards; ++i) sizes[i] += std::exchange(counts[i], sizes[i]);
  std::vector<shard_pairs> pairs(shards);
  for_all([&](std::size_t i) {
    execution const& exec = to.places[to.place_of[i]].exec;
    pairs[i] = {buffer(sizes[i] * like.key_width(), exec), buffer(sizes[i] * like.row_width(), exec)};
    backend_of(exec).synchronize(exec);
  });
  for_pieces([&](std::size_t i) {
    dealers[i]->deal_to(pairs, places[i]);
    dealers[i].reset();
  });
  for_all([&](std::size_t i) {
    shard_pairs const mine = std::move(pairs[i]);
    build(i, column(mine.keys.data(), sizes[i], like.keys.type),
          row_column(mine.rows.data(), like.with_rows ? sizes[i] : 0, like.rows.type));
  });
}

}  // namespace warpdex
