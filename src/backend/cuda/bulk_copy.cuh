// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/barrier>
#include <new>

#include "backend/cuda/windows/window_tiles.cuh"

/// @file
/// Copies of pieces of arrays to shared memory.
namespace warpdex::cuda {

/// A barrier in shared memory that counts the bytes of bulk copies (from compute capability 9.0 on; on older devices it
/// does nothing).
class copy_barrier {
 public:
  /// Called once, by the one thread that copies. The block must synchronise before any thread waits.
  __device__ void set_up() {
#if __CUDA_ARCH__ >= 900
    new (storage_) barrier;
    init(&state(), 1);
    ::cuda::device::experimental::fence_proxy_async_shared_cta();
#endif
  }

  /// Called by all threads of the block before they synchronise, if the next copy overwrites what they have written.
  __device__ static void let_overwrite() {
#if __CUDA_ARCH__ >= 900
    ::cuda::device::experimental::fence_proxy_async_shared_cta();
#endif
  }

  /// Starts the copy of `bytes` bytes, a multiple of 16, between addresses aligned to 16.
  __device__ void copy([[maybe_unused]] void* to, [[maybe_unused]] void const* from, [[maybe_unused]] unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    if (bytes != 0)
      ::cuda::device::memcpy_async_tx(static_cast<uint4*>(to), static_cast<uint4 const*>(from),
                                      ::cuda::aligned_size_t<16>(bytes), state());
    static_cast<void>(::cuda::device::barrier_arrive_tx(state(), 1, bytes));
#endif
  }

  /// Waits for the bytes of a round of copies.
  /// @param odd whether it is the second, the fourth, ... round
  __device__ void wait([[maybe_unused]] bool odd = false) {
#if __CUDA_ARCH__ >= 900
    state().wait_parity(odd);
#endif
  }

 private:
  using barrier = ::cuda::barrier<::cuda::thread_scope_block>;

  __device__ barrier& state() { return *reinterpret_cast<barrier*>(storage_); }

  alignas(barrier) unsigned char storage_[sizeof(barrier)];
};

/// A piece of an array on its way into shared memory. A bulk copy takes whole vectors of 16 bytes. If the array ends
/// within a vector, threads copy its last elements, because memory after the array need not be readable.
template <class T> class incoming {
 public:
  static constexpr unsigned per_vector = vector16<T>::size;

  /// Takes elements [first, last) of an array of `size` elements. Element `first` goes to to[first % per_vector].
  __device__ incoming(T* to, T const* array, std::uint64_t first, std::uint64_t last, std::uint64_t size)
      : to_(to), from_(array + first / per_vector * per_vector) {
    wanted_ = static_cast<unsigned>(last - first / per_vector * per_vector);
    std::uint64_t const rounded = (last + per_vector - 1) / per_vector * per_vector;
    in_bulk_ = (rounded <= size ? wanted_ + per_vector - 1 : wanted_) / per_vector * per_vector;
  }

  /// Called by one thread.
  __device__ void start(copy_barrier& arrived) {
    arrived.copy(to_, from_, in_bulk_ * static_cast<unsigned>(sizeof(T)));
  }
  /// @return whether `copy_rest` copies anything, so that the block must synchronise after it
  __device__ bool has_rest() const {
#if __CUDA_ARCH__ >= 900
    return in_bulk_ < wanted_;
#else
    return true;
#endif
  }
  /// Called by all threads of the block.
  __device__ void copy_rest() {
#if __CUDA_ARCH__ >= 900
    unsigned const first = in_bulk_;
#else
    unsigned const first = 0;
#endif
    for (unsigned i = first + threadIdx.x; i < wanted_; i += blockDim.x) to_[i] = from_[i];
  }

 private:
  T* to_;
  T const* from_;
  unsigned wanted_;
  unsigned in_bulk_;
};

}  // namespace warpdex::cuda
