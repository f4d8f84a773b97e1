// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/column.hpp>
#include <warpdex/device.hpp>
#include <warpdex/error.hpp>

#include <cstdint>
#include <string>

#include "backend/backend.hpp"
#include "base/api_border.hpp"

namespace warpdex {

void copy(void* destination, void const* source, std::size_t bytes, execution const& exec) {
  run_call("copy", exec, [&] {
    auto const to = reinterpret_cast<std::uintptr_t>(destination);
    auto const from = reinterpret_cast<std::uintptr_t>(source);
    detail::expect_array("copy", "the destination", destination, bytes);
    detail::expect_array("copy", "the source", source, bytes);
    if (to < from + bytes && from < to + bytes)
      throw invalid_argument("copy: the " + std::to_string(bytes) + " bytes of source and destination overlap");
    bool const device = locate(destination).on_device || locate(source).on_device;
    auto const& backend = backend_of(device ? backend_kind::cuda : backend_kind::cpu);
    backend.copy(destination, source, bytes, exec);
    backend.synchronize(exec);
  });
}

}  // namespace warpdex
