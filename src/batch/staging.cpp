// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "batch/staging.hpp"

namespace warpdex {

staging::staging(char const* call, backend_kind kind, int device, execution const& exec)
    : call_(call), kind_(kind), exec_(exec) {
  if (exec.memory->backend() != kind)
    throw invalid_argument(std::string(call) + ": the call's memory belongs to the " +
                           (kind == backend_kind::cpu ? "CUDA" : "CPU") + " backend, the index to the other");
  if (kind == backend_kind::cuda && device != current_device())
    throw invalid_argument(std::string(call) + ": the index lies on device " + std::to_string(device) +
                           ", the current device is " + std::to_string(current_device()));
}

void staging::fail(char const* what, std::string const& why) const {
  throw invalid_argument(std::string(call_) + ": " + what + " " + why);
}

bool staging::check(void const* data, std::uint64_t count, std::size_t width, char const* what) const {
  if (data == nullptr) fail(what, "is a null pointer with " + std::to_string(count) + " elements");
  place const at = locate(data);
  if (!at.on_device) return kind_ == backend_kind::cuda;
  if (kind_ == backend_kind::cpu) fail(what, "lies on device " + std::to_string(at.device) + ", the index on the host");
  if (at.device != current_device())
    fail(what,
         "lies on device " + std::to_string(at.device) + ", the current device is " + std::to_string(current_device()));
  if (auto const address = reinterpret_cast<std::uintptr_t>(data); address % width != 0)
    fail(what, "is a device pointer not aligned to its " + std::to_string(width) + "-byte elements: address " +
                   std::to_string(address));
  return false;
}

void const* staging::input(void const* data, std::uint64_t count, std::size_t width, char const* what) {
  if (count == 0) return nullptr;
  if (!check(data, count, width, what)) return data;
  twins_.emplace_back(count * width, exec_);
  backend_of(kind_).copy(twins_.back().data(), data, count * width, exec_);
  return twins_.back().data();
}

void* staging::output(void* data, std::uint64_t count, std::size_t width, char const* what, bool keeps) {
  if (count == 0) return nullptr;
  if (!check(data, count, width, what)) return data;
  twins_.emplace_back(count * width, exec_);
  if (keeps) backend_of(kind_).copy(twins_.back().data(), data, count * width, exec_);
  copies_.push_back({data, twins_.back().data(), count * width});
  return twins_.back().data();
}

void staging::finish() {
  for (auto const& copy : copies_) backend_of(kind_).copy(copy.host, copy.device, copy.bytes, exec_);
  if (!twins_.empty()) backend_of(kind_).synchronize(exec_);
}

}  // namespace warpdex
