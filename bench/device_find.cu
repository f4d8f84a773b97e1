// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu.hpp"

#include <warpdex/error.hpp>

#include <cub/device/device_find.cuh>
#include <cuda/std/functional>

#include <string>

/// @file
/// cub::DeviceFind, which is compiled where CCCL has it (from version 3.5 on).
namespace warpdex::bench::gpu {
namespace {

template <class Key>
cudaError_t find(void* scratch, std::size_t& bytes, device_find how, Key const* keys, std::uint64_t size,
                 Key const* probes, std::uint64_t count, std::uint64_t* out, cudaStream_t stream) {
  ::cuda::std::less<> const less;
  if (how.upper)
    return how.sorted
               ? cub::DeviceFind::UpperBoundSortedValues(scratch, bytes, keys, size, probes, count, out, less, stream)
               : cub::DeviceFind::UpperBound(scratch, bytes, keys, size, probes, count, out, less, stream);
  return how.sorted
             ? cub::DeviceFind::LowerBoundSortedValues(scratch, bytes, keys, size, probes, count, out, less, stream)
             : cub::DeviceFind::LowerBound(scratch, bytes, keys, size, probes, count, out, less, stream);
}

}  // namespace

std::string device_find::name() const {
  return std::string("cub::DeviceFind::") + (upper ? "Upper" : "Lower") + "Bound" + (sorted ? "SortedValues" : "") +
         " " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION);
}

void device_find::run(column keys, column probes, std::uint64_t* out, buffer& scratch, execution const& exec) const {
  auto const call = [&]<class Key>(Key const* first) {
    auto const find_with = [&](void* memory, std::size_t& bytes) {
      auto const status = find(memory, bytes, *this, first, keys.size, static_cast<Key const*>(probes.data),
                               probes.size, out, exec.stream.get());
      if (status != cudaSuccess) throw device_error("benchmark: " + name() + ": " + cudaGetErrorString(status));
    };
    std::size_t bytes = 0;
    find_with(nullptr, bytes);
    if (scratch.bytes() < bytes || scratch.data() == nullptr) scratch = buffer(bytes + 1, exec);
    find_with(scratch.data(), bytes);
  };
  if (size_of(keys.type) == 4) call(static_cast<std::uint32_t const*>(keys.data));
  else call(static_cast<std::uint64_t const*>(keys.data));
}

bool device_find::present() noexcept { return true; }

}  // namespace warpdex::bench::gpu
