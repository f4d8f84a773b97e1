// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "tables.hpp"

#include <warpdex/parallel.hpp>
#include <warpdex/payload.hpp>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow_chunks.hpp"
#include "arrow_column.hpp"
#include "arrow_stored.hpp"
#include "columns.hpp"
#include "watched.hpp"

namespace nb = nanobind;

namespace warpdex::python {
namespace {

constexpr std::int64_t may_be_null = 2;  // Arrow's flag

/// The memory of a gathered column.
struct gathered_column {
  std::array<buffer, 3> held;
  std::vector<void const*> buffers = {nullptr, nullptr};
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
    check_fields(array, {how.is_view || how.offset_bytes != 0 ? 3 : 2, how.width(), how.is_view});
    if (array.length != columns_[0].values().length)
      throw invalid_argument("a column has " + std::to_string(array.length) + " rows, another one " +
                             std::to_string(columns_[0].values().length));
    auto const made = std::make_shared<gathered_column>();
    auto const first_bit = static_cast<std::uint64_t>(array.offset);
    bool const has_nulls = array.null_count != 0 && array.buffers[0] != nullptr;
    if (has_nulls || may_miss_)
      passes_.push_back({has_nulls ? array.buffers[0] : nullptr, space(*made, 0, (rows_.size + 7) / 8), 1, first_bit});
    if (how.offset_bytes != 0) {
      key_list strings = gather_strings(rows_, strings_of(array, how.offset_bytes), exec_);
      made->held[1] = std::move(strings.offsets);
      made->held[2] = std::move(strings.keys);
      made->buffers = {made->buffers[0], made->held[1].data(), made->held[2].data()};
    } else if (how.bits == 1) {
      passes_.push_back({array.buffers[1], space(*made, 1, (rows_.size + 7) / 8), 1, first_bit});
    } else {
      std::size_t const width = how.bits / 8;
      auto const* const values = static_cast<std::byte const*>(array.buffers[1]);
      passes_.push_back(
          {values == nullptr ? nullptr : values + first_bit * width, space(*made, 1, rows_.size * width), how.bits});
    }
    // Views of strings are values; what they refer to stays where it is.
    if (how.is_view) made->buffers.insert(made->buffers.end(), array.buffers + 2, array.buffers + array.n_buffers);
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
      auto& buffers = made[i]->buffers;
      ArrowArray const array{static_cast<std::int64_t>(from.size),
                             buffers[0] == nullptr ? 0 : -1,
                             0,
                             static_cast<std::int64_t>(buffers.size()),
                             0,
                             buffers.data(),
                             nullptr,
                             columns[i].values().dictionary,
                             nullptr,
                             nullptr};
      all.emplace_back(schema, array, device, kept);
    }
  };
  watched([&] { at_place(device, where, take); });
  return all;
}

/// @return whether a condition holds for one of `size` numbers, by all threads
template <class Condition> bool any_of(int threads, std::uint64_t size, Condition const& holds) {
  constexpr std::uint64_t grain = std::uint64_t{1} << 16;
  std::atomic<bool> found = false;
  watched([&] {
    parallel_chunks(threads, size, grain, [&](std::uint64_t begin, std::uint64_t end) {
      if (found.load(std::memory_order_relaxed)) return;
      bool any = false;
      for (std::uint64_t i = begin; i < end; ++i) any |= holds(i);
      if (any) found = true;
    });
  });
  return found;
}

/// Calls `f` with the numbers of rows, in their type.
template <class F> auto with_rows(row_column const& rows, F const& f) {
  return rows.type == row_type::u32 ? f(static_cast<std::int32_t const*>(rows.data))
                                    : f(static_cast<std::int64_t const*>(rows.data));
}

bool has_missing(row_column const& rows, int threads) {
  return with_rows(
      rows, [&](auto const* of) { return any_of(threads, rows.size, [of](std::uint64_t i) { return of[i] < 0; }); });
}

/// @return whether rows are all those of a table, in its order
bool are_all(row_column const& rows, std::uint64_t size, int threads) {
  return rows.size == size && with_rows(rows, [&](auto const* of) {
           return !any_of(threads, size, [of](std::uint64_t i) { return static_cast<std::uint64_t>(of[i]) != i; });
         });
}

/// @return whether rows are rows of a table, or -1
bool are_rows(row_column const& rows, std::uint64_t size, int threads) {
  return with_rows(rows, [&](auto const* of) {
    auto const end = static_cast<std::int64_t>(size);
    return !any_of(threads, rows.size, [of, end](std::uint64_t i) { return of[i] < -1 || of[i] >= end; });
  });
}

/// Columns of the host's libraries at some rows, as `taken`, on all threads.
/// @return None for a column of which `taken` takes no rows
nb::list taken_of_host(nb::list const& columns, nb::handle rows, int threads) {
  std::vector<chunked_array> read;
  for (nb::handle const one : columns) read.push_back(chunked_array::of(one));
  auto const whole = in_one_chunk(std::move(read), threads);
  std::vector<arrow_column> wanted;
  for (auto const& one : whole)
    if (one) wanted.push_back(*one);
  auto const found = taken(wanted, rows, has_missing(rows_in(rows), threads), -1, threads);
  nb::list made;
  auto next = found.begin();
  for (auto const& one : whole) made.append(one ? nb::cast(*next++) : nb::object(nb::none()));
  return made;
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
      .def_static("take_host", taken_of_host, nb::arg("columns"), nb::arg("rows"), nb::arg("threads"))
      .def("columns", &arrow_column::columns)
      .def("is_taken",
           [](arrow_column const& self) {
             stored const how = stored_as(self.type());
             return how.is_taken() && !how.is_view && self.type().dictionary == nullptr;
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
      "are_all", [](nb::handle rows, std::uint64_t size, int threads) { return are_all(rows_in(rows), size, threads); },
      nb::arg("rows"), nb::arg("size"), nb::arg("threads"));
  m.def(
      "are_rows",
      [](nb::handle rows, std::uint64_t size, int threads) { return are_rows(rows_in(rows), size, threads); },
      nb::arg("rows"), nb::arg("size"), nb::arg("threads"));
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
