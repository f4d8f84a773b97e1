// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// Sharded indexes at sizes that exceed one device: `large BITS SHARDS` builds 2^BITS distinct u64 keys, made on the
// devices, with row ids of 64 bits, and finds 2^27 of them, sampled, in a piece per device. `build BITS` builds 2^BITS
// u32 keys in pinned memory over one device, and over all. Every answer is checked.
//
//   nvcc -O2 -std=c++20 -arch=native scripts/shard-scale.cu -lwarpdex -o shard-scale && ./shard-scale large 32 16
#include <warpdex/current_device.hpp>
#include <warpdex/device.hpp>
#include <warpdex/index.hpp>
#include <warpdex/sharded.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace warpdex;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Passes on to the memory of a device, and counts the most bytes at a time.
class counted_memory final : public memory_resource {
 public:
  void* allocate(std::size_t bytes, stream_ref stream) override {
    void* const pointer = device_memory().allocate(bytes, stream);
    u64 const now = held_ += bytes;
    for (u64 peak = peak_; now > peak && !peak_.compare_exchange_weak(peak, now);) {
    }
    return pointer;
  }
  void deallocate(void* pointer, std::size_t bytes, stream_ref stream) noexcept override {
    device_memory().deallocate(pointer, bytes, stream);
    held_ -= bytes;
  }
  backend_kind backend() const noexcept override { return backend_kind::cuda; }
  double peak_gb() const { return static_cast<double>(peak_) / 1e9; }

 private:
  std::atomic<u64> held_{0}, peak_{0};
};

/// A device, its memory, and its piece of the keys and probes.
struct piece {
  counted_memory memory;
  shard_place place;
  buffer keys, probes, rows, wrong;
  u64 first = 0, size = 0;
};

__host__ __device__ u64 mixed(u64 x) {  // one to one
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdull;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ull;
  return x ^ x >> 33;
}

__global__ void make_keys(u64* keys, u64 first, u64 size) {
  for (u64 i = blockIdx.x * u64{blockDim.x} + threadIdx.x; i < size; i += u64{gridDim.x} * blockDim.x)
    keys[i] = mixed(first + i);
}

__device__ u64 row_of_probe(u64 i, u64 seed, u64 keys) { return mixed(i + seed) % keys; }

__global__ void make_probes(u64* probes, u64 size, u64 seed, u64 keys) {
  for (u64 i = blockIdx.x * u64{blockDim.x} + threadIdx.x; i < size; i += u64{gridDim.x} * blockDim.x)
    probes[i] = mixed(row_of_probe(i, seed, keys));
}

