// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "tables.hpp"

#include <warpdex/current_device.hpp>
#include <warpdex/payload.hpp>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow_take.hpp"
#include "columns.hpp"
#include "gil.hpp"
#include "watched.hpp"

namespace nb = nanobind;

namespace warpdex::python {
namespace {

constexpr std::int64_t may_be_null = 2;  // Arrow's flag

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

/// How values of a format are stored: bits of a value, or bytes of an offset of strings.
struct stored {
  std::uint32_t bits = 0;
  std::int64_t offset_bytes = 0;
};

std::uint32_t number_in(std::string_view text) {
  std::uint32_t found = 0;
  std::from_chars(text.data(), text.data() + text.size(), found);
  return found;
}

/// @return what a gather needs to know; nothing of formats that it does not take
stored stored_as(ArrowSchema const& schema) {
  std::string_view const format = schema.format;
  if (schema.dictionary != nullptr) return {};
  static constexpr std::pair<std::string_view, std::uint32_t> plain[] = {
      {"b", 1},    {"c", 8},    {"C", 8},    {"s", 16},   {"S", 16},   {"e", 16},   {"i", 32},
      {"I", 32},   {"f", 32},   {"l", 64},   {"L", 64},   {"g", 64},   {"tdD", 32}, {"tdm", 64},
      {"tts", 32}, {"ttm", 32}, {"ttu", 64}, {"ttn", 64}, {"tDs", 64}, {"tDm", 64}, {"tDu", 64},
      {"tDn", 64}, {"tiM", 32}, {"tiD", 64}, {"tin", 128}};
  for (auto const& [name, bits] : plain)
    if (format == name) return {bits};
  if (format.starts_with("ts")) return {64};
  if (format.starts_with("w:")) {
    std::uint32_t const bytes = number_in(format.substr(2));
    return {bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16 ? 8 * bytes : 0};
  }
  if (format.starts_with("d:")) {
    auto const second = format.find(',', format.find(',') + 1);
    std::uint32_t const bits = second == std::string_view::npos ? 128 : number_in(format.substr(second + 1));
    return {bits <= 128 ? bits : 0};
  }
  if (format == "u" || format == "z") return {0, 4};
  if (format == "U" || format == "Z") return {0, 8};
  return {};
}

/// The memory of a gathered column.
struct gathered_column {
  std::array<buffer, 3> held;
  std::array<void const*, 3> buffers{};
};

/// Columns at some rows.
class gathering {
 public:
  gathering(std::vector<arrow_column> const& columns, row_column rows, bool may_miss, execution const& exec)
      : columns_(columns), rows_(rows), may_miss_(may_miss), exec_(exec) {}

  std::vector<std::shared_ptr<gathered_column>> made() {
    std::vector<std::shared_ptr<gathered_column>> all;
    for (arrow_column const& one : columns_) all.push_back(add(one));
    if (columns_.empty()) return all;
    gather_table(rows_, static_cast<std::uint64_t>(columns_[0].values().length), passes_, exec_);
    return all;
  }

 private:
  std::shared_ptr<gathered_column> add(arrow_column const& from) {
    ArrowArray const& array = from.values();
    stored const how = stored_as(from.type());
    check_fields(array, {how.offset_bytes != 0 ? 3 : 2, std::max<std::int64_t>(how.bits / 8, how.offset_bytes)});
    auto const made = std::make_shared<gathered_column>();
    auto const first_bit = static_cast<std::uint64_t>(array.offset);
    bool const has_nulls = array.null_count != 0 && array.buffers[0] != nullptr;
    if (has_nulls || may_miss_)
      passes_.push_back({has_nulls ? array.buffers[0] : nullptr, space(*made, 0, (rows_.size + 7) / 8), 1, first_bit});
    if (how.offset_bytes != 0) {
      key_list strings = gather_strings(rows_, strings_of(array, how.offset_bytes), exec_);
      made->held[1] = std::move(strings.offsets);
      made->held[2] = std::move(strings.keys);
      for (std::size_t i : {1, 2}) made->buffers[i] = made->held[i].data();
    } else if (how.bits == 1) {
      passes_.push_back({array.buffers[1], space(*made, 1, (rows_.size + 7) / 8), 1, first_bit});
    } else {
      std::size_t const width = how.bits / 8;
      auto const* const values = static_cast<std::byte const*>(array.buffers[1]);
      passes_.push_back(
          {values == nullptr ? nullptr : values + first_bit * width, space(*made, 1, rows_.size * width), how.bits});
    }
    return made;
  }

  void* space(gathered_column& of, std::size_t number, std::uint64_t bytes) const {
    of.held[number] = buffer(bytes, exec_);
    return const_cast<void*>(of.buffers[number] = of.held[number].data());
  }

