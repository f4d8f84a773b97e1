// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/note.hpp>
#include <warpdex/search/mix.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "base/api_border.hpp"
#include "clients/sharded/pieces.hpp"
#include "index/load.hpp"
#include "io/file.hpp"
#include "io/kind.hpp"
#include "io/names.hpp"
#include "io/temporary.hpp"

/// @file
/// The folder of a sharded index: an index file per shard, and a manifest that names them. A save has a number, which
/// is that of a temporary file in the folder: as long as this is there and locked, the save is at work.
namespace warpdex {
namespace {

constexpr char const* numbers_section = "numbers";
constexpr char const* borders_section = "borders";
constexpr char const* entries_section = "entries";
constexpr std::uint64_t most_files = 1 << 16;
constexpr int most_tries = 16;  // of a load while others save; each fails only if a save ended during it

/// The section of numbers.
struct stored_numbers {
  std::uint64_t id;   ///< of this save; names and notes of files are made from it
  std::uint64_t how;  ///< 0 for `replicate`, of which one copy is stored, 1 for `range`
};
static_assert(std::endian::native == std::endian::little, "files are written in the order of the machine's bytes");

namespace fs = std::filesystem;

constexpr std::string_view before_number = "shard-";

fs::path file_of(fs::path const& folder, std::uint64_t id, std::size_t number) {
  return folder / fmt::format("{}{:016x}-{}.wdx", before_number, id, number);
}

/// @return the save that made a file of a shard; none for another name
std::optional<std::uint64_t> save_of(std::string_view name) noexcept {
  if (!name.starts_with(before_number) || !name.ends_with(".wdx")) return {};
  name.remove_prefix(before_number.size());
  if (name.size() <= io::number_digits || name[io::number_digits] != '-') return {};
  return io::numbered(name.substr(0, io::number_digits));
}

/// @return the note of the file of a shard, which no other shard of any save has
std::string note_of_shard(std::uint64_t id, std::size_t number) { return fmt::format("{:016x}", mix(id + number, 0)); }

struct manifest {
  stored_numbers numbers;
  std::vector<std::uint64_t> entries;  ///< per file
  io::file file;
};

manifest read_manifest(fs::path const& folder) {
  manifest result{{}, {}, io::file::open(folder / sharded_index::manifest_name, false)};
  io::file const& from = result.file;
  io::expect_kind(from, io::file_kind::sharded);
  if (from.size(numbers_section) != sizeof result.numbers) from.fail(numbers_section, "has another length");
  from.read(numbers_section, std::as_writable_bytes(std::span(&result.numbers, 1)));
  std::uint64_t const bytes = from.size(entries_section);
  std::uint64_t const count = bytes / sizeof(std::uint64_t);
  if (count == 0 || count > most_files || bytes % sizeof(std::uint64_t) != 0)
    from.fail(entries_section, "is no list of shards");
  if (result.numbers.how > 1 || (result.numbers.how == 0 && count != 1))
    from.fail(numbers_section, "names no placement");
  result.entries.resize(count);
  from.read(entries_section, std::as_writable_bytes(std::span(result.entries)));
  return result;
}

/// Removes files; what cannot be removed remains.
void remove(std::vector<fs::path> const& files) noexcept {
  std::error_code ignored;
  for (fs::path const& file : files) fs::remove(file, ignored);
}

io::descriptor open_folder(fs::path const& folder) {
  io::descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) io::fail_io(folder, "cannot open");
  return opened;
}

/// @return the names of all files. An iterator of the standard library ends the process if it has no memory
std::vector<std::string> names_in(fs::path const& folder) {
  std::unique_ptr<DIR, int (*)(DIR*)> const opened(::opendir(folder.c_str()), ::closedir);
  if (opened == nullptr) io::fail_io(folder, "cannot open");
  std::vector<std::string> names;
  while (dirent const* const entry = ::readdir(opened.get())) names.emplace_back(entry->d_name);
  return names;
}

/// @return the save whose shards a folder holds; none if it has no manifest
/// @throws error if it has one that cannot be read
std::optional<std::uint64_t> save_in(fs::path const& folder) {
  if (!fs::exists(folder / sharded_index::manifest_name)) return {};
  return read_manifest(folder).numbers.id;
}

/// Removes what saves that have ended left: their temporary files, and shards that the manifest does not name. A shard
/// is listed before its save is found to have ended, and the manifest is read after that. So a save that ends meanwhile
/// loses none of the shards that its manifest names.
void remove_remains(fs::path const& folder) {
  io::descriptor const opened = open_folder(folder);
  std::map<std::uint64_t, std::vector<fs::path>> shards;
  std::vector<std::uint64_t> in_the_making;
  for (std::string const& name : names_in(folder)) {
    if (auto const number = save_of(name)) shards[*number].push_back(folder / name);
    if (auto const number = io::temporary_number(name)) in_the_making.push_back(*number);
  }
  std::erase_if(shards, [&](auto const& of_save) { return !io::remove_abandoned(opened, of_save.first); });
  for (std::uint64_t const number : in_the_making) io::remove_abandoned(opened, number);
  auto const named = save_in(folder);
  for (auto const& [id, files] : shards)
    if (id != named) remove(files);
}

/// The same before and after a save, which does not fail if nothing can be removed.
void tidy(fs::path const& folder) noexcept {
  try {
    remove_remains(folder);
  } catch (std::exception const&) {  // what is there remains
  }
}

void write_parts(sharded_parts const& parts, fs::path const& folder, std::string_view note) {
  io::descriptor const opened = open_folder(folder);
  io::temporary const at_work(opened, folder / sharded_index::manifest_name, 0600);
  std::size_t const count = parts.parts_of_keys();
  stored_numbers const numbers{at_work.number(), parts.how == placement::range ? std::uint64_t{1} : 0};
  std::vector<fs::path> files;
  for (std::size_t i = 0; i < count; ++i) files.push_back(file_of(folder, numbers.id, i));
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
              {io::spec_of(io::file_kind::sharded, parts.like().spec_text()), shape.keys, shape.rows, entries.size()},
              sections, note);
  } catch (...) {
    remove(files);
    throw;
  }
}

