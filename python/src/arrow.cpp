// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "arrow.hpp"

#include <warpdex/arrow_chunk.hpp>
#include <warpdex/error.hpp>
#include <warpdex/parallel.hpp>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow_column.hpp"
#include "arrow_take.hpp"
#include "device_array.hpp"
#include "watched.hpp"

namespace nb = nanobind;

namespace warpdex::python {
namespace {

nb::object numpy_over(void const* data, std::int64_t size, char const* type, shared_chunk const& held) {
  return array_over(data, static_cast<std::uint64_t>(size), type_named(type), held);
}

// The values of a chunk: a NumPy array, a pair (bytes, offsets), a triple (bytes, width, count), or None if it has no
// values at all.
nb::object values_of(shared_chunk const& held) {
  arrow_chunk const& chunk = *held;
  switch (chunk.type.layout) {
    case arrow_layout::nothing: return nb::none();
    case arrow_layout::numbers: return numpy_over(chunk.values, chunk.length, chunk.type.number, held);
    case arrow_layout::bits: return numpy_over(chunk.values, chunk.length, "u1", held);
    default: break;
  }
  if (chunk.viewed != nullptr) return values_of(std::make_shared<arrow_chunk const>(with_strings(chunk)));
  nb::object const bytes = numpy_over(chunk.values, chunk.bytes, "u1", held);
  if (chunk.type.layout == arrow_layout::bytes) return nb::make_tuple(bytes, chunk.type.width, chunk.length);
  bool const narrow = chunk.type.layout == arrow_layout::strings && chunk.type.width == 4;
  return nb::make_tuple(bytes, numpy_over(chunk.offsets, chunk.length + 1, narrow ? "i4" : "i8", held));
}

nb::object nulls_of(shared_chunk const& chunk) {
  return chunk->nulls.empty() ? nb::none() : numpy_over(chunk->nulls.data(), chunk->length, "b1", chunk);
}

// What is made of the dictionaries of chunks: once for adjacent chunks that share one.
class of_dictionaries {
 public:
  /// @param make what is made of a dictionary @return the same of that of a chunk; None if it has none
  template <class Make> nb::object of(shared_chunk const& chunk, Make const& make) {
    auto const* const dictionary = chunk->dictionary.get();
    if (dictionary == nullptr) return nb::none();
    if (dictionary != known_) column_ = make(shared_chunk(chunk, dictionary));
    known_ = dictionary;
    return column_;
  }

 private:
  arrow_chunk const* known_ = nullptr;
  nb::object column_;
};

// (format, length, values, nulls, dictionary), where the dictionary is given.
nb::tuple tuple_of(shared_chunk const& chunk, nb::object const& dictionary) {
  nb::object missing = nb::none();
  if (!chunk->nulls.empty()) missing = nulls_of(chunk);
  return nb::make_tuple(chunk->format, chunk->length, values_of(chunk), missing, dictionary);
}

/// A chunk, and the array in whose memory it is.
struct kept_chunk {
  arrow_owner<ArrowArray> array;
  arrow_chunk chunk = {};
};

/// @param reader the last chunk that has read a dictionary, which later ones may share; or null
std::shared_ptr<kept_chunk const> chunk_of(ArrowSchema const& schema, arrow_owner<ArrowArray> from,
                                           std::shared_ptr<kept_chunk const> const& reader) {
  auto held = std::make_shared<kept_chunk>(std::move(from));
  auto const* const words = held->array.value.dictionary;
  auto const* const known = reader == nullptr ? nullptr : reader->array.value.dictionary;
  shared_chunk dictionary;
  if (words != nullptr && known != nullptr && are_same(*schema.dictionary, *words, *known))
    dictionary = {reader, reader->chunk.dictionary.get()};
  held->chunk = read_chunk(schema, held->array.value, std::move(dictionary));
  return held;
}

shared_chunk chunk_in(std::shared_ptr<kept_chunk const> const& held) { return {held, &held->chunk}; }

std::vector<shared_chunk> read_array(nb::handle from) {
  auto const [schema_capsule, array_capsule] = capsules_of(from, "__arrow_c_array__");
  auto const schema = take<ArrowSchema>(schema_capsule, "arrow_schema");
  auto array = take<ArrowArray>(array_capsule, "arrow_array");
  return {chunk_in(chunk_of(schema.value, std::move(array), nullptr))};
}

std::vector<shared_chunk> read_stream(nb::handle from) {
  auto [schema, arrays] = read_stream_of(from, [](ArrowSchema const& of) { arrow_type_of(of); });
  std::vector<shared_chunk> chunks;
  if (schema.value.dictionary == nullptr) {
    chunks.resize(arrays.size());
    watched([&] {  // a thread whose chunk is refused releases it, for which producers in Python need the GIL
      parallel_chunks(0, arrays.size(), 1, [&](std::uint64_t i, std::uint64_t) {
        chunks[i] = chunk_in(chunk_of(schema.value, std::move(arrays[i]), nullptr));
      });
    });
    arrays.clear();
  }
  std::shared_ptr<kept_chunk const> reader;
  for (auto& array : arrays) {
    auto const chunk = chunk_of(schema.value, std::move(array), reader);
    chunks.push_back(chunk_in(chunk));
    if (reader == nullptr || chunk->chunk.dictionary != reader->chunk.dictionary) reader = chunk;
  }
  if (chunks.empty()) chunks.push_back(std::make_shared<arrow_chunk const>(empty_chunk(schema.value)));
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
                : type == nb::dtype<double>()        ? "g"
                                                     : nullptr;
      if (format_ == nullptr) throw type_error("answers of this type have no Arrow array");
      held_->values = std::move(values);
      held_->buffers[1] = data.data();
    }
    if (nulls.is_none()) return;
    auto const missing = nb::cast<any_array>(nulls);
    auto const* const flags = static_cast<std::uint8_t const*>(missing.data());
    if (missing.itemsize() != 1 || missing.shape(0) != data.shape(0))
      throw type_error("nulls are bools, one per value");
    for (std::size_t i = 0; i < missing.shape(0); ++i) nulls_ += flags[i] != 0;
    held_->valid = packed(flags, missing.shape(0), true);
    if (nulls_ != 0) held_->buffers[0] = held_->valid.data();
  }