  column strings_of(ArrowArray const& array, std::int64_t offset_bytes) const {
    auto const size = static_cast<std::uint64_t>(array.length);
    auto const* const first = static_cast<std::byte const*>(array.buffers[1]) + array.offset * offset_bytes;
    auto const read = [&]<class Offset>(Offset end) -> column {
      if (size != 0) copy(&end, first + size * sizeof(Offset), sizeof(Offset), exec_);
      return {std::span(static_cast<std::byte const*>(array.buffers[2]), static_cast<std::uint64_t>(end)),
              std::span(reinterpret_cast<Offset const*>(first), size == 0 ? 0 : size + 1)};
    };
    return offset_bytes == 4 ? read(std::int32_t{}) : read(std::int64_t{});
  }

  std::vector<arrow_column> const& columns_;
  row_column rows_;
  bool may_miss_;
  execution const& exec_;
  std::vector<table_column> passes_;
};

/// @param rows signed numbers of 32 or 64 bits, where the columns are; -1 is a row of nulls
std::vector<arrow_column> taken(std::vector<arrow_column> const& columns, nb::handle rows, bool may_miss, int device,
                                std::int64_t where) {
  row_column const from = rows_in(rows);
  std::vector<arrow_column> all;
  auto const take = [&](execution const& exec) {
    auto const made = gathering(columns, from, may_miss, exec).made();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      ArrowSchema schema = columns[i].type();
      schema.flags |= may_miss ? may_be_null : 0;
      auto const kept = std::make_shared<std::pair<arrow_column, std::shared_ptr<gathered_column>> const>(
          columns[i], made[i]);  // the format is the column's
      for (buffer& one : made[i]->held) one.outlive_stream();
      std::int64_t const buffers = stored_as(schema).offset_bytes != 0 ? 3 : 2;
      bool const all_valid = made[i]->buffers[0] == nullptr;
      ArrowArray const array{static_cast<std::int64_t>(from.size),
                             all_valid ? 0 : -1,
                             0,
                             buffers,
                             0,
                             made[i]->buffers.data(),
                             nullptr,
                             nullptr,
                             nullptr,
                             nullptr};
      all.emplace_back(schema, array, device, kept);
    }
  };
  watched([&] { at_place(device, where, take); });
  return all;
}

}  // namespace

void bind_tables(nb::module_& m) {
  nb::class_<arrow_column>(m, "ArrowColumn",
                           "A column or a table of Arrow's device interface, on a device or the host.")
      .def_static("read", &arrow_column::read, nb::arg("values"), nb::arg("stream"))
      .def_static(
          "table",
          [](std::vector<std::pair<std::string, arrow_column>> columns, std::int64_t rows, int device) {
            return arrow_column::table(std::move(columns), rows, device);
          },
          nb::arg("columns"), nb::arg("rows"), nb::arg("device"))
      .def_static("take", taken, nb::arg("columns"), nb::arg("rows"), nb::arg("may_miss"), nb::arg("device"),
                  nb::arg("where"))
      .def("columns", &arrow_column::columns)
      .def("is_taken",
           [](arrow_column const& self) {
             stored const how = stored_as(self.type());
             return how.bits != 0 || how.offset_bytes != 0;
           })
      .def_prop_ro("format", [](arrow_column const& self) { return std::string(self.type().format); })
      .def_prop_ro("device", &arrow_column::device)
      .def("__len__", [](arrow_column const& self) { return self.values().length; })
      .def("__arrow_c_schema__", &arrow_column::schema)
      .def("host_array", &arrow_column::host_array)
      .def(
          "__arrow_c_device_array__",
          [](arrow_column const& self, nb::handle, nb::kwargs const&) { return self.device_array(); },
          nb::arg("requested_schema").none() = nb::none(), nb::arg("kwargs"));
  m.def(
      "gather_table",
      [](nb::handle rows, std::uint64_t size, nb::list const& columns, int device, std::int64_t where) {
        std::vector<table_column> all;
        for (nb::handle const one : columns) {
          auto const values = array_in(one[0]), out = array_out(one[1]);
          all.push_back({values.data, out.data, static_cast<std::uint32_t>(8 * values.itemsize()), 0,
                         nb::cast<std::uint64_t>(one[2])});
        }
        row_column const from = rows_in(rows);
        watched([&] { at_place(device, where, [&](execution const& exec) { gather_table(from, size, all, exec); }); });
      },
      nb::arg("rows"), nb::arg("size"), nb::arg("columns"), nb::arg("device"), nb::arg("where"));
}

}  // namespace warpdex::python
