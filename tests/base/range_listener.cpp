// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "base/range_listener.hpp"

#include <nvtx3/nvToolsExt.h>

#include <deque>
#include <mutex>
#include <utility>

namespace warpdex::test {
namespace {

std::mutex during;
std::deque<std::string> domains;  // handles are their addresses
std::vector<std::string> ranges;
thread_local std::vector<std::string> open;

nvtxDomainHandle_t create_domain(char const* name) {
  std::lock_guard const lock(during);
  return reinterpret_cast<nvtxDomainHandle_t>(&domains.emplace_back(name));
}

int push(nvtxDomainHandle_t domain, nvtxEventAttributes_t const* range) {
  std::lock_guard const lock(during);
  std::string const& around = open.empty() ? *reinterpret_cast<std::string const*>(domain) : open.back();
  open.push_back(around + "/" + range->message.ascii);
  ranges.push_back(open.back());
  return static_cast<int>(open.size()) - 1;
}

int pop(nvtxDomainHandle_t) {
  open.pop_back();
  return static_cast<int>(open.size());
}

}  // namespace

std::vector<std::string> take_ranges() {
  std::lock_guard const lock(during);
  return std::exchange(ranges, {});
}

}  // namespace warpdex::test

/// What NVTX calls in a library that NVTX_INJECTION64_PATH names.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t tables) {
  using namespace warpdex::test;
  auto const* const callbacks = static_cast<NvtxExportTableCallbacks const*>(tables(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable functions = nullptr;
  unsigned size = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &functions, &size) == 0) return 0;
  *functions[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(create_domain);
  *functions[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(push);
  *functions[NVTX_CBID_CORE2_DomainRangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}
