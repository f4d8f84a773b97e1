// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/memory.hpp>

#include <cstddef>
#include <exception>
#include <new>
#include <string>

/// @file
/// Memory of other libraries: resources of `cuda::mr`, such as RMM's pools and the allocators of query engines.
namespace warpdex {

/// A resource of `cuda::mr` as one of warpdex, for builds, scratch and results:
///
///     rmm::mr::cuda_async_memory_resource pool;
///     warpdex::foreign_memory memory(pool);
///     warpdex::index x = warpdex::index::build("auto", keys, warpdex::execution(memory, stream));
///
/// It includes nothing of CCCL, whose concepts changed with its versions.
/// @tparam Resource has `allocate(stream, bytes, alignment)` (CCCL 3), `allocate_async(bytes, alignment, stream)`
/// (CCCL 2), or `allocate(bytes, alignment)` without streams, and `deallocate` of the same form, which takes a pointer
/// before the bytes. Streams convert from `cudaStream_t`. Several threads may call it at once
template <class Resource> class foreign_memory final : public memory_resource {
 public:
  /// @param from must outlive this object, and all that is made with it @param of the backend that reaches the memory
  explicit foreign_memory(Resource& from, backend_kind of = backend_kind::cuda) noexcept : from_(from), backend_(of) {}

  /// @throws out_of_memory if the resource throws std::bad_alloc, device_error for its other exceptions
  void* allocate(std::size_t bytes, stream_ref stream) override {
    try {
      if constexpr (requires { from_.allocate(stream.get(), bytes, alignment); })
        return from_.allocate(stream.get(), bytes, alignment);
      else if constexpr (requires { from_.allocate_async(bytes, alignment, stream.get()); })
        return from_.allocate_async(bytes, alignment, stream.get());
      else return from_.allocate(bytes, alignment);
    } catch (std::bad_alloc const& why) {
      throw out_of_memory(failure(bytes, why));
    } catch (std::exception const& why) {
      throw device_error(failure(bytes, why));
    }
  }

  void deallocate(void* pointer, std::size_t bytes, stream_ref stream) noexcept override {
    if constexpr (requires { from_.deallocate(stream.get(), pointer, bytes, alignment); })
      from_.deallocate(stream.get(), pointer, bytes, alignment);
    else if constexpr (requires { from_.deallocate_async(pointer, bytes, alignment, stream.get()); })
      from_.deallocate_async(pointer, bytes, alignment, stream.get());
    else from_.deallocate(pointer, bytes, alignment);
  }

  backend_kind backend() const noexcept override { return backend_; }

 private:
  static constexpr std::size_t alignment = 256;

  static std::string failure(std::size_t bytes, std::exception const& why) {
    return "foreign memory: cannot allocate " + std::to_string(bytes) + " bytes: " + why.what();
  }

  Resource& from_;
  backend_kind backend_;
};

}  // namespace warpdex
