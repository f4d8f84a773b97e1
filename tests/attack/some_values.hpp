// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "attack/campaign.hpp"
#include "base/types.hpp"
#include "conformance/string_shapes.hpp"
#include "support/key_array.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpdex::attack {

/// Values of any type in one form. Strings are held apart.
class some_values {
  template <class Key> using scalar = std::conditional_t<is_bytes<Key>, std::string, Key>;

 public:
  some_values(key_type type, std::uint64_t n, test::generator& random) {
    with_kind(kind_of(type), [&]<class Key>() { hold(type, keys_of<Key>(n, random), random); });
  }

  /// @return two columns, no value of the first of which is above one of the second
  static std::pair<some_values, some_values> ordered(key_type type, std::uint64_t n, test::generator& random) {
    std::pair made(some_values{}, some_values{});
    with_kind(kind_of(type), [&]<class Key>() {
      auto all = keys_of<Key>(2 * n, random);
      std::sort(all.begin(), all.end());
      if constexpr (!is_bytes<Key>)
        for (auto& one : all) one = decode(codec_of(type), one);
      auto const middle = all.begin() + static_cast<std::ptrdiff_t>(n);
      made.first.hold<scalar<Key>>(type, {all.begin(), middle}, random);
      made.second.hold<scalar<Key>>(type, {middle, all.end()}, random);
    });
    return made;
  }

  column const& view() const { return view_; }

 private:
  some_values() = default;

  template <class Key> static std::vector<scalar<Key>> keys_of(std::uint64_t n, test::generator& random) {
    auto const kind = static_cast<test::distribution>(test::below(random, test::distributions));
    return test::make_keys<scalar<Key>>(kind, n, random);
  }

  template <class Scalar> void hold(key_type type, std::vector<Scalar> values, test::generator& random) {
    auto const held = std::make_shared<test::key_array<Scalar>>(std::move(values), type, test::place::host, random(),
                                                                execution(host_memory(), {}, 1));
    view_ = held->view();
    held_ = held;
  }

  std::shared_ptr<void> held_;
  column view_;
};

inline key_type any_type(test::generator& random) {
  return static_cast<key_type>(test::below(random, key_types.size()));
}

/// Runs a call that may refuse what it finds, but only with an error of warpdex.
template <class Call> void try_call(tally& tried, std::string const& what, Call const& call) {
  try {
    call();
    ++tried[what];
  } catch (error const&) {
    ++tried[what + " refused"];
  }
}

}  // namespace warpdex::attack
