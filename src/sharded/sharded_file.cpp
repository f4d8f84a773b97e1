// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/note.hpp>
#include <warpdex/search/mix.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/api_border.hpp"
#include "base/random.hpp"
#include "io/file.hpp"
#include "sharded/pieces.hpp"

/// @file
/// The folder of a sharded index: an index file per shard, and a manifest that names them.
namespace warpdex {
namespace {

constexpr char const* numbers_section = "numbers";
constexpr char const* borders_section = "borders";
constexpr char const* entries_section = "entries";
constexpr std::uint64_t most_files = 1 << 16;

/// The section of numbers.
struct stored_numbers {
  std::uint64_t id;   ///< of this save; names and notes of files are made from it
  std::uint64_t how;  ///< 0 for `replicate`, of which one copy is stored, 1 for `range`
};
static_assert(std::endian::native == std::endian::little, "files are written in the order of the machine's bytes");

std::filesystem::path file_of(std::filesystem::path const& folder, std::uint64_t id, std::size_t number) {
  return folder / fmt::format("shard-{:016x}-{}.wdx", id, number);
}

/// @return the note of the file of a shard, which no other shard of any save has
std::string note_of_shard(std::uint64_t id, std::size_t number) { return fmt::format("{:016x}", mix(id + number, 0)); }

struct manifest {
  stored_numbers numbers;
  std::vector<std::uint64_t> entries;  ///< per file
  io::file file;
};

manifest read_manifest(std::filesystem::path const& folder) {
  manifest made{{}, {}, io::file::open(folder / sharded_index::manifest_name, false)};
  io::file const& from = made.file;
  if (from.size(numbers_section) != sizeof made.numbers) from.fail(numbers_section, "has another length");
  from.read(numbers_section, std::as_writable_bytes(std::span(&made.numbers, 1)));
  std::uint64_t const bytes = from.size(entries_section);
  std::uint64_t const count = bytes / sizeof(std::uint64_t);
  if (count == 0 || count > most_files || bytes % sizeof(std::uint64_t) != 0)
    from.fail(entries_section, "is no list of shards");
  if (made.numbers.how > 1 || (made.numbers.how == 0 && count != 1)) from.fail(numbers_section, "names no placement");
  made.entries.resize(count);
  from.read(entries_section, std::as_writable_bytes(std::span(made.entries)));
  return made;
}

std::vector<std::filesystem::path> files_of(std::filesystem::path const& folder, std::uint64_t id, std::size_t count) {
  std::vector<std::filesystem::path> files;
  for (std::size_t i = 0; i < count; ++i) files.push_back(file_of(folder, id, i));
  return files;
}

/// What cannot be removed remains.
void remove(std::vector<std::filesystem::path> const& files) noexcept {
  std::error_code ignored;
  for (std::filesystem::path const& file : files) std::filesystem::remove(file, ignored);
}

void write_folder(sharded_parts const& parts, std::filesystem::path const& folder, std::string_view note) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw io_error("save: cannot make the folder " + folder.string() + ": " + failure.message());
  std::vector<std::filesystem::path> before;
  try {
    manifest const there = read_manifest(folder);
    before = files_of(folder, there.numbers.id, there.entries.size());
  } catch (error const&) {  // there is none
  }
  std::size_t const count = parts.parts_of_keys();
  stored_numbers const numbers{random_number(), parts.how == placement::range ? std::uint64_t{1} : 0};
  std::vector<std::filesystem::path> const files = files_of(folder, numbers.id, count);
  try {
    std::vector<std::size_t> const all = numbers_below(count);
    std::vector<std::uint64_t> entries;
    entries.reserve(count);
    for (std::size_t const i : all) entries.push_back(parts.shards[i].entries.size());
    for_shards(parts, all,
               [&](std::size_t i) { save(parts.shards[i].entries, files[i], note_of_shard(numbers.id, i)); });
    std::vector<std::byte> const borders = parts.borders.back().keys.save();
    io::section const sections[] = {{numbers_section, &numbers, sizeof numbers},
                                    {entries_section, entries.data(), entries.size() * sizeof entries[0]},
                                    {borders_section, borders.data(), borders.size()}};
    index_shape const& shape = parts.like().shape();
    io::write(folder / sharded_index::manifest_name,
              {"sharded(" + parts.like().spec_text() + ")", shape.keys, shape.rows, entries.size()}, sections, note);
  } catch (...) {
    remove(files);
    throw;
  }
  remove(before);
}

index load_shard(std::filesystem::path const& path, std::size_t number, manifest const& from, execution const& exec,
                 bool map, check checks) {
  if (note_of(path) != note_of_shard(from.numbers.id, number))
    throw format_error(path.string() + ": the file is not shard " + std::to_string(number) + " of this index");
  index made = index::load(path, exec, map, checks);
  io::header const& head = from.file.head();
  if (made.size() != from.entries[number] || made.key_type() != head.keys || made.row_type() != head.rows)
    throw format_error(path.string() + ": the shard is not as the manifest says");
  return made;
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

std::unique_ptr<sharded_parts> load_folder(std::filesystem::path const& folder, std::span<shard_place const> places,
                                           bool map, check checks) {
  expect_places("load", places);
  manifest const from = read_manifest(folder);
  auto parts = std::make_unique<sharded_parts>();
  parts->peers = connect(places);
  parts->how = from.numbers.how == 0 ? placement::replicate : placement::range;
  parts->why = "as in the folder";
  parts->places.assign(places.begin(), places.end());
  bool const copies = parts->how == placement::replicate;
  auto const place_of = places_of_shards(copies ? places.size() : from.entries.size(), places.size());
  std::vector<std::optional<index>> made(place_of.size());
  for_shards(parts->places, place_of, numbers_below(place_of.size()), [&](std::size_t i) {
    std::size_t const stored = copies ? 0 : i;
    made[i] = load_shard(file_of(folder, from.numbers.id, stored), stored, from, places[place_of[i]].exec, map, checks);
  });
  buffer const borders(from.file.size(borders_section), execution(host_memory()));
  from.file.read(borders_section, {borders.as<std::byte>(), borders.bytes()});
  index sorted = index::load(std::span(borders.as<std::byte const>(), borders.bytes()), execution(host_memory()));
  if (sorted.key_type() != from.file.head().keys || !sorted.ordered() || sorted.size() >= from.entries.size())
    from.file.fail(borders_section, "has other keys, or too many");
  for (std::size_t i = 0; i < made.size(); ++i) parts->shards.push_back({std::move(*made[i]), place_of[i]});
  complete(*parts, sorted);
  if (checks == check::all)
    for_shards(*parts, numbers_below(place_of.size()), [&](std::size_t i) {
      if (!lies_between(*parts, i))
        throw format_error(file_of(folder, from.numbers.id, i).string() + ": keys are beyond the borders of the shard");
    });
  return parts;
}

}  // namespace

void sharded_index::save(std::filesystem::path const& folder) const { warpdex::save(*this, folder, {}); }

void save(sharded_index const& from, std::filesystem::path const& folder, std::string_view note) {
  sharded_parts const& parts = from.built("save");
  run_call("save", [&] { write_folder(parts, folder, note); });
}

sharded_index sharded_index::load(std::filesystem::path const& folder, std::span<shard_place const> places, bool map,
                                  check checks) {
  return run_call("load", [&] { return sharded_index(load_folder(folder, places, map, checks)); });
}

}  // namespace warpdex
