// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "joins.hpp"

#include <warpdex/join.hpp>
#include <warpdex/key_encoder.hpp>
#include <warpdex/sorted.hpp>

#include <nanobind/stl/unique_ptr.h>

#include <optional>
#include <vector>

#include "attended.hpp"
#include "columns.hpp"

namespace warpdex::python {
namespace {

join_kind kind_named(std::string const& how) {
  return named<join_kind>(
      "how", how,
      {{"inner", join_kind::inner}, {"left", join_kind::left}, {"semi", join_kind::semi}, {"anti", join_kind::anti}});
}

/// Runs a join: the rows of both sides. Those that a device has no room for are on the host.
template <class F> nb::tuple pairs_of(shared_index const& self, nb::handle probes, std::int64_t where, F const& join) {
  results to = self.results_of(probes, where);
  auto found = self.look_up([&](index const& i) {
    joined made = join(i);
    if (made.on_host) to.device = -1;
    to.fetch(made.left);
    to.fetch(made.right);
    return made;
  });
  std::uint64_t const pairs = found.right.bytes() == 0 ? 0 : found.size;
  auto left = to.rows(std::move(found.left), found.size, found.left_type);
  return nb::make_tuple(left, to.rows(std::move(found.right), pairs, found.right_type));
}

nb::tuple join(shared_index const& self, nb::handle probes, nb::handle valid, std::string const& how,
               std::int64_t where) {
  auto const kind = kind_named(how);
  auto const left = self.column_of(probes, valid);
  return pairs_of(self, probes, where, [&](index const& i) { return warpdex::join(i, left, kind, self.on(where)); });
}

nb::tuple range_join(shared_index const& self, nb::handle lower, nb::handle lower_valid, nb::handle upper,
                     nb::handle upper_valid, bool lower_closed, bool upper_closed, std::string const& how,
                     std::int64_t where) {
  auto const kind = kind_named(how);
  key_ranges const ranges{self.column_of(lower, lower_valid), self.column_of(upper, upper_valid),
                          lower_closed ? bound_kind::closed : bound_kind::open,
                          upper_closed ? bound_kind::closed : bound_kind::open};
  return pairs_of(self, lower, where,
                  [&](index const& i) { return warpdex::range_join(i, ranges, kind, self.on(where)); });
}

/// (direction, exact, tolerance, later, last_below, last_above)
asof_options options_of(nb::tuple const& how) {
  asof_options options;
  options.direction = named<asof_direction>("direction", nb::cast<std::string>(how[0]),
                                            {{"backward", asof_direction::backward},
                                             {"forward", asof_direction::forward},
                                             {"nearest", asof_direction::nearest}});
  options.exact = nb::cast<bool>(how[1]);
  nb::handle const tolerance = how[2];
  if (nb::isinstance<nb::float_>(tolerance)) options.tolerance = nb::cast<double>(tolerance);
  else if (!tolerance.is_none()) options.tolerance = nb::cast<std::int64_t>(tolerance);
  options.later = nb::cast<bool>(how[3]);
  options.last_below = nb::cast<bool>(how[4]);
  options.last_above = nb::cast<bool>(how[5]);
  return options;
}

void join_asof(shared_index const& self, nb::handle probes, nb::handle valid, nb::handle out, nb::tuple const& how,
               std::int64_t where) {
  auto const options = options_of(how);
  auto const left = self.column_of(probes, valid);
  auto const rows = rows_out(out);
  self.look_up([&](index const& i) { asof_join(i, left, rows, self.on(where), options); });
}

std::unique_ptr<asof_index> build_asof(nb::handle groups, nb::handle group_valid, nb::handle keys, nb::handle valid,
                                       int threads) {
  auto const of_groups = column_of(groups, group_valid), of_keys = column_of(keys, valid);
  return attended_if(of_keys.size >= long_call, nb::make_tuple(groups, group_valid, keys, valid), [=] {
    return std::make_unique<asof_index>(asof_index::build(of_groups, of_keys, on_host(threads)));
  });
}

void grouped_asof(asof_index const& self, nb::handle groups, nb::handle group_valid, nb::handle probes,
                  nb::handle valid, nb::handle out, nb::tuple const& how, int threads) {
  auto const options = options_of(how);
  auto const of_groups = column_of(groups, group_valid), left = column_of(probes, valid);
  auto const rows = rows_out(out);
  without_gil const free;
  self.join(of_groups, left, rows, on_host(threads), options);
}

bool merge(nb::handle left, nb::handle right, nb::handle out, nb::tuple const& how, int threads) {
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

/// Keys of tuples, which compare as the tuples do. Columns are (values, valid, nullable).
nb::object encode(nb::list columns, int threads) {
  std::vector<key_field> fields;
  std::vector<nullable_column> values;
  for (auto const& one : columns) {
    auto const parts = nb::cast<nb::tuple>(one);
    values.push_back(column_of(parts[0], parts[1]));
    fields.push_back({.type = values.back().type, .nullable = nb::cast<bool>(parts[2])});
  }
  key_list keys = attended_if(!values.empty() && values.front().size >= long_call, std::move(columns),
                              [=] { return key_encoder(fields).encode(values, on_host(threads)); });
  std::uint64_t const size = keys.size, bytes = keys.bytes;
  if (keys.type == key_type::bytes) {
    auto all = array_of<std::uint8_t>(std::move(keys.keys), bytes);
    return nb::make_tuple(all, array_of<std::int64_t>(std::move(keys.offsets), size + 1));
  }
  return with_key_type(keys.type, [&]<class Key>() -> nb::object {
    if constexpr (sizeof(Key) == 16) {
      auto all = array_of<std::uint8_t>(std::move(keys.keys), size * sizeof(Key));
      return nb::make_tuple(all, sizeof(Key), size);
    } else {
      return array_of<key_number<Key>>(std::move(keys.keys), size);
    }
  });
}

}  // namespace

void bind_joins(nb::module_& m, nb::class_<shared_index>& index_class) {
  index_class.def("join", join, nb::arg("probes"), nb::arg("valid").none(), nb::arg("how"), nb::arg("where"))
      .def("range_join", range_join, nb::arg("lower"), nb::arg("lower_valid").none(), nb::arg("upper"),
           nb::arg("upper_valid").none(), nb::arg("lower_closed"), nb::arg("upper_closed"), nb::arg("how"),
           nb::arg("where"))
      .def("join_asof", join_asof, nb::arg("probes"), nb::arg("valid").none(), nb::arg("out"), nb::arg("how"),
           nb::arg("where"));
  index_class.def("keys_repeat", [](shared_index const& self) {
    return self.look_up([&](index const& i) { return keys_repeat(i, self.on(0)); });
  });
  nb::class_<asof_index>(m, "AsofIndex")
      .def_static("build", build_asof, nb::arg("groups"), nb::arg("group_valid").none(), nb::arg("keys"),
                  nb::arg("valid").none(), nb::arg("threads"))
      .def("row_bytes", [](asof_index const& self) { return size_of(self.row_type()); })
      .def("join", grouped_asof, nb::arg("groups"), nb::arg("group_valid").none(), nb::arg("probes"),
           nb::arg("valid").none(), nb::arg("out"), nb::arg("how"), nb::arg("threads"));
  m.def("asof_merge", merge, nb::arg("left"), nb::arg("right"), nb::arg("out"), nb::arg("how"), nb::arg("threads"));
  m.def("bounds_in", bounds_in, nb::arg("keys"), nb::arg("probes"), nb::arg("out"), nb::arg("upper"), nb::arg("device"),
        nb::arg("where"));
  m.def("encode", encode, nb::arg("columns"), nb::arg("threads"));
}

}  // namespace warpdex::python
