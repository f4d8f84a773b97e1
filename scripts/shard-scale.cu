// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// Sharded indexes over 1 to DEVICES devices. `large BITS SHARDS` builds 2^BITS distinct u64 keys, made on the devices,
// with row ids of 64 bits, and finds 2^27 of them, sampled, in a piece per device. `range BITS` does that for u32 keys
// and as many probes, and measures beside it what limits it: one device with its share of keys and probes, and the
// links. `build BITS` builds 2^BITS u32 keys in pinned memory. `update BITS` inserts 2^24 keys to as many. Every answer
// is checked.
//
//   nvcc -O2 -std=c++20 -arch=native scripts/shard-scale.cu -lwarpdex -o shard-scale && ./shard-scale 2 large 32 16
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

template <class Key> __host__ __device__ Key key_of_row(u64 row) {
  if (sizeof(Key) == sizeof(u64)) return static_cast<Key>(mixed(row));
  auto x = static_cast<u32>(row);
  x = (x ^ x >> 16) * 0x85ebca6b;
  x = (x ^ x >> 13) * 0xc2b2ae35;
  return x ^ x >> 16;
}

template <class Use> __device__ void for_each(u64 size, Use use) {
  for (u64 i = blockIdx.x * u64{blockDim.x} + threadIdx.x; i < size; i += u64{gridDim.x} * blockDim.x) use(i);
}

template <class Key> __global__ void make_keys(Key* keys, u64 first, u64 size) {
  for_each(size, [&](u64 i) { keys[i] = key_of_row<Key>(first + i); });
}

__device__ u64 row_of_probe(u64 i, u64 seed, u64 keys) { return mixed(i + seed) % keys; }

template <class Key> __global__ void make_probes(Key* probes, u64 size, u64 seed, u64 keys) {
  for_each(size, [&](u64 i) { probes[i] = key_of_row<Key>(row_of_probe(i, seed, keys)); });
}

