// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// Searches inside your own CUDA kernel: join, filter and sum in one pass, with no array of results in
// between. Views are trivially copyable and go to the kernel by value. They may come from built indexes or be over
// existing sorted device arrays. As in own_loop.cpp, keys are u32 or u64; pass other types as encode(key).
#include <warpdex/index.hpp>
#include <warpdex/search/eytzinger.hpp>
#include <warpdex/search/lane_tile.cuh>
#include <warpdex/search/sorted_array.hpp>

#include <cstdio>
#include <vector>

namespace {

using pairs = warpdex::soa_pairs<std::uint32_t, std::uint32_t>;
using part_view = warpdex::eytzinger<9, pairs>;
using time_view = warpdex::sorted_array<pairs>;
using total = unsigned long long;  // the type that atomicAdd takes

// Join and filter: adds up the prices above 50 of all ordered parts. `Group` are the threads that search for one
// order: one thread (`single_lane`), or K-1 = 8 neighbouring threads that compare the keys of a node
// together (`lane_tile<8>`), which takes fewer steps when there are too few orders to fill the device.
template <class Group>
__global__ void revenue(__grid_constant__ part_view const parts, std::uint32_t const* price,
                        std::uint32_t const* ordered, unsigned count, total* sum) {
  Group const group;
  unsigned const first = (blockIdx.x * blockDim.x + threadIdx.x) / Group::lanes;
  unsigned const step = gridDim.x * blockDim.x / Group::lanes;
  for (unsigned i = first; i < count; i += step) {  // all threads of a group have the same i: they search together
    auto const row = warpdex::find(parts, ordered[i], group);
    if (group.leads() && row != warpdex::no_row<std::uint64_t> && price[row] > 50) atomicAdd(sum, total{price[row]});
  }
}

// Range scan: each thread adds up the readings of one minute.
__global__ void minutes(__grid_constant__ time_view const readings, unsigned count, total* sums) {
  unsigned const minute = blockIdx.x * blockDim.x + threadIdx.x;
  if (minute >= count) return;
  total sum = 0;
  warpdex::scan(readings, minute * 60, minute * 60 + 59, [&](auto slot) { sum += readings.pairs.row(slot); });
  sums[minute] = sum;
}

// Columns on the device. Any device memory will do; warpdex's buffers free themselves.
template <class T> warpdex::buffer on_device(std::vector<T> const& values, warpdex::execution const& exec) {
  warpdex::buffer result(values.size() * sizeof(T), exec);
  warpdex::copy(result.data(), values.data(), result.bytes(), exec);
  return result;
}

// Waits for the kernel and copies its results; a failed launch throws here.
std::vector<total> results(warpdex::buffer const& from, warpdex::execution const& exec) {
  if (cudaError_t const status = cudaGetLastError(); status != cudaSuccess)
    throw warpdex::device_error(cudaGetErrorString(status));
  std::vector<total> result(from.bytes() / sizeof(total));
  warpdex::copy(result.data(), from.data(), from.bytes(), exec);
  return result;
}

bool join(warpdex::execution const& exec) {
  std::vector<std::uint32_t> part_number(5000), price(5000), ordered(20000);
  std::vector<std::uint32_t> price_of_number(10007, 0);
  for (std::uint32_t i = 0; i < 5000; ++i) part_number[i] = i * 7919u % 5003u * 2u;  // even numbers, no two equal
  for (std::uint32_t i = 0; i < 5000; ++i) price_of_number[part_number[i]] = price[i] = 1 + i % 100;
  for (std::uint32_t i = 0; i < 20000; ++i) ordered[i] = i * 31u % 10007u;
  total expected = 0;
  for (std::uint32_t const part : ordered) expected += price_of_number[part] > 50 ? price_of_number[part] : 0;

  auto const index = warpdex::index::build("EO+KS(9)/layout=SoA", std::span(part_number), exec);
  auto const view = index.view<part_view>();  // valid while the index lives
  auto const prices = on_device(price, exec), orders = on_device(ordered, exec);
  auto const sums = on_device(std::vector<total>{0, 0}, exec);
  revenue<warpdex::single_lane><<<64, 256, 0, exec.stream.get()>>>(view, prices.as<std::uint32_t>(),
                                                                   orders.as<std::uint32_t>(), 20000, sums.as<total>());
  revenue<warpdex::lane_tile<8>><<<64, 256, 0, exec.stream.get()>>>(
      view, prices.as<std::uint32_t>(), orders.as<std::uint32_t>(), 20000, sums.as<total>() + 1);
  auto const got = results(sums, exec);
  std::printf("revenue of parts dearer than 50: %llu by threads, %llu by tiles, expected %llu\n", got[0], got[1],
              expected);
  return got[0] == expected && got[1] == expected;
}

bool scan_own_arrays(warpdex::execution const& exec) {
  constexpr std::uint32_t count = 9000, in_all = count / 3 / 60;
  std::vector<std::uint32_t> second(count), reading(count);  // three readings per second, in order of time
  std::vector<total> expected(in_all, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    second[i] = i / 3;
    reading[i] = i * 17 % 1000;
    expected[second[i] / 60] += reading[i];
  }
  auto const seconds = on_device(second, exec), readings = on_device(reading, exec);
  time_view const view(pairs{seconds.as<std::uint32_t>(), readings.as<std::uint32_t>()}, count);  // builds nothing
  warpdex::buffer const sums(in_all * sizeof(total), exec);
  minutes<<<1, 64, 0, exec.stream.get()>>>(view, in_all, sums.as<total>());
  bool const right = results(sums, exec) == expected;
  std::printf("readings added up by the minute: %u minutes, %s\n", in_all, right ? "all right" : "wrong");
  return right;
}

}  // namespace

int main() {
  if (warpdex::devices().empty()) {
    std::printf("no CUDA device\n");
    return 77;  // for CTest: skipped
  }
  try {
    warpdex::execution const exec(warpdex::device_memory());
    bool const joined = join(exec), scanned = scan_own_arrays(exec);
    return joined && scanned ? 0 : 1;
  } catch (warpdex::error const& e) {
    std::fprintf(stderr, "own_kernel: %s\n", e.what());
    return 1;
  }
}
