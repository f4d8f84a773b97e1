// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "io/checksum.hpp"
#include "io/descriptor.hpp"
#include "io/file.hpp"
#include "io/layout.hpp"
#include "io/mapping.hpp"
#include "io/names.hpp"

#include <warpdex/error.hpp>

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace warpdex::io {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_at(std::string const& path, std::uint64_t offset, std::string const& what) {
  throw format_error(fmt::format("{}: damaged index file: at offset {}: {}", path, offset, what));
}

/// Checks that the bytes begin like an index file of this version.
void check_beginning(std::span<std::byte const> bytes, std::string const& path) {
  if (bytes.empty()) throw format_error(fmt::format("{}: not a warpdex index: the file is empty", path));
  std::size_t const present = std::min(bytes.size(), sizeof magic);
  if (std::memcmp(bytes.data(), magic, present) != 0) {
    std::string hex;
    for (auto const b : bytes.first(present)) hex += fmt::format(" {:02x}", std::to_integer<unsigned>(b));
    throw format_error(fmt::format("{}: not a warpdex index: at offset 0: begins with{}", path, hex));
  }
  if (bytes.size() < sizeof(file_header))
    fail_at(path, bytes.size(),
            fmt::format("truncated: {} bytes, of which the header alone takes {}", bytes.size(), sizeof(file_header)));
  std::uint32_t version;
  std::memcpy(&version, bytes.data() + offsetof(file_header, version), sizeof version);
  if (version != format_version)
    throw format_error(fmt::format("{}: at offset {}: format version {}; this warpdex reads version {}", path,
                                   offsetof(file_header, version), version, format_version));
}

/// @return the note without the zeros after it
std::string_view note_in(file_header const& head) {
  std::string_view const all(head.note, sizeof head.note);
  return all.substr(0, all.find_last_not_of('\0') + 1);
}

/// Checks the fixed part of the header, and the checksum of the header with spec and section table.
/// @param bytes at least the header, or the whole file if that is shorter
/// @param file_bytes the true length of the file
file_header check_header(std::span<std::byte const> bytes, std::uint64_t file_bytes, std::string const& path) {
  check_beginning(bytes, path);
  file_header fixed;
  std::memcpy(&fixed, bytes.data(), sizeof fixed);

  if (fixed.header_bytes < sizeof fixed || fixed.header_bytes > max_header_bytes)
    fail_at(path, offsetof(file_header, header_bytes),
            fmt::format("header length {}; expected {} to {}", fixed.header_bytes, sizeof fixed, max_header_bytes));
  if (fixed.header_bytes > bytes.size())
    fail_at(path, bytes.size(),
            fmt::format("truncated: {} bytes, of which the header takes {}", bytes.size(), fixed.header_bytes));

  std::vector<std::byte> plain(bytes.begin(), bytes.begin() + fixed.header_bytes);
  std::memset(plain.data() + offsetof(file_header, checksum), 0, sizeof fixed.checksum);
  if (auto const sum = XXH3_64bits(plain.data(), plain.size()); sum != fixed.checksum)
    fail_at(path, offsetof(file_header, checksum),
            fmt::format("header checksum {:016x}, but its bytes give {:016x}", fixed.checksum, sum));

  if (fixed.spec_bytes == 0 || fixed.spec_bytes > max_spec_bytes)
    fail_at(path, offsetof(file_header, spec_bytes),
            fmt::format("spec length {}; expected 1 to {}", fixed.spec_bytes, max_spec_bytes));
  if (fixed.sections > max_sections)
    fail_at(path, offsetof(file_header, sections),
            fmt::format("{} sections; at most {} are allowed", fixed.sections, max_sections));
  if (auto const expected = header_bytes_for(fixed.spec_bytes, fixed.sections); fixed.header_bytes != expected)
    fail_at(path, offsetof(file_header, header_bytes),
            fmt::format("header length {}; expected {}", fixed.header_bytes, expected));
  if (fixed.keys >= key_types.size())
    fail_at(path, offsetof(file_header, keys), fmt::format("unknown key type {}", fixed.keys));
  if (fixed.rows > static_cast<std::uint8_t>(row_type::u64))
    fail_at(path, offsetof(file_header, rows), fmt::format("unknown row type {}", fixed.rows));
  if (auto const note = note_in(fixed); note_prefix(note) != note.size())
    fail_at(path, offsetof(file_header, note) + note_prefix(note),
            fmt::format("the note holds the byte {:#04x}", static_cast<unsigned char>(note[note_prefix(note)])));
  if (fixed.file_bytes != file_bytes)
    fail_at(
        path, std::min(fixed.file_bytes, file_bytes),
        fmt::format("{}: {} bytes; its header says {}",
                    file_bytes < fixed.file_bytes ? "truncated" : "bytes after its end", file_bytes, fixed.file_bytes));
  // Every entry takes at least one byte. So numbers that structures compute from the number of entries stay in range.
  if (fixed.size > file_bytes)
    fail_at(path, offsetof(file_header, size), fmt::format("{} entries in a file of {} bytes", fixed.size, file_bytes));
  return fixed;
}

}  // namespace

