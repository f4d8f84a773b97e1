// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <warpdex/error.hpp>
#include <warpdex/mapped_column.hpp>

#include "backend/backend.hpp"
#include "base/call.hpp"
#include "calls/expect.hpp"
#include "io/descriptor.hpp"
#include "io/mapping.hpp"

namespace warpdex {
namespace {

/// @return the bytes of a file
std::uint64_t bytes_of(std::filesystem::path const& path, io::descriptor const& file) {
  struct stat found;
  if (::fstat(file.get(), &found) != 0) io::fail_io(path, "cannot tell its size");
  if (!S_ISREG(found.st_mode)) throw io_error(path.string() + ": is not a regular file");
  return static_cast<std::uint64_t>(found.st_size);
}

}  // namespace

mapped_column::mapped_column(std::filesystem::path const& path, key_type type, backend_kind reader) {
  constexpr char const* call = "mapped_column";
  run_call(call, [&] {
    expect_known(call, "the file", type);
    auto const file = std::make_shared<io::descriptor const>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!*file) io::fail_io(path, "cannot open");
    std::uint64_t const bytes = bytes_of(path, *file);
    if (bytes % size_of(type) != 0)
      throw format_error(
          fmt::format("{}: {} bytes are no whole number of keys of {} bytes", path.string(), bytes, size_of(type)));
    mapped_column made;
    made.keys_.type = type;
    if (bytes != 0) {
      made.file_ = std::make_shared<io::mapping const>(path, file, bytes);
      made.keys_ = {made.file_->data(), bytes / size_of(type), type};
    }
    if (reader == backend_kind::cuda) {
      try {
        lock_pages(made.keys_.data, bytes);
      } catch (out_of_memory const& e) {
        throw out_of_memory(path.string() + ": " + e.what());
      } catch (device_error const& e) {
        throw device_error(path.string() + ": " + e.what());
      }
      made.locked_ = bytes != 0;
    }
    swap(made);
  });
}

mapped_column::~mapped_column() {
  if (locked_) unlock_pages(keys_.data);
}

}  // namespace warpdex
