// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/flat_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "base/words.hpp"

namespace warpdex {
namespace {

char const* name_of(layout chosen) { return chosen == layout::soa ? "SoA" : chosen == layout::aos ? "AoS" : "packed"; }

}  // namespace

flat_choice read_flat_choice(spec const& s, index_shape const& shape, std::initializer_list<std::string_view> known) {
  for (auto const& argument : s.arguments())
    if (std::find(known.begin(), known.end(), argument.name) == known.end())
      s.fail(argument.position,
             s.structure() + (known.size() == 0 ? " takes no arguments" : " does not take this argument"));
  flat_choice choice;
  if (auto const* word = s.option("layout")) {
    if (same_word(word->value, "SoA")) choice.layout = layout::soa;
    else if (same_word(word->value, "AoS")) choice.layout = layout::aos;
    else if (same_word(word->value, "packed")) choice.layout = layout::packed;
    else s.fail(word->position, "unknown layout '" + word->value + "'; expected SoA, AoS or packed");
  }
  // Without padding between equal widths, packed and aligned pairs are the same bytes.
  if (choice.layout == layout::packed && size_of(shape.keys) == size_of(shape.rows)) choice.layout = layout::aos;
  return choice;
}

int read_fanout(spec const& s) {
  auto const* word = s.argument("");
  if (word == nullptr)
    s.fail(s.text().size(), s.structure() + " needs its fan-out, for example " + s.structure() + "(9)");
  auto const k = static_cast<int>(s.number(*word, 2, 33));
  if (std::find(std::begin(fanouts), std::end(fanouts), k) == std::end(fanouts))
    s.fail(word->position, "K must be one of 2, 3, 5, 9, 17, 33, not " + word->value);
  return k;
}

unsigned read_thousandths(spec const& s, spec::word const& word, double lowest, double highest) {
  std::size_t const position = word.position + word.name.size() + 1;
  char const* const end = word.value.data() + word.value.size();
  double value = 0;
  auto const [stop, failure] = std::from_chars(word.value.data(), end, value, std::chars_format::fixed);
  if (failure != std::errc() || stop != end || !(value >= lowest && value <= highest))
    s.fail(position,
           fmt::format("{} is '{}'; expected a number from {:g} to {:g}", word.name, word.value, lowest, highest));
  return static_cast<unsigned>(std::lround(value * 1000));
}

std::string flat_spec_text(std::string const& structure_text, flat_choice const& choice, index_shape const& shape) {
  return structure_text + "/layout=" + name_of(choice.layout) + "/rows=" + std::string(to_string(shape.rows)) +
         policy_text(choice.run);
}

}  // namespace warpdex