  std::int64_t size() const { return size_; }

  nb::object schema() const {
    ArrowSchema const result{
        format_, "", nullptr, 2, 0, nullptr, nullptr, [](ArrowSchema* self) { self->release = nullptr; }, nullptr};
    return capsule_of(result, "arrow_schema");
  }

  nb::tuple array() const {
    auto const type = schema();
    auto keeper = std::make_unique<std::shared_ptr<exported>>(held_);
    ArrowArray const result{size_,
                            nulls_,
                            0,
                            2,
                            0,
                            held_->buffers,
                            nullptr,
                            nullptr,
                            [](ArrowArray* self) {
                              // Consumers release on any thread.
                              with_gil const python;
                              delete static_cast<std::shared_ptr<exported>*>(self->private_data);
                              self->release = nullptr;
                            },
                            keeper.release()};
    return nb::make_tuple(type, capsule_of(result, "arrow_array"));
  }

 private:
  std::shared_ptr<exported> held_;
  char const* format_ = nullptr;
  std::int64_t size_ = 0;
  std::int64_t nulls_ = 0;
};

}  // namespace

nb::object array_over(void const* data, std::uint64_t size, nb::dlpack::dtype type,
                      std::shared_ptr<void const> const& held) {
  static std::uint64_t const nothing = 0;
  auto keeper = std::make_unique<std::shared_ptr<void const>>(held);
  nb::capsule owner(keeper.get(), [](void* p) noexcept { delete static_cast<std::shared_ptr<void const>*>(p); });
  keeper.release();
  return nb::cast(nb::ndarray<nb::numpy, nb::ro>(size == 0 ? &nothing : data, 1, &size, owner, nullptr, type));
}

std::vector<shared_chunk> chunks_of(nb::handle from) {
  return nb::hasattr(from, "__arrow_c_array__") ? read_array(from) : read_stream(from);
}

nb::list chunk_tuples(std::vector<shared_chunk> const& chunks) {
  nb::list result;
  of_dictionaries words;
  for (auto const& chunk : chunks)
    result.append(tuple_of(chunk, words.of(chunk, [](auto const& of) { return tuple_of(of, nb::none()); })));
  return result;
}

char const* plain_family(arrow_chunk const& chunk) {
  auto const& values = chunk.dictionary == nullptr ? chunk : *chunk.dictionary;
  if (&values != &chunk && !values.nulls.empty()) return "";
  if (values.format == "i" || values.format == "I" || values.format == "l" || values.format == "L") return "integer";
  if (values.format == "f" || values.format == "g") return "float";
  bool const are_strings = values.type.layout == arrow_layout::strings || values.type.layout == arrow_layout::views ||
                           (values.type.layout == arrow_layout::bytes && values.format.starts_with("w:"));
  return are_strings ? "string" : "";
}

nb::object const& part_column::get() const {
  if (views_ != nullptr && column_.is_none()) column_ = values_of(views_);
  return column_;
}

nb::list plain_parts(std::vector<shared_chunk> const& chunks) {
  nb::list result;
  of_dictionaries words;
  for (auto const& chunk : chunks) {
    auto const size = static_cast<std::uint64_t>(chunk->length);
    nb::object const dictionary = words.of(chunk, [](auto const& of) { return values_of(of); });
    part_column column = !dictionary.is_none()      ? part_column(dictionary)
                         : chunk->viewed != nullptr ? part_column(chunk)
                                                    : part_column(values_of(chunk));
    nb::object const codes = dictionary.is_none() ? nb::none() : values_of(chunk);
    result.append(nb::cast(column_part{std::move(column), size, nulls_of(chunk), nb::none(), codes}));
  }
  return result;
}

void bind_arrow(nb::module_& m) {
  m.def(
      "read_arrow", [](nb::handle values) { return chunk_tuples(chunks_of(values)); }, nb::arg("values"),
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
