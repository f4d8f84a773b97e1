// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "joins.hpp"

#include <warpdex/current_device.hpp>
#include <warpdex/join.hpp>
#include <warpdex/key_encoder.hpp>
#include <warpdex/sorted.hpp>

#include <nanobind/stl/unique_ptr.h>

#include <optional>
#include <vector>

#include "asof_how.hpp"
#include "attended.hpp"
#include "columns.hpp"
#include "faces.hpp"
#include "pieces.hpp"

namespace warpdex::python {
namespace {

/// The right side of as-of joins within groups, and the device on which it is.
struct placed_asof {
  asof_index made;
  int device;
};

/// @param groups, keys parts of columns
std::unique_ptr<placed_asof> build_asof(nb::object groups, nb::object keys, int device, std::int64_t where) {
  auto const held = std::make_shared<std::pair<part, part> const>(part(groups, nullptr), part(keys, nullptr));
  return attended_if(held->first.size() >= long_call, nb::make_tuple(groups, keys), [held, device, where] {
    std::optional<device_scope> here;
    if (device >= 0) here.emplace(device);
    return std::make_unique<placed_asof>(placed_asof{
        asof_index::build(held->first.whole().values, held->second.whole().values, on(device, where)), device});
  });
}

/// @param columns the groups and the keys, as lists of parts
void grouped_asof(placed_asof const& self, nb::handle columns, nb::handle out, nb::handle how, std::int64_t where,
                  std::uint64_t most) {
  auto const options = options_of(how);
  auto const rows = rows_out(out);
  probe_columns(columns, nullptr).each(most, nb::none(), [&](std::vector<piece> const& pieces, std::uint64_t at) {
    row_output const here{static_cast<char*>(rows.data) + at * size_of(rows.type), pieces[0].size, rows.type};
    without_gil const free;
    std::optional<device_scope> current;
    if (self.device >= 0) current.emplace(self.device);
    self.made.join(pieces[0].values, pieces[1].values, here, on(self.device, where), options);
  });
}

bool merge(nb::handle left, nb::handle right, nb::handle out, nb::handle how, int threads) {
  auto const options = options_of(how);
  auto const lefts = column_of(left), rights = column_of(right);
  auto const rows = rows_out(out);
  return attended_if(lefts.size + rights.size >= long_call, nb::make_tuple(left, right, out),
                     [=] { return asof_merge(lefts, rights, rows, on_host(threads), options); });
}

void bounds_in(nb::handle sorted, nb::handle probes, nb::handle out, bool upper, int device, std::int64_t where) {
  auto const keys = column_of(sorted), wanted = column_of(probes);
  auto const answers = span_out<std::uint64_t>(out);
  without_gil const free;
  std::optional<device_scope> here;
  if (device >= 0) here.emplace(device);
  if (upper) upper_bound_in(keys, wanted, answers, on(device, where));
  else lower_bound_in(keys, wanted, answers, on(device, where));
}

/// Keys of tuples, which compare as the tuples do. Columns are (part, nullable).
nb::object encode(nb::list columns, int threads) {
  std::vector<key_field> fields;
  auto const parts = std::make_shared<std::vector<part>>();
  for (auto const& one : columns) {
    auto const given = nb::cast<nb::tuple>(one);
    parts->emplace_back(nb::handle(given[0]), nullptr);
    fields.push_back({.type = parts->back().whole().values.type, .nullable = nb::cast<bool>(given[1])});
  }
  bool const is_long = !parts->empty() && parts->front().size() >= long_call;
  key_list keys = attended_if(is_long, std::move(columns), [fields, parts, threads] {
    std::vector<nullable_column> values;
    for (auto const& one : *parts) values.push_back(one.whole().values);
    return key_encoder(fields).encode(values, on_host(threads));
  });
  if (keys.type != key_type::u128) return keys_as(std::move(keys), {});
  std::uint64_t const size = keys.size;  // which as strings of one width are quicker to join
  return nb::make_tuple(array_of<std::uint8_t>(std::move(keys.keys), size * sizeof(u128)), sizeof(u128), size);
}

}  // namespace

void bind_joins(nb::module_& m, nb::class_<shared_index>& index_class) {
  index_class.def("keys_repeat", [](shared_index const& self) {
    return self.look_up([&](index const& i) { return keys_repeat(i, self.on(0)); });
  });
  nb::class_<placed_asof>(m, "AsofIndex")
      .def_static("build", build_asof, nb::arg("groups"), nb::arg("keys"), nb::arg("device"), nb::arg("where"))
      .def("row_bytes", [](placed_asof const& self) { return size_of(self.made.row_type()); })
      .def("join", grouped_asof, nb::arg("columns"), nb::arg("out"), nb::arg("how"), nb::arg("where"), nb::arg("most"));
  m.def("asof_merge", merge, nb::arg("left"), nb::arg("right"), nb::arg("out"), nb::arg("how"), nb::arg("threads"));
  m.def("bounds_in", bounds_in, nb::arg("keys"), nb::arg("probes"), nb::arg("out"), nb::arg("upper"), nb::arg("device"),
        nb::arg("where"));
  m.def("encode", encode, nb::arg("columns"), nb::arg("threads"));
}

}  // namespace warpdex::python
