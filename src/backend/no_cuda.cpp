// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
// Replaces the CUDA backend in builds without it.
#include <warpdex/current_device.hpp>
#include <warpdex/device.hpp>
#include <warpdex/error.hpp>

#include "backend/backend.hpp"
#include "backend/host_stream.hpp"
#include "backend/ray/sharing.hpp"
#include "backend/several_devices.hpp"
#include "backend/shared_windows.hpp"

namespace warpdex {
namespace {

[[noreturn]] void fail() { throw unsupported("this build of warpdex has no CUDA backend"); }

}  // namespace

backend const& cuda_backend() { fail(); }
memory_resource& device_memory() { fail(); }
memory_resource& pinned_memory() { fail(); }
std::vector<device_info> devices() { return {}; }
bool built_with_cuda() noexcept { return false; }
device_scope::device_scope(int) { fail(); }
device_scope::~device_scope() {}
std::optional<int> device_of(void const*) { return std::nullopt; }
void wait_for(stream_ref, stream_ref) { fail(); }
void wait_for(stream_ref, CUevent_st*) { fail(); }
void synchronize_device() { fail(); }
location locate(void const*) { return {}; }
int current_device() { fail(); }
std::uint64_t free_device_memory() { fail(); }
bool connect_devices(int, int) { fail(); }
void synchronize(stream_ref) { fail(); }
own_stream::own_stream(bool) { fail(); }
own_stream::~own_stream() {}
own_event::own_event() { fail(); }
own_event::~own_event() {}
void own_event::record(stream_ref) const { fail(); }
std::unique_ptr<shared_windows> share_windows(std::vector<window_shard> const&, pair_types, std::span<int const>) {
  return nullptr;
}
sharing const& cuda_sharing() { fail(); }
void lock_pages(void const*, std::size_t) { fail(); }
void unlock_pages(void const*) noexcept {}
std::uint64_t stream_batch(std::uint64_t, std::span<batch_array const>, batch_body const&, execution const&,
                           stream_sizes const&, bool) {
  return 0;
}

}  // namespace warpdex
