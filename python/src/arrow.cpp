// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "arrow.hpp"

#include <warpdex/error.hpp>

#include <nanobind/ndarray.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow_take.hpp"
#include "gil.hpp"

namespace nb = nanobind;

namespace warpdex::python {
namespace {

using shared_array = std::shared_ptr<ArrowArray const>;

// A NumPy array over memory that `held` keeps alive.
template <class T> nb::object numpy_over(T const* data, std::int64_t size, std::shared_ptr<void const> held) {
  static T const nothing{};
  auto keeper = std::make_unique<std::shared_ptr<void const>>(std::move(held));
  nb::capsule owner(keeper.get(), [](void* p) noexcept { delete static_cast<std::shared_ptr<void const>*>(p); });
  keeper.release();
  return nb::cast(nb::ndarray<nb::numpy, T const, nb::ndim<1>>(size == 0 || data == nullptr ? &nothing : data,
                                                               {static_cast<std::size_t>(size)}, owner));
}

template <class T> nb::object numpy_of(std::vector<T> values) {
  auto held = std::make_shared<std::vector<T>>(std::move(values));
  T const* const data = held->data();
  auto const size = static_cast<std::int64_t>(held->size());
  return numpy_over(data, size, std::move(held));
}

bool bit(void const* bits, std::int64_t i) {
  return (static_cast<std::uint8_t const*>(bits)[i / 8] >> (i % 8) & 1) != 0;
}

// 1 for each null; empty if there is none.
std::vector<std::uint8_t> nulls_of(ArrowArray const& array) {
  void const* const valid = array.n_buffers > 0 ? array.buffers[0] : nullptr;
  if (array.null_count == 0 || valid == nullptr) return {};
  std::vector<std::uint8_t> nulls(static_cast<std::size_t>(array.length));
  bool any = false;
  for (std::int64_t i = 0; i < array.length; ++i) any |= (nulls[i] = !bit(valid, array.offset + i));
  if (!any) nulls.clear();
  return nulls;
}

nb::object bytes_over(void const* data, std::int64_t size, shared_array const& held) {
  return numpy_over(static_cast<std::uint8_t const*>(data), size, held);
}

template <class Offset> nb::tuple strings_of(shared_array const& held) {
  ArrowArray const& array = *held;
  if (array.length == 0) return nb::make_tuple(bytes_over(nullptr, 0, held), numpy_of(std::vector<Offset>{0}));
  auto const* const offsets = static_cast<Offset const*>(array.buffers[1]) + array.offset;
  return nb::make_tuple(bytes_over(array.buffers[2], offsets[array.length], held),
                        numpy_over(offsets, array.length + 1, held));
}

// Views are gathered, since a column has its strings one behind the other.
nb::tuple views_of(ArrowArray const& array, std::vector<std::uint8_t> const& nulls) {
  struct view {
    std::int32_t length;
    char prefix[4];
    std::int32_t buffer, offset;
  };
  constexpr std::int32_t longest_inline = 12;
  auto const* const views = static_cast<view const*>(array.buffers[1]);
  auto const view_at = [&](std::int64_t i) -> view const& { return views[array.offset + i]; };
  auto const is_null = [&](std::int64_t i) { return !nulls.empty() && nulls[static_cast<std::size_t>(i)] != 0; };
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(array.length) + 1);
  for (std::int64_t i = 0; i < array.length; ++i)
    offsets[static_cast<std::size_t>(i) + 1] =
        offsets[static_cast<std::size_t>(i)] + (is_null(i) ? 0 : view_at(i).length);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(offsets.back()));
  for (std::int64_t i = 0; i < array.length; ++i) {
    if (is_null(i) || view_at(i).length == 0) continue;
    view const& v = view_at(i);
    char const* const from =
        v.length <= longest_inline ? v.prefix : static_cast<char const*>(array.buffers[2 + v.buffer]) + v.offset;
    std::memcpy(bytes.data() + offsets[static_cast<std::size_t>(i)], from, static_cast<std::size_t>(v.length));
  }
  return nb::make_tuple(numpy_of(std::move(bytes)), numpy_of(std::move(offsets)));
}

template <class T> nb::object numbers_of(shared_array const& held) {
  ArrowArray const& array = *held;
  return numpy_over(static_cast<T const*>(array.buffers[1]) + array.offset, array.length, held);
}

nb::object bits_of(ArrowArray const& array) {
  std::vector<std::uint8_t> values(static_cast<std::size_t>(array.length));
  for (std::int64_t i = 0; i < array.length; ++i)
    values[static_cast<std::size_t>(i)] = bit(array.buffers[1], array.offset + i);
  return numpy_of(std::move(values));
}