file file::open(fs::path const& path, bool map) {
  auto [from, bytes] = open_to_read(path);
  file result;
  result.path_ = path.string();
  result.file_bytes_ = bytes;
  result.descriptor_ = std::make_shared<descriptor const>(std::move(from));
  result.parse_header();
  if (!map) return result;

  result.mapped_ = std::make_shared<mapping const>(path, result.descriptor_, result.file_bytes_);
  result.memory_ = result.mapped_->data();
  result.storage_ = result.mapped_;
  return result;
}

file file::parse(std::span<std::byte const> bytes, std::string name, std::shared_ptr<void const> owner) {
  file result;
  result.path_ = std::move(name);
  result.storage_ = std::move(owner);
  result.file_bytes_ = bytes.size();
  result.memory_ = bytes.data();
  result.parse_header();
  return result;
}

file file::part(std::string const& name) const {
  std::string const called = fmt::format("{}: section '{}'", path_, name);
  if (memory_ == nullptr) {
    auto const held = std::make_shared<std::vector<std::byte>>(size(name));
    read(name, *held);
    return parse(*held, called, held);
  }
  file result = parse(bytes(name), called, storage_);
  result.mapped_ = mapped_;
  return result;
}

void file::parse_header() {
  // Read only the beginning: a file of another kind may be huge.
  std::vector<std::byte> beginning(std::min(file_bytes_, max_header_bytes));
  read_at(0, beginning);
  auto const fixed = check_header(beginning, file_bytes_, path_);

  head_.spec.assign(reinterpret_cast<char const*>(beginning.data()) + sizeof fixed, fixed.spec_bytes);
  if (auto const bad = spec_prefix(head_.spec); bad != head_.spec.size())
    fail_at(path_, sizeof fixed + bad,
            fmt::format("the spec holds the byte {:#04x}", static_cast<unsigned char>(head_.spec[bad])));
  head_.keys = static_cast<key_type>(fixed.keys);
  head_.rows = static_cast<row_type>(fixed.rows);
  head_.size = fixed.size;
  note_ = note_in(fixed);

  std::uint64_t const table = fixed.header_bytes - std::uint64_t{fixed.sections} * sizeof(section_entry);
  check_padding(sizeof fixed + fixed.spec_bytes, table);

  std::uint64_t end = fixed.header_bytes;  // never more than file_bytes_
  for (std::uint64_t i = 0; i < fixed.sections; ++i) {
    std::uint64_t const at = table + i * sizeof(section_entry);
    section_entry e;
    std::memcpy(&e, beginning.data() + at, sizeof e);

    std::string const name(e.name, ::strnlen(e.name, sizeof e.name));
    bool const padded = std::all_of(e.name + name.size(), e.name + sizeof e.name, [](char c) { return c == 0; });
    if (!valid_section_name(name) || !padded) fail_at(path_, at, fmt::format("bad name of section {}", i));
    if (has(name)) fail_at(path_, at, fmt::format("second section '{}'", name));

    // Sections follow each other without gaps, so none overlap and nothing hides between them.
    std::uint64_t const begin = round_up(end, section_alignment);
    if (e.offset != begin)
      fail_at(path_, at + offsetof(section_entry, offset),
              fmt::format("section '{}' at offset {}; expected {}", name, e.offset, begin));
    if (begin > file_bytes_ || e.bytes > file_bytes_ - begin)
      fail_at(path_, at + offsetof(section_entry, bytes),
              fmt::format("section '{}' of {} bytes at offset {} in a file of {}", name, e.bytes, begin, file_bytes_));
    if (e.reserved != 0)
      fail_at(path_, at + offsetof(section_entry, reserved),
              fmt::format("reserved field is {}; expected 0", e.reserved));
    check_padding(end, begin);
    entries_.push_back({name, begin, e.bytes, e.checksum});
    end = begin + e.bytes;
  }
  if (end != file_bytes_) fail_at(path_, end, fmt::format("{} bytes after the last section", file_bytes_ - end));
  take_note();
}

