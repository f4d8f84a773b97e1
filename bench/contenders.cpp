// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/contenders.hpp"

#include <warpdex/index.hpp>

#include <algorithm>

namespace warpdex::bench {

std::vector<cell> cells_of(std::string_view figure, key_type keys) {
  std::vector<cell> cells;
  for (auto const& info : structures()) {
    if (keys == key_type::bytes ? !info.takes_bytes : info.widest_key < size_of(keys)) continue;
    for (auto const& c : info.compared)
      if (std::find(c.figures.begin(), c.figures.end(), figure) != c.figures.end())
        cells.push_back({c.spec, c.series, ""});
  }
  return cells;
}

std::vector<cell> marked(std::vector<cell> cells, std::string_view suffix) {
  for (auto& c : cells) c.series += suffix;
  return cells;
}

}  // namespace warpdex::bench
