// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/device.hpp>
#include <warpdex/structures.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "backend/several_devices.hpp"
#include "base/api_border.hpp"

#include "index/column_sort.hpp"
#include "request/expect.hpp"
#include "sharded/pieces.hpp"
#include "sharded/tuning.hpp"

/// @file
/// How a sharded index is built: borders from a sample, and an index per shard over the keys between them.
namespace warpdex {
namespace {

constexpr char const* build_name = "build";
constexpr std::uint32_t most_shards = 1 << 16;

struct build_request {
  spec const& s;
  column keys;
  std::optional<row_column> rows;
  placement how;
  std::span<shard_place const> places;
  std::uint32_t shards;
};

void expect_request(build_request const& asked) {
  expect_known(build_name, "the key column", asked.keys.type);
  if (asked.rows) expect_known(build_name, "the row column", asked.rows->type);
  if (asked.rows) expect_size(build_name, "the row column", asked.rows->size, asked.keys.size);
  if (static_cast<unsigned>(asked.how) > static_cast<unsigned>(placement::automatic))
    throw invalid_argument(fmt::format("{}: placement number {} is unknown", build_name, static_cast<int>(asked.how)));
  if (asked.shards > most_shards)
    throw invalid_argument(
        fmt::format("{}: {} shards; at most {} are possible", build_name, asked.shards, most_shards));
  if (asked.how == placement::replicate && asked.shards != 0 && asked.shards != asked.places.size())
    throw invalid_argument(fmt::format("{}: {} shards in {} places; `replicate` has one in each", build_name,
                                       asked.shards, asked.places.size()));
  expect_places(build_name, asked.places);
}

/// @return the place of the columns: that of their device, or the host with the threads of the first place
shard_place home_of_columns(build_request const& asked) {
  void const* const somewhere = asked.keys.type == key_type::bytes && asked.keys.strings.offsets != nullptr
                                    ? asked.keys.strings.offsets
                                    : asked.keys.data;
  auto const device = asked.keys.size == 0 ? std::nullopt : device_of(somewhere);
  if (!device) return {execution(host_memory(), {}, asked.places.front().exec.threads)};
  for (shard_place const& place : asked.places)
    if (place.device == *device) return place;
  throw invalid_argument(
      fmt::format("{}: the key column lies on device {}, which is none of the places", build_name, *device));
}

/// @return bytes that are free where a place is
std::uint64_t free_memory(shard_place const& place) {
  if (place.device < 0)
    return static_cast<std::uint64_t>(::sysconf(_SC_AVPHYS_PAGES)) *
           static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  device_scope const there(place.device);
  return free_device_memory();
}

/// Chooses the placement, and says why.
void choose(sharded_parts& parts, build_request const& asked, row_type rows) {
  parts.how = asked.how;
  parts.why = "as asked";
  if (asked.how != placement::automatic) return;
  std::uint64_t const key_bytes = asked.keys.type == key_type::bytes && asked.keys.size != 0
                                      ? asked.keys.strings.bytes
                                      : asked.keys.size * size_of(asked.keys.type);
  std::uint64_t const pairs = key_bytes + asked.keys.size * size_of(rows);
  std::uint64_t least = ~std::uint64_t{0};
  for (shard_place const& place : parts.places) least = std::min(least, free_memory(place));
  bool const fits = static_cast<double>(pairs) <= tuning::replicated_memory * static_cast<double>(least);
  parts.how = fits ? placement::replicate : placement::range;
  parts.why = fmt::format("the pairs take {} bytes, {} 40 % of the least free memory of a place, {} bytes", pairs,
                          fits ? "at most" : "more than", least);
}

/// @return the spec of all shards: what `auto` chooses for the whole column
std::string spec_of_shards(build_request const& asked, row_type rows, backend_kind backend) {
  std::string const name = canonical(asked.s).structure();
  for (structure_info const& known : structures())
    if (known.name == name && known.chooses)
      return asked_for(*make_plan(asked.s, {asked.keys.type, rows, asked.keys.size, backend, -1}));
  return asked.s.text();
}

/// @return an index over the borders, which are keys of a sample, on the host
index borders_of(probe_array const& keys, std::uint64_t size, std::size_t shards, call_home const& home) {
  shard_place const here{home.exec, home.device};
  std::uint64_t const sampled = std::min<std::uint64_t>(size, tuning::border_sample);
  std::vector<std::uint64_t> ranks;
  for (std::size_t i = 1; i < shards && sampled != 0; ++i) ranks.push_back(sampled * i / shards);
  std::size_t const width = size_of(keys.type);
  buffer const sample(sampled * width, home.exec);
  if (sampled != 0)
    steps::run(sharded_steps::sample_key{keys.keys, width, size / sampled, sample.data()}, sampled, home.exec);
  placed_column const column_of_sample({sample.data(), keys.type}, sampled, home, here);
  index const sorted = index::build("AO+BS", column_of_sample.view(), home.exec);
  key_list const borders = sorted.keys_at(ranks, home.exec);
  return index::build("AO+BS", borders.view(), home.exec).clone(execution(host_memory()));
}

/// Builds the shards of `replicate`: each over the whole columns.
void build_copies(std::vector<std::optional<index>>& made, sharded_parts const& parts,
                  std::vector<std::size_t> const& place_of, std::string const& s, probe_array const& keys,
                  std::uint64_t size, row_column const& rows, call_home const& home) {
  for_shards(parts.places, place_of, numbers_below(place_of.size()), [&](std::size_t number) {
    shard_place const& place = parts.places[place_of[number]];
    placed_column const column_there(keys, size, home, place);
    placed_column const rows_there(as_keys(rows.data, rows.type), rows.size, home, place);
    row_column const mine(rows_there.view().data, rows.size, rows.type);
    made[number] = rows.data == nullptr ? index::build(s, column_there.view(), place.exec)
                                        : index::build(s, column_there.view(), mine, place.exec);
  });
}

/// Builds the shards of `range`: each over the keys between its borders.
void build_pieces(std::vector<std::optional<index>>& made, sharded_parts const& parts,
                  std::vector<std::size_t> const& place_of, std::string const& s, index const& borders,
                  probe_array const& keys, std::uint64_t size, row_column const& rows, call_home const& home) {
  execution const& exec = home.exec;
  std::vector<piece> pieces;
  std::size_t const row_width = size_of(rows.type);
  {
    shard_route const route = route_probes(borders, lookups::find, {probe_form::keys, keys}, size, exec);
    for (std::size_t i = 0; i < place_of.size(); ++i)
      pieces.push_back(
          take_piece(route.who(i), size, {keys.keys, size_of(keys.type)}, {rows.data, row_width}, row_width, exec));
    backend_of(exec).synchronize(exec);
  }
  for_shards(parts.places, place_of, numbers_below(place_of.size()), [&](std::size_t number) {
    shard_place const& place = parts.places[place_of[number]];
    piece const mine = std::move(pieces[number]);
    placed_column const column_there({mine.lower.data(), keys.type}, mine.size, home, place);
    void const* const numbers = rows.data == nullptr ? mine.numbers.data() : mine.upper.data();
    placed_column const rows_there(as_keys(numbers, rows.type), mine.size, home, place);
    made[number] =
        index::build(s, column_there.view(), row_column(rows_there.view().data, mine.size, rows.type), place.exec);
  });
}

std::unique_ptr<sharded_parts> build_parts(build_request const& asked) {
  expect_request(asked);
  connect(asked.places);
  auto parts = std::make_unique<sharded_parts>();
  parts->places.assign(asked.places.begin(), asked.places.end());
  std::uint64_t const size = asked.keys.size;
  row_type const row = choose_row_type(build_name, asked.s, size, asked.rows);
  choose(*parts, asked, row);
  std::string const s = spec_of_shards(asked, row, parts->places.front().exec.memory->backend());
  bool const copies = parts->how == placement::replicate;
  std::size_t const count = copies || asked.shards == 0 ? parts->places.size() : asked.shards;
  auto const place_of = places_of_shards(count, parts->places.size());

  shard_place const here = home_of_columns(asked);
  std::optional<device_scope> there;
  if (here.device >= 0) there.emplace(here.device);
  call_home const home(here.exec);
  staging arrays(build_name, home.exec);
  column const keys_in = arrays.input(asked.keys, "the key column", true);
  row_column rows = asked.rows.value_or(row_column(nullptr, 0, row));
  rows.data = arrays.input(rows.data, rows.size, size_of(rows.type), "the row column");
  probe_array const keys{keys_in.data, keys_in.type};
  index borders = borders_of(keys, size, copies ? 1 : count, home);
  std::vector<std::optional<index>> made(count);
  if (copies) build_copies(made, *parts, place_of, s, keys, size, rows, home);
  else build_pieces(made, *parts, place_of, s, borders.clone(home.exec), keys, size, rows, home);
  for (std::size_t i = 0; i < count; ++i) parts->shards.push_back({std::move(*made[i]), place_of[i]});
  complete(*parts, std::move(borders));
  return parts;
}

}  // namespace

sharded_index sharded_index::build(spec const& s, column keys, placement how, std::span<shard_place const> places,
                                   std::uint32_t shards) {
  return run_call(build_name, [&] { return sharded_index(build_parts({s, keys, std::nullopt, how, places, shards})); });
}

sharded_index sharded_index::build(spec const& s, column keys, row_column rows, placement how,
                                   std::span<shard_place const> places, std::uint32_t shards) {
  return run_call(build_name, [&] { return sharded_index(build_parts({s, keys, rows, how, places, shards})); });
}

}  // namespace warpdex
