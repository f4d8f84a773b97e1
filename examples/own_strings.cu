// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// Singular lookups: threads of your own kernel make keys and look for them one by one, with no column of probes. The
// index is a radix tree over strings; its view goes to the kernel by value, and keys are references to any memory that
// the thread can read.
#include <warpdex/device.hpp>
#include <warpdex/index.hpp>
#include <warpdex/search/radix_tree.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace {

using parts_view = warpdex::radix_tree<warpdex::byte_pairs<std::uint32_t>>;

// Each thread spells part numbers, "bolt-0" to "bolt-9999", and adds up the stock of those that exist.
__global__ void stock_of_bolts(__grid_constant__ parts_view const parts, std::uint32_t const* stock,
                               unsigned long long* sum) {
  unsigned const step = gridDim.x * blockDim.x;
  for (unsigned number = blockIdx.x * blockDim.x + threadIdx.x; number < 10000; number += step) {
    unsigned char text[9] = {'b', 'o', 'l', 't', '-'};
    std::uint32_t size = 5;
    for (unsigned power = 1000; power > 0; power /= 10)
      if (number >= power || power == 1) text[size++] = static_cast<unsigned char>('0' + number / power % 10);
    auto const row = warpdex::find(parts, warpdex::byte_key{text, size});
    if (row != warpdex::no_row<std::uint64_t>) atomicAdd(sum, stock[row]);
  }
}

}  // namespace

int main() {
  if (warpdex::devices().empty()) {
    std::printf("no CUDA device\n");
    return 77;  // for CTest: skipped
  }
  try {
    warpdex::execution const exec(warpdex::device_memory());
    std::vector<std::string> names;
    std::vector<std::uint32_t> stock;
    unsigned long long expected = 0;
    for (std::uint32_t i = 0; i < 6000; ++i) {
      bool const is_bolt = i % 3 != 0;
      names.push_back((is_bolt ? "bolt-" : "nut-") + std::to_string(i * 7 % 9001));
      stock.push_back(i % 100);
      expected += is_bolt ? stock.back() : 0;
    }
    auto const index = warpdex::index::build("GRT", warpdex::byte_strings(names), exec);
    auto const view = index.view<parts_view>();  // valid while the index lives

    warpdex::buffer const on_device(stock.size() * sizeof(std::uint32_t), exec), sum(sizeof(expected), exec);
    unsigned long long got = 0;
    warpdex::copy(on_device.data(), stock.data(), on_device.bytes(), exec);
    warpdex::copy(sum.data(), &got, sizeof(got), exec);
    stock_of_bolts<<<16, 256, 0, exec.stream.get()>>>(view, on_device.as<std::uint32_t>(),
                                                      sum.as<unsigned long long>());
    if (cudaError_t const status = cudaGetLastError(); status != cudaSuccess)
      throw warpdex::device_error(cudaGetErrorString(status));
    warpdex::copy(&got, sum.data(), sizeof(got), exec);
    std::printf("bolts in stock: %llu, expected %llu\n", got, expected);
    return got == expected ? 0 : 1;
  } catch (warpdex::error const& e) {
    std::fprintf(stderr, "own_strings: %s\n", e.what());
    return 1;
  }
}
