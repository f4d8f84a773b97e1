// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// Host time per call of `index::find` on a device, beside that of an empty kernel: what is left is the time of warpdex.
//
//   nvcc -O2 -std=c++20 -arch=native scripts/call-time.cu -lwarpdex -o call-time && ./call-time
#include <warpdex/index.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;
constexpr int calls_between_waits = 32;

/// As many bytes of arguments as the kernel of a lookup has.
struct arguments {
  char bytes[200];
};
__global__ void do_nothing(arguments) {}

/// @return the median time of a call in microseconds
double median_us(cudaStream_t stream, std::function<void()> const& call) {
  std::vector<double> times(4000);
  for (std::size_t i = 0; i < times.size(); ++i) {
    auto const begin = clock_type::now();
    call();
    times[i] = std::chrono::duration<double, std::micro>(clock_type::now() - begin).count();
    if (i % calls_between_waits == 0) cudaStreamSynchronize(stream);
  }
  cudaStreamSynchronize(stream);
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

/// @param make_call makes the call of a thread; called as make_call(thread, stream)
/// @return millions of calls per second of all threads, each on a stream of its own
template <class MakeCall> double rate(int threads, MakeCall const& make_call) {
  std::atomic<long> calls{0};
  std::atomic<bool> stops{false};
  std::barrier ready(threads + 1);
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      cudaStream_t stream = nullptr;
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
      {
        std::function<void()> const call = make_call(t, stream);
        call();
        cudaStreamSynchronize(stream);
        ready.arrive_and_wait();
        for (; !stops; calls += calls_between_waits) {
          for (int i = 0; i < calls_between_waits; ++i) call();
          cudaStreamSynchronize(stream);
        }
      }
      cudaStreamDestroy(stream);
    });
  ready.arrive_and_wait();
  auto const begin = clock_type::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  stops = true;
  for (auto& thread : all) thread.join();
  return static_cast<double>(calls) / std::chrono::duration<double, std::micro>(clock_type::now() - begin).count();
}

}  // namespace

int main() {
  constexpr std::uint64_t keys = 1 << 20, most_probes = 4096;
  constexpr int most_threads = 16;
  std::vector<std::uint32_t> column(keys);
  for (std::uint32_t i = 0; i < keys; ++i) column[i] = i * 2654435761u;
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  warpdex::execution const exec(warpdex::device_memory(), stream);
  auto const index = warpdex::index::build("AO+BS", column, exec);
  warpdex::buffer const probes(most_threads * most_probes * 4, exec), rows(most_threads * most_probes * 4, exec);
  cudaMemsetAsync(probes.data(), 0, probes.bytes(), stream);
  cudaStreamSynchronize(stream);
  auto const find = [&](std::uint64_t size, int thread, cudaStream_t on) -> std::function<void()> {
    std::span const from(probes.as<std::uint32_t>() + thread * most_probes, size);
    std::span const to(rows.as<std::uint32_t>() + thread * most_probes, size);
    auto const here = std::make_shared<warpdex::execution>(exec.with_stream(on));
    return [&index, from, to, here] { index.find(from, to, *here); };
  };
  auto const launch = [](cudaStream_t on) -> std::function<void()> {
    return [on] { do_nothing<<<8, 128, 0, on>>>(arguments()); };
  };
  for (int i = 0; i < 3; ++i)
    std::printf("find of 1024 probes %.2f us, empty kernel %.2f us\n", median_us(stream, find(1024, 0, stream)),
                median_us(stream, launch(stream)));
  for (int const threads : {1, 4, most_threads})
    std::printf("%2d threads: find of %llu probes %.3f M/s, empty kernel %.3f M/s\n", threads,
                static_cast<unsigned long long>(most_probes),
                rate(threads, [&](int t, cudaStream_t on) { return find(most_probes, t, on); }),
                rate(threads, [&](int, cudaStream_t on) { return launch(on); }));
}
