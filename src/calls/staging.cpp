// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "calls/staging.hpp"

#include <algorithm>

#include "calls/expect.hpp"

namespace warpdex {

staging::staging(char const* call, backend_kind kind, int device, execution const& exec)
    : call_(call), kind_(kind), device_(device), exec_(exec) {
  if (exec.memory->backend() != kind)
    throw invalid_argument(std::string(call) + ": the call's memory belongs to the " +
                           (kind == backend_kind::cpu ? "CUDA" : "CPU") + " backend, the index to the other");
  if (kind != backend_kind::cuda) return;
  if (int const current = current_device(); device != current)
    throw invalid_argument(std::string(call) + ": the index lies on device " + std::to_string(device) +
                           ", the current device is " + std::to_string(current));
}

staging::~staging() {
  if (twins_.empty()) return;
  try {
    backend_of(kind_).synchronize(exec_);
  } catch (...) {  // the context is gone, and the copies with it
  }
}

void staging::fail(char const* what, std::string const& why) const {
  throw invalid_argument(std::string(call_) + ": " + what + " " + why);
}

bool staging::check(void const* data, std::uint64_t count, std::size_t width, char const* what) const {
  expect_possible(call_, what, count);
  if (data == nullptr) fail(what, "is a null pointer with " + std::to_string(count) + " elements");
  location at;
  try {
    at = locate(data);
  } catch (error const&) {
    if (kind_ == backend_kind::cuda) throw;  // an index on the host does not need the device
  }
  if (!at.on_device) return kind_ == backend_kind::cuda;
  if (kind_ == backend_kind::cpu) fail(what, "lies on device " + std::to_string(at.device) + ", the index on the host");
  if (at.device != device_)
    fail(what, "lies on device " + std::to_string(at.device) + ", the current device is " + std::to_string(device_));
  if (auto const address = reinterpret_cast<std::uintptr_t>(data); address % width != 0)
    fail(what, "is a device pointer not aligned to its " + std::to_string(width) + "-byte elements: address " +
                   std::to_string(address));
  return false;
}

void staging::check_overlaps(std::span<batch_array const> arrays, std::uint64_t size) const {
  auto const overlap = [size](batch_array const& a, batch_array const& b) {
    auto const first = reinterpret_cast<std::uintptr_t>(a.data);
    auto const second = reinterpret_cast<std::uintptr_t>(b.data);
    return first < second + size * b.width && second < first + size * a.width;
  };
  for (std::size_t i = 0; i < arrays.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if ((arrays[i].written || arrays[j].written) && overlap(arrays[i], arrays[j]))
        fail(arrays[i].what, std::string("overlaps ") + arrays[j].what);
}

void* staging::make_twin(void const* data, std::size_t bytes, bool copied) {
  void* const twin = twins_.emplace_back(bytes, exec_).data();
  if (copied) backend_of(kind_).copy(twin, data, bytes, exec_);
  return twin;
}

void const* staging::input(void const* data, std::uint64_t count, std::size_t width, char const* what) {
  if (count == 0) return nullptr;
  return check(data, count, width, what) ? make_twin(data, count * width, true) : data;
}

borrowed_keys staging::borrow(void const* data, std::uint64_t count, std::size_t width, char const* what) const {
  if (count == 0) return {};
  borrowed_keys keys{data, check(data, count, width, what)};
  constexpr std::uintptr_t alignment = 16;
  if (auto const address = reinterpret_cast<std::uintptr_t>(data); address % alignment != 0)
    fail(what, "is not aligned to 16 bytes: address " + std::to_string(address));
  if (!keys.remote) return keys;
  keys.data = locate(data).from_device;
  if (keys.data == nullptr)
    fail(what,
         "lies in host memory that is not page-locked, which a device cannot read; use pinned_memory() or a "
         "mapped_column");
  return keys;
}

void staging::run(std::uint64_t size, std::vector<batch_array> arrays, std::uint64_t efficient_part,
                  batch_body const& body) {
  bool any_on_host = false;
  for (batch_array& a : arrays) {
    a.on_host = check(a.data, size, a.width, a.what);
    any_on_host = any_on_host || a.on_host;
  }
  check_overlaps(arrays, size);
  stream_sizes sizes;
  sizes.chunk = std::clamp<std::uint64_t>(efficient_part, sizes.least_chunk, sizes.chunk);
  if (any_on_host && stream_batch(size, arrays, body, exec_, sizes)) return;
  std::vector<void*> at;
  at.reserve(arrays.size());
  for (batch_array const& a : arrays) at.push_back(a.on_host ? make_twin(a.data, size * a.width, a.read) : a.data);
  body(at.data(), size);
  if (!any_on_host) return;
  backend const& platform = backend_of(kind_);
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (batch_array const& a = arrays[i]; a.on_host && a.written) platform.copy(a.data, at[i], size * a.width, exec_);
  platform.synchronize(exec_);
  twins_.clear();
}

}  // namespace warpdex
