// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "io/mapping.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <warpdex/error.hpp>

#include "io/descriptor.hpp"

namespace warpdex::io {

mapping::mapping(std::filesystem::path const& path, std::shared_ptr<descriptor const> file, std::uint64_t bytes)
    : path_(path.string()), file_(std::move(file)), bytes_(bytes) {
  void* const pages = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file_->get(), 0);
  if (pages == MAP_FAILED && errno == ENOMEM)
    throw out_of_memory(fmt::format("{}: no address space for its {} bytes", path_, bytes));
  if (pages == MAP_FAILED) fail_io(path, "cannot map");
  data_ = static_cast<std::byte const*>(pages);
}

mapping::~mapping() { ::munmap(const_cast<std::byte*>(data_), bytes_); }

void mapping::expect_whole() const {
  struct stat now {};
  if (::fstat(file_->get(), &now) != 0) fail_io(path_, "cannot tell its size");
  if (static_cast<std::uint64_t>(now.st_size) < bytes_)
    throw io_error(fmt::format("{}: has shrunk from {} to {} bytes while it was mapped; the index over it is lost",
                               path_, bytes_, now.st_size));
}

}  // namespace warpdex::io