void write_folder(sharded_parts const& parts, fs::path const& folder, std::string_view note) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw io_error("save: cannot make the folder " + folder.string() + ": " + failure.message());
  tidy(folder);
  write_parts(parts, folder, note);
  tidy(folder);
}

index load_shard(fs::path const& path, std::size_t number, manifest const& from, execution const& exec, bool map,
                 check checks) {
  if (note_of(path) != note_of_shard(from.numbers.id, number))
    throw format_error(path.string() + ": the file is not shard " + std::to_string(number) + " of this index");
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

std::unique_ptr<sharded_parts> load_parts(fs::path const& folder, manifest const& from,
                                          std::span<shard_place const> places, bool map, check checks) {
  auto parts = std::make_unique<sharded_parts>();
  parts->peers = connect(places);
  parts->how = from.numbers.how == 0 ? placement::replicate : placement::range;
  parts->why = "as in the folder";
  parts->places.assign(places.begin(), places.end());
  bool const copies = parts->how == placement::replicate;
  auto const place_of = places_of_shards(copies ? places.size() : from.entries.size(), places.size());
  std::vector<std::optional<index>> built(place_of.size());
  for_shards(parts->places, place_of, numbers_below(place_of.size()), [&](std::size_t i) {
    std::size_t const stored = copies ? 0 : i;
    built[i] =
        load_shard(file_of(folder, from.numbers.id, stored), stored, from, places[place_of[i]].exec, map, checks);
  });
  index sorted = load_part(from.file, borders_section, false, check::all, execution(host_memory()));
  if (sorted.key_type() != from.file.head().keys || !sorted.ordered() || sorted.size() >= from.entries.size())
    from.file.fail(borders_section, "has other keys, or too many");
  for (std::size_t i = 0; i < built.size(); ++i) parts->shards.push_back({std::move(*built[i]), place_of[i]});
  complete(*parts, sorted);
  if (checks == check::all)
    for_shards(*parts, numbers_below(place_of.size()), [&](std::size_t i) {
      if (!lies_between(*parts, i))
        throw format_error(file_of(folder, from.numbers.id, i).string() + ": keys are beyond the borders of the shard");
    });
  return parts;
}

/// @return whether another save has ended since a manifest was read
bool was_replaced(fs::path const& folder, manifest const& from) {
  try {
    return save_in(folder) != from.numbers.id;
  } catch (std::exception const&) {
    return false;
  }
}

std::unique_ptr<sharded_parts> load_folder(fs::path const& folder, std::span<shard_place const> places, bool map,
                                           check checks) {
  expect_places("load", places);
  for (int tries = 1;; ++tries) {
    manifest const from = read_manifest(folder);
    try {
      return load_parts(folder, from, places, map, checks);
    } catch (error const&) {  // a save that ends removes the files of the one before it
      if (tries == most_tries || !was_replaced(folder, from)) throw;
    }
  }
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
