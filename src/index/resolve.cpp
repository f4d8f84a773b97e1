// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/structures.hpp>

#include "base/api_border.hpp"
#include "request/expect.hpp"
#include "structures/structure.hpp"

namespace warpdex {

std::string resolve(spec const& s, key_type keys, row_type rows, std::uint64_t size, backend_kind backend) {
  return run_call("resolve", [&] {
    expect_known("resolve", "the key column", keys);
    expect_known("resolve", "the row column", rows);
    expect_known("resolve", backend);
    return make_plan(s, {keys, rows, size, backend, -1})->spec_text();
  });
}

}  // namespace warpdex
