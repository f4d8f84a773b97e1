// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// Joins two tables of Arrow. Tables come from any library by Arrow's C stream interface and go to any by it; here both
// are made by hand, as any library would.
#include <warpdex/table.hpp>

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace {

/// A column of integers, whose memory the column keeps.
std::vector<warpdex::arrow_column> integers(std::vector<std::int64_t> values) {
  struct kept {
    std::vector<std::int64_t> values;
    void const* buffers[2] = {};
  };
  auto const held = std::make_shared<kept>(kept{std::move(values), {}});
  held->buffers[1] = held->values.data();
  auto const size = static_cast<std::int64_t>(held->values.size());
  ArrowSchema const schema{"l", "", nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr};
  ArrowArray const array{size, 0, 0, 2, 0, held->buffers, nullptr, nullptr, nullptr, nullptr};
  return {{schema, array, -1, held}};
}

std::int64_t value(warpdex::table const& of, std::string const& column, std::int64_t row) {
  return static_cast<std::int64_t const*>(of.column(column)[0].values().buffers[1])[row];
}

}  // namespace

int main() {
  warpdex::table orders, customers;
  orders.add("customer", integers({7, 9, 7}));
  orders.add("price", integers({10, 20, 30}));
  customers.add("customer", integers({9, 7, 8}));
  customers.add("country", integers({49, 33, 1}));

  warpdex::table const found = warpdex::join_tables(orders, customers, {.left_on = {"customer"}});
  for (std::int64_t row = 0; row < static_cast<std::int64_t>(found.rows()); ++row)
    std::printf("%lld paid %lld in %lld\n", static_cast<long long>(value(found, "customer", row)),
                static_cast<long long>(value(found, "price", row)),
                static_cast<long long>(value(found, "country", row)));

  ArrowArrayStream stream;
  found.write(stream);  // for a library that reads streams
  warpdex::table const again(stream);
  bool const is_right = again.rows() == 3 && value(again, "country", 1) == 49;
  return is_right ? 0 : 1;
}
