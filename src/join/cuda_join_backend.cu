// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_select.cuh>

#include "backend/cuda/cub_calls.cuh"
#include "backend/cuda/device_loops.cuh"
#include "backend/cuda/streams.hpp"
#include "join/engine_join_backend.hpp"

namespace warpdex {
namespace {

template <class Answer> struct is_kept {
  kept_answers from;
  __device__ bool operator()(std::uint32_t i) const {
    Answer const answer = static_cast<Answer const*>(from.answers)[i];
    return from.keeps(sizeof(Answer) == 1 ? answer != 0 : answer != no_row<Answer>, i);
  }
};

template <class Answer> struct write_pair {
  kept_answers to;
  template <class Place> __device__ void operator()(Place place, std::uint32_t i) const {
    auto const at = static_cast<std::uint64_t>(place);
    to.left.set(at, to.number + i);
    if (to.right != nullptr) static_cast<Answer*>(to.right)[at] = static_cast<Answer const*>(to.answers)[i];
  }
};

template <class Answer> std::uint64_t keep_typed(kept_answers const& to, std::uint64_t size, execution const& exec) {
  if (size == 0) return 0;
  thrust::counting_iterator<std::uint32_t> const numbers(0);
  auto const pairs = thrust::make_tabulate_output_iterator(write_pair<Answer>{to});
  buffer const kept(sizeof(std::uint64_t), exec);
  auto const items = static_cast<std::int64_t>(size);
  cuda::with_scratch(exec, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, numbers, pairs, kept.as<std::uint64_t>(), items, is_kept<Answer>{to},
                                 exec.stream.get());
  });
  std::uint64_t count = 0;
  cuda::read_back(&count, kept.data(), sizeof(count), exec.stream.get());
  return count;
}

struct joint_range {
  __device__ code_range operator()(code_range const& a, code_range const& b) const { return a.with(b); }
};

class device_join_backend final : public engine_join_backend<cuda::device_loops> {
 public:
  std::uint64_t keep(kept_answers const& answers, std::uint64_t size, execution const& exec) const override {
    switch (answers.width) {
      case 1: return keep_typed<std::uint8_t>(answers, size, exec);
      case 4: return keep_typed<std::uint32_t>(answers, size, exec);
      default: return keep_typed<std::uint64_t>(answers, size, exec);
    }
  }

  bool records(execution const& exec) const override { return cuda::is_recorded(exec.stream.get()); }

  code_range range_of(column keys, execution const& exec) const override {
    code_range all;
    if (keys.size == 0) return all;
    thrust::counting_iterator<std::uint64_t> const numbers(0);
    buffer const made(sizeof(all), exec);
    auto const items = static_cast<std::int64_t>(keys.size);
    code_at const code{keys.type, keys.data};
    cuda::with_scratch(exec, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceReduce::TransformReduce(scratch, bytes, numbers, made.as<code_range>(), items, joint_range{},
                                                code, all, exec.stream.get());
    });
    cuda::read_back(&all, made.data(), sizeof(all), exec.stream.get());
    return all;
  }
};

}  // namespace

join_backend const& cuda_join_backend() {
  static join_backend const& instance = *new device_join_backend;  // never destroyed, like the one of cuda_backend()
  return instance;
}

}  // namespace warpdex
