// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/arrays.hpp"
#include "support/backends.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <random>

/// @file
/// Lookups on arrays of the device can be captured in a CUDA graph and replayed, with windows and without.
namespace warpdex::test {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// A graph of what `call` launches on a stream.
class captured {
 public:
  template <class Call> captured(cudaStream_t stream, Call const& call) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    call();
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&replayed_, graph, 0));
    check(cudaGraphDestroy(graph));
  }
  ~captured() { cudaGraphExecDestroy(replayed_); }
  captured(captured const&) = delete;
  captured& operator=(captured const&) = delete;

  void replay(cudaStream_t stream) const {
    check(cudaGraphLaunch(replayed_, stream));
    check(cudaStreamSynchronize(stream));
  }

 private:
  static void check(cudaError_t status) { ASSERT_EQ(status, cudaSuccess) << cudaGetErrorString(status); }

  cudaGraphExec_t replayed_ = nullptr;
};

void compare(char const* spec, std::size_t size) {
  SCOPED_TRACE(spec);
  SCOPED_TRACE(size);
  test_stream const stream(backend_kind::cuda);
  execution const exec(device_memory(), stream);
  auto* const handle = static_cast<stream_ref>(stream).get();
  std::mt19937_64 random(1);
  std::vector<u32> keys(1 << 20);
  for (u32& key : keys) key = static_cast<u32>(random());
  std::vector<u32> first(size);
  std::vector<u32> second(size);
  for (std::size_t i = 0; i < size; ++i) {
    first[i] = keys[random() % keys.size()];
    second[i] = first[i] + 10000;
  }
  index const built = index::build(spec, std::span(keys), exec);
  input_array<u32> const lower_array(first, place::device, 0, exec);
  input_array<u32> const upper_array(second, place::device, 0, exec);
  column const lower{lower_array.data(), size, key_type::u32};
  column const upper{upper_array.data(), size, key_type::u32};
  auto const expect_replayed = [&]<class T>(char const* what, T, auto const& call) {
    SCOPED_TRACE(what);
    output_array<T> once(size, T{7}, place::device, exec);
    output_array<T> again(size, T{7}, place::device, exec);
    call(once);
    captured const graph(handle, [&] { call(again); });
    graph.replay(handle);
    graph.replay(handle);
    EXPECT_TRUE(once.read() == again.read());
  };
  auto const rows = [](auto& out) { return row_output{out.data(), out.size(), row_type::u32}; };
  expect_replayed("contains", std::uint8_t{}, [&](auto& out) { built.contains(lower, out.span(), exec); });
  expect_replayed("find", u32{}, [&](auto& out) { built.find(lower, rows(out), exec); });
  expect_replayed("count", u64{}, [&](auto& out) { built.count(lower, out.span(), exec); });
  if (!built.ordered()) return;
  expect_replayed("lower_bound", u64{}, [&](auto& out) { built.lower_bound(lower, out.span(), exec); });
  expect_replayed("upper_bound", u64{}, [&](auto& out) { built.upper_bound(lower, out.span(), exec); });
  expect_replayed("floor", u32{}, [&](auto& out) { built.floor(lower, {}, rows(out), exec); });
  expect_replayed("ceil", u32{}, [&](auto& out) { built.ceil(lower, {}, rows(out), exec); });
  expect_replayed("range_count", u64{}, [&](auto& out) { built.range_count({lower, upper}, out.span(), exec); });
  expect_replayed("range_sum", u64{}, [&](auto& out) { built.range_sum({lower, upper}, out.span(), exec); });
}

TEST(capture, graphs_replay_lookups) {
  if (present_backends().back() != backend_kind::cuda) GTEST_SKIP() << "no device";
  for (char const* const spec : {"AO+BS/reorder=none", "AO+BS/reorder=window", "EO+KS(9)/reorder=none",
                                 "AO+PB+KS(9)/layout=AoS/reorder=window", "B+(16)", "HT(open)"})
    for (std::size_t const size : {1000u, 1u << 20}) compare(spec, size);
}

}  // namespace
}  // namespace warpdex::test
