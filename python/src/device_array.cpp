// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "device_array.hpp"

#include <warpdex/current_device.hpp>
#include <warpdex/device.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow_take.hpp"
#include "columns.hpp"
#include "dlpack_abi.hpp"
#include "gil.hpp"

namespace nb = nanobind;

namespace warpdex::python {
namespace {

// DLPack and the array interface of CUDA call the default stream 1; 0 is no stream to them.
std::int64_t shared_number(std::int64_t stream) { return stream == 0 ? 1 : stream; }

char kind_of(nb::dlpack::dtype type) {
  switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
    case nb::dlpack::dtype_code::Int: return 'i';
    case nb::dlpack::dtype_code::UInt: return 'u';
    case nb::dlpack::dtype_code::Float: return 'f';
    case nb::dlpack::dtype_code::Bool: return 'b';
    default:
      throw type_error("its type of DLPack has the code " + std::to_string(type.code) +
                       "; keys are integers, floats and bools");
  }
}

std::string name_of(nb::dlpack::dtype type) { return kind_of(type) + std::to_string(type.bits / 8); }

// Checks a tensor before it is used. Its memory, which only a device can read, is believed to be as long as it says.
void check_tensor(DLTensor const& tensor) {
  if (tensor.device.device_type != on_cuda && tensor.device.device_type != on_managed)
    throw type_error("the array is in the memory of no CUDA device");
  if (tensor.ndim != 1)
    throw invalid_argument("it has " + std::to_string(tensor.ndim) + " dimensions; a column has one");
  if (tensor.shape == nullptr) throw invalid_argument("its shape is null");
  DLDataType const type = tensor.dtype;
  kind_of({type.code, type.bits, type.lanes});
  if (type.lanes != 1 || (type.bits != 8 && type.bits != 16 && type.bits != 32 && type.bits != 64))
    throw type_error("its values have " + std::to_string(type.lanes) + " x " + std::to_string(type.bits) +
                     " bits; keys have 8, 16, 32 or 64");
  std::int64_t const size = tensor.shape[0];
  if (size < 0 || size > std::numeric_limits<std::int64_t>::max() / 8)
    throw invalid_argument("its length is " + std::to_string(size));
  if (size > 0 && tensor.data == nullptr)
    throw invalid_argument("its data is null, but it has " + std::to_string(size) + " values");
  if (tensor.strides != nullptr && size > 1 && tensor.strides[0] != 1)
    throw invalid_argument("it has strides; a column on a device is contiguous");
}

// The array of a DLPack capsule, which is used up.
device_array from_dlpack(nb::handle capsule, std::int64_t stream) {
  auto& managed = pointed<DLManagedTensor>(capsule, "dltensor");
  std::shared_ptr<void const> owner(&managed, [](DLManagedTensor* done) {
    if (done->deleter != nullptr) done->deleter(done);
  });
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  DLTensor const& tensor = managed.dl_tensor;
  check_tensor(tensor);
  return {static_cast<char*>(tensor.data) + tensor.byte_offset,
          static_cast<std::uint64_t>(tensor.shape[0]),
          {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes},
          tensor.device.device_id,
          stream,
          std::move(owner)};
}

// The array of a `__cuda_array_interface__`.
device_array from_interface(nb::dict const& interface) {
  auto const read = [&]<class T>(nb::handle from, T& to, char const* what) {
    if (!nb::try_cast(from, to)) throw type_error(what);
  };
  auto const field = [&](char const* name) {
    return interface.contains(name) ? nb::object(interface[name]) : nb::none();
  };
  nb::object const address = field("data");
  std::vector<std::int64_t> shape, strides;
  std::string type;
  std::uintptr_t data = 0;
  read(field("shape"), shape, "its shape is no tuple of integers");
  read(field("typestr"), type, "its type is no text");
  read(nb::isinstance<nb::tuple>(address) ? nb::object(address[0]) : address, data, "its data is no address");
  nb::dlpack::dtype const values = type_named(std::string_view(type).substr(std::min<std::size_t>(type.size(), 1)));
  if (nb::object const bytes = field("strides"); !bytes.is_none()) {
    read(bytes, strides, "its strides are no tuple of integers");
    for (auto& stride : strides) stride = stride * 8 / values.bits;
  }
  DLTensor tensor{};
  tensor.data = reinterpret_cast<void*>(data);
  tensor.device = {on_cuda, 0};
  tensor.ndim = static_cast<std::int32_t>(shape.size());
  tensor.dtype = {values.code, values.bits, values.lanes};
  tensor.shape = shape.data();
  tensor.strides = strides.empty() ? nullptr : strides.data();
  check_tensor(tensor);
  if (type[0] == '>') throw invalid_argument("it has foreign bytes; a column on a device has those of its machine");
  if (!field("mask").is_none()) throw type_error("it has a mask, which columns on a device have not");
  auto const size = static_cast<std::uint64_t>(shape[0]);
  auto const device = size == 0 ? 0 : device_of(tensor.data);
  if (!device) throw invalid_argument("it is in memory of the host");
  return {tensor.data, size, values, *device};
}

// What a DLPack capsule of ours holds.
struct shared_tensor {
  device_array array;
  std::int64_t shape;
  DLManagedTensor managed;
};

nb::object to_dlpack(device_array const& self, nb::handle stream, nb::handle copy) {
  if (nb::isinstance<nb::bool_>(copy) && nb::cast<bool>(copy)) throw nb::buffer_error("warpdex makes no copies");
  std::int64_t const wanted = stream.is_none() ? 1 : nb::cast<std::int64_t>(stream);
  if (wanted != -1) {
    device_scope const here(self.device);
    wait_for(stream_of(wanted), stream_of(shared_number(self.stream)));
  }
  auto tensor = std::make_unique<shared_tensor>(shared_tensor{self, static_cast<std::int64_t>(self.size), {}});
  tensor->managed.dl_tensor = {
      self.data, {on_cuda, self.device}, 1, {self.type.code, self.type.bits, self.type.lanes}, &tensor->shape, nullptr,
      0};
  tensor->managed.manager_ctx = tensor.get();
  tensor->managed.deleter = [](DLManagedTensor* done) { delete static_cast<shared_tensor*>(done->manager_ctx); };
  PyObject* const capsule = PyCapsule_New(&tensor->managed, "dltensor", [](PyObject* unused) {
    if (PyCapsule_IsValid(unused, "dltensor") == 0) return;
    auto* const held = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(unused, "dltensor"));
    held->deleter(held);
  });
  if (capsule == nullptr) throw nb::python_error();
  tensor.release();
  return nb::steal(capsule);
}

