// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "io/checksum.hpp"
#include "io/descriptor.hpp"
#include "io/file.hpp"
#include "io/layout.hpp"
#include "io/names.hpp"

#include <warpdex/error.hpp>
#include <warpdex/replacement.hpp>

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>

namespace warpdex::io {
namespace {

namespace fs = std::filesystem;

/// A note, and the sections of its file.
struct noted_sections {
  std::string_view in_header;
  std::vector<section> all;

  noted_sections(std::span<section const> sections, std::string_view note) : all(sections.begin(), sections.end()) {
    if (!valid_note(note))
      throw invalid_argument(fmt::format("index file: a note of {} bytes; expected at most {} of printable ASCII",
                                         note.size(), max_note_bytes));
    if (note.size() <= sizeof file_header{}.note && note_prefix(note) == note.size()) in_header = note;
    else all.push_back({note_section, note.data(), note.size()});
  }
};

void check(header const& head, std::span<section const> sections) {
  if (head.spec.empty() || head.spec.size() > max_spec_bytes || spec_prefix(head.spec) != head.spec.size())
    throw invalid_argument(fmt::format("index file: a spec of {} bytes; expected 1 to {} of printable ASCII",
                                       head.spec.size(), max_spec_bytes));
  if (sections.size() > max_sections)
    throw invalid_argument(
        fmt::format("index file: {} sections; at most {} are allowed", sections.size(), max_sections));
  for (auto const& s : sections) {
    if (!valid_section_name(s.name)) throw invalid_argument(fmt::format("index file: bad section name '{}'", s.name));
    auto const twins = std::count_if(sections.begin(), sections.end(), [&](auto const& t) { return t.name == s.name; });
    if (twins > 1) throw invalid_argument(fmt::format("index file: {} sections named '{}'", twins, s.name));
  }
}

/// Gives all sections to `put(data, bytes, offset)`.
/// @param name of the file, for messages
/// @param end end of the header; becomes the end of the last section
/// @return the section table
template <class Put>
std::vector<section_entry> put_sections(std::string const& name, std::span<section const> sections, std::uint64_t& end,
                                        Put const& put) {
  std::vector<section_entry> table;
  for (auto const& s : sections) {
    section_entry entry{};
    std::memcpy(entry.name, s.name.data(), s.name.size());
    entry.offset = end = round_up(end, section_alignment);
    entry.bytes = s.bytes;
    checksum sum(name);
    auto const* data = static_cast<char const*>(s.data);
    for (std::uint64_t done = 0; done < s.bytes; done += chunk_bytes) {
      auto const bytes = static_cast<std::size_t>(std::min<std::uint64_t>(chunk_bytes, s.bytes - done));
      sum.add(data + done, bytes);
      put(data + done, bytes, end + done);
    }
    entry.checksum = sum.value();
    end += s.bytes;
    table.push_back(entry);
  }
  return table;
}

std::vector<char> header_bytes(header const& head, std::string_view note, std::span<section_entry const> table,
                               std::uint64_t file_bytes) {
  file_header fixed{};
  std::memcpy(fixed.magic, magic, sizeof magic);
  fixed.version = format_version;
  fixed.spec_bytes = static_cast<std::uint32_t>(head.spec.size());
  fixed.sections = static_cast<std::uint16_t>(table.size());
  fixed.header_bytes = static_cast<std::uint32_t>(header_bytes_for(fixed.spec_bytes, fixed.sections));
  fixed.file_bytes = file_bytes;
  fixed.size = head.size;
  fixed.keys = static_cast<std::uint8_t>(head.keys);
  fixed.rows = static_cast<std::uint8_t>(head.rows);
  std::copy(note.begin(), note.end(), fixed.note);

  std::vector<char> bytes(fixed.header_bytes);
  std::memcpy(bytes.data(), &fixed, sizeof fixed);
  std::memcpy(bytes.data() + sizeof fixed, head.spec.data(), head.spec.size());
  if (!table.empty()) std::memcpy(bytes.data() + bytes.size() - table.size_bytes(), table.data(), table.size_bytes());
  fixed.checksum = XXH3_64bits(bytes.data(), bytes.size());
  std::memcpy(bytes.data(), &fixed, sizeof fixed);
  return bytes;
}

/// Gives a whole file to `put(data, bytes, offset)`, its header last.
/// @return bytes of the file; nothing is put to the padding between sections
template <class Put>
std::uint64_t put_file(std::string const& name, header const& head, noted_sections const& noted, Put const& put) {
  std::uint64_t end =
      header_bytes_for(static_cast<std::uint32_t>(head.spec.size()), static_cast<std::uint32_t>(noted.all.size()));
  auto const table = put_sections(name, noted.all, end, put);
  auto const first = header_bytes(head, noted.in_header, table, end);
  put(first.data(), first.size(), std::uint64_t{0});
  return end;
}

}  // namespace

void write(fs::path const& path, header const& head, std::span<section const> sections, std::string_view note) {
  noted_sections const noted(sections, note);
  check(head, noted.all);

  replacement next(path);
  std::uint64_t const end =
      put_file(path.string(), head, noted, [&](char const* data, std::size_t bytes, std::uint64_t offset) {
        write_at(next.file(), path, data, bytes, offset);
      });
  // If the last section is empty, nothing has written the padding before it.
  if (::ftruncate(next.file(), static_cast<off_t>(end)) != 0) fail_io(path, "cannot set its length");
  next.commit(replacement::durability::flushed);
}

std::vector<std::byte> image(header const& head, std::span<section const> sections, std::string_view note) {
  noted_sections const noted(sections, note);
  check(head, noted.all);
  std::uint64_t total =
      header_bytes_for(static_cast<std::uint32_t>(head.spec.size()), static_cast<std::uint32_t>(noted.all.size()));
  for (auto const& s : noted.all) total = round_up(total, section_alignment) + s.bytes;
  std::vector<std::byte> bytes(total);
  put_file("memory", head, noted, [&](char const* data, std::size_t size, std::uint64_t offset) {
    std::memcpy(bytes.data() + offset, data, size);
  });
  return bytes;
}

}  // namespace warpdex::io
