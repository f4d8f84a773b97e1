// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_select.cuh>

#include "backend/cuda/cub_calls.cuh"
#include "backend/cuda/cuda_loops.cuh"

/// @file
/// Loops that CUB makes.
namespace warpdex {
namespace cuda {

template <class Step> struct is_selected {
  Step step;
  __device__ bool operator()(std::uint32_t i) const { return step(i); }
};

template <class Step> struct write_selected {
  Step step;
  template <class Place> __device__ void operator()(Place place, std::uint32_t i) const {
    step.write(i, static_cast<std::uint64_t>(place));
  }
};

struct join_values {
  template <class Value> __device__ Value operator()(Value const& a, Value const& b) const { return a.with(b); }
};

}  // namespace cuda

template <class Step> std::uint64_t cuda_loops::select(execution const& exec, std::uint64_t n, Step const& step) {
  if (n == 0) return 0;
  thrust::counting_iterator<std::uint32_t> const numbers(0);
  auto const selected = thrust::make_tabulate_output_iterator(cuda::write_selected<Step>{step});
  buffer const counter(sizeof(std::uint64_t), exec);
  cuda::with_scratch(exec, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, numbers, selected, counter.as<std::uint64_t>(),
                                 static_cast<std::int64_t>(n), cuda::is_selected<Step>{step}, exec.stream.get());
  });
  std::uint64_t count = 0;
  cuda::read_back(&count, counter.data(), sizeof(count), exec.stream.get());
  return count;
}

template <class Step> auto cuda_loops::reduce(execution const& exec, std::uint64_t n, Step const& step) {
  using value = decltype(step(n));
  value all;
  if (n == 0) return all;
  thrust::counting_iterator<std::uint64_t> const numbers(0);
  buffer const result(sizeof(all), exec);
  cuda::with_scratch(exec, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::TransformReduce(scratch, bytes, numbers, result.as<value>(), static_cast<std::int64_t>(n),
                                              cuda::join_values{}, step, all, exec.stream.get());
  });
  cuda::read_back(&all, result.data(), sizeof(all), exec.stream.get());
  return all;
}

}  // namespace warpdex
