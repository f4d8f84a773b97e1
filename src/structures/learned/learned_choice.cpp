// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/learned/learned_choice.hpp"

#include <fmt/format.h>
#include <warpdex/search/segments.hpp>

#include <limits>

namespace warpdex {

std::uint64_t most_learned_entries(row_type rows) {
  if (rows == row_type::u64) return std::numeric_limits<std::uint64_t>::max();
  return std::numeric_limits<std::uint32_t>::max() - 2 * largest_eps;  // lines store ranks plus eps
}

common_options read_learned_options(spec const& s, index_shape const& shape,
                                    std::initializer_list<std::string_view> known, std::size_t unnamed) {
  std::size_t position = 0;
  for (auto const& word : s.arguments())
    if (word.name.empty() && ++position > unnamed)
      s.fail(word.position, fmt::format("{} takes at most {} arguments without a name", s.structure(), unnamed));
  if (auto const most = most_learned_entries(shape.rows); shape.size > most)
    s.fail(0, fmt::format("{} takes at most {} entries with row ids of 4 bytes; {} need rows=u64", s.structure(), most,
                          shape.size));
  auto choice = read_common_options(s, shape, known);
  choice.run = read_policy(s, {});
  return choice;
}

spec::word const* argument_at(spec const& s, std::string_view name, std::size_t position) {
  auto const* found = s.argument(name);
  std::size_t unnamed = 0;
  for (auto const& word : s.arguments()) {
    if (!word.name.empty() || unnamed++ != position) continue;
    if (found != nullptr) s.fail(word.position, fmt::format("{} is given twice", name));
    found = &word;
  }
  return found;
}

std::uint64_t read_eps(spec const& s, std::string_view name, std::size_t position, std::uint64_t usual) {
  auto const* const word = argument_at(s, name, position);
  return word == nullptr ? usual : s.number(*word, 1, largest_eps);
}

}  // namespace warpdex
