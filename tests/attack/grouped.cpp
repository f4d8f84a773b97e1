// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// Random updates, saves and loads of grouped indexes of any structure and of several types, whose answers are compared
/// with a list of their entries after each of them. Batches come from numbers around those that the index has, so that
/// some have no number yet.
#include "attack/campaign.hpp"
#include "join/grouped_model.hpp"
#include "support/backends.hpp"
#include "support/folder.hpp"

namespace {

using namespace warpdex;
using namespace warpdex::test;

std::string const& some_spec(std::mt19937_64& random) {
  static std::vector<std::string> const over_places = samples_over(key_type::u64);
  return over_places[random() % over_places.size()];
}

template <class Group, class Key> void live(std::mt19937_64& random, attack::tally& tried) {
  static folder const files;
  auto const backends = present_backends();
  execution const exec(memory_of(backends[random() % backends.size()]), {}, 1);
  std::string const& spec = some_spec(random);
  std::uint32_t row = 0;
  int from = 80, to = 90;  // what the index has, more or less
  auto const some = [&](int most) {
    int const at = from - static_cast<int>(random() % 8),
              size = static_cast<int>(random() % static_cast<unsigned>(most));
    int const end = std::min(to + static_cast<int>(random() % 8), 200);
    from = std::max(std::min(from, at), 0), to = std::max(to, end);
    return some_entries(random, size, std::max(at, 0), end, std::max(at, 0), end, row);
  };
  grouped_model<Group, Key> model(spec, some(60), exec);
  for (std::uint64_t updates = random() % 12; updates > 0; --updates) {
    switch (random() % 8) {
      case 0:
      case 1: model.insert(some(30)); break;
      case 2:
      case 3: model.insert_or_assign(some(20)); break;
      case 4: model.erase(some(40)); break;
      case 5: {
        numbered_entries more = some(20);
        model.update(std::move(more), some(20));
        break;
      }
      case 6:
        model.index().save(files / "grouped");
        model.replace(grouped_index::load(files / "grouped", exec, random() % 2 == 0));
        break;
      default: model.replace(model.index().clone(exec));
    }
  }
  model.expect("all");
  ++tried["grouped indexes of " + spec];
}

void one_round(std::mt19937_64& random, attack::tally& tried) {
  switch (random() % 6) {
    case 0: return live<std::uint32_t, std::uint32_t>(random, tried);
    case 1: return live<std::int64_t, std::uint32_t>(random, tried);
    case 2: return live<std::int64_t, std::int64_t>(random, tried);
    case 3: return live<std::string, double>(random, tried);
    case 4: return live<u128, std::string>(random, tried);
    default: return live<double, u128>(random, tried);
  }
}

}  // namespace

int main() { return warpdex::attack::run("attack_grouped", 150, one_round); }
