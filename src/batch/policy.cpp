// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "batch/policy.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "batch/research.hpp"

namespace warpdex {
namespace {

/// The values of an option, in the order of its enumerators; the first is `auto`.
template <std::size_t Count> using value_names = std::array<std::string_view, Count>;
constexpr value_names<3> schedule_names = {"auto", "dynamic", "static"};
constexpr value_names<4> pin_names = {"auto", "none", "steps", "full"};
constexpr value_names<3> scan_names = {"auto", "group", "warp"};
constexpr value_names<6> reorder_names = {"auto", "none", "block", "block+restore", "window", "tile"};

spec::word const* option_in(spec const& s, char const* name) {
  auto const* const word = s.option(name);
  return word == nullptr || word->value == "auto" ? nullptr : word;
}

template <class Choice, std::size_t Count>
void read_choice(spec const& s, char const* name, value_names<Count> const& values, Choice& chosen) {
  auto const* const word = option_in(s, name);
  if (word == nullptr) return;
  std::string expected;
  for (std::size_t i = 0; i < Count; ++i) {
    if (values[i] == word->value) {
      chosen = static_cast<Choice>(i);
      return;
    }
    expected += (i == 0 ? "" : i + 1 == Count ? " or " : ", ") + std::string(values[i]);
  }
  s.fail(word->position, "unknown value '" + word->value + "' of " + name + "; expected " + expected);
}

template <class Choice, std::size_t Count>
void add_choice(std::vector<spec::word>& to, char const* name, value_names<Count> const& values, Choice chosen) {
  if (chosen != Choice::automatic) to.push_back({name, std::string(values[static_cast<std::size_t>(chosen)])});
}

void add_number(std::vector<spec::word>& to, char const* name, int chosen) {
  if (chosen != 0) to.push_back({name, std::to_string(chosen)});
}

}  // namespace

bool blocks_are_compiled(policy const& run, bool pinnable) noexcept {
  if (research::block || !run.runs_in_blocks()) return true;
  return pinnable && run.lanes <= 1 && !run.sorts_in_blocks();
}

policy read_policy(spec const& s, std::vector<int> const& groups) {
  policy chosen;
  if (auto const* word = option_in(s, "lanes")) {
    chosen.lanes = static_cast<int>(s.number(*word, 1, 32));
    if (chosen.lanes != 1 && std::find(groups.begin(), groups.end(), chosen.lanes) == groups.end()) {
      std::string known = "1 lane";
      for (int const lanes : groups) known += " or " + std::to_string(lanes);
      s.fail(word->position, s.structure() + " runs a probe on " + known + ", not on " + word->value);
    }
  }
  if (auto const* word = option_in(s, "threads")) {
    chosen.threads = static_cast<int>(s.number(*word, 128, 1024));
    if (chosen.threads % 32 != 0) s.fail(word->position, "threads a block must be a multiple of 32");
  }
  if (auto const* word = option_in(s, "probes")) chosen.probes = static_cast<int>(s.number(*word, 1, 16));
  read_choice(s, "schedule", schedule_names, chosen.schedule);
  read_choice(s, "pin", pin_names, chosen.pin);
  read_choice(s, "reorder", reorder_names, chosen.reorder);
  read_choice(s, "scan", scan_names, chosen.scan);
  if (chosen.reorder == policy::reordering::window || chosen.reorder == policy::reordering::tile) {
    bool const pins = chosen.pin == policy::pinning::steps || chosen.pin == policy::pinning::full;
    for (auto const& [excluded, name] : {std::pair(pins, "pin"), std::pair(chosen.probes != 0, "probes"),
                                         std::pair(chosen.schedule != policy::scheduling::automatic, "schedule")})
      if (excluded)
        s.fail(s.option(name)->position, "reorder=" + s.option("reorder")->value + " and " + name + "=" +
                                             s.option(name)->value + " exclude each other: a batch runs one way");
  }
  return chosen;
}

std::vector<spec::word> policy_words(policy const& chosen) {
  std::vector<spec::word> words;
  add_number(words, "lanes", chosen.lanes);
  add_number(words, "threads", chosen.threads);
  add_number(words, "probes", chosen.probes);
  add_choice(words, "schedule", schedule_names, chosen.schedule);
  add_choice(words, "pin", pin_names, chosen.pin);
  add_choice(words, "reorder", reorder_names, chosen.reorder);
  add_choice(words, "scan", scan_names, chosen.scan);
  return words;
}

std::string policy_text(policy const& chosen) {
  std::string text;
  for (auto const& word : policy_words(chosen)) text += "/" + word.name + "=" + word.value;
  return text;
}

}  // namespace warpdex
