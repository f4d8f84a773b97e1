// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/api_border.hpp"
#include "base/limits.hpp"
#include "base/words.hpp"
#include "structures/filter/filtered.hpp"
#include "structures/structure.hpp"

namespace warpdex {
namespace {

bool takes(structure_info const& info, key_type keys) {
  return keys == key_type::bytes ? info.takes_bytes : size_of(keys) <= info.widest_key;
}

/// Throws spec_error unless the structure takes such keys.
void expect_taken(spec const& s, structure_info const& info, key_type keys) {
  if (takes(info, keys)) return;
  auto const* const other = first_that_takes(keys, false);
  std::string const name = info.kind.empty() ? info.name : info.name + "(" + info.kind + ")";
  s.fail(0, fmt::format("{}{}",
                        keys == key_type::bytes ? name + " does not take keys of type bytes"
                                                : fmt::format("{} takes keys of up to {} bytes", name, info.widest_key),
                        other == nullptr ? "" : fmt::format("; {} takes {}", other->samples.front(), to_string(keys))));
}

/// @return the option `pin` of a spec whose structure pins nothing, unless it leaves that so; null if there is none
spec::word const* idle_pin(spec const& s, structure_info const& info) {
  auto const* const pin = s.option("pin");
  return info.pins || pin == nullptr || pin->value == "none" || pin->value == "auto" ? nullptr : pin;
}

}  // namespace

structure_info const* first_that_takes(key_type keys, bool ordered) {
  structure_info const* first = nullptr;
  for (auto const& [info, resolve] : registry()) {
    if (info.chooses || !takes(info, keys)) continue;
    if (info.ordered == ordered) return &info;
    if (info.ordered && first == nullptr) first = &info;
  }
  return first;
}

std::string ordered_instead(key_type keys, std::string const& does) {
  auto const* const other = first_that_takes(keys, true);
  return other == nullptr ? std::string() : "; " + other->samples.front() + " " + does;
}

std::string names_of_all_that(bool structure_info::*fact) {
  std::vector<std::string_view> names;
  for (auto const& [info, resolve] : registry())
    if (info.*fact) names.push_back(info.name);
  return listed(names);
}

namespace {

/// Usual words for structures, and the specs that they mean.
constexpr std::string_view aliases[][2] = {{"sorted", "AO+BS"}, {"btree", "B+(16)"}, {"hash", "HT(open)"}};

/// @return the spec that begins with an alias, with the spec that it means in its place
std::optional<std::string> without_alias(spec const& s) {
  for (auto const& [alias, stands_for] : aliases) {
    if (!same_word(s.structure(), alias)) continue;
    std::string text(stands_for);
    std::string rest = s.text().substr(alias.size());
    if (rest.starts_with('(') && text.ends_with(')')) {  // further arguments
      text.back() = ',';
      rest.erase(0, 1);
    }
    return text + rest;
  }
  return {};
}

}  // namespace

spec canonical(spec const& s) {
  return run_call("canonical", [&] {
    if (auto const text = without_alias(s)) return spec(*text);
    std::string_view const name = s.structure();
    std::vector<std::string_view> known;
    std::size_t agreed = 0;  // the caret goes where the name departs from the known ones
    for (auto const& [info, resolve] : registry()) {
      std::string_view const candidate = info.name;
      if (name == candidate) return s;
      if (same_word(name, candidate)) return spec(info.name + s.text().substr(name.size()));
      if (!known.empty() && known.back() == candidate) continue;  // records of the same name are adjacent
      known.push_back(candidate);
      std::size_t i = 0;
      while (i < std::min(name.size(), candidate.size()) && lower(name[i]) == lower(candidate[i])) ++i;
      agreed = std::max(agreed, i);
    }
    s.fail(std::min(agreed, name.size() - 1),
           fmt::format("unknown structure {}{}", in_quotes(name), hint(name, known)));
  });
}

std::unique_ptr<plan> make_plan(spec const& request, index_shape const& shape) {
  if (shape.size >= element_limit)
    throw invalid_argument("an index holds less than 2^48 entries, not " + std::to_string(shape.size));
  spec const s = canonical(request);
  auto const* const argument = s.argument("");
  std::string kinds;
  for (auto const& [info, resolve] : registry()) {
    if (info.name != s.structure()) continue;
    if (info.kind.empty() || (argument != nullptr && same_word(argument->value, info.kind))) {
      expect_taken(s, info, shape.keys);
      if (auto const* const pin = idle_pin(s, info))
        s.fail(pin->position,
               fmt::format("{} has no top levels to copy: it takes pin=none, not pin={}", s.structure(), pin->value));
      auto const* const filter = info.chooses ? nullptr : s.option("filter");
      if (filter != nullptr && !info.ordered)
        s.fail(filter->position, s.structure() + " needs no filter: a search for a key that is not there ends at once");
      auto result = resolve(s, shape);
      if (filter != nullptr) result = with_filter(std::move(result), s, *filter);
      if (result->request.empty()) result->request = s.text();  // otherwise it is the spec that `auto` has chosen
      return result;
    }
    kinds += (kinds.empty() ? "" : " or ") + info.name + "(" + info.kind + ")";
  }
  if (argument == nullptr) s.fail(s.text().size(), s.structure() + " needs its kind: " + kinds);
  s.fail(argument->position, "unknown kind '" + argument->value + "'; expected " + kinds);
}

spec spec_of_file(std::string const& text) {
  spec stored(text);
  for (auto const& [info, resolve] : registry())
    if (info.name == stored.structure())
      if (auto const* const pin = idle_pin(stored, info)) {
        auto rest = text;
        return spec(rest.erase(pin->position - 1, std::string_view("/pin=").size() + pin->value.size()));
      }
  return stored;
}

namespace {

/// @return the text of the spec without one of its arguments
std::string text_without(spec const& s, spec::word const& argument) {
  std::string text = s.structure();
  char before = '(';
  for (auto const& other : s.arguments()) {
    if (other.name == argument.name) continue;
    text += std::exchange(before, ',');
    if (!other.name.empty()) text.append(other.name) += '=';
    text += other.value;
  }
  if (before == ',') text += ')';
  return text.append(s.text(), std::min(s.text().find('/'), s.text().size()));
}

bool resolves_to(plan const& expected, std::string const& text) {
  try {
    return make_plan(text, expected.shape)->spec_text() == expected.spec_text();
  } catch (spec_error const&) {  // the argument cannot be left out
    return false;
  }
}

}  // namespace

std::string asked_for(plan const& resolved) {
  std::string text = resolved.spec_text();
  for (auto const& argument : resolved.resolved.arguments()) {
    if (argument.name.empty()) continue;
    auto shorter = text_without(text, argument);
    if (resolves_to(resolved, shorter)) text = std::move(shorter);
  }
  return text;
}

std::vector<structure_info> structures() {
  return run_call("structures", [] {
    std::vector<structure_info> all;
    for (auto const& record : registry()) all.push_back(record.info);
    return all;
  });
}

}  // namespace warpdex
