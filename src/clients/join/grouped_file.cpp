// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/grouped_index.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "clients/encoder/place_file.hpp"
#include "clients/join/grouped.hpp"
#include "index/load.hpp"
#include "io/kind.hpp"

/// @file
/// The file of a grouped index: that of its entries, and the numbers of its groups and keys.
namespace warpdex {
namespace {

constexpr char const* entries_section = "entries";
/// @param entries the bytes of their file
std::vector<io::section> sections_of(place_sections const& places, std::vector<std::byte> const& entries) {
  std::vector<io::section> made = {places.numbers(), {entries_section, entries.data(), entries.size()}};
  made.insert(made.end(), places.lists().begin(), places.lists().end());
  return made;
}

io::header head_of(grouped_parts const& of) {
  return {io::spec_of(io::file_kind::grouped, of.entries->spec_text()), of.code->keys(), of.entries->row_type(),
          of.entries->size()};
}

index entries_in(io::file& from, bool map, check checks, execution const& exec) {
  if (!from.has(entries_section)) from.fail(place_sections::name, "is not followed by entries");
  from.trust_sections();  // the entries have sums of their own
  index made = load_part(from, entries_section, map, checks, exec);
  if (made.key_type() != key_type::u64) from.fail(entries_section, "has no places");
  return made;
}

std::unique_ptr<grouped_parts> load_parts(io::file from, bool map, check checks, execution const& exec) {
  io::expect_kind(from, io::file_kind::grouped);
  place_numbers const numbers = numbers_in(from);
  place_coder coder(copied(numbers, exec), exec);
  index entries = entries_in(from, map, checks, exec);
  if (checks == check::all) expect_places(from, entries_section, structure_of(entries, "load"), coder, exec);
  std::string asked = entries.spec_text();
  auto parts = std::make_unique<grouped_parts>(
      grouped_parts{std::make_shared<narrow_code const>(std::move(coder), exec),
                    std::make_unique<index>(std::move(entries)), std::move(asked), from.note()});
  io::expect_saved(from, head_of(*parts), sections_of(place_sections(numbers), {}), place_sections::name);
  return parts;
}

auto load_with(check checks, execution const& exec) {
  return [checks, &exec](io::file from, bool map) { return load_parts(std::move(from), map, checks, exec); };
}

/// @param put takes the header and the sections
template <class Put> auto run_saved(grouped_index const& from, Put const& put) {
  grouped_parts const& parts = parts_of(from, "save");
  return run_call("save", [&] {
    place_numbers const numbers = copied(parts.code->numbers(), execution(host_memory()));
    std::vector<std::byte> const entries = parts.whole("save").save();
    place_sections const places(numbers);
    return put(head_of(parts), sections_of(places, entries));
  });
}

}  // namespace

grouped_index grouped_index::load(std::filesystem::path const& path, execution const& exec, bool map, check checks) {
  return grouped_index(load_client(path, exec, map, load_with(checks, exec)));
}

grouped_index grouped_index::load(std::span<std::byte const> bytes, execution const& exec, check checks) {
  return grouped_index(load_client(bytes, exec, load_with(checks, exec)));
}

grouped_index grouped_index::load(std::span<std::byte const> bytes, std::shared_ptr<void const> owner,
                                  execution const& exec, check checks) {
  return grouped_index(load_client(bytes, std::move(owner), exec, load_with(checks, exec)));
}

void grouped_index::save(std::filesystem::path const& path) const { warpdex::save(*this, path, {}); }

std::vector<std::byte> grouped_index::save() const { return warpdex::save(*this, std::string_view()); }

void save(grouped_index const& from, std::filesystem::path const& path, std::string_view note) {
  run_saved(from, to_path{path, note});
}

std::vector<std::byte> save(grouped_index const& from, std::string_view note) {
  return run_saved(from, to_bytes{note});
}

std::string const& grouped_index::note() const { return built("note").note; }

grouped_index grouped_index::clone(execution const& exec) const {
  grouped_parts const& from = built("clone");
  return run_call("clone", exec, [&] {
    index entries = from.whole("clone").clone(exec);
    auto code = std::make_shared<narrow_code const>(place_coder(copied(from.code->numbers(), exec), exec), exec);
    return grouped_index(std::make_unique<grouped_parts>(
        grouped_parts{std::move(code), std::make_unique<index>(std::move(entries)), from.asked, from.note}));
  });
}

}  // namespace warpdex
