// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "base/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace warpdex {
namespace {

/// @return the edit distance of two words; a swap of adjacent letters counts as one edit
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      bool const equal = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (equal ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

std::string shown(char c) {
  if (is_printable(c) || c == ' ') return std::string(1, c);
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result = "'";
  for (char const c : text.substr(0, longest)) result += shown(c);
  if (text.size() > longest) result += "...";
  return result + "'";
}

bool same_word(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string listed(std::span<std::string_view const> words) { return fmt::format("{}", fmt::join(words, ", ")); }

std::string hint(std::string_view unknown, std::span<std::string_view const> known) {
  std::size_t best = 1 + std::min<std::size_t>(3, (unknown.size() + 1) / 3);  // words at this distance are not near
  std::string_view nearest;
  for (auto const candidate : known)
    if (auto const d = distance(unknown, candidate); d < best) {
      best = d;
      nearest = candidate;
    }
  return nearest.empty() ? "; known are " + listed(known) : fmt::format("; did you mean {}?", nearest);
}

}  // namespace warpdex
