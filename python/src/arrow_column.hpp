// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/arrow_column.hpp>
#include <warpdex/current_device.hpp>
#include <warpdex/device.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "arrow_take.hpp"
#include "device_array.hpp"
#include "gil.hpp"

/// @file
/// Columns of Arrow out of the objects of Python that offer them, and into capsules.
namespace warpdex::python {

namespace nb = nanobind;

/// @param stream that waits for the array
inline arrow_column read_column(nb::handle from, std::int64_t stream) {
  struct kept {
    arrow_owner<ArrowSchema> schema;
    arrow_owner<ArrowArray> array;
  };
  if (!nb::hasattr(from, "__arrow_c_device_array__")) {
    auto const [schema, array] = capsules_of(from, "__arrow_c_array__");
    auto const owner = std::make_shared<kept const>(
        kept{take<ArrowSchema>(schema, "arrow_schema"), take<ArrowArray>(array, "arrow_array")});
    return {owner->schema.value, owner->array.value, -1, owner};
  }
  taken_device_array taken = take_device_array(from);
  if (!taken.on_device() && taken.memory != on_host_memory && taken.memory != on_cuda_host)
    throw type_error("it is in memory of Arrow's kind " + std::to_string(taken.memory) +
                     ", which is neither the host's nor that of CUDA");
  auto const owner = std::make_shared<kept const>(kept{std::move(taken.schema), std::move(taken.array)});
  if (taken.event != nullptr) {
    without_gil const free;
    device_scope const here(taken.device);
    wait_for(stream_of(stream), *static_cast<CUevent_st**>(taken.event));
    synchronize_device();  // what is handed on needs no event then
  }
  return {owner->schema.value, owner->array.value, taken.device, owner};
}

/// Takes all of an object's `__arrow_c_stream__`.
/// @param expect looks at the schema before a chunk is made
template <class Expect> arrow_chunks read_stream_of(nb::handle from, Expect const& expect) {
  auto stream = take<ArrowArrayStream>(from.attr("__arrow_c_stream__")(), "arrow_array_stream");
  without_gil const free;
  return arrow_chunks::read(stream.value, expect);
}

/// Takes an object's stream, or its `__arrow_c_array__`.
inline arrow_chunks read_chunks_of(nb::handle from) {
  if (nb::hasattr(from, "__arrow_c_stream__")) return read_stream_of(from, [](ArrowSchema const&) {});
  auto const [schema, array] = capsules_of(from, "__arrow_c_array__");
  arrow_chunks result;
  result.schema = take<ArrowSchema>(schema, "arrow_schema");
  result.arrays.push_back(take<ArrowArray>(array, "arrow_array"));
  if (result.schema.value.format == nullptr) throw invalid_argument("its schema has no format");
  return result;
}

inline nb::object schema_of(arrow_column const& from) { return capsule_of(from.schema(), "arrow_schema"); }

inline nb::tuple host_array_of(arrow_column const& from) {
  return nb::make_tuple(schema_of(from), capsule_of(from.array(), "arrow_array"));
}

inline nb::tuple device_array_of(arrow_column const& from) {
  int const device = from.device();
  ArrowDeviceArray exported{from.array(), device < 0 ? -1 : device, device < 0 ? on_host_memory : on_cuda, nullptr, {}};
  return nb::make_tuple(schema_of(from), capsule_of(exported, "arrow_device_array"));
}

}  // namespace warpdex::python