// The values of an array: a NumPy array, a pair (bytes, offsets), a triple (bytes, width, count), or None if it has no
// values at all.
nb::object values_of(std::string_view format, shared_array const& held, std::vector<std::uint8_t> const& nulls) {
  ArrowArray const& array = *held;
  if (format == "n") return nb::none();
  if (format == "b") return bits_of(array);
  if (format == "c") return numbers_of<std::int8_t>(held);
  if (format == "C") return numbers_of<std::uint8_t>(held);
  if (format == "s") return numbers_of<std::int16_t>(held);
  if (format == "S" || format == "e") return numbers_of<std::uint16_t>(held);
  if (format == "i" || format == "tdD" || format == "tts" || format == "ttm") return numbers_of<std::int32_t>(held);
  if (format == "I") return numbers_of<std::uint32_t>(held);
  if (format == "l" || format == "tdm" || format == "ttu" || format == "ttn" || format.starts_with("ts") ||
      format.starts_with("tD"))
    return numbers_of<std::int64_t>(held);
  if (format == "L") return numbers_of<std::uint64_t>(held);
  if (format == "f") return numbers_of<float>(held);
  if (format == "g") return numbers_of<double>(held);
  if (format == "u" || format == "z") return strings_of<std::int32_t>(held);
  if (format == "U" || format == "Z") return strings_of<std::int64_t>(held);
  if (format == "vu" || format == "vz") return views_of(array, nulls);
  if (format.starts_with("w:")) {
    std::int64_t const width = std::stoll(std::string(format.substr(2)));
    auto const* const data = static_cast<std::uint8_t const*>(array.buffers[1]) + array.offset * width;
    return nb::make_tuple(bytes_over(data, array.length * width, held), width, array.length);
  }
  throw nb::type_error(("Arrow's type '" + std::string(format) + "' is no type of keys").c_str());
}

// An array of a stream without chunks.
shared_array nothing() {
  static void const* buffers[3] = {nullptr, nullptr, nullptr};
  static ArrowArray dictionary{0, 0, 0, 3, 0, buffers, nullptr, nullptr, nullptr, nullptr};
  static ArrowArray const empty{0, 0, 0, 3, 0, buffers, nullptr, &dictionary, nullptr, nullptr};
  return {shared_array(), &empty};
}

// (format, length, values, nulls, dictionary), where the dictionary is such a tuple or None.
nb::tuple chunk_of(ArrowSchema const& schema, shared_array const& array) {
  auto nulls = nulls_of(*array);
  nb::object dictionary = nb::none();
  // The dictionary belongs to the array, which is kept.
  if (schema.dictionary != nullptr) dictionary = chunk_of(*schema.dictionary, {array, array->dictionary});
  nb::object values = values_of(schema.format, array, nulls);
  nb::object missing = nulls.empty() ? nb::none() : numpy_of(std::move(nulls));
  return nb::make_tuple(schema.format, array->length, values, missing, dictionary);
}

nb::tuple chunk_of(ArrowSchema const& schema, released<ArrowArray> array) {
  auto const held = std::make_shared<released<ArrowArray>>(std::move(array));
  return chunk_of(schema, shared_array(held, &held->value));
}

void expect_column(ArrowSchema const& schema) {
  if (std::string_view(schema.format).starts_with("+"))
    throw nb::type_error(schema.format == std::string_view("+s") ? "it is a table; a column is needed"
                                                                 : "nested values are no keys");
}

// The chunks of an object with `__arrow_c_array__` or `__arrow_c_stream__`.
nb::list read_arrow(nb::handle from) {
  nb::list chunks;
  if (nb::hasattr(from, "__arrow_c_array__")) {
    auto const capsules = nb::cast<nb::tuple>(from.attr("__arrow_c_array__")());
    auto const schema = take<ArrowSchema>(capsules[0], "arrow_schema");
    auto array = take<ArrowArray>(capsules[1], "arrow_array");
    expect_column(schema.value);
    chunks.append(chunk_of(schema.value, std::move(array)));
    return chunks;
  }
  nb::object const capsule = from.attr("__arrow_c_stream__")();
  auto stream = take<ArrowArrayStream>(capsule, "arrow_array_stream");
  auto const checked = [&](int failed) {
    if (failed == 0) return;
    char const* const why = stream.value.get_last_error(&stream.value);
    std::string const text = std::string("an Arrow stream failed: ") + (why == nullptr ? std::strerror(failed) : why);
    if (failed == ENOMEM) throw out_of_memory(text);
    if (failed == EINVAL) throw invalid_argument(text);
    if (failed == ENOSYS) throw unsupported(text);
    throw io_error(text);
  };
  released<ArrowSchema> schema;
  checked(stream.value.get_schema(&stream.value, &schema.value));
  expect_column(schema.value);
  while (true) {
    released<ArrowArray> array;
    int failed = 0;
    {
      without_gil const free;
      failed = stream.value.get_next(&stream.value, &array.value);
    }
    checked(failed);
    if (array.value.release == nullptr) break;
    chunks.append(chunk_of(schema.value, std::move(array)));
  }
  if (chunks.size() == 0) chunks.append(chunk_of(schema.value, nothing()));
  return chunks;
}

