// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "tables.hpp"

#include <warpdex/gather.hpp>
#include <warpdex/mark.hpp>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow_column.hpp"
#include "columns.hpp"
#include "watched.hpp"

namespace nb = nanobind;

namespace warpdex::python {
namespace {

/// @param rows signed numbers of 32 or 64 bits, where the columns are; -1 is a row of nulls
std::vector<arrow_column> taken(std::vector<arrow_column> const& columns, nb::handle rows, bool may_miss, int device,
                                std::int64_t where) {
  row_column const from = rows_in(rows);
  return watched([&] {
    return at_place(device, where,
                    [&](execution const& exec) { return gather(columns, from, may_miss, device, exec); });
  });
}

row_facts facts_of(nb::handle rows, std::uint64_t size, int threads) {
  row_column const from = rows_in(rows);
  return watched([&] { return warpdex::facts_of(from, size, threads); });
}

/// Columns of the host's libraries at some rows, as `taken`, on all threads.
/// @return None for a column of which `taken` takes no rows
nb::list taken_of_host(nb::list const& columns, nb::handle rows, int threads) {
  std::vector<arrow_chunks> read;
  for (nb::handle const one : columns) read.push_back(read_chunks_of(one));
  auto const whole = watched([&] { return in_one_chunk(std::move(read), on_host(threads)); });
  std::vector<arrow_column> wanted;
  for (auto const& one : whole)
    if (one) wanted.push_back(*one);
  auto const found = taken(wanted, rows, facts_of(rows, 0, threads).any_missing, -1, threads);
  nb::list made;
  auto next = found.begin();
  for (auto const& one : whole) made.append(one ? nb::cast(*next++) : nb::object(nb::none()));
  return made;
}

/// Marks in an array of Python.
marks marks_in(nb::handle words, std::uint64_t size) {
  auto const held = array_out(words);
  return {{static_cast<std::uint32_t*>(held.data), mark_words(size)}, size};
}

/// @param with null for none
void change_marks(nb::handle words, std::uint64_t size, std::string const& how, nb::handle with) {
  marks const to = marks_in(words, size);
  if (with.is_none()) return watched([&] { invert_marks(to, on_host(0)); });
  auto const operation = named<mark_operation>(
      "how", how,
      {{"both", mark_operation::both}, {"either", mark_operation::either}, {"without", mark_operation::without}});
  marks const others = marks_in(with, size);
  watched([&] { combine_marks(to, others, operation, on_host(0)); });
}

void bind_marks(nb::module_& m) {
  m.def(
      "mark_rows",
      [](nb::handle words, std::uint64_t size, nb::handle rows) {
        marks const to = marks_in(words, size);
        row_column const from = rows_in(rows);
        watched([&] { mark(from, to, on_host(0)); });
      },
      nb::arg("words"), nb::arg("size"), nb::arg("rows"));
  m.def("change_marks", change_marks, nb::arg("words"), nb::arg("size"), nb::arg("how"), nb::arg("other").none());
  m.def(
      "count_marks",
      [](nb::handle words, std::uint64_t size) {
        marks const of = marks_in(words, size);
        return watched([&] { return count_marks(of, on_host(0)); });
      },
      nb::arg("words"), nb::arg("size"));
  m.def(
      "list_marked",
      [](nb::handle words, std::uint64_t size, nb::handle rows) {
        marks const of = marks_in(words, size);
        row_column const to = rows_in(rows);
        watched([&] { list_marked(of, {const_cast<void*>(to.data), to.size, to.type}, on_host(0)); });
      },
      nb::arg("words"), nb::arg("size"), nb::arg("rows"));
}

}  // namespace

void bind_tables(nb::module_& m) {
  bind_marks(m);
  nb::class_<arrow_column>(m, "ArrowColumn",
                           "A column or a table of Arrow's device interface, on a device or the host.")
      .def_static("read", read_column, nb::arg("values"), nb::arg("stream"))
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
             bool const are_views = std::string_view(self.type().format).starts_with("v");
             return is_gathered(self.type()) && !is_nested(self.type()) && !are_views &&
                    self.type().dictionary == nullptr;
           })
      .def_prop_ro("format", [](arrow_column const& self) { return std::string(self.type().format); })
      .def_prop_ro("device", &arrow_column::device)
      .def("__len__", [](arrow_column const& self) { return self.values().length; })
      .def("__arrow_c_schema__", schema_of)
      .def("host_array", host_array_of)
      .def(
          "__arrow_c_device_array__",
          [](arrow_column const& self, nb::handle, nb::kwargs const&) { return device_array_of(self); },
          nb::arg("requested_schema").none() = nb::none(), nb::arg("kwargs"));
  m.def(
      "row_facts",
      [](nb::handle rows, std::uint64_t size, int threads) {
        row_facts const found = facts_of(rows, size, threads);
        return nb::make_tuple(found.any_missing, found.all_exist, found.are_all);
      },
      nb::arg("rows"), nb::arg("size"), nb::arg("threads"), "Whether one is -1, all are rows or -1, all are each row.");
  m.def(
      "gather_rows",
      [](nb::handle rows, nb::handle table, nb::handle out, std::uint64_t row_bytes, int device, std::int64_t where) {
        row_column const from = rows_in(rows);
        auto const values = array_in(table), to = array_out(out);
        row_table const whole{values.data, row_bytes == 0 ? 0 : values.size / row_bytes, row_bytes};
        watched(
            [&] { at_place(device, where, [&](execution const& exec) { gather_rows(whole, from, to.data, exec); }); });
      },
      nb::arg("rows"), nb::arg("table"), nb::arg("out"), nb::arg("row_bytes"), nb::arg("device"), nb::arg("where"));
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