nb::dict cuda_interface(device_array const& self) {
  nb::dict found;
  found["shape"] = nb::make_tuple(self.size);
  found["typestr"] = (self.itemsize() == 1 ? "|" : "<") + name_of(self.type);
  found["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(self.size == 0 ? nullptr : self.data), false);
  found["version"] = 3;
  found["stream"] = shared_number(self.stream);
  return found;
}

device_array made_on_device(std::uint64_t size, std::string_view type, int device, std::int64_t stream) {
  auto const kind = type_named(type);
  device_scope const here(device);
  auto held = std::make_shared<buffer>(size * (kind.bits / 8u), execution(device_memory(), stream_of(stream)));
  void* const data = held->data();
  return {data, size, kind, device, stream, std::move(held)};
}

/// @param to on a device, or an array of NumPy
void copy_array(nb::handle to, device_array const& from, std::int64_t stream) {
  any_array const out = array_out(to);
  if (out.size != from.size || out.itemsize() != from.itemsize()) throw invalid_argument("the arrays differ in size");
  without_gil const free;
  device_scope const here(from.device);
  copy(out.data, from.data, out.size * out.itemsize(), execution(device_memory(), stream_of(stream)));
}

// The end of the last string, which only the device knows.
std::int64_t end_of_strings(void const* offsets, std::uint64_t size, std::int64_t width, execution const& exec) {
  std::int64_t end = 0;
  std::int32_t narrow = 0;
  auto const* const last = static_cast<char const*>(offsets) + size * static_cast<std::uint64_t>(width);
  if (width == 8) copy(&end, last, sizeof(end), exec);
  else copy(&narrow, last, sizeof(narrow), exec);
  end += narrow;
  if (end < 0) throw invalid_argument("its strings end at " + std::to_string(end));
  return end;
}

// The array of an object with `__arrow_c_device_array__`: (format, size, values, valid), where values are an array, or
// a pair (bytes, offsets), and valid is None or (bits, first bit). The stream waits until the array is complete.
nb::tuple read_device_arrow(nb::handle from, std::optional<std::int64_t> stream) {
  taken_device_array taken = take_device_array(from);
  if (!taken.on_device()) throw type_error("the array is in the memory of no CUDA device");
  auto const owner = std::make_shared<arrow_owner<ArrowArray>>(std::move(taken.array));
  ArrowSchema const& schema = taken.schema.value;
  ArrowArray const& array = owner->value;
  arrow_type const type = check_array(schema, array);
  if (schema.dictionary != nullptr) throw type_error("dictionaries on a device are no keys");
  bool const strings = type.layout == arrow_layout::strings;
  if (!strings && (type.layout != arrow_layout::numbers || type.width < 4))
    throw type_error("on a device columns are numbers of 32 and 64 bits, times and strings");
  int const device = taken.device;
  std::int64_t const on = stream.value_or(0);
  if (taken.event != nullptr) {
    device_scope const here(device);
    wait_for(stream_of(on), *static_cast<CUevent_st**>(taken.event));
  }
  auto const size = static_cast<std::uint64_t>(array.length);
  auto const over = [&](void const* data, std::uint64_t count, char const* kind) {
    return nb::cast(device_array{const_cast<void*>(data), count, type_named(kind), device, on, owner});
  };
  auto const* const first = static_cast<char const*>(array.buffers[1]) + array.offset * type.width;
  nb::object values;
  if (strings) {
    std::int64_t end = 0;
    if (size != 0) {
      device_scope const here(device);
      end = end_of_strings(first, size, type.width, execution(device_memory(), stream_of(on)));
    }
    if (end != 0 && array.buffers[2] == nullptr)
      throw invalid_argument("its buffer 2 is null, but its strings are not empty");
    values = nb::make_tuple(over(array.buffers[2], static_cast<std::uint64_t>(end), "u1"),
                            over(first, size + 1, type.number));
  } else {
    values = over(first, size, type.number);
  }
  nb::object valid = nb::none();
  if (array.null_count != 0 && array.buffers[0] != nullptr) {
    auto const bytes = static_cast<std::uint64_t>(array.offset + array.length + 7) / 8;
    valid = nb::make_tuple(over(array.buffers[0], bytes, "u1"), array.offset);
  }
  return nb::make_tuple(schema.format, size, values, valid);
}

}  // namespace

