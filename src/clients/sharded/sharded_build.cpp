// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/device.hpp>
#include <warpdex/structures.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "backend/several_devices.hpp"
#include "base/api_border.hpp"
#include "clients/sharded/dealing.hpp"
#include "clients/sharded/pieces.hpp"
#include "clients/sharded/tuning.hpp"
#include "index/column_sort.hpp"
#include "request/expect.hpp"

/// @file
/// How a sharded index is built: an index per shard over the keys between two borders, or over all keys.
namespace warpdex {
namespace {

constexpr char const* build_name = "build";

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
  expect_shards(build_name, request.shards);
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
  std::vector<home_piece> const pieces =
      home_pieces(build_name, {request.pieces, request.rows, row}, request.places, !copies);
  index const borders = borders_of(build_name, pieces, copies ? 1 : count);
  std::vector<std::optional<index>> built(count);
  shards_to_build const to{*parts, s, pieces, place_of, built};
  if (copies && pieces.size() == 1) build_copies(to);
  else if (copies) build_copies_of_pieces(to);
  else if (request.keys() == key_type::bytes) build_strings(to, borders);
  else
    deal_columns(build_name, pieces, {borders, parts->places, place_of},
                 [&](std::size_t shard, column keys, row_column rows) { to.build(shard, keys, rows); });
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
