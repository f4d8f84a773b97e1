// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "quantiles.hpp"

#include <warpdex/range_quantiles.hpp>

#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <utility>

#include "columns.hpp"
#include "faces.hpp"
#include "pieces.hpp"
#include "shared_index.hpp"

namespace warpdex::python {
namespace {

/// Values of any type in the order of an index's keys.
class quantiles_of_index {
 public:
  /// @param values a part of a column
  quantiles_of_index(shared_index const& over, nb::handle values, std::int64_t where) {
    part const held(values, nullptr);
    over.look_up([&](any_index const& i) { quantiles_.emplace(i, held.whole().values, over.on(where)); });
  }

  /// @return row ids on the host
  nb::object in_ranges(shared_index const& over, nb::handle lower, nb::handle upper, bool lower_open, bool upper_open,
                       double quantile, std::string const& side, std::int64_t where) const {
    part const low(lower, &over), high(upper, &over);
    key_ranges const ranges{low.whole().values, high.whole().values, closed_at(!lower_open, !upper_open)};
    return rows_of(over, ranges.size(), where, [&](any_index const& i, row_output rows) {
      quantiles_->in_ranges(i, ranges, quantile, side_named(side), rows, over.on(where));
    });
  }

  nb::object of_ranks(shared_index const& over, nb::handle first, nb::handle last, double quantile,
                      std::string const& side, std::int64_t where) const {
    auto const from = numbers_in(first), to = numbers_in(last);
    return rows_of(over, from.size(), where, [&](any_index const&, row_output rows) {
      quantiles_->of_ranks(from, to, quantile, side_named(side), rows, over.on(where));
    });
  }

  std::uint64_t bytes() const { return quantiles_->bytes(); }

 private:
  static quantile_side side_named(std::string const& side) {
    return named<quantile_side>(
        "side", side,
        {{"lower", quantile_side::lower}, {"higher", quantile_side::higher}, {"nearest", quantile_side::nearest}});
  }

  template <class F>
  static nb::object rows_of(shared_index const& over, std::uint64_t size, std::int64_t where, F const& find) {
    row_type type = row_type::u32;
    buffer rows;
    over.look_up([&](any_index const& i) {
      type = i.row_type();
      rows = buffer(size * size_of(type), on_host(0));
      find(i, row_output(rows.data(), size, type));
    });
    return results{over.device(), false, where}.rows(std::move(rows), size, type);
  }

  std::optional<range_quantiles> quantiles_;
};

}  // namespace

void bind_quantiles(nb::module_& m) {
  nb::class_<quantiles_of_index>(m, "RangeQuantiles")
      .def(nb::init<shared_index const&, nb::handle, std::int64_t>(), nb::arg("over"), nb::arg("values"),
           nb::arg("where"))
      .def("in_ranges", &quantiles_of_index::in_ranges, nb::arg("over"), nb::arg("lower"), nb::arg("upper"),
           nb::arg("lower_open"), nb::arg("upper_open"), nb::arg("quantile"), nb::arg("side"), nb::arg("where"))
      .def("of_ranks", &quantiles_of_index::of_ranks, nb::arg("over"), nb::arg("first"), nb::arg("last"),
           nb::arg("quantile"), nb::arg("side"), nb::arg("where"))
      .def_prop_ro("nbytes", &quantiles_of_index::bytes);
}

}  // namespace warpdex::python
