// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/device.hpp>
#include <warpdex/structures.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "backend/several_devices.hpp"
#include "base/api_border.hpp"

#include "clients/sharded/pieces.hpp"
#include "clients/sharded/tuning.hpp"
#include "index/column_sort.hpp"
#include "request/expect.hpp"

/// @file
/// How a sharded index is built: borders from a sample, and an index per shard over the keys between them.
namespace warpdex {
namespace {

constexpr char const* build_name = "build";

/// @return an array of a column
void const* reached(column const& keys) {
  return keys.type == key_type::bytes && keys.strings.offsets != nullptr ? keys.strings.offsets : keys.data;
}

}  // namespace

shard_place home_of(column const& piece, std::span<shard_place const> places) {
  auto const device = piece.size == 0 ? std::nullopt : device_of(reached(piece));
  if (!device) return {execution(host_memory(), {}, places.front().exec.threads)};
  for (shard_place const& place : places)
    if (place.device == *device) return place;
  throw invalid_argument(
      fmt::format("{}: the key column is on device {}, which is none of the places", build_name, *device));
}

namespace {

constexpr std::uint32_t most_shards = 1 << 16;

struct build_request {
  spec const& s;
  std::span<column const> pieces;  ///< of the key column, one or one per place
  std::optional<row_column> rows;  ///< of one piece
  placement how;
  std::span<shard_place const> places;
  std::uint32_t shards;

  key_type keys() const { return pieces.front().type; }
  std::uint64_t size() const {
    std::uint64_t all = 0;
    for (column const& piece : pieces) all += piece.size;
    return all;
  }
};

void expect_request(build_request const& request) {
  if (request.pieces.empty())
    throw invalid_argument(fmt::format("{}: there are no pieces of a key column", build_name));
  for (column const& piece : request.pieces) {
    expect_known(build_name, "the key column", piece.type);
    if (piece.type != request.keys())
      throw invalid_argument(fmt::format("{}: pieces of the key column have the types {} and {}", build_name,
                                         to_string(request.keys()), to_string(piece.type)));
    if (piece.type == key_type::bytes && request.pieces.size() != 1)
      throw unsupported(
          fmt::format("{}: keys of type bytes come in one piece, not in {}", build_name, request.pieces.size()));
  }
  if (request.rows) expect_known(build_name, "the row column", request.rows->type);
  if (request.rows) expect_size(build_name, "the row column", request.rows->size, request.size());
  if (static_cast<unsigned>(request.how) > static_cast<unsigned>(placement::automatic))
    throw invalid_argument(
        fmt::format("{}: placement number {} is unknown", build_name, static_cast<int>(request.how)));
  if (request.shards > most_shards)
    throw invalid_argument(
        fmt::format("{}: {} shards; at most {} are possible", build_name, request.shards, most_shards));
  if (request.how == placement::replicate && request.shards != 0 && request.shards != request.places.size())
    throw invalid_argument(fmt::format("{}: {} shards in {} places; `replicate` has one in each", build_name,
                                       request.shards, request.places.size()));
  expect_places(build_name, request.places);
}

/// @return bytes that are free where a place is
std::uint64_t free_memory(shard_place const& place) {
  if (place.device < 0)
    return static_cast<std::uint64_t>(::sysconf(_SC_AVPHYS_PAGES)) *
           static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  device_scope const scope(place.device);
  return free_device_memory();
}

/// Chooses the placement, and says why.
void choose(sharded_parts& parts, build_request const& request, row_type rows) {
  parts.how = request.how;
  parts.why = "as asked";
  if (request.how != placement::automatic) return;
  std::uint64_t const size = request.size();
  std::uint64_t const key_bytes = request.keys() == key_type::bytes && size != 0 ? request.pieces.front().strings.bytes
                                                                                 : size * size_of(request.keys());
  std::uint64_t const pairs = key_bytes + size * size_of(rows);
  std::uint64_t least = ~std::uint64_t{0};
  for (shard_place const& place : parts.places) least = std::min(least, free_memory(place));
  bool const fits = static_cast<double>(pairs) <= tuning::replicated_memory * static_cast<double>(least);
  parts.how = fits ? placement::replicate : placement::range;
  parts.why = fmt::format("the pairs take {} bytes, {} 40 % of the least free memory of a place, {} bytes", pairs,
                          fits ? "at most" : "more than", least);
}

/// @return the spec of all shards: what `auto` chooses for the whole column
std::string spec_of_shards(build_request const& request, row_type rows, backend_kind backend) {
  std::string const name = canonical(request.s).structure();
  for (structure_info const& known : structures())
    if (known.name == name && known.chooses)
      return asked_for(*make_plan(request.s, {request.keys(), rows, request.size(), backend, -1}));
  return request.s.text();
}

/// A part of the columns, in the place that deals it to the shards.
struct home_piece {
  shard_place place;
  column keys;
  row_column rows;      ///< null for positions
  std::uint64_t first;  ///< position of its first key

