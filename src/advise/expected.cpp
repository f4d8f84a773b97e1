// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "advise/expected.hpp"

#include <fmt/format.h>
#include <warpdex/search/eytzinger_order.hpp>
#include <warpdex/search/pivot_tree.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "structures/fanouts.hpp"
#include "structures/learned/learned_choice.hpp"
#include "structures/radix_tree/radix_form.hpp"

namespace warpdex {
namespace {

model_size const* model_with(column_profile const* column, std::uint64_t eps) {
  if (column == nullptr) return nullptr;
  auto const found =
      std::find_if(column->models.begin(), column->models.end(), [eps](auto& m) { return m.eps == eps; });
  return found == column->models.end() ? nullptr : &*found;
}

/// Rates of points in batches of 2^`log2_batch`, in millions per second, from docs/performance.md and
/// docs/performance-learned.md: those of an H200. The CPUs measured there ran other programs too, so their rates would
/// mislead.
struct rates {
  struct entry {
    int log2_keys;
    double millions;
  };

  char const* spec;
  int key_bits;
  int log2_batch;
  bool large;  ///< see `rate_like`
  std::array<entry, 5> measured;
};

constexpr rates known[] = {
    {"AO+BS", 32, 27, true, {{{28, 49710}, {26, 55350}, {24, 55930}, {20, 81430}, {16, 95190}}}},
    {"AO+BS", 64, 27, true, {{{28, 31910}}}},
    {"AO+PB+KS(9)", 32, 27, true, {{{28, 49730}, {26, 55320}, {24, 56110}, {20, 81360}, {16, 95300}}}},
    {"AO+PB+KS(9)", 64, 27, true, {{{28, 31950}}}},
    {"AO+BS", 32, 27, false, {{{28, 3700}, {26, 5840}, {24, 10060}, {20, 30020}, {16, 56930}}}},
    {"AO+BS", 64, 27, false, {{{28, 3110}}}},
    {"EO+KS(5)", 32, 27, false, {{{28, 8400}, {26, 10810}, {24, 16430}, {20, 31920}, {16, 69330}}}},
    {"EO+KS(5)", 64, 27, false, {{{28, 7620}}}},
    {"EO+KS(9)", 32, 27, false, {{{28, 10440}, {26, 13180}, {24, 16560}, {20, 30300}, {16, 45230}}}},
    {"EO+KS(9)", 64, 27, false, {{{28, 8710}}}},
    {"AO+PB+KS(5)", 32, 27, false, {{{28, 8270}, {26, 10610}, {24, 15420}, {20, 30120}, {16, 59420}}}},
    {"AO+PB+KS(5)", 64, 27, false, {{{28, 7480}}}},
    {"AO+PB+KS(9)", 32, 27, false, {{{28, 10280}, {26, 12910}, {24, 18380}, {20, 33020}, {16, 46080}}}},
    {"AO+PB+KS(9)", 64, 27, false, {{{28, 7770}}}},
    {"GRT", 128, 27, true, {{{27, 9600}}}},
    {"GRT", 128, 27, false, {{{27, 9200}}}},
    {"PGM(16)", 32, 26, false, {{{28, 12900}}}},
    {"PGM(32)", 32, 26, false, {{{28, 11400}}}},
    {"PGM(64)", 32, 26, false, {{{28, 9400}}}},
    {"PGM(16)", 64, 26, false, {{{27, 10700}}}},
    {"PGM(64)", 64, 26, false, {{{27, 7400}}}},
    {"RS(eps=16)", 32, 26, false, {{{28, 10300}}}},
    {"RS(eps=32)", 32, 26, false, {{{28, 10800}}}},
    {"RS(eps=64)", 32, 26, false, {{{28, 9200}}}},
    {"RS(eps=16)", 64, 26, false, {{{27, 9600}}}},
    {"RS(eps=64)", 64, 26, false, {{{27, 7300}}}},
    {"AO+BS", 32, 16, false, {{{26, 2777}, {20, 5416}}}},
    {"EO+KS(5)", 32, 16, false, {{{26, 5080}, {20, 5372}}}},
    {"EO+KS(9)", 32, 16, false, {{{26, 6554}, {20, 6302}}}},
    {"AO+PB+KS(5)", 32, 16, false, {{{26, 5507}, {20, 5160}}}},
    {"AO+PB+KS(9)", 32, 16, false, {{{26, 6554}, {20, 6687}}}},
};

/// Launches and chains of loads decide the rate of smaller batches, throughput that of larger ones.
bool batches_are_alike(int log2_measured, std::uint64_t batch) {
  constexpr std::uint64_t smallest = 1 << 14, enough = 1 << 18;
  return log2_measured < 18 ? batch >= smallest && batch < enough : batch >= enough;
}

/// @return bytes of the nodes and bits of GRT over evenly distributed keys. A node at depth d has all keys with the
/// same d bytes, whose number is taken to have a Poisson distribution
std::uint64_t even_tree_bytes(std::uint64_t size, std::uint64_t key, std::uint64_t leaf) {
  auto const more_than_leaf = [leaf](double mean) {
    double term = std::exp(-mean), fewer = term;
    for (std::uint64_t k = 1; k <= leaf; ++k) fewer += term *= mean / static_cast<double>(k);
    return mean > 700 ? 1 : 1 - fewer;
  };
  double nodes = 0;
  double entries = static_cast<double>(size);
  for (double level = 1; entries > 1 && size > leaf; level *= 256, entries /= 256) {
    double const children = 256 * (1 - std::exp(-entries / 256));
    radix_form const form{static_cast<std::uint32_t>(std::lround(children)), more_than_leaf(entries / 256) > 0.01,
                          false, false};
    auto const sectors = radix_layout::sectors(form.kind(), static_cast<std::uint64_t>(entries), form.linked);
    nodes += level * more_than_leaf(entries) * sectors * radix_layout::sector;
  }
  return static_cast<std::uint64_t>(nodes) + (key > 4 ? size : 0);
}

}  // namespace

std::optional<memory_usage> expected_memory(spec const& resolved, index_shape const& shape,
                                            column_profile const* column) {
  std::uint64_t const key = size_of(shape.keys);
  std::uint64_t const pair = key + size_of(shape.rows);
  memory_usage plain{shape.size * pair, 0};
  auto const& name = resolved.structure();
  if (name == "AO+BS") return plain;
  if (name == "EO+KS") {
    auto const fanout = static_cast<std::uint64_t>(read_fanout(resolved));
    plain.pairs = (eytzinger_slots(fanout, shape.size) + eytzinger_lead(fanout)) * pair;
    return plain;
  }
  if (name == "AO+PB+KS") {
    auto const fanout = static_cast<unsigned>(read_fanout(resolved));
    auto const stored = static_cast<int>(resolved.number(*resolved.argument("levels"), 0, 64));
    pivot_levels<std::uint64_t> const levels(fanout, shape.size, stored);
    plain.auxiliary = levels.pivots_of(levels.stored_levels, fanout) * key;
    return plain;
  }
  if (name == "GRT" && shape.keys != key_type::bytes) {
    plain.auxiliary = even_tree_bytes(shape.size, key, resolved.number(*resolved.argument("leaf"), 1, 256));
    return plain;
  }
  bool const is_pgm = name == "PGM";
  if (!is_pgm && name != "RS") return std::nullopt;
  auto const* const model = model_with(column, read_eps(resolved, "eps", 0, 0));
  if (model == nullptr) return std::nullopt;
  plain.auxiliary = is_pgm ? model->pgm_bytes : model->spline_bytes;
  return plain;
}

std::optional<measured_rate> rate_like(std::string const& chosen, index_shape const& shape, std::uint64_t batch,
                                       bool large) {
  if (shape.backend == backend_kind::cpu || shape.keys == key_type::bytes) return std::nullopt;
  double const size = std::log2(static_cast<double>(std::max<std::uint64_t>(shape.size, 1)));
  rates const* of = nullptr;
  rates::entry best{};
  double nearest = 2;
  for (auto const& r : known) {
    if (chosen != r.spec || r.key_bits != static_cast<int>(8 * size_of(shape.keys)) || r.large != large ||
        !batches_are_alike(r.log2_batch, batch))
      continue;
    for (auto const& e : r.measured) {
      double const away = std::abs(size - e.log2_keys);
      if (e.millions == 0 || away > nearest) continue;
      of = &r;
      best = e;
      nearest = away;
    }
  }
  if (of == nullptr) return std::nullopt;
  return measured_rate{best.millions * 1e6,
                       fmt::format("NVIDIA H200, 2^{} keys of {} bits, batches of 2^{} points{}", best.log2_keys,
                                   of->key_bits, of->log2_batch, large ? "" : ", no windows")};
}

}  // namespace warpdex