/// Reads a note that is a section, which is not one of the index.
void file::take_note() {
  if (!has(note_section)) return;
  if (!note_.empty()) fail(note_section, "the header has a note too");
  if (size(note_section) > max_note_bytes) fail(note_section, fmt::format("more than {} bytes", max_note_bytes));
  note_.resize(size(note_section));
  read(note_section, std::as_writable_bytes(std::span(note_)));
  if (!valid_note(note_)) fail(note_section, "no text of printable ASCII");
  std::erase_if(entries_, [](entry const& one) { return one.name == note_section; });
}

void file::check_padding(std::uint64_t begin, std::uint64_t end) const {
  std::array<std::byte, section_alignment> bytes;
  std::span const padding(bytes.data(), end - begin);
  read_at(begin, padding);
  auto const bad = std::find_if(padding.begin(), padding.end(), [](std::byte b) { return b != std::byte{0}; });
  if (bad != padding.end())
    fail_at(path_, begin + static_cast<std::uint64_t>(bad - padding.begin()),
            fmt::format("padding byte is {:#04x}; expected 0", std::to_integer<unsigned>(*bad)));
}

void file::read_at(std::uint64_t offset, std::span<std::byte> to) const {
  if (memory_ != nullptr) {
    std::copy_n(memory_ + offset, to.size(), to.begin());
    return;
  }
  while (!to.empty()) {
    auto const got = ::pread(descriptor_->get(), to.data(), to.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_io(path_, fmt::format("cannot read at offset {}", offset).c_str());
    if (got == 0) fail_at(path_, offset, "the file has become shorter while it was read");
    to = to.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

file::entry const* file::find(std::string_view name) const noexcept {
  for (auto const& e : entries_)
    if (e.name == name) return &e;
  return nullptr;
}

file::entry const& file::named(std::string_view name) const {
  if (auto const* e = find(name)) return *e;
  throw format_error(fmt::format("{}: damaged index file: no section '{}'", path_, name));
}

std::vector<std::string> file::names() const {
  std::vector<std::string> result;
  for (auto const& e : entries_) result.push_back(e.name);
  return result;
}

bool file::has(std::string_view name) const noexcept { return find(name) != nullptr; }

std::uint64_t file::size(std::string_view name) const { return named(name).bytes; }

void file::read(std::string_view name, std::span<std::byte> to) const {
  auto const& e = named(name);
  checksum sum(path_);
  for (std::uint64_t done = 0; done < e.bytes; done += chunk_bytes) {
    auto const chunk = to.subspan(done, std::min<std::uint64_t>(chunk_bytes, e.bytes - done));
    read_at(e.offset + done, chunk);
    if (checks_sums_) sum.add(chunk.data(), chunk.size());
  }
  if (checks_sums_) check_sum(e, sum.value());
}

std::span<std::byte const> file::bytes(std::string_view name) const {
  auto const& e = named(name);
  if (memory_ == nullptr)
    throw invalid_argument(fmt::format("{}: section '{}' has no place in memory: the file is not mapped", path_, name));
  std::span const found(memory_ + e.offset, e.bytes);
  if (checks_sums_) check_sum(e, XXH3_64bits(found.data(), found.size()));
  return found;
}

void file::check_sum(entry const& section, std::uint64_t sum) const {
  if (sum != section.checksum)
    fail_at(path_, section.offset,
            fmt::format("section '{}' of {} bytes has the checksum {:016x}, but its bytes give {:016x}", section.name,
                        section.bytes, section.checksum, sum));
}

void file::fail(std::string_view name, std::string const& what) const {
  auto const* e = find(name);
  fail_at(path_, e ? e->offset : 0, fmt::format("section '{}': {}", name, what));
}

}  // namespace warpdex::io
