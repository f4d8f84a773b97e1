// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/view_structure.hpp"

#include <algorithm>
#include <string>

namespace warpdex {

stored_array load_array(io::file const& from, std::string const& name, std::uint64_t bytes, bool in_place,
                        execution const& exec) {
  if (auto const found = from.size(name); found != bytes)
    from.fail(name, "holds " + std::to_string(found) + " bytes, the index needs " + std::to_string(bytes));
  stored_array array;
  if (in_place) {
    array.data = from.bytes(name).data();
    array.bytes = bytes;
    return array;
  }
  array = stored_array(bytes, exec);
  if (exec.memory->backend() == backend_kind::cpu) {
    from.read(name, {array.owned.as<std::byte>(), bytes});
    return array;
  }
  buffer const staged(bytes, execution(host_memory()));
  from.read(name, {staged.as<std::byte>(), bytes});
  auto const& device = backend_of(exec);
  device.copy(array.owned.data(), staged.data(), bytes, exec);
  device.synchronize(exec);
  return array;
}

void expect_known_sections(io::file const& from, std::vector<io::section> const& known, std::string const& spec_text) {
  for (auto const& name : from.names())
    if (std::none_of(known.begin(), known.end(), [&](auto const& section) { return section.name == name; }))
      from.fail(name, "no array of " + spec_text);
}

void structure::keys_at(std::uint64_t const*, std::uint64_t, void*, execution const&) const {
  throw unsupported("keys_at: " + spec_text() + " has no order of its keys");
}

void structure::longest_prefix(byte_key*, std::uint64_t, void*, std::uint32_t*, execution const&) const {
  throw unsupported("longest_prefix: " + spec_text() + " has no order of strings");
}

}  // namespace warpdex
