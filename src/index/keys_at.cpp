// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "base/api_border.hpp"
#include "request/batches.hpp"
#include "request/expect.hpp"
#include "request/staging.hpp"

#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace warpdex {

void pack_references(key_list& keys, execution const& exec) {
  bool const narrow = keys.offset_bytes == sizeof(std::uint32_t);
  auto packed =
      backend_of(exec).pack(keys.keys.as<byte_key>(), keys.size, narrow ? 0 : int{sizeof(std::uint64_t)}, exec);
  if (narrow && packed.total > std::numeric_limits<std::int32_t>::max())
    throw unsupported("the strings have " + std::to_string(packed.total) +
                      " bytes in all, which offsets of 32 bits do not hold");
  keys.keys = std::move(packed.bytes);
  keys.offsets = std::move(packed.offsets);
  keys.bytes = packed.total;
}

std::uint64_t const* stage_ranks(char const* call, structure const& s, std::uint64_t size,
                                 std::span<std::uint64_t const> ranks, staging& arrays, execution const& exec) {
  expect_ordered(s, call);
  s.expect_whole();
  auto const* const wanted = static_cast<std::uint64_t const*>(
      arrays.input(ranks.data(), ranks.size(), sizeof(std::uint64_t), "the column of ranks"));
  if (auto const at = backend_of(exec).first_not_below(wanted, ranks.size(), size, exec))
    throw invalid_argument(std::string(call) + ": rank number " + std::to_string(*at) +
                           " is none of the index, whose ranks are below " + std::to_string(size));
  return wanted;
}

matches index::rows_at(std::span<std::uint64_t const> ranks, execution const& exec) const {
  constexpr char const* call = "rows_at";
  structure const& s = built(call);
  return run_call(call, exec, [&] {
    index_shape const& shape = s.shape();
    staging arrays(call, shape.backend, shape.device, exec);
    auto const* const wanted = stage_ranks(call, s, shape.size, ranks, arrays, exec);
    matches found;
    found.probes = found.total = ranks.size();
    found.row_type = shape.rows;
    found.offsets = buffer((ranks.size() + 1) * sizeof(std::uint64_t), exec);
    found.rows = buffer(ranks.size() * size_of(shape.rows), exec);
    std::vector<std::uint64_t> ends(ranks.size() + 1);
    std::iota(ends.begin(), ends.end(), std::uint64_t{0});
    auto const& backend = backend_of(shape.backend);
    backend.copy(found.offsets.data(), ends.data(), ends.size() * sizeof ends[0], exec);
    if (!ranks.empty()) {
      buffer const first(ranks.size_bytes(), exec);  // a caller's ranks may be at any address
      backend.copy(first.data(), wanted, ranks.size_bytes(), exec);
      s.fill({first.as<std::uint64_t>(), found.offsets.as<std::uint64_t>(), ranks.size(), found.rows.data()}, exec);
    }
    backend.synchronize(exec);
    return found;
  });
}

key_list index::keys_at(std::span<std::uint64_t const> ranks, execution const& exec) const {
  constexpr char const* call = "keys_at";
  structure const& s = built(call);
  return run_call(call, exec, [&] {
    index_shape const& shape = s.shape();
    auto const& backend = backend_of(shape.backend);
    staging arrays(call, shape.backend, shape.device, exec);
    auto const* const wanted = stage_ranks(call, s, shape.size, ranks, arrays, exec);
    key_list found;
    found.size = ranks.size();
    found.type = shape.keys;
    found.keys = buffer(ranks.size() * size_of(shape.keys), exec);
    if (!ranks.empty()) s.keys_at(wanted, ranks.size(), found.keys.data(), exec);
    found.bytes = found.keys.bytes();
    if (shape.keys == key_type::bytes) pack_references(found, exec);
    backend.synchronize(exec);
    return found;
  });
}

}  // namespace warpdex
