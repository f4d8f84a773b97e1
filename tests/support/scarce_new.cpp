// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/scarce_new.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace warpdex::test {

constinit scarce_new heap;

namespace {

void* allocate(std::size_t bytes, std::align_val_t alignment = std::align_val_t{16}) noexcept {
  long const left = heap.left--;
  if (left == 0 || (left < 0 && heap.lasts)) return nullptr;
  auto const unit = static_cast<std::size_t>(alignment);
  void* const block = std::aligned_alloc(unit, (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit);
  if (block != nullptr) ++heap.live;
  return block;
}

void* allocated(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void release(void* block) noexcept {
  if (block != nullptr) --heap.live;
  std::free(block);
}

}  // namespace
}  // namespace warpdex::test

using warpdex::test::allocate;
using warpdex::test::allocated;
using warpdex::test::release;

void* operator new(std::size_t bytes) { return allocated(allocate(bytes)); }
void* operator new[](std::size_t bytes) { return allocated(allocate(bytes)); }
void* operator new(std::size_t bytes, std::align_val_t to) { return allocated(allocate(bytes, to)); }
void* operator new[](std::size_t bytes, std::align_val_t to) { return allocated(allocate(bytes, to)); }
void* operator new(std::size_t bytes, std::nothrow_t const&) noexcept { return allocate(bytes); }
void* operator new[](std::size_t bytes, std::nothrow_t const&) noexcept { return allocate(bytes); }
void* operator new(std::size_t bytes, std::align_val_t to, std::nothrow_t const&) noexcept {
  return allocate(bytes, to);
}
void* operator new[](std::size_t bytes, std::align_val_t to, std::nothrow_t const&) noexcept {
  return allocate(bytes, to);
}

void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::nothrow_t const&) noexcept { release(block); }
void operator delete[](void* block, std::nothrow_t const&) noexcept { release(block); }
void operator delete(void* block, std::align_val_t, std::nothrow_t const&) noexcept { release(block); }
void operator delete[](void* block, std::align_val_t, std::nothrow_t const&) noexcept { release(block); }
