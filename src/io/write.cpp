// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "io/descriptor.hpp"
#include "io/file.hpp"
#include "io/layout.hpp"
#include "io/names.hpp"

#include <warpdex/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

namespace warpdex::io {
namespace {

namespace fs = std::filesystem;

/// Hashed and written together, while in cache.
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

/// Removes the file unless it was kept.
class temporary_file {
 public:
  /// Makes a new file in `folder`. Its name is short, so that it fits where the final name fits.
  temporary_file(fs::path const& folder, fs::path const& target, mode_t mode) : descriptor_(-1) {
    static std::atomic<unsigned> counter = 0;
    constexpr int attempts = 1000;
    for (int i = 0; i < attempts && !descriptor_; ++i) {
      path_ = folder / fmt::format(".warpdex-{}-{}.tmp", ::getpid(), counter.fetch_add(1));
      int const number = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
      if (number < 0 && errno != EEXIST && errno != EINTR) fail_io(target, "cannot create a file in its folder");
      descriptor_ = descriptor(number);
    }
    if (!descriptor_) fail_io(target, "cannot create a temporary file in its folder", EEXIST);
  }
  temporary_file(temporary_file const&) = delete;
  ~temporary_file() {
    if (!kept_) ::unlink(path_.c_str());
  }

  fs::path const& path() const noexcept { return path_; }
  descriptor& file() noexcept { return descriptor_; }
  void keep() noexcept { kept_ = true; }

 private:
  fs::path path_;
  descriptor descriptor_;
  bool kept_ = false;
};

void write_at(descriptor const& to, fs::path const& target, void const* data, std::size_t bytes, std::uint64_t offset) {
  auto const* from = static_cast<char const*>(data);
  while (bytes > 0) {
    auto const written = ::pwrite(to.get(), from, bytes, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_io(target, fmt::format("cannot write at offset {}", offset).c_str());
    from += written;
    bytes -= static_cast<std::size_t>(written);
    offset += static_cast<std::uint64_t>(written);
  }
}

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

/// Writes all sections. @return their table
std::vector<section_entry> write_sections(descriptor const& to, fs::path const& target,
                                          std::span<section const> sections, std::uint64_t& end) {
  struct free_state {
    void operator()(XXH3_state_t* state) const noexcept { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, free_state> const state(XXH3_createState());
  if (!state) throw out_of_memory(fmt::format("{}: no memory for a checksum", target.string()));

  std::vector<section_entry> table;
  for (auto const& s : sections) {
    section_entry entry{};
    std::memcpy(entry.name, s.name.data(), s.name.size());
    entry.offset = end = round_up(end, section_alignment);
    entry.bytes = s.bytes;
    XXH3_64bits_reset(state.get());
    auto const* data = static_cast<char const*>(s.data);
    for (std::uint64_t done = 0; done < s.bytes; done += chunk_bytes) {
      auto const bytes = static_cast<std::size_t>(std::min<std::uint64_t>(chunk_bytes, s.bytes - done));
      XXH3_64bits_update(state.get(), data + done, bytes);
      write_at(to, target, data + done, bytes, end + done);
    }
    entry.checksum = XXH3_64bits_digest(state.get());
    end += s.bytes;
    table.push_back(entry);
  }
  return table;
}

std::vector<char> header_bytes(header const& head, std::span<section_entry const> table, std::uint64_t file_bytes) {
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

  std::vector<char> bytes(fixed.header_bytes);
  std::memcpy(bytes.data(), &fixed, sizeof fixed);
  std::memcpy(bytes.data() + sizeof fixed, head.spec.data(), head.spec.size());
  if (!table.empty()) std::memcpy(bytes.data() + bytes.size() - table.size_bytes(), table.data(), table.size_bytes());
  fixed.checksum = XXH3_64bits(bytes.data(), bytes.size());
  std::memcpy(bytes.data(), &fixed, sizeof fixed);
  return bytes;
}

}  // namespace

void write(fs::path const& path, header const& head, std::span<section const> sections) {
  check(head, sections);

  std::error_code failure;
  fs::path const target = fs::is_symlink(path, failure) ? fs::weakly_canonical(path, failure) : path;
  if (failure && failure != std::errc::no_such_file_or_directory) fail_io(path, "cannot follow", failure.value());
  fs::path const folder = target.has_parent_path() ? target.parent_path() : fs::path(".");

  // Renaming onto a device or a pipe would replace it.
  struct stat old {};
  bool const replaces = ::stat(target.c_str(), &old) == 0;
  if (!replaces && errno != ENOENT) fail_io(path, "cannot write");
  if (replaces && S_ISDIR(old.st_mode)) fail_io(path, "cannot write", EISDIR);
  if (replaces && !S_ISREG(old.st_mode))
    throw io_error(fmt::format("{}: cannot write: not a regular file", path.string()));

  // Opened first: once the rename is done, nothing may fail that could have failed before.
  descriptor const directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) fail_io(path, "cannot open its folder");

  temporary_file temporary(folder, path, 0666);
  if (replaces && ::fchmod(temporary.file().get(), old.st_mode & 0777) != 0) fail_io(path, "cannot set permissions");

  std::uint64_t end =
      header_bytes_for(static_cast<std::uint32_t>(head.spec.size()), static_cast<std::uint32_t>(sections.size()));
  auto const table = write_sections(temporary.file(), path, sections, end);
  auto const first = header_bytes(head, table, end);
  write_at(temporary.file(), path, first.data(), first.size(), 0);
  // A last section of no bytes lies behind padding that nothing has written.
  if (::ftruncate(temporary.file().get(), static_cast<off_t>(end)) != 0) fail_io(path, "cannot set its length");
  if (::fsync(temporary.file().get()) != 0) fail_io(path, "cannot flush");
  if (!temporary.file().close()) fail_io(path, "cannot close");
  if (::rename(temporary.path().c_str(), target.c_str()) != 0) fail_io(path, "cannot rename a temporary file to it");
  temporary.keep();
  // Some file systems cannot flush a folder and say EINVAL.
  if (::fsync(directory.get()) != 0 && errno != EINVAL) fail_io(path, "is written, but its folder cannot be flushed");
}

}  // namespace warpdex::io
