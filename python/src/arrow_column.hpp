// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/current_device.hpp>
#include <warpdex/device.hpp>

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow_read.hpp"
#include "arrow_take.hpp"
#include "device_array.hpp"
#include "gil.hpp"

namespace warpdex::python {

namespace nb = nanobind;

/// A structure of Arrow whose parts `owner` keeps, as one that a consumer releases. Children may be released alone.
template <class T> T shared_copy(T const& from, std::shared_ptr<void const> const& owner) {
  struct kept {
    std::shared_ptr<void const> owner;
    std::vector<T> parts;
    std::vector<T*> children;
    T* dictionary = nullptr;
  };
  auto held = std::make_unique<kept>(kept{owner, {}, {}});
  auto const count = static_cast<std::size_t>(from.n_children);
  held->parts.reserve(count + 1);
  for (std::size_t i = 0; i < count; ++i)
    held->children.push_back(&held->parts.emplace_back(shared_copy(*from.children[i], owner)));
  if (from.dictionary != nullptr) held->dictionary = &held->parts.emplace_back(shared_copy(*from.dictionary, owner));
  T made = from;
  made.children = held->children.data();
  made.dictionary = held->dictionary;
  made.private_data = held.release();
  made.release = [](T* self) {
    std::unique_ptr<kept> const parts(static_cast<kept*>(self->private_data));
    for (T& one : parts->parts)
      if (one.release != nullptr) one.release(&one);
    self->release = nullptr;
  };
  return made;
}

/// A column of Arrow's device interface, or a table: a struct of columns. Its memory is on a device or on the host, and
/// complete.
class arrow_column {
 public:
  arrow_column(ArrowSchema schema, ArrowArray array, int device, std::shared_ptr<void const> owner)
      : schema_(schema), array_(array), device_(device), owner_(std::move(owner)) {
    if (schema.format == nullptr) throw invalid_argument("its schema has no format");
  }

  /// @param stream that waits for the array
  static arrow_column read(nb::handle from, std::int64_t stream) {
    struct kept {
      released<ArrowSchema> schema;
      released<ArrowArray> array;
    };
    if (!nb::hasattr(from, "__arrow_c_device_array__")) {
      auto const [schema, array] = capsules_of(from, "__arrow_c_array__");
      auto const owner = std::make_shared<kept const>(
          kept{take<ArrowSchema>(schema, "arrow_schema"), take<ArrowArray>(array, "arrow_array")});
      return {owner->schema.value, owner->array.value, -1, owner};
    }
    taken_device_array given = take_device_array(from);
    if (!given.on_device() && given.memory != on_host_memory && given.memory != on_cuda_host)
      throw type_refused("it is in memory of Arrow's kind " + std::to_string(given.memory) +
                         ", which is neither the host's nor that of CUDA");
    auto const owner = std::make_shared<kept const>(kept{std::move(given.schema), std::move(given.array)});
    if (given.event != nullptr) {
      without_gil const free;
      device_scope const here(given.device);
      wait_for(stream_of(stream), *static_cast<CUevent_st**>(given.event));
      synchronize_device();  // what is handed on needs no event then
    }
    return {owner->schema.value, owner->array.value, given.device, owner};
  }

  bool is_table() const { return std::string_view(schema_.format) == "+s"; }

  /// @return names and columns of a table
  std::vector<std::pair<std::string, arrow_column>> columns() const {
    if (!is_table() || schema_.n_children != array_.n_children)
      throw type_refused("its array of Arrow has the format " + std::string(schema_.format) + "; a table is a struct");
    check_fields(array_, {});
    if (array_.null_count > 0) throw invalid_argument("rows of the table itself are null");
    auto const is_there = [](auto const* const* parts, std::int64_t count) {
      return parts != nullptr && std::all_of(parts, parts + count, [](auto const* one) { return one != nullptr; });
    };
    if (schema_.n_children > 0 &&
        (!is_there(schema_.children, schema_.n_children) || !is_there(array_.children, schema_.n_children)))
      throw invalid_argument("columns of the table are null");
    std::vector<std::pair<std::string, arrow_column>> made;
    for (std::int64_t i = 0; i < schema_.n_children; ++i) {
      ArrowArray part = *array_.children[i];
      check_fields(part, {});
      if (part.length < array_.offset + array_.length)
        throw invalid_argument("column " + std::to_string(i) + " has " + std::to_string(part.length) +
                               " rows, but the table " + std::to_string(array_.offset + array_.length));
      if (part.length != array_.length && part.null_count != 0) part.null_count = -1;
      part.offset += array_.offset;
      part.length = array_.length;
      char const* const name = schema_.children[i]->name;
      made.emplace_back(name == nullptr ? "" : name, arrow_column(*schema_.children[i], part, device_, owner_));
    }
    return made;
  }

  /// @return a table of columns of one length
  static arrow_column table(std::vector<std::pair<std::string, arrow_column>> columns, std::int64_t rows, int device) {
    struct kept {
      std::vector<std::pair<std::string, arrow_column>> columns;
      std::vector<ArrowSchema*> schemas;
      std::vector<ArrowArray*> arrays;
      std::array<void const*, 1> buffers{};
    };
    auto const held = std::make_shared<kept>(kept{std::move(columns), {}, {}});
    for (auto& [name, one] : held->columns) {
      one.schema_.name = name.c_str();
      held->schemas.push_back(&one.schema_);
      held->arrays.push_back(&one.array_);
    }
    auto const count = static_cast<std::int64_t>(held->columns.size());
    ArrowSchema const schema{"+s", "", nullptr, 0, count, held->schemas.data(), nullptr, nullptr, nullptr};
    ArrowArray const array{rows, 0, 0, 1, count, held->buffers.data(), held->arrays.data(), nullptr, nullptr, nullptr};
    return {schema, array, device, held};
  }

  nb::object schema() const { return capsule_of(shared_copy(schema_, owner_), "arrow_schema"); }

  nb::tuple host_array() const { return nb::make_tuple(schema(), capsule_of(array(), "arrow_array")); }

  nb::tuple device_array() const {
    ArrowDeviceArray made{array(), device_ < 0 ? -1 : device_, device_ < 0 ? on_host_memory : on_cuda, nullptr, {}};
    return nb::make_tuple(schema(), capsule_of(made, "arrow_device_array"));
  }

  ArrowSchema const& type() const { return schema_; }
  ArrowArray const& values() const { return array_; }
  int device() const { return device_; }

 private:
  ArrowArray array() const { return shared_copy(array_, owner_); }

  ArrowSchema schema_;
  ArrowArray array_;
  int device_;
  std::shared_ptr<void const> owner_;
};

}  // namespace warpdex::python
