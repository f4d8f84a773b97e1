// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "columns.hpp"
#include "gil.hpp"
#include "watched.hpp"

/// @file
/// What classes that have files share: `load`, `from_bytes`, `save` and `to_bytes`.
namespace warpdex::python {

/// @param make make(stored, exec) makes what Python holds
template <class Stored, class Make> auto load_stored(nb::bytes const& path, bool map, int device, Make const& make) {
  return watched([&, name = path_of(path)] {
    return at_place(device, 0, [&](execution const& exec) { return make(Stored::load(name, exec, map), exec); });
  });
}

/// @param share whether what is on the host may use the bytes in place, for as long as it lives
/// @param trust whether bytes that are used in place are not checked, as those that this process made
template <class Stored, class Make>
auto stored_from(nb::object const& bytes, int device, bool share, bool trust, Make const& make) {
  auto const array = nb::cast<input>(bytes, false);
  std::span const all(static_cast<std::byte const*>(array.data()), array.nbytes());
  auto const owner = share && device < 0 ? owner_of(bytes) : nullptr;
  auto const checks = trust ? warpdex::check::none : warpdex::check::all;
  return watched([&] {
    return at_place(device, 0, [&](execution const& exec) {
      return make(owner == nullptr ? Stored::load(all, exec) : Stored::load(all, owner, exec, checks), exec);
    });
  });
}

/// @param save save() returns the bytes
template <class Save> nb::bytes bytes_of(Save const& save) {
  std::vector<std::byte> const bytes = watched(save);
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace warpdex::python
