// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "base/call.hpp"
#include "calls/expect.hpp"
#include "calls/lookup.hpp"
#include "calls/staging.hpp"

namespace warpdex {

void pack_references(key_list& keys, backend const& platform, execution const& exec) {
  auto packed = platform.pack(keys.keys.as<byte_key>(), keys.size, sizeof(std::uint64_t), exec);
  keys.keys = std::move(packed.bytes);
  keys.offsets = std::move(packed.offsets);
  keys.bytes = packed.total;
}

key_list index::keys_at(std::span<std::uint64_t const> ranks, execution const& exec) const {
  constexpr char const* call = "keys_at";
  structure const& s = built(call);
  return run_call(call, exec, [&] {
    expect_ordered(s, call);
    index_shape const& shape = s.shape();
    auto const& platform = backend_of(shape.backend);
    staging arrays(call, shape.backend, shape.device, exec);
    auto const* const wanted = static_cast<std::uint64_t const*>(
        arrays.input(ranks.data(), ranks.size(), sizeof(std::uint64_t), "the column of ranks"));
    if (auto const at = platform.first_not_below(wanted, ranks.size(), shape.size, exec))
      throw invalid_argument(std::string(call) + ": rank number " + std::to_string(*at) +
                             " is none of the index, whose ranks are below " + std::to_string(shape.size));
    key_list found;
    found.size = ranks.size();
    found.type = shape.keys;
    found.keys = buffer(ranks.size() * size_of(shape.keys), exec);
    if (!ranks.empty()) s.keys_at(wanted, ranks.size(), found.keys.data(), exec);
    found.bytes = found.keys.bytes();
    if (shape.keys == key_type::bytes) pack_references(found, platform, exec);
    platform.synchronize(exec);
    return found;
  });
}

}  // namespace warpdex
