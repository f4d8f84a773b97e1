// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/sharded/folder.hpp"

#include <warpdex/note.hpp>
#include <warpdex/search/mix.hpp>
#include <warpdex/sharded.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <optional>

#include "index/load.hpp"
#include "io/names.hpp"
#include "io/temporary.hpp"

namespace warpdex {
namespace {

constexpr char const* numbers_section = "numbers";
constexpr char const* borders_section = "borders";
constexpr char const* entries_section = "entries";
constexpr std::uint64_t most_files = 1 << 16;
constexpr int most_tries = 16;  // of a load while others save; each fails only if a save ended during it

static_assert(std::endian::native == std::endian::little, "files are written in the order of the machine's bytes");

namespace fs = std::filesystem;

constexpr std::string_view before_number = "shard-";

fs::path file_of_save(fs::path const& folder, std::uint64_t id, std::size_t number) {
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

/// @param wanted the kind of the manifest, if it matters
manifest read_manifest(fs::path const& folder, std::optional<io::file_kind> wanted = {}) {
  manifest result{{}, {}, io::file::open(folder / sharded_index::manifest_name, false)};
  io::file const& from = result.file;
  if (wanted) io::expect_kind(from, *wanted);
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

void write_files(fs::path const& folder, shards_to_save const& shards, std::string_view note,
                 std::function<void(std::vector<shard_file> const&)> const& save) {
  io::descriptor const opened = open_folder(folder);
  fs::path const manifest_path = folder / sharded_index::manifest_name;
  io::temporary const at_work(opened, manifest_path, 0600);
  stored_numbers const numbers{at_work.number(), shards.how};
  std::vector<shard_file> files;
  for (std::size_t i = 0; i < shards.entries.size(); ++i)
    files.push_back({file_of_save(folder, numbers.id, i), note_of_shard(numbers.id, i)});
  try {
    save(files);
    std::vector<std::byte> const borders = shards.borders.save();
    io::section const sections[] = {
        {numbers_section, &numbers, sizeof numbers},
        {entries_section, shards.entries.data(), shards.entries.size() * sizeof shards.entries[0]},
        {borders_section, borders.data(), borders.size()}};
    io::write(manifest_path, shards.head, sections, note);
  } catch (...) {
    std::vector<fs::path> paths;
    paths.reserve(files.size());
    for (shard_file const& file : files) paths.push_back(file.path);
    remove(paths);
    throw;
  }
}

/// @return whether another save has ended since a manifest was read
bool was_replaced(fs::path const& folder, manifest const& from) {
  try {
    return save_in(folder) != from.numbers.id;
  } catch (std::exception const&) {
    return false;
  }
}

}  // namespace

fs::path manifest::file_of(std::size_t number) const {
  fs::path path = file_of_save(fs::path(file.name()).parent_path(), numbers.id, number);
  if (note_of(path) != note_of_shard(numbers.id, number))
    throw format_error(path.string() + ": the file is not shard " + std::to_string(number) + " of this folder");
  return path;
}

index manifest::borders() const {
  index sorted = load_part(file, borders_section, false, check::all, execution(host_memory()));
  if (sorted.key_type() != file.head().keys || !sorted.ordered() || sorted.size() >= entries.size())
    file.fail(borders_section, "has other keys, or too many");
  return sorted;
}

void load_folder(fs::path const& folder, io::file_kind kind, std::function<void(manifest const&)> const& load) {
  for (int tries = 1;; ++tries) {
    manifest const from = read_manifest(folder, kind);
    try {
      return load(from);
    } catch (error const&) {  // a save that ends removes the files of the one before it
      if (tries == most_tries || !was_replaced(folder, from)) throw;
    }
  }
}

void save_folder(fs::path const& folder, shards_to_save const& shards, std::string_view note,
                 std::function<void(std::vector<shard_file> const&)> const& save) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw io_error("save: cannot make the folder " + folder.string() + ": " + failure.message());
  tidy(folder);
  write_files(folder, shards, note, save);
  tidy(folder);
}

}  // namespace warpdex
