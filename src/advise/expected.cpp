// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "advise/expected.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <warpdex/search/eytzinger_order.hpp>
#include <warpdex/search/pivot_tree.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "advise/shipped_rates.hpp"
#include "base/tuning.hpp"
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

/// One entry of a table of rates.
struct known_rate {
  std::string device;
  std::string spec;
  int key_bits;
  int log2_keys;
  int log2_batch;
  bool windows;  ///< see `rate_like`
  double probes_per_second;
};

/// @return the exponent of a power of two such as 2^28
int exponent_of(std::string const& power) { return std::stoi(power.substr(2)); }

std::vector<known_rate> read_rates() {
  std::vector<known_rate> rates;
  for (auto const text : shipped_rates()) {
    auto const table = nlohmann::json::parse(text);
    for (auto const& entry : table.at("entries"))
      rates.push_back({table.at("device"), entry.at("spec"), entry.at("key_bits"), exponent_of(entry.at("n")),
                       exponent_of(entry.at("batch")), entry.at("windows"), entry.at("rate")});
  }
  return rates;
}

std::vector<known_rate> const& known_rates() {
  static auto const& rates = *new std::vector<known_rate>(read_rates());
  return rates;
}

bool batches_are_alike(int log2_measured, std::uint64_t batch) {
  bool const is_small = batch < tuning::large_batch;
  return is_small == (std::uint64_t{1} << log2_measured < tuning::large_batch) && batch >= tuning::small_batch;
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
  known_rate const* best = nullptr;
  double nearest = 2;
  for (auto const& rate : known_rates()) {
    double const away = std::abs(size - rate.log2_keys);
    if (chosen != rate.spec || rate.key_bits != static_cast<int>(8 * size_of(shape.keys)) || rate.windows != large ||
        !batches_are_alike(rate.log2_batch, batch) || away > nearest)
      continue;
    best = &rate;
    nearest = away;
  }
  if (best == nullptr) return std::nullopt;
  return measured_rate{best->probes_per_second,
                       fmt::format("{}, 2^{} keys of {} bits, batches of 2^{} points{}", best->device, best->log2_keys,
                                   best->key_bits, best->log2_batch, large ? "" : ", no windows")};
}

}  // namespace warpdex
