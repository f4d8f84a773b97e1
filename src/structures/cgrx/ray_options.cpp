// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/cgrx/ray_options.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdlib>

#include "base/words.hpp"

namespace warpdex {
namespace {

constexpr std::array<std::string_view, 2> tracer_names = {"own", "none"};

}  // namespace

std::size_t read_word(spec const& s, spec::word const* given, std::span<std::string_view const> words) {
  if (given == nullptr) return 0;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (same_word(given->value, words[i])) return i;
  s.fail(given->position, fmt::format("unknown {} '{}'{}", given->name, given->value, hint(given->value, words)));
}

tracer_kind read_tracer(spec const& s) {
  if (auto const* const word = s.option("tracer")) return static_cast<tracer_kind>(read_word(s, word, tracer_names));
  char const* const name = std::getenv("WARPDEX_TRACER");
  if (name == nullptr || *name == '\0') return tracer_kind::own;
  for (std::size_t i = 0; i < tracer_names.size(); ++i)
    if (same_word(name, tracer_names[i])) return static_cast<tracer_kind>(i);
  throw spec_error(fmt::format("WARPDEX_TRACER is '{}'{}", name, hint(name, tracer_names)));
}

int read_power_of_two(spec const& s, spec::word const& word, std::uint64_t lowest, std::uint64_t highest) {
  std::uint64_t const value = s.number(word, lowest, highest);
  if (!std::has_single_bit(value))
    s.fail(word.position,
           fmt::format("{} is {}; expected a power of two from {} to {}", word.name, value, lowest, highest));
  return std::countr_zero(value);
}

}  // namespace warpdex
