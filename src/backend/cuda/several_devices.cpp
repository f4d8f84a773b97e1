// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/several_devices.hpp"

#include <warpdex/current_device.hpp>
#include <warpdex/error.hpp>

#include <string>

#include "backend/backend.hpp"
#include "backend/cuda/check.hpp"

/// @file
/// The current device, and streams of several devices that wait for each other.
namespace warpdex {

int current_device() {
  int device = 0;
  cudaError_t const status = cudaGetDevice(&device);
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver)
    throw device_error(std::string("no usable CUDA device: ") + cudaGetErrorString(status));
  WDX_CUDA_TRY(status);
  return device;
}

device_scope::device_scope(int ordinal) {
  int const current = current_device();
  if (current == ordinal) return;
  WDX_CUDA_TRY(cudaSetDevice(ordinal));
  previous_ = current;
}

// If this fails, the context of the previous device is gone.
device_scope::~device_scope() {
  if (previous_ >= 0 && cudaSetDevice(previous_) != cudaSuccess) cudaGetLastError();
}

void wait_for(stream_ref later, stream_ref earlier) {
  if (later.get() == earlier.get()) return;
  own_event const passed;  // it is freed when it has passed
  passed.record(earlier);
  wait_for(later, passed);
}

void wait_for(stream_ref later, CUevent_st* event) { WDX_CUDA_TRY(cudaStreamWaitEvent(later.get(), event, 0)); }

void synchronize(stream_ref stream) { WDX_CUDA_TRY(cudaStreamSynchronize(stream.get())); }

own_stream::own_stream(bool first) {
  int least = 0, greatest = 0;
  WDX_CUDA_TRY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  WDX_CUDA_TRY(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, first ? greatest : least));
}

// If this fails, the context is gone.
own_stream::~own_stream() {
  if (cudaStreamDestroy(stream_) != cudaSuccess) cudaGetLastError();
}

own_event::own_event() { WDX_CUDA_TRY(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }

// The same.
own_event::~own_event() {
  if (cudaEventDestroy(event_) != cudaSuccess) cudaGetLastError();
}

void own_event::record(stream_ref stream) const { WDX_CUDA_TRY(cudaEventRecord(event_, stream.get())); }

}  // namespace warpdex
