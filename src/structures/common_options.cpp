// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/common_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/words.hpp"
#include "batch/research.hpp"
#include "structures/with_layout.hpp"

namespace warpdex {
namespace {

char const* name_of(layout chosen) { return chosen == layout::soa ? "SoA" : chosen == layout::aos ? "AoS" : "packed"; }

/// @return whether pairs are to be in host memory if the structure is on a device. A CPU keeps the wish, for files.
bool read_pairs_on_host(spec const& s, spec::word const& word, index_shape const& shape) {
  bool const on_host = same_word(word.value, "host");
  if (!on_host && !same_word(word.value, "device"))
    s.fail(word.position, "unknown place of pairs '" + word.value + "'; expected host or device");
  if (on_host && (shape.keys == key_type::bytes || size_of(shape.keys) > 8))
    s.fail(word.position, "pairs of keys of type " + std::string(to_string(shape.keys)) +
                              " are on the device; those of up to 8 bytes "
                              "can be on the host");
  return on_host;
}

}  // namespace

common_options read_common_options(spec const& s, index_shape const& shape,
                                   std::initializer_list<std::string_view> known) {
  for (auto const& argument : s.arguments())
    if (std::find(known.begin(), known.end(), argument.name) == known.end())
      s.fail(argument.position,
             s.structure() + (known.size() == 0 ? " takes no arguments" : " does not take this argument"));
  auto const takes = [&](std::string_view name) { return std::find(known.begin(), known.end(), name) != known.end(); };
  if (auto const* word = s.option("tracer"); word != nullptr && !takes("/tracer"))
    s.fail(word->position, s.structure() + " traces no rays");
  if (auto const* word = s.option("ranges"); word != nullptr && !takes("/ranges"))
    s.fail(word->position, s.structure() +
                               " finds ranges by their bounds; only RX has a triangle per key, so that rays " +
                               "can collect them");
  common_options options;
  if (auto const* word = s.option("pairs")) {
    if (!takes("/pairs"))
      s.fail(word->position, s.structure() +
                                 " keeps its pairs where its other arrays are; structures in key order can "
                                 "have them in host memory");
    options.pairs_on_host = read_pairs_on_host(s, *word, shape);
  }
  if (auto const* word = s.option("layout")) {
    if (same_word(word->value, "SoA")) options.layout = layout::soa;
    else if (same_word(word->value, "AoS")) options.layout = layout::aos;
    else if (same_word(word->value, "packed")) options.layout = layout::packed;
    else s.fail(word->position, "unknown layout '" + word->value + "'; expected SoA, AoS or packed");
  }
  // Pairs of equal widths have no padding, so packed and aligned pairs are the same bytes.
  if (options.layout == layout::packed && size_of(shape.keys) == size_of(shape.rows)) options.layout = layout::aos;
  return options;
}

policy read_policy_of_groups(spec const& s, index_shape const& shape, int usual) {
  policy const chosen = read_policy(s, {2, 4, 8, 16, 32});
  if (!research::lanes && chosen.lanes > 1 && chosen.lanes != usual)
    throw spec_error(fmt::format("{} needs groups of {} lanes, which a build has with -DWARPDEX_RESEARCH=lanes",
                                 s.text(), chosen.lanes));
  std::size_t const keys = size_of(shape.keys);
  std::size_t const rows = size_of(shape.rows);
  if (chosen.lanes > 1 && chosen.lanes != usual && (keys != 4 || rows != 4))
    s.fail(
        s.option("lanes")->position,
        fmt::format("groups of {} lanes take keys and rows of 4 bytes; with keys of {} and rows of {} bytes {} runs a "
                    "probe on 1 lane{}",
                    chosen.lanes, keys, rows, s.structure(), usual == 1 ? "" : fmt::format(" or {}", usual)));
  if (chosen.lanes > 1 && chosen.lanes != usual && chosen.runs_in_blocks())
    s.fail(
        s.option("lanes")->position,
        fmt::format("{} runs groups of {} lanes in the order of the batch, one probe each: they exclude pin, probes, "
                    "schedule=static, reorder=block and block+restore",
                    s.structure(), chosen.lanes));
  return chosen;
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

void expect_compiled(spec const& resolved, index_shape const& shape, common_options const& options,
                     compiled_forms const& forms, view_traits const& traits) {
  auto const expect = [&](bool compiled, char const* what, char const* with) {
    if (!compiled)
      throw spec_error(
          fmt::format("{} needs {}, which a build has with -DWARPDEX_RESEARCH={}", resolved.text(), what, with));
  };
  bool const is_packed = options.layout == layout::packed;
  expect(compiles(options.layout, shape.rows, forms), is_packed ? "packed pairs" : "pairs in one array",
         is_packed ? "packed" : "aos");
  expect(blocks_are_compiled(options.run, traits.pinnable), "work of blocks", "block");
  if (traits.ranked && shape.size >= wide_from && !(forms.wide_positions && options.layout == layout::soa))
    throw spec_error(
        fmt::format("{} takes fewer than 2^32 - 1 entries, not {}; AO+BS takes more", resolved.text(), shape.size));
}

std::vector<spec::word> option_words(common_options const& options, index_shape const& shape) {
  std::vector<spec::word> words = {{"layout", name_of(options.layout)}, {"rows", std::string(to_string(shape.rows))}};
  if (options.pairs_on_host) words.push_back({"pairs", "host"});
  for (auto& word : policy_words(options.run)) words.push_back(std::move(word));
  return words;
}

}  // namespace warpdex
