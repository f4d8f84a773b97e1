// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "conformance/driver.hpp"

#include "conformance/examination.hpp"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>

namespace warpdex::test {
namespace {

/// @param from what the examination is made from besides
template <class Scalar, class Row, class... From>
void run_typed(conformance_case const& c, execution const& exec, From&&... from) {
  std::unique_ptr<examination<Scalar, Row>> e;
  std::string what;
  try {
    e = std::make_unique<examination<Scalar, Row>>(c, exec, std::forward<From>(from)...);
    e->run();
    return;
  } catch (std::exception const& error) {
    what = error.what();
  }
  throw std::runtime_error(fmt::format("{}\n  {}: {}", to_string(c), e ? e->operation() : "build", what));
}

/// Calls run.operator()<Scalar, Row>() with the types of keys and rows.
template <class Run> void with_types(conformance_case const& c, Run const& run) {
  auto const with_rows = [&]<class Scalar>() {
    if (c.rows == row_type::u32) run.template operator()<Scalar, std::uint32_t>();
    else run.template operator()<Scalar, std::uint64_t>();
  };
  if (c.keys == key_type::bytes) return with_rows.template operator()<std::string>();
  with_key_type(c.keys, [&]<class Key>() { with_rows.template operator()<key_number<Key>>(); });
}

}  // namespace

std::string to_string(conformance_case const& c) {
  constexpr std::string_view placements[] = {"host", "device", "mixed"};
  return fmt::format("spec {}, {} keys, n = {} ({}), {} rows, {} updates, {} {}, arrays on {}, case seed {}", c.spec,
                     warpdex::to_string(c.keys), c.size, to_string(c.kind), c.given_rows ? "given" : "default",
                     c.updates, c.shards, c.copies ? "copies" : "shards", placements[static_cast<int>(c.arrays)],
                     c.seed);
}

void run_case(conformance_case const& c, execution const& exec) {
  with_types(c, [&]<class Scalar, class Row>() { run_typed<Scalar, Row>(c, exec); });
}

void run_case(conformance_case const& c, index of, column keys, std::vector<std::uint64_t> rows,
              execution const& exec) {
  with_types(c, [&]<class Scalar, class Row>() {
    run_typed<Scalar, Row>(c, exec, std::move(of), keys_of<Scalar>(keys), std::move(rows));
  });
}

}  // namespace warpdex::test
