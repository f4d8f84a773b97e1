// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "model/fake_device.hpp"

#include "backend/cuda/check.hpp"

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <stdexcept>

namespace warpdex {
namespace test {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

}  // namespace

cudaError_t fake_device::take_last_error() { return std::exchange(last_error, cudaSuccess); }

fake_device& fake_device::instance() {
  static fake_device device;
  return device;
}

void fake_device::reset(std::uint64_t seed) {
  if (!idle()) throw std::logic_error("work is left on a stream");
  random_.seed(seed);
  reads_pageable_memory = false;
}

bool fake_device::relax() {
  until_failure_ = 0;
  return std::exchange(failed_, false);
}

bool fake_device::fails() {
  if (until_failure_ == 0 || --until_failure_ != 0) return false;
  failed_ = true;
  last_error = cudaErrorUnknown;
  return true;
}

void fake_device::advance(std::uint64_t steps) {
  for (; steps != 0; --steps) {
    auto& stream = std::next(streams_.begin(), static_cast<std::ptrdiff_t>(random_() % streams_.size()))->second;
    if (stream.empty() || !stream.front().can_begin()) continue;
    auto const next = std::move(stream.front());
    stream.pop_front();
    next.work();
  }
}

bool fake_device::idle() const {
  for (auto const& [stream, steps] : streams_)
    if (!steps.empty()) return false;
  return true;
}

bool fake_device::is_pinned(void const* pointer) const {
  auto const* const at = static_cast<std::byte const*>(pointer);
  return at >= pinned_.first && at < pinned_.first + pinned_.second;
}

cudaEvent_t fake_device::make_event(int device) {
  auto const result = reinterpret_cast<cudaEvent_t>(++last_event_);
  events_[result] = std::make_shared<event>(event{device});
  return result;
}

bool fake_device::record(cudaEvent_t of, cudaStream_t stream) {
  auto const e = events_.at(of);
  if (e->device != device_of_[stream]) return false;
  enqueue(stream, [e, count = ++e->recorded] { e->done = count; });
  return true;
}

void fake_device::wait(cudaStream_t stream, cudaEvent_t of) {
  auto const e = events_.at(of);
  streams_[stream].push_back({[e, count = e->recorded] { return e->done >= count; }, [] {}});
}

cudaError_t fake_device::query(cudaEvent_t of) {
  advance(random_() % 3);
  auto const e = events_.at(of);
  if (e->done == e->recorded) return cudaSuccess;
  return last_error = cudaErrorNotReady;
}

void fake_device::copy(void* to, void const* from, std::size_t bytes, cudaStream_t stream) {
  enqueue(stream, [to, from, bytes] { std::memcpy(to, from, bytes); });
  if (random_() % 4 == 0) advance(random_() % 4);
}

cudaStream_t fake_device::make_stream(int device) {
  auto const result = reinterpret_cast<cudaStream_t>(++last_stream_);
  streams_[result];
  device_of_[result] = device;
  return result;
}

void fake_device::destroy(cudaStream_t stream) {
  if (streams_[stream].empty()) streams_.erase(stream);  // otherwise its work goes on
}

void fake_device::synchronize(cudaStream_t stream) {
  constexpr int patience = 10'000'000;
  for (int i = 0; !streams_[stream].empty(); ++i) {
    if (i == patience) std::abort();  // a stream waits for an event that never comes
    advance(1);
  }
}

}  // namespace test

void cuda::fail(cudaError_t, char const* what, char const*, int) {
  cudaGetLastError();
  throw std::runtime_error(what);
}

}  // namespace warpdex

using warpdex::test::fake_device;

/// Begins each call: calls of several threads take turns.
#define FAIL_IN_TURN                                           \
  std::lock_guard const turn(fake_device::instance().guard()); \
  if (fake_device::instance().fails()) return cudaErrorUnknown

extern "C" {

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  FAIL_IN_TURN;
  *event = fake_device::instance().make_event(fake_device::current);
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  std::lock_guard const turn(fake_device::instance().guard());
  fake_device::instance().destroy(event);
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  FAIL_IN_TURN;
  return fake_device::instance().record(event, stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  FAIL_IN_TURN;
  return fake_device::instance().query(event);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  FAIL_IN_TURN;
  *stream = fake_device::instance().make_stream(fake_device::current);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  std::lock_guard const turn(fake_device::instance().guard());
  fake_device::instance().destroy(stream);
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  FAIL_IN_TURN;
  fake_device::instance().wait(stream, event);
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  FAIL_IN_TURN;
  fake_device::instance().synchronize(stream);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  FAIL_IN_TURN;
  fake_device::instance().copy(to, from, bytes, stream);
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  FAIL_IN_TURN;
  *memory = std::malloc(bytes);
  return *memory != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, void const* pointer) {
  FAIL_IN_TURN;
  *attributes = {};
  attributes->type = cudaMemoryTypeUnregistered;
  if (!fake_device::instance().is_pinned(pointer)) return cudaSuccess;
  attributes->type = cudaMemoryTypeHost;
  attributes->devicePointer = const_cast<void*>(pointer);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int) {
  FAIL_IN_TURN;
  *value = what == cudaDevAttrPageableMemoryAccess && fake_device::instance().reads_pageable_memory ? 1 : 0;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  FAIL_IN_TURN;
  *device = fake_device::current;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  FAIL_IN_TURN;
  fake_device::current = device;
  return cudaSuccess;
}

char const* cudaGetErrorString(cudaError_t) { return "an error of the fake device"; }

cudaError_t cudaGetLastError() { return fake_device::instance().take_last_error(); }
}