  std::size_t key_width() const { return size_of(keys.type); }
  std::size_t row_width() const { return size_of(rows.type); }
};

/// @return the parts of the columns
/// @param over_links whether each device takes its part of a column on the host over its own link
std::vector<home_piece> home_pieces(build_request const& request, row_type row, bool over_links) {
  std::vector<home_piece> result;
  std::uint64_t first = 0;
  auto const add = [&](shard_place const& place, column keys, row_column rows) {
    result.push_back({place, keys, rows, first});
    first += keys.size;
  };
  for (column const& piece : request.pieces) {
    shard_place const home = home_of(piece, request.places);
    row_column const rows = request.rows.value_or(row_column(nullptr, 0, row));
    std::vector<shard_place> links;
    if (over_links && home.device < 0 && piece.type != key_type::bytes)
      std::copy_if(request.places.begin(), request.places.end(), std::back_inserter(links),
                   [](shard_place const& place) { return place.device >= 0; });
    if (links.empty()) links.push_back(home);
    for (std::size_t i = 0; i < links.size(); ++i) {
      std::uint64_t const begin = piece.size * i / links.size(), end = piece.size * (i + 1) / links.size();
      column part = piece;
      if (links.size() > 1) part = column(moved(piece.data, begin * size_of(piece.type)), end - begin, piece.type);
      row_column const part_rows(moved(rows.data, begin * size_of(row)), request.rows ? end - begin : 0, row);
      add(links[i], part, part_rows);
    }
  }
  return result;
}

/// Samples the keys of a piece of the columns: one of each of its stretches.
/// @param all keys of all pieces @return an index over the sample, on the host
index sample_of(home_piece const& piece, std::uint64_t all) {
  bool const on_device = device_of(reached(piece.keys)).has_value();
  shard_place const here = on_device ? piece.place : shard_place{execution(host_memory())};
  place_scope const scope(here.device);
  staging arrays(build_name, here.exec);
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
index sample_of(std::vector<home_piece> const& pieces) {
  std::uint64_t const all = std::max<std::uint64_t>(1, pieces.back().first + pieces.back().keys.size);
  if (pieces.size() == 1) return sample_of(pieces.front(), all);
  std::vector<std::byte> keys;  // of one width, since strings come in one piece
  for (home_piece const& piece : pieces) {
    index const sample = sample_of(piece, all);
    std::vector<std::uint64_t> ranks(sample.size());
    std::iota(ranks.begin(), ranks.end(), std::uint64_t{0});
    key_list const some = sample.keys_at(ranks, {});
    auto const* const from = some.keys.as<std::byte const>();
    keys.insert(keys.end(), from, from + some.size * piece.key_width());
  }
  home_piece const& like = pieces.front();
  return index::build("AO+BS", column(keys.data(), keys.size() / like.key_width(), like.keys.type), {});
}

/// @return an index over the borders, on the host: evenly spaced keys of a sample
index borders_of(std::vector<home_piece> const& pieces, std::size_t shards) {
  index const sample = sample_of(pieces);
  std::vector<std::uint64_t> ranks;
  for (std::size_t i = 1; i < shards && sample.size() != 0; ++i) ranks.push_back(sample.size() * i / shards);
  return index::build("AO+BS", sample.keys_at(ranks, {}).view(), {});
}

/// The keys of a shard with their row ids, in the place of the shard.
struct shard_pairs {
  buffer keys;
  buffer rows;
};

/// Deals a piece of the columns to the shards, in parts, which bounds its scratch. The current device is that of the
/// piece.
class key_dealer {
 public:
  key_dealer(home_piece const& piece, index const& borders, std::size_t shards)
      : piece_(piece), exec_(piece.place.exec), shards_(shards), arrays_(build_name, exec_), borders_(borders, exec_),
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

/// What is built, and from what.
struct shards_to_build {
  sharded_parts const& parts;
  std::string const& spec;
  std::vector<home_piece> const& pieces;
  std::vector<std::size_t> const& place_of;
  std::vector<std::optional<index>>& built;

  key_type keys() const { return pieces.front().keys.type; }
  row_type rows() const { return pieces.front().rows.type; }
  shard_place const& place(std::size_t shard) const { return parts.places[place_of[shard]]; }
  std::size_t count() const { return place_of.size(); }

  /// Calls work(shard) for all of them.
  void for_all(std::function<void(std::size_t)> const& work) const {
    for_shards(parts.places, place_of, numbers_below(count()), work);
  }
  /// Calls work(piece) for all pieces of the columns.
  void for_pieces(std::function<void(std::size_t)> const& work) const {
    std::vector<shard_place> homes;
    for (home_piece const& piece : pieces) homes.push_back(piece.place);
    at_places(homes, numbers_below(homes.size()), work);
  }

  void build(std::size_t shard, column keys, row_column rows) const {
    execution const& exec = place(shard).exec;
    built[shard] =
        rows.data == nullptr && keys.size != 0 ? index::build(spec, keys, exec) : index::build(spec, keys, rows, exec);
  }
};

/// Builds copies: each over the whole columns.
void build_copies(shards_to_build const& to) {
  home_piece const& first = to.pieces.front();
  place_scope const scope(first.place.device);
  call_home const home(first.place.exec);
  staging arrays(build_name, home.exec);
  probe_array const keys{arrays.input(first.keys, "the key column", true).data, to.keys()};
  void const* const rows = arrays.input(first.rows.data, first.rows.size, first.row_width(), "the row column");
  to.for_all([&](std::size_t shard) {
    placed_column const keys_there(keys, first.keys.size, home, to.place(shard));
    placed_column const rows_there(as_keys(rows, to.rows()), first.rows.size, home, to.place(shard));
    to.build(shard, keys_there.keys(), row_column(rows_there.view().data, first.rows.size, to.rows()));
  });
}

/// Builds copies over a column in pieces: each puts them together.
void build_copies_of_pieces(shards_to_build const& to) {
  std::uint64_t const size = to.pieces.back().first + to.pieces.back().keys.size;
  to.for_all([&](std::size_t shard) {
    execution const& exec = to.place(shard).exec;
    buffer const all(size * size_of(to.keys()), exec);
    for (home_piece const& piece : to.pieces)
      carry(moved(all.data(), piece.first * piece.key_width()), piece.keys.data, piece.keys.size * piece.key_width(),
            exec);
    to.build(shard, column(all.data(), size, to.keys()), row_column(nullptr, 0, to.rows()));
  });
}

/// Builds shards of strings, which are dealt as references where the column is.
void build_strings(shards_to_build const& to, index const& borders) {
  home_piece const& all = to.pieces.front();
  place_scope const scope(all.place.device);
  execution const& exec = all.place.exec;
  call_home const home(exec);
  staging arrays(build_name, exec);
  column const keys = arrays.input(all.keys, "the key column", true);
  void const* const rows = arrays.input(all.rows.data, all.rows.size, all.row_width(), "the row column");
  range_array const probes{probe_form::keys, {keys.data, keys.type}};
  dealt_arrays const dealt = deal_arrays(
      route_probes(placed_borders(borders, exec), lookups::find, probes, keys.size, exec), to.count(), keys.size,
      {keys.data, size_of(keys.type)}, {rows, all.row_width()}, {.width = all.row_width()}, exec);
  backend_of(exec).synchronize(exec);
  to.for_all([&](std::size_t shard) {
    std::uint64_t const size = dealt.size(shard);
    placed_column const keys_there({dealt.part(0, shard), keys.type}, size, home, to.place(shard));
    void const* const numbers = rows == nullptr ? dealt.numbers_of(shard) : dealt.part(1, shard);
    placed_column const rows_there(as_keys(numbers, to.rows()), size, home, to.place(shard));
    to.build(shard, keys_there.keys(), row_column(rows_there.view().data, size, to.rows()));
  });
}

/// Builds shards that have the keys between two borders. All pieces of the columns are dealt at the same time: first
/// they are counted, and then copied to where they will be sorted.
void build_ranges(shards_to_build const& to, index const& borders) {
  std::size_t const shards = to.count(), pieces = to.pieces.size();
  std::vector<std::unique_ptr<key_dealer>> dealers(pieces);
  std::vector<std::vector<std::uint64_t>> places(pieces);
  to.for_pieces([&](std::size_t i) {
    dealers[i] = std::make_unique<key_dealer>(to.pieces[i], borders, shards);
    places[i] = dealers[i]->count();
  });
  std::vector<std::uint64_t> sizes(shards);
  for (auto& counts : places)
    for (std::size_t i = 0; i < shards; ++i) sizes[i] += std::exchange(counts[i], sizes[i]);
  std::vector<shard_pairs> pairs(shards);
  to.for_all([&](std::size_t i) {
    execution const& exec = to.place(i).exec;
    pairs[i] = {buffer(sizes[i] * size_of(to.keys()), exec), buffer(sizes[i] * size_of(to.rows()), exec)};
    backend_of(exec).synchronize(exec);
  });
  to.for_pieces([&](std::size_t i) {
    dealers[i]->deal_to(pairs, places[i]);
    dealers[i].reset();
  });
  to.for_all([&](std::size_t i) {
    shard_pairs const mine = std::move(pairs[i]);
    to.build(i, column(mine.keys.data(), sizes[i], to.keys()), row_column(mine.rows.data(), sizes[i], to.rows()));
  });
}

std::unique_ptr<sharded_parts> build_parts(build_request const& request) {
  expect_request(request);
  auto parts = std::make_unique<sharded_parts>();
  parts->peers = connect(request.places);
  parts->places.assign(request.places.begin(), request.places.end());
  row_type const row = choose_row_type(build_name, request.s, request.size(), request.rows);
  choose(*parts, request, row);
  std::string const s = spec_of_shards(request, row, parts->places.front().exec.memory->backend());
  bool const copies = parts->how == placement::replicate;
  std::size_t const count = copies || request.shards == 0 ? parts->places.size() : request.shards;
  auto const place_of = places_of_shards(count, parts->places.size());
  std::vector<home_piece> const pieces = home_pieces(request, row, !copies);
  index const borders = borders_of(pieces, copies ? 1 : count);
  std::vector<std::optional<index>> built(count);
  shards_to_build const to{*parts, s, pieces, place_of, built};
  if (copies && pieces.size() == 1) build_copies(to);
  else if (copies) build_copies_of_pieces(to);
  else if (request.keys() == key_type::bytes) build_strings(to, borders);
  else build_ranges(to, borders);
  for (std::size_t i = 0; i < count; ++i) parts->shards.push_back({std::move(*built[i]), place_of[i]});
  complete(*parts, borders);
  return parts;
}

}  // namespace

sharded_index sharded_index::build(spec const& s, column keys, placement how, std::span<shard_place const> places,
                                   std::uint32_t shards) {
  return build_spread(s, std::span<column const>(&keys, 1), how, places, shards);
}

sharded_index sharded_index::build_spread(spec const& s, std::span<column const> pieces, placement how,
                                          std::span<shard_place const> places, std::uint32_t shards) {
  return run_call(build_name, [&] {
    return sharded_index(build_parts({s, pieces, std::nullopt, how, places, shards}));
  });
}

sharded_index sharded_index::build(spec const& s, column keys, row_column rows, placement how,
                                   std::span<shard_place const> places, std::uint32_t shards) {
  return run_call(build_name, [&] {
    return sharded_index(build_parts({s, std::span<column const>(&keys, 1), rows, how, places, shards}));
  });
}

}  // namespace warpdex