__global__ void count_wrong(u64 const* rows, u64 size, u64 seed, u64 keys, u64* wrong) {
  for (u64 i = blockIdx.x * u64{blockDim.x} + threadIdx.x; i < size; i += u64{gridDim.x} * blockDim.x)
    if (rows[i] != row_of_probe(i, seed, keys)) atomicAdd(reinterpret_cast<unsigned long long*>(wrong), 1ull);
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<std::unique_ptr<piece>> all_devices() {
  std::vector<std::unique_ptr<piece>> made;
  for (device_info const& one : devices()) {
    auto const& added = made.emplace_back(std::make_unique<piece>());
    added->place = place_on(one.ordinal);
    added->place.exec = added->place.exec.with_memory(added->memory);
  }
  return made;
}

std::vector<shard_place> places_of(std::vector<std::unique_ptr<piece>> const& pieces) {
  std::vector<shard_place> places;
  for (auto const& one : pieces) places.push_back(one->place);
  return places;
}

void large(int bits, u32 shards) {
  u64 const keys = u64{1} << bits, probes = u64{1} << 27;
  auto const pieces = all_devices();
  std::vector<column> columns;
  for (u64 i = 0; i < pieces.size(); ++i) {
    piece& mine = *pieces[i];
    device_scope const there(mine.place.device);
    mine.first = keys * i / pieces.size();
    mine.size = keys * (i + 1) / pieces.size() - mine.first;
    mine.keys = buffer(mine.size * sizeof(u64), mine.place.exec);
    make_keys<<<4096, 256>>>(mine.keys.as<u64>(), mine.first, mine.size);
    columns.emplace_back(mine.keys.data(), mine.size, key_type::u64);
    cudaDeviceSynchronize();
  }
  auto const places = places_of(pieces);
  auto const begin = std::chrono::steady_clock::now();
  auto const built = sharded_index::build_spread("AO+BS/rows=u64", columns, placement::range, places, shards);
  std::printf("%zu devices, 2^%d keys, %u shards: built in %.3f s, %.1f GB\n", pieces.size(), bits, shards,
              seconds_since(begin), static_cast<double>(built.memory().total()) / 1e9);
  for (auto const& one : pieces) std::printf("device %d: at most %.1f GB\n", one->place.device, one->memory.peak_gb());
  std::vector<key_ranges> asked;
  std::vector<std::vector<lookup_output>> outputs;
  u64 const each = probes / pieces.size();
  for (u64 i = 0; i < pieces.size(); ++i) {
    piece& mine = *pieces[i];
    device_scope const there(mine.place.device);
    mine.keys = {};
    mine.probes = buffer(each * sizeof(u64), mine.place.exec);
    mine.rows = buffer(each * sizeof(u64), mine.place.exec);
    mine.wrong = buffer(sizeof(u64), mine.place.exec);
    make_probes<<<4096, 256>>>(mine.probes.as<u64>(), each, i << 32, keys);
    asked.push_back({column(mine.probes.data(), each, key_type::u64)});
    outputs.push_back({row_output(mine.rows.data(), each, row_type::u64)});
    cudaDeviceSynchronize();
  }
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    auto const start = std::chrono::steady_clock::now();
    built.look_up_spread(lookups::find, asked, outputs);
    best = std::min(best, seconds_since(start));
  }
  u64 wrong = 0;
  for (u64 i = 0; i < pieces.size(); ++i) {
    piece& mine = *pieces[i];
    device_scope const there(mine.place.device);
    cudaMemset(mine.wrong.data(), 0, sizeof(u64));
    count_wrong<<<4096, 256>>>(mine.rows.as<u64>(), each, i << 32, keys, mine.wrong.as<u64>());
    u64 here = 0;
    cudaMemcpy(&here, mine.wrong.data(), sizeof(u64), cudaMemcpyDefault);
    wrong += here;
  }
  std::printf("find of 2^27: %.2f ms, %.2f G/s, %llu wrong\n", 1e3 * best, static_cast<double>(probes) / best / 1e9,
              static_cast<unsigned long long>(wrong));
}

void build(int bits) {
  u64 const keys = u64{1} << bits;
  buffer const host(keys * sizeof(u32), execution(pinned_memory()));
  for (u64 i = 0; i < keys; ++i) host.as<u32>()[i] = static_cast<u32>(mixed(i));
  column const pinned(host.data(), keys, key_type::u32);
  std::vector<u32> const probes(host.as<u32>(), host.as<u32>() + 100'000);
  auto const pieces = all_devices();
  double one_device = 0;
  std::vector<u32> expected(probes.size());
  for (std::size_t count : {std::size_t{1}, pieces.size()})
    for (placement const how : {placement::range, placement::replicate}) {
      auto places = places_of(pieces);
      places.resize(count);
      double best = 1e9;
      bool right = true;
      for (int run = 0; run < 3; ++run) {
        auto const begin = std::chrono::steady_clock::now();
        auto const built = sharded_index::build("AO+BS", pinned, how, places);
        best = std::min(best, seconds_since(begin));
        std::vector<u32> const found = built.find(probes);
        if (one_device == 0 && run == 0) expected = found;
        for (u64 i = 0; i < found.size(); ++i) right &= found[i] <= i && found[i] == expected[i];
      }
      if (one_device == 0) one_device = best;
      std::printf("%zu devices, %s, 2^%d keys: %.1f ms, %.2f of one, %s\n", count, to_string(how).data(), bits,
                  1e3 * best, best / one_device, right ? "right" : "WRONG");
    }
}

}  // namespace

int main(int count, char** words) {
  if (count == 4 && std::string(words[1]) == "large") large(std::atoi(words[2]), std::atoi(words[3]));
  else if (count == 3 && std::string(words[1]) == "build") build(std::atoi(words[2]));
  else return std::fprintf(stderr, "usage: shard-scale large BITS SHARDS | build BITS\n"), 2;
}