// What an exported array keeps alive, and the pointers that consumers read.
struct exported {
  nb::object values;
  std::vector<std::uint8_t> bits;   // of bools
  std::vector<std::uint8_t> valid;  // empty if all are
  void const* buffers[2] = {nullptr, nullptr};
};

std::vector<std::uint8_t> packed(std::uint8_t const* from, std::size_t size, bool inverted) {
  std::vector<std::uint8_t> bits((size + 7) / 8);
  for (std::size_t i = 0; i < size; ++i)
    if ((from[i] != 0) != inverted) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1u << (i % 8));
  return bits;
}

using any_array = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Answers as an Arrow array, for any library that reads such arrays.
class arrow_array {
 public:
  arrow_array(nb::object values, nb::object nulls) : held_(std::make_shared<exported>()) {
    auto const data = nb::cast<any_array>(values);
    size_ = static_cast<std::int64_t>(data.shape(0));
    auto const type = data.dtype();
    if (type == nb::dtype<bool>()) {
      format_ = "b";
      held_->bits = packed(static_cast<std::uint8_t const*>(data.data()), data.shape(0), false);
      held_->buffers[1] = held_->bits.data();
    } else {
      format_ = type == nb::dtype<std::int32_t>()    ? "i"
                : type == nb::dtype<std::int64_t>()  ? "l"
                : type == nb::dtype<std::uint64_t>() ? "L"
                : type == nb::dtype<std::uint32_t>() ? "I"
                                                     : nullptr;
      if (format_ == nullptr) throw nb::type_error("answers of this type have no Arrow array");
      held_->values = std::move(values);
      held_->buffers[1] = data.data();
    }
    if (nulls.is_none()) return;
    auto const missing = nb::cast<any_array>(nulls);
    auto const* const flags = static_cast<std::uint8_t const*>(missing.data());
    if (missing.itemsize() != 1 || missing.shape(0) != data.shape(0))
      throw nb::type_error("nulls are bools, one per value");
    for (std::size_t i = 0; i < missing.shape(0); ++i) nulls_ += flags[i] != 0;
    held_->valid = packed(flags, missing.shape(0), true);
    if (nulls_ != 0) held_->buffers[0] = held_->valid.data();
  }

  std::int64_t size() const { return size_; }

  nb::object schema() const {
    auto made = std::make_unique<ArrowSchema>(ArrowSchema{format_, "", nullptr, 2, 0, nullptr, nullptr,
                                                          [](ArrowSchema* self) { self->release = nullptr; }, nullptr});
    return capsule_of(std::move(made), "arrow_schema");
  }

  nb::tuple array() const {
    auto keeper = std::make_unique<std::shared_ptr<exported>>(held_);
    auto made =
        std::make_unique<ArrowArray>(ArrowArray{size_, nulls_, 0, 2, 0, held_->buffers, nullptr, nullptr,
                                                [](ArrowArray* self) {
                                                  // Consumers release on any thread.
                                                  with_gil const python;
                                                  delete static_cast<std::shared_ptr<exported>*>(self->private_data);
                                                  self->release = nullptr;
                                                },
                                                keeper.release()});
    auto const type = schema();
    return nb::make_tuple(type, capsule_of(std::move(made), "arrow_array"));
  }

 private:
  template <class T> static nb::object capsule_of(std::unique_ptr<T> made, char const* name) {
    nb::capsule capsule(made.get(), name, [](void* p) noexcept {
      auto* const held = static_cast<T*>(p);
      if (held->release != nullptr) held->release(held);
      delete held;
    });
    made.release();
    return capsule;
  }

  std::shared_ptr<exported> held_;
  char const* format_ = nullptr;
  std::int64_t size_ = 0;
  std::int64_t nulls_ = 0;
};

}  // namespace

void bind_arrow(nb::module_& m) {
  m.def("read_arrow", read_arrow, nb::arg("values"),
        "The chunks of an object of Arrow's C interface: (format, length, values, nulls, dictionary) of each.");
  nb::class_<arrow_array>(m, "ArrowArray", "An Arrow array over a NumPy array.")
      .def(nb::init<nb::object, nb::object>(), nb::arg("values"), nb::arg("nulls").none())
      .def("__len__", &arrow_array::size)
      .def("__arrow_c_schema__", &arrow_array::schema)
      .def(
          "__arrow_c_array__", [](arrow_array const& self, nb::handle) { return self.array(); },
          nb::arg("requested_schema").none() = nb::none());
}

}  // namespace warpdex::python
