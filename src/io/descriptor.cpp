// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "io/descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>

namespace warpdex::io {

void expect_no_zero(std::filesystem::path const& path) {
  std::string const& name = path.native();
  auto const at = name.find('\0');
  if (at == std::string::npos) return;
  throw io_error(fmt::format("{}\\0{}: a path cannot hold a zero byte, where the system would cut it",
                             name.substr(0, at), name.substr(at + 1, name.find('\0', at + 1) - at - 1)));
}

readable_file open_to_read(std::filesystem::path const& path) {
  expect_no_zero(path);
  // If `path` is a pipe, open() without O_NONBLOCK would wait for a writer.
  descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) fail_io(path, "cannot open");
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail_io(path, "cannot examine");
  if (S_ISDIR(status.st_mode)) fail_io(path, "cannot read", EISDIR);
  if (!S_ISREG(status.st_mode)) throw io_error(fmt::format("{}: cannot read: not a regular file", path.string()));
  return {std::move(file), static_cast<std::uint64_t>(status.st_size)};
}

void write_at(int to, std::filesystem::path const& target, void const* data, std::uint64_t bytes,
              std::uint64_t offset) {
  auto const* from = static_cast<char const*>(data);
  while (bytes > 0) {
    auto const written = ::pwrite(to, from, bytes, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_io(target, fmt::format("cannot write at offset {}", offset).c_str());
    from += written;
    bytes -= static_cast<std::uint64_t>(written);
    offset += static_cast<std::uint64_t>(written);
  }
}

}  // namespace warpdex::io
