// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/fanouts.hpp"

#include <algorithm>
#include <charconv>

namespace warpdex {
namespace {

/// The fastest fan-out of large indexes on a GPU.
constexpr int usual_fanout = 9;

bool is_compiled(int k) { return std::find(fanouts().begin(), fanouts().end(), k) != fanouts().end(); }

}  // namespace

std::vector<int> const& fanouts() {
  static auto const& all = *new std::vector<int>([]<int... K>(std::integer_sequence<int, K...>) {
    return std::vector<int>{K...};
  }(compiled_fanouts{}));  // never destroyed, like the registry
  return all;
}

std::string fanouts_text() {
  std::string text;
  for (int const k : fanouts()) text += (text.empty() ? "" : ", ") + std::to_string(k);
  return text;
}

int nearest_fanout(int wanted) {
  auto const ratio = [&](int k) { return static_cast<double>(std::max(k, wanted)) / std::min(k, wanted); };
  return *std::min_element(fanouts().begin(), fanouts().end(), [&](int a, int b) { return ratio(a) < ratio(b); });
}

int read_fanout(spec const& s) {
  auto const* word = s.argument("");
  if (word == nullptr)
    s.fail(s.text().size(), s.structure() + " needs its fan-out, for example " + s.structure() + "(" +
                                std::to_string(nearest_fanout(usual_fanout)) + ")");
  auto const k = static_cast<int>(s.number(*word, 2, 33));
  if (!is_compiled(k))
    s.fail(word->position, "K must be one of " + fanouts_text() + ", not " + word->value +
                               (k == 3 || k == 33 ? "; a build has it with -DWARPDEX_RESEARCH=fanouts" : ""));
  return k;
}

std::vector<std::string> samples_of_fanouts(std::string const& name) {
  auto ordered = fanouts();
  auto const usual = std::find(ordered.begin(), ordered.end(), nearest_fanout(usual_fanout));
  std::rotate(ordered.begin(), usual, usual + 1);
  std::vector<std::string> samples;
  for (int const k : ordered) samples.push_back(name + "(" + std::to_string(k) + ")");
  return samples;
}

bool detail::has_compiled_fanout(std::string const& text) {
  auto const* const digits = text.data() + std::min(text.find('(') + 1, text.size());
  int k = 0;
  std::from_chars(digits, text.data() + text.size(), k);
  return is_compiled(k);
}

}  // namespace warpdex