nb::dlpack::dtype type_named(std::string_view text) {
  if (text.size() == 2) {
    auto const bits = static_cast<std::uint8_t>(8 * (text[1] - '0'));
    auto const code = [](nb::dlpack::dtype_code of) { return static_cast<std::uint8_t>(of); };
    switch (text[0]) {
      case 'i': return {code(nb::dlpack::dtype_code::Int), bits, 1};
      case 'u': return {code(nb::dlpack::dtype_code::UInt), bits, 1};
      case 'f': return {code(nb::dlpack::dtype_code::Float), bits, 1};
      case 'b': return {code(nb::dlpack::dtype_code::Bool), bits, 1};
    }
  }
  throw type_error("'" + std::string(text) + "' is no type of numbers");
}

void bind_device_arrays(nb::module_& m) {
  nb::class_<device_array>(m, "DeviceArray", "An array on a CUDA device, for any library that reads such arrays.")
      .def(
          "__init__",
          [](device_array* self, std::uintptr_t data, std::uint64_t size, std::string_view type, int device) {
            new (self) device_array{reinterpret_cast<void*>(data), size, type_named(type), device};
          },
          nb::arg("data"), nb::arg("size"), nb::arg("type"), nb::arg("device"))
      .def_static("empty", made_on_device, nb::arg("size"), nb::arg("type"), nb::arg("device"), nb::arg("stream"))
      .def("__len__", [](device_array const& self) { return self.size; })
      .def_prop_ro("pointer", [](device_array const& self) { return reinterpret_cast<std::uintptr_t>(self.data); })
      .def_prop_ro("type", [](device_array const& self) { return name_of(self.type); })
      .def_ro("device", &device_array::device)
      .def_prop_ro("__cuda_array_interface__", cuda_interface)
      .def(
          "__dlpack__",
          [](device_array const& self, nb::handle stream, nb::handle, nb::handle, nb::handle copy) {
            return to_dlpack(self, stream, copy);
          },
          nb::kw_only(), nb::arg("stream").none() = nb::none(), nb::arg("max_version").none() = nb::none(),
          nb::arg("dl_device").none() = nb::none(), nb::arg("copy").none() = nb::none())
      .def("__dlpack_device__",
           [](device_array const& self) { return nb::make_tuple(static_cast<int>(on_cuda), self.device); });
  m.def("from_interface", from_interface, nb::arg("given"));
  m.def("from_dlpack", from_dlpack, nb::arg("capsule"), nb::arg("stream"));
  m.def("read_device_arrow", read_device_arrow, nb::arg("values"), nb::arg("stream").none());
  m.def("copy_array", copy_array, nb::arg("to"), nb::arg("source"), nb::arg("stream"));
  m.def("device_of", [](std::uintptr_t pointer) { return device_of(reinterpret_cast<void const*>(pointer)); });
  m.def("device_count", [] { return devices().size(); });
  m.def(
      "wait_for",
      [](int device, std::int64_t later, std::int64_t earlier) {
        device_scope const here(device);
        wait_for(stream_of(later), stream_of(earlier));
      },
      nb::arg("device"), nb::arg("later"), nb::arg("earlier"));
}

}  // namespace warpdex::python
