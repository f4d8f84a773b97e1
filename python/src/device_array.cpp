// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "device_array.hpp"

#include <warpdex/current_device.hpp>
#include <warpdex/device.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <string>
#include <utility>

#include "arrow_take.hpp"
#include "dlpack_abi.hpp"
#include "gil.hpp"

namespace nb = nanobind;

namespace warpdex::python {
namespace {

constexpr std::int32_t on_cuda = 2;      // DLPack's and Arrow's number of CUDA's devices
constexpr std::int32_t on_managed = 13;  // and of CUDA's managed memory

// DLPack and the array interface of CUDA call the default stream 1; 0 is no stream to them.
std::int64_t shared_number(std::int64_t stream) { return stream == 0 ? 1 : stream; }

char kind_of(nb::dlpack::dtype type) {
  switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
    case nb::dlpack::dtype_code::Int: return 'i';
    case nb::dlpack::dtype_code::UInt: return 'u';
    case nb::dlpack::dtype_code::Float: return 'f';
    case nb::dlpack::dtype_code::Bool: return 'b';
    default: throw nb::type_error("keys are integers, floats and bools of up to 64 bits");
  }
}

std::string name_of(nb::dlpack::dtype type) { return kind_of(type) + std::to_string(type.bits / 8); }

// The array of a DLPack capsule, which is used up.
device_array from_dlpack(nb::handle capsule, std::int64_t stream) {
  auto* const managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (managed == nullptr) throw nb::python_error();
  std::shared_ptr<void const> owner(managed, [](DLManagedTensor* done) {
    if (done->deleter != nullptr) done->deleter(done);
  });
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  DLTensor const& tensor = managed->dl_tensor;
  if (tensor.device.device_type != on_cuda && tensor.device.device_type != on_managed)
    throw nb::type_error("the array lies on no CUDA device");
  if (tensor.ndim != 1)
    throw invalid_argument("it has " + std::to_string(tensor.ndim) + " dimensions; a column has one");
  if (tensor.strides != nullptr && tensor.shape[0] > 1 && tensor.strides[0] != 1)
    throw invalid_argument("it has strides; a column on a device is contiguous");
  return {static_cast<char*>(tensor.data) + tensor.byte_offset,
          static_cast<std::uint64_t>(tensor.shape[0]),
          {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes},
          tensor.device.device_id,
          stream,
          std::move(owner)};
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
  auto made = std::make_unique<shared_tensor>(shared_tensor{self, static_cast<std::int64_t>(self.size), {}});
  made->managed.dl_tensor = {
      self.data, {on_cuda, self.device}, 1, {self.type.code, self.type.bits, self.type.lanes}, &made->shape, nullptr,
      0};
  made->managed.manager_ctx = made.get();
  made->managed.deleter = [](DLManagedTensor* done) { delete static_cast<shared_tensor*>(done->manager_ctx); };
  PyObject* const capsule = PyCapsule_New(&made->managed, "dltensor", [](PyObject* unused) {
    if (PyCapsule_IsValid(unused, "dltensor") == 0) return;
    auto* const held = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(unused, "dltensor"));
    held->deleter(held);
  });
  if (capsule == nullptr) throw nb::python_error();
  made.release();
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

void copy_array(device_array const& to, device_array const& from, std::int64_t stream) {
  if (to.size != from.size || to.itemsize() != from.itemsize()) throw invalid_argument("the arrays differ in size");
  without_gil const free;
  device_scope const here(to.device);
  copy(to.data, from.data, to.size * to.itemsize(), execution(device_memory(), stream_of(stream)));
}

struct numbers {
  char const* format;
  char const* type;
};

// Formats of Arrow whose values are numbers of 32 or 64 bits, and times, which are such numbers.
constexpr numbers known_numbers[] = {{"i", "i4"}, {"I", "u4"}, {"l", "i8"}, {"L", "u8"}, {"f", "f4"}, {"g", "f8"}};

nb::dlpack::dtype arrow_type(std::string_view format) {
  for (auto const& one : known_numbers)
    if (format == one.format) return type_named(one.type);
  if (format == "tdD" || format == "tts" || format == "ttm") return type_named("i4");
  if (format.starts_with("t")) return type_named("i8");
  throw nb::type_error("on a device columns are numbers of 32 and 64 bits, times and strings");
}

// The array of an object with `__arrow_c_device_array__`: (format, size, values, valid), where values are an array, or
// a pair (bytes, offsets), and valid is None or (bits, first bit). The stream waits until the array is complete.
nb::tuple read_device_arrow(nb::handle from, std::optional<std::int64_t> stream) {
  auto const capsules = nb::cast<nb::tuple>(from.attr("__arrow_c_device_array__")());
  auto const schema = take<ArrowSchema>(capsules[0], "arrow_schema");
  auto* const given = static_cast<ArrowDeviceArray*>(PyCapsule_GetPointer(capsules[1].ptr(), "arrow_device_array"));
  if (given == nullptr) throw nb::python_error();
  if (given->array.release == nullptr) throw invalid_argument("the arrow_device_array was already consumed");
  if (given->device_type != on_cuda && given->device_type != on_managed)
    throw nb::type_error("the array lies on no CUDA device");
  int const device = static_cast<int>(given->device_id);
  void* const event = given->sync_event;
  auto const owner = std::make_shared<released<ArrowArray>>(given->array);
  std::int64_t const on = stream.value_or(0);
  if (event != nullptr) {
    device_scope const here(device);
    wait_for(stream_of(on), *static_cast<CUevent_st**>(event));
  }
  ArrowArray const& array = owner->value;
  std::string_view const format = schema.value.format;
  if (schema.value.dictionary != nullptr) throw nb::type_error("dictionaries on a device are no keys");
  auto const size = static_cast<std::uint64_t>(array.length);
  auto const over = [&](void const* data, std::uint64_t count, nb::dlpack::dtype type) {
    return nb::cast(device_array{const_cast<void*>(data), count, type, device, on, owner});
  };
  nb::object values;
  bool const large = format == "U" || format == "Z";
  if (large || format == "u" || format == "z") {
    auto const type = type_named(large ? "i8" : "i4");
    auto const* const offsets = static_cast<char const*>(array.buffers[1]) + array.offset * type.bits / 8;
    std::int64_t end = 0;  // the bytes end where the last string does, which only the device knows
    {
      std::int32_t narrow = 0;
      device_scope const here(device);
      execution const exec(device_memory(), stream_of(on));
      if (large) copy(&end, offsets + size * 8, sizeof(end), exec);
      else copy(&narrow, offsets + size * 4, sizeof(narrow), exec);
      end += narrow;
    }
    auto const bytes = over(array.buffers[2], static_cast<std::uint64_t>(end), type_named("u1"));
    values = nb::make_tuple(bytes, over(offsets, size + 1, type));
  } else {
    auto const type = arrow_type(format);
    values = over(static_cast<char const*>(array.buffers[1]) + array.offset * type.bits / 8, size, type);
  }
  nb::object valid = nb::none();
  if (array.null_count != 0 && array.buffers[0] != nullptr) {
    auto const bytes = static_cast<std::uint64_t>(array.offset + array.length + 7) / 8;
    auto const bits = over(array.buffers[0], bytes, type_named("u1"));
    valid = nb::make_tuple(bits, array.offset);
  }
  return nb::make_tuple(schema.value.format, size, values, valid);
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
  throw nb::type_error("an unknown type of numbers");
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
