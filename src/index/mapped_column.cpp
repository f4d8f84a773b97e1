// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <warpdex/error.hpp>
#include <warpdex/mapped_column.hpp>

#include "backend/backend.hpp"
#include "base/api_border.hpp"
#include "io/descriptor.hpp"
#include "io/mapping.hpp"
#include "request/expect.hpp"

namespace warpdex {

mapped_column::mapped_column(std::filesystem::path const& path, key_type type, backend_kind reader) {
  constexpr char const* call = "mapped_column";
  run_call(call, [&] {
    expect_known(call, "the file", type);
    expect_known(call, reader);
    auto [file, bytes] = io::open_to_read(path);
    if (bytes % size_of(type) != 0)
      throw format_error(
          fmt::format("{}: {} bytes are no whole number of keys of {} bytes", path.string(), bytes, size_of(type)));
    mapped_column result;
    result.keys_.type = type;
    if (bytes != 0) {
      result.file_ =
          std::make_shared<io::mapping const>(path, std::make_shared<io::descriptor const>(std::move(file)), bytes);
      result.keys_ = {result.file_->data(), bytes / size_of(type), type};
    }
    if (reader == backend_kind::cuda) {
      try {
        lock_pages(result.keys_.data, bytes);
      } catch (out_of_memory const& e) {
        throw out_of_memory(path.string() + ": " + e.what());
      } catch (device_error const& e) {
        throw device_error(path.string() + ": " + e.what());
      }
      result.locked_ = bytes != 0;
    }
    swap(result);
  });
}

mapped_column::~mapped_column() {
  if (locked_) unlock_pages(keys_.data);
}

}  // namespace warpdex
