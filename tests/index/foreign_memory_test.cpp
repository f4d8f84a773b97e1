// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/foreign_memory.hpp>
#include <warpdex/index.hpp>

#include "support/expect.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <numeric>
#include <stdexcept>
#include <vector>

#if __has_include(<cuda/memory_resource>)
#define LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE
#include <cuda/memory_resource>
#endif

/// @file
/// Resources of the forms that versions of `cuda::mr` ask for, over memory of the host. They count, limit and fail.
namespace warpdex::test {
namespace {

struct counts {
  std::atomic<std::uint64_t> live{0};         ///< bytes
  std::atomic<std::uint64_t> allocations{0};  ///< allocations
  std::uint64_t most = ~std::uint64_t{0};
  bool fails = false;

  void* allocate(std::size_t bytes, std::size_t alignment) {
    if (fails) throw std::runtime_error("the device is lost");
    if (live + bytes > most) throw std::bad_alloc();
    live += bytes;
    ++allocations;
    return ::operator new(bytes, std::align_val_t(alignment));
  }
  void deallocate(void* pointer, std::size_t bytes, std::size_t alignment) noexcept {
    live -= bytes;
    ::operator delete(pointer, std::align_val_t(alignment));
  }
  bool operator==(counts const& other) const { return this == &other; }
};

/// A stream of another library.
struct other_stream {
  other_stream(CUstream_st* from) : number(from) {}
  CUstream_st* number;
};

struct ordered : counts {  // CCCL 3
  void* allocate(other_stream, std::size_t bytes, std::size_t alignment) { return counts::allocate(bytes, alignment); }
  void deallocate(other_stream, void* pointer, std::size_t bytes, std::size_t alignment) noexcept {
    counts::deallocate(pointer, bytes, alignment);
  }
};

struct asynchronous : counts {  // CCCL 2
  void* allocate_async(std::size_t bytes, std::size_t alignment, other_stream) { return allocate(bytes, alignment); }
  void deallocate_async(void* pointer, std::size_t bytes, std::size_t alignment, other_stream) noexcept {
    deallocate(pointer, bytes, alignment);
  }
};

template <class Resource> class foreign_memories : public testing::Test {};
using resources = testing::Types<counts, ordered, asynchronous>;
TYPED_TEST_SUITE(foreign_memories, resources);

TYPED_TEST(foreign_memories, serve_builds_scratch_and_results) {
  TypeParam resource;
  foreign_memory memory(resource, backend_kind::cpu);
  execution const exec(memory);
  EXPECT_EQ(memory.backend(), backend_kind::cpu);
  std::vector<std::uint32_t> keys(5000);
  std::iota(keys.begin(), keys.end(), 7);
  {
    index x = index::build("AO+BS", column(keys), exec);
    EXPECT_GE(resource.live, x.memory().total());
    std::uint64_t const before = resource.allocations;
    matches const found = x.retrieve(column(keys), exec);
    EXPECT_EQ(found.total, keys.size());
    EXPECT_GT(resource.allocations, before);

    resource.most = resource.live;
    std::vector<std::uint32_t> const added = {1, 2}, rows = {5000, 5001};
    EXPECT_TRUE(throws<out_of_memory>([&] { x.insert(column(added), row_column(rows), exec); },
                                      "foreign memory: cannot allocate", "bytes: std::bad_alloc"));
    resource.most = ~std::uint64_t{0};
    resource.fails = true;
    EXPECT_TRUE(throws<device_error>([&] { x.retrieve(column(keys), exec); }, "the device is lost"));
    resource.fails = false;
    EXPECT_EQ(x.size(), keys.size());
  }
  EXPECT_EQ(resource.live, 0u);
}

#ifdef LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE
[[maybe_unused]] void get_property(counts const&, cuda::mr::host_accessible) {}

/// The toolkit's reference to any resource.
TEST(foreign_memory, takes_references_of_the_toolkit) {
  counts resource;
  cuda::mr::resource_ref<cuda::mr::host_accessible> reference(resource);
  foreign_memory memory(reference, backend_kind::cpu);
  std::vector<std::uint64_t> const keys = {5, 3, 9};
  {
    index const x = index::build("AO+BS", column(keys), execution(memory));
    EXPECT_GT(resource.live, 0u);
    EXPECT_EQ(x.find(column(keys)), (std::vector<std::uint32_t>{0, 1, 2}));
  }
  EXPECT_EQ(resource.live, 0u);
}
#endif

}  // namespace
}  // namespace warpdex::test
