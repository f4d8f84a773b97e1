// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace warpdex::python {

/// An array whose elements are not set when it is made, so that the threads that set them are the first to touch them.
template <class T> class raw_array {
 public:
  raw_array() = default;
  explicit raw_array(std::int64_t size)
      : data_(std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(size))),
        size_(static_cast<std::size_t>(size)) {}

  T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::int64_t i) const { return data_[static_cast<std::size_t>(i)]; }
  void clear() { *this = {}; }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_ = 0;
};

}  // namespace warpdex::python
