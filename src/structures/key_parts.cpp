// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/key_parts.hpp"

#include <algorithm>

#include "backend/steps.hpp"
#include "base/tuning.hpp"
#include "structures/filter/filter_steps.hpp"

namespace warpdex {

void for_each_part_of_keys(structure const& s, execution const& exec,
                           std::function<void(void const* keys, std::uint64_t size)> const& use) {
  std::uint64_t const all = s.shape().size;
  std::uint64_t const most = std::min<std::uint64_t>(all, tuning::keys_of_part);
  buffer const ranks(most * sizeof(std::uint64_t), exec);
  buffer const keys(most * size_of(s.shape().keys), exec);
  for (std::uint64_t first = 0; first < all; first += most) {
    std::uint64_t const size = std::min(most, all - first);
    steps::run(filter_steps::count_up<std::uint64_t>{ranks.as<std::uint64_t>(), first}, size, exec);
    s.keys_at(ranks.as<std::uint64_t>(), size, keys.data(), exec);
    use(keys.data(), size);
  }
}

}  // namespace warpdex
