// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/note.hpp>

#include <optional>

#include "base/api_border.hpp"
#include "clients/sharded/folder.hpp"
#include "clients/sharded/parts.hpp"

/// @file
/// The folder of a sharded index: an index file per shard.
namespace warpdex {
namespace {

void write_parts(sharded_parts const& parts, std::filesystem::path const& folder, std::string_view note) {
  index_shape const& shape = parts.like().shape();
  shards_to_save to{{io::spec_of(io::file_kind::sharded, parts.like().spec_text()), shape.keys, shape.rows, 0},
                    parts.how == placement::range ? std::uint64_t{1} : 0,
                    {},
                    parts.borders.back().keys};
  std::vector<std::size_t> const all = numbers_below(parts.parts_of_keys());
  for (std::size_t const i : all) to.entries.push_back(parts.shards[i].entries.size());
  to.head.size = all.size();
  save_folder(folder, to, note, [&](std::vector<shard_file> const& files) {
    for_shards(parts, all, [&](std::size_t i) { save(parts.shards[i].entries, files[i].path, files[i].note); });
  });
}

index load_shard(manifest const& from, std::size_t number, execution const& exec, bool map, check checks) {
  std::filesystem::path const path = from.file_of(number);
  index result = index::load(path, exec, map, checks);
  io::header const& head = from.file.head();
  if (result.size() != from.entries[number] || result.key_type() != head.keys || result.row_type() != head.rows)
    throw format_error(path.string() + ": the shard is not as the manifest says");
  return result;
}

/// @return whether the keys at the ends of a shard are between its borders
bool lies_between(sharded_parts const& parts, std::size_t number) {
  shard const& s = parts.shards[number];
  if (parts.how == placement::replicate || !s.entries.ordered() || s.entries.size() == 0) return true;
  execution const& exec = parts.place_of(number).exec;
  std::uint64_t const ranks[2] = {0, s.entries.size() - 1};
  key_list const ends = s.entries.keys_at(ranks, exec);
  std::uint64_t owners[2];
  parts.borders[s.place].keys.upper_bound(ends.view(), owners, exec);
  return owners[0] == number && owners[1] == number;
}

std::unique_ptr<sharded_parts> load_parts(manifest const& from, std::span<shard_place const> places, bool map,
                                          check checks) {
  auto parts = std::make_unique<sharded_parts>();
  parts->peers = connect(places);
  parts->how = from.numbers.how == 0 ? placement::replicate : placement::range;
  parts->why = "as in the folder";
  parts->places.assign(places.begin(), places.end());
  bool const copies = parts->how == placement::replicate;
  auto const place_of = places_of_shards(copies ? places.size() : from.entries.size(), places.size());
  std::vector<std::optional<index>> built(place_of.size());
  for_shards(parts->places, place_of, numbers_below(place_of.size()), [&](std::size_t i) {
    built[i] = load_shard(from, copies ? 0 : i, places[place_of[i]].exec, map, checks);
  });
  for (std::size_t i = 0; i < built.size(); ++i) parts->shards.push_back({std::move(*built[i]), place_of[i]});
  complete(*parts, from.borders());
  if (checks == check::all)
    for_shards(*parts, numbers_below(place_of.size()), [&](std::size_t i) {
      if (!lies_between(*parts, i))
        throw format_error(from.file_of(i).string() + ": keys are beyond the borders of the shard");
    });
  return parts;
}

}  // namespace

void sharded_index::save(std::filesystem::path const& folder) const { warpdex::save(*this, folder, {}); }

void save(sharded_index const& from, std::filesystem::path const& folder, std::string_view note) {
  sharded_parts const& parts = from.built("save");
  run_call("save", [&] { write_parts(parts, folder, note); });
}

sharded_index sharded_index::load(std::filesystem::path const& folder, std::span<shard_place const> places, bool map,
                                  check checks) {
  return run_call("load", [&] {
    expect_places("load", places);
    std::unique_ptr<sharded_parts> parts;
    load_folder(folder, io::file_kind::sharded,
                [&](manifest const& from) { parts = load_parts(from, places, map, checks); });
    return sharded_index(std::move(parts));
  });
}

}  // namespace warpdex
