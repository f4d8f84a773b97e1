// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "distinct.hpp"

#include <warpdex/distinct.hpp>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attended.hpp"
#include "columns.hpp"
#include "pieces.hpp"

namespace warpdex::python {
namespace {

/// Columns of the same length, seen in C++.
struct key_parts {
  std::vector<part> held;
  std::vector<nullable_column> columns;

  explicit key_parts(nb::list const& parts) {
    for (nb::handle const part : parts) columns.push_back(held.emplace_back(part, nullptr).whole().values);
  }
  std::uint64_t size() const { return held.at(0).size(); }
};

/// Runs a call over columns, which Ctrl-C ends if it is long.
template <class F> auto over(nb::list const& parts, int device, std::int64_t where, F const& f) {
  auto const keys = std::make_shared<key_parts const>(parts);
  return attended_if(keys->size() >= long_call, parts,
                     [=] { return at_place(device, where, [&](execution const& exec) { return f(*keys, exec); }); });
}

keep_row keep_named(std::string const& name) {
  return named<keep_row>("keep", name,
                         {{"first", keep_row::first}, {"last", keep_row::last}, {"none", keep_row::none}});
}

/// @param parts of columns @return rows, and the inverse and counts or None
nb::tuple unique_rows_of(nb::list const& parts, std::string const& keep, bool inverse, bool counts, int device,
                         std::int64_t where) {
  unique_options const options{keep_named(keep), inverse, counts};
  auto found = over(parts, device, where,
                    [=](key_parts const& of, execution const& exec) { return unique(of.columns, exec, options); });
  results const to{device, device >= 0, where};
  std::uint64_t const size = found.size, all = found.inverse.bytes() / size_of(found.type);
  nb::object const rows = to.rows(std::move(found.rows), size, found.type);
  nb::object const places = inverse ? to.rows(std::move(found.inverse), all, found.type) : nb::object(nb::none());
  nb::object const numbers = counts ? to.array<std::int64_t>(std::move(found.counts), size) : nb::object(nb::none());
  return nb::make_tuple(rows, places, numbers);
}

nb::object repeats_of(nb::list const& parts, std::string const& keep, int device, std::int64_t where) {
  keep_row const kept = keep_named(keep);
  auto flags = over(parts, device, where, [=](key_parts const& of, execution const& exec) {
    buffer result(of.size(), exec);
    duplicates(of.columns, {result.as<bool>(), of.size()}, exec, kept);
    return result;
  });
  std::uint64_t const size = flags.bytes();
  return results{device, device >= 0, where}.array<bool>(std::move(flags), size);
}

}  // namespace

void bind_distinct(nb::module_& m) {
  m.def("unique", unique_rows_of, nb::arg("parts"), nb::arg("keep"), nb::arg("inverse"), nb::arg("counts"),
        nb::arg("device"), nb::arg("where"));
  m.def("duplicates", repeats_of, nb::arg("parts"), nb::arg("keep"), nb::arg("device"), nb::arg("where"));
}

}  // namespace warpdex::python