template <class Row> __global__ void count_wrong(Row const* rows, u64 size, u64 seed, u64 keys, u64* wrong) {
  for_each(size, [&](u64 i) {
    if (rows[i] != row_of_probe(i, seed, keys)) atomicAdd(reinterpret_cast<unsigned long long*>(wrong), 1ull);
  });
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<std::unique_ptr<piece>> some_devices(std::size_t count) {
  std::vector<std::unique_ptr<piece>> made;
  for (device_info const& one : devices()) {
    if (made.size() == count) break;
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

/// Builds keys that are made on some devices, and finds probes that are too. @return the time of a find, in seconds
template <class Key, class Row> double spread(std::size_t devices, u64 keys, u64 probes, u32 shards) {
  auto const pieces = some_devices(devices);
  std::vector<column> columns;
  key_type const type = sizeof(Key) == sizeof(u32) ? key_type::u32 : key_type::u64;
  row_type const rows = sizeof(Row) == sizeof(u32) ? row_type::u32 : row_type::u64;
  for (u64 i = 0; i < devices; ++i) {
    piece& mine = *pieces[i];
    device_scope const there(mine.place.device);
    mine.first = keys * i / devices;
    mine.size = keys * (i + 1) / devices - mine.first;
    mine.keys = buffer(mine.size * sizeof(Key), mine.place.exec);
    make_keys<<<4096, 256>>>(mine.keys.as<Key>(), mine.first, mine.size);
    columns.emplace_back(mine.keys.data(), mine.size, type);
    cudaDeviceSynchronize();
  }
  auto const begin = std::chrono::steady_clock::now();
  auto const built = sharded_index::build_spread(rows == row_type::u32 ? "AO+BS" : "AO+BS/rows=u64", columns,
                                                 placement::range, places_of(pieces), shards);
  std::printf("%zu devices, %llu keys of %zu bytes, %zu shards: built in %.3f s, %.1f GB, at most %.1f GB on one\n",
              devices, static_cast<unsigned long long>(keys), sizeof(Key), built.shards().size(), seconds_since(begin),
              static_cast<double>(built.memory().total()) / 1e9,
              (*std::max_element(pieces.begin(), pieces.end(), [](auto const& a, auto const& b) {
                return a->memory.peak_gb() < b->memory.peak_gb();
              }))->memory.peak_gb());
  std::vector<key_ranges> asked;
  std::vector<std::vector<lookup_output>> outputs;
  u64 const each = probes / devices;
  for (u64 i = 0; i < devices; ++i) {
    piece& mine = *pieces[i];
    device_scope const there(mine.place.device);
    mine.keys = {};
    mine.probes = buffer(each * sizeof(Key), mine.place.exec);
    mine.rows = buffer(each * sizeof(Row), mine.place.exec);
    mine.wrong = buffer(sizeof(u64), mine.place.exec);
    make_probes<<<4096, 256>>>(mine.probes.as<Key>(), each, i << 32, keys);
    asked.push_back({column(mine.probes.data(), each, type)});
    outputs.push_back({row_output(mine.rows.data(), each, rows)});
    cudaDeviceSynchronize();
  }
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    auto const start = std::chrono::steady_clock::now();
    built.look_up_spread(lookups::find, asked, outputs);
    best = std::min(best, seconds_since(start));
  }
  u64 wrong = 0;
  for (u64 i = 0; i < devices; ++i) {
    piece& mine = *pieces[i];
    device_scope const there(mine.place.device);
    cudaMemset(mine.wrong.data(), 0, sizeof(u64));
    count_wrong<<<4096, 256>>>(mine.rows.as<Row>(), each, i << 32, keys, mine.wrong.as<u64>());
    u64 here = 0;
    cudaMemcpy(&here, mine.wrong.data(), sizeof(u64), cudaMemcpyDefault);
    wrong += here;
  }
  std::printf("find of %llu, spread: %.2f ms, %.2f G/s, %llu wrong\n", static_cast<unsigned long long>(probes),
              1e3 * best, static_cast<double>(probes) / best / 1e9, static_cast<unsigned long long>(wrong));
  return best;
}

void range(std::size_t devices, int bits) {
  u64 const keys = u64{1} << bits;
  bool const wide = bits == 32;  // the last row id of 32 bits means none
  auto const run = [&](std::size_t count) {
    u64 const share = keys * count / devices;
    return wide ? spread<u32, u64>(count, share, share, 0) : spread<u32, u32>(count, share, share, 0);
  };
  double const alone = run(1), together = run(devices);
  double slowest = 1e18, fastest = 0;
  for (device_link const& link : measured_links()) {
    if (link.from >= static_cast<int>(devices) || link.to >= static_cast<int>(devices)) continue;
    slowest = std::min(slowest, link.one_way);
    fastest = std::max(fastest, link.one_way);
  }
  double const bytes = static_cast<double>(keys / devices * (sizeof(u32) + (wide ? 8 : 4)) * (devices - 1)) /
                       static_cast<double>(devices);
  std::printf(
      "of the time of one device with its share alone: %.2f; links of %.0f to %.0f GB/s one way, over which %.2f "
      "GB leave each device in %.2f ms\n",
      together / alone, slowest / 1e9, fastest / 1e9, bytes / 1e9, 1e3 * bytes / slowest);
}

void update(std::size_t devices, int bits) {
  u64 const keys = u64{1} << bits, more = u64{1} << 24;
  for (std::size_t count : {std::size_t{1}, devices}) {
    auto const pieces = some_devices(count);
    piece& mine = *pieces[0];
    device_scope const there(mine.place.device);
    mine.keys = buffer((keys + more) * sizeof(u32), mine.place.exec);
    mine.rows = buffer(more * sizeof(u32), mine.place.exec);
    make_keys<<<4096, 256>>>(mine.keys.as<u32>(), 0, keys + more);
    std::vector<u32> rows(more);
    for (u64 i = 0; i < more; ++i) rows[i] = static_cast<u32>(keys + i);
    copy(mine.rows.data(), rows.data(), mine.rows.bytes(), mine.place.exec);
    cudaDeviceSynchronize();
    auto built = sharded_index::build("AO+BS", column(mine.keys.data(), keys, key_type::u32), placement::range,
                                      places_of(pieces));
    column const inserted(mine.keys.as<u32>() + keys, more, key_type::u32);
    auto const begin = std::chrono::steady_clock::now();
    built.insert(inserted, row_column(mine.rows.data(), more, row_type::u32), mine.place.exec);
    double const seconds = seconds_since(begin);
    buffer const found(mine.rows.bytes(), mine.place.exec);
    built.find(nullable_column(inserted), row_output(found.data(), more, row_type::u32), mine.place.exec);
    std::vector<u32> got(more);
    copy(got.data(), found.data(), found.bytes(), mine.place.exec);
    cudaDeviceSynchronize();
    std::printf("%zu devices, 2^%d keys: 2^24 more in %.1f ms, %s\n", count, bits, 1e3 * seconds,
                got == rows && built.size() == keys + more ? "right" : "WRONG");
  }
}

void build(std::size_t devices, int bits) {
  u64 const keys = u64{1} << bits;
  buffer const host(keys * sizeof(u32), execution(pinned_memory()));
  for (u64 i = 0; i < keys; ++i) host.as<u32>()[i] = static_cast<u32>(mixed(i));
  column const pinned(host.data(), keys, key_type::u32);
  std::vector<u32> const probes(host.as<u32>(), host.as<u32>() + 100'000);
  auto const pieces = some_devices(devices);
  double one_device = 0;
  std::vector<u32> expected(probes.size());
  for (std::size_t count : {std::size_t{1}, devices})
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
  std::string const mode = count > 3 ? words[2] : "";
  auto const devices = static_cast<std::size_t>(count > 1 ? std::atoi(words[1]) : 0);
  int const bits = count > 3 ? std::atoi(words[3]) : 0;
  if (mode == "large" && count == 5)
    spread<u64, u64>(devices, u64{1} << bits, u64{1} << 27, static_cast<u32>(std::atoi(words[4])));
  else if (mode == "range") range(devices, bits);
  else if (mode == "build") build(devices, bits);
  else if (mode == "update") update(devices, bits);
  else
    return std::fprintf(stderr,
                        "usage: shard-scale DEVICES large BITS SHARDS | range BITS | build BITS | update BITS\n"),
           2;
}
