// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "base/profiled.hpp"

#include <nvtx3/nvToolsExt.h>

namespace warpdex {
namespace {

/// @return null if no profiler listens
nvtxDomainHandle_t domain() {
  static nvtxDomainHandle_t const result = nvtxDomainCreateA("warpdex");
  return result;
}

}  // namespace

std::atomic<bool> profiled::may_be_shown = true;

bool profiled::begin(char const* name) noexcept {
  if (domain() == nullptr) {
    may_be_shown = false;
    return false;
  }
  nvtxEventAttributes_t range{};
  range.version = NVTX_VERSION;
  range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  range.messageType = NVTX_MESSAGE_TYPE_ASCII;
  range.message.ascii = name;
  nvtxDomainRangePushEx(domain(), &range);
  return true;
}

void profiled::end() noexcept { nvtxDomainRangePop(domain()); }

}  // namespace warpdex
