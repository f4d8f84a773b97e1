// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/hash/hash_choice.hpp"

#include <fmt/format.h>
#include <warpdex/search/mix.hpp>

#include <limits>

#include "base/random.hpp"
#include "base/words.hpp"

namespace warpdex {
namespace {

double as_number(unsigned load) { return load / double{hash_choice::full_load}; }

/// Throws unless the arguments without a name are those of the kind, or a beginning of their list.
void check_arguments(spec const& s, hash_kind const& kind) {
  auto expected = kind.arguments.begin();
  for (auto const& word : s.arguments()) {
    if (!word.name.empty()) continue;
    if (expected == kind.arguments.end() || !same_word(word.value, expected->value))
      s.fail(word.position,
             fmt::format("unexpected '{}'; expected {}", word.value, spec(s.structure(), kind.arguments, {}).text()));
    ++expected;
  }
}

}  // namespace

std::uint64_t hash_choice::seed_after(std::uint64_t failed) const {
  if (seed) return mix(failed + 1, *seed);
  return random_number();
}

resolved_hash read_hash_choice(spec const& s, index_shape const& shape, hash_kind const& kind) {
  hash_choice choice{read_common_options(s, shape, {"", "load", "seed"})};
  check_arguments(s, kind);
  // Too few pairs with 16-byte keys fit into one memory access.
  // Strings have hashes of 8 bytes.
  if (s.option("layout") == nullptr && (size_of(shape.keys) <= 8 || shape.keys == key_type::bytes))
    choice.layout = layout::aos;
  auto const* const load_word = s.argument("load");
  choice.load = load_word != nullptr
                    ? read_thousandths(s, *load_word, as_number(kind.lowest_load), as_number(kind.highest_load))
                    : kind.usual_load;
  choice.run = read_policy_of_groups(s, shape, 1);
  if (auto const* const word = s.argument("seed"))
    choice.seed = s.number(*word, 0, std::numeric_limits<std::uint64_t>::max());
  std::vector<spec::word> arguments = kind.arguments;
  arguments.push_back({"load", fmt::format("{:g}", as_number(choice.load))});
  if (choice.seed) arguments.push_back({"seed", std::to_string(*choice.seed)});
  return {choice, std::move(arguments)};
}

}  // namespace warpdex
