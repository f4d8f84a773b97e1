// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/advise.hpp>
#include <warpdex/device.hpp>
#include <warpdex/index.hpp>
#include <warpdex/sharded.hpp>

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/api_border.hpp"
#include "request/batches.hpp"
#include "structures/structure.hpp"

namespace warpdex {
namespace {

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto count = static_cast<double>(bytes) / 1024;
  for (char const* const unit : {"KiB", "MiB"}) {
    if (count < 1024) return fmt::format("{:.1f} {}", count, unit);
    count /= 1024;
  }
  return fmt::format("{:.1f} GiB", count);
}

/// @return how deep a search goes, for structures whose spec says it; else nothing
std::string levels_text(std::string_view structure, std::uint64_t size) {
  auto const number_after = [&](std::string_view word) {
    std::uint64_t number = 0;
    auto const at = structure.find(word);
    if (at != std::string_view::npos)
      std::from_chars(structure.data() + at + word.size(), structure.data() + structure.size(), number);
    return number;
  };
  if (auto const levels = number_after("levels="); levels != 0)
    return fmt::format("levels: {} of pivots over the keys\n", levels);
  if (structure == "AO+BS" || structure == "EO+BS")
    return fmt::format("levels: {}, one comparison each\n", std::bit_width(size));
  std::uint64_t const fanout = structure.starts_with("EO+KS(")   ? number_after("EO+KS(")
                               : structure.starts_with("EO+GS(") ? number_after("EO+GS(")
                                                                 : 0;
  if (fanout < 2) return {};
  int levels = 1;
  for (std::uint64_t keys = fanout; keys <= size; keys *= fanout) ++levels;
  return fmt::format("levels: {}, nodes of {} keys\n", size == 0 ? 0 : levels, fanout - 1);
}

/// @return options of the spec, and those that the tuning table of its device adds
std::string policy_text(any_index const& of, std::string_view options) {
  auto text = std::string(options);
  if (auto const* const whole = dynamic_cast<index const*>(&of)) {
    index_shape const& shape = structure_of(*whole, "explain").shape();
    if (shape.backend == backend_kind::cuda)
      text += tuned_policy(spec(of.spec_text()), of.key_type(), of.row_type(), of.size(),
                           devices().at(static_cast<std::size_t>(shape.device)).name);
  }
  std::string listed;
  for (char const letter : text.substr(text.starts_with('/') ? 1 : 0))
    listed += letter == '/' ? std::string(", ") : std::string(1, letter);
  return listed;
}

std::string times_text(build_times const& of) {
  std::string text;
  for (auto const& [name, seconds] :
       std::array{std::pair("prepare", of.prepare), std::pair("sort", of.sort), std::pair("layout", of.layout)})
    text += fmt::format("{}{} {:.3g} ms", text.empty() ? "" : ", ", name, seconds * 1e3);
  return of.prepare + of.sort + of.layout == 0 ? std::string() : "built in: " + text + "\n";
}

/// @return whether an index is on a device, as all shards are or none
bool is_on_device(any_index const& of) {
  if (auto const* const whole = dynamic_cast<index const*>(&of))
    return structure_of(*whole, "explain").shape().backend == backend_kind::cuda;
  auto const shards = dynamic_cast<sharded_index const&>(of).shards();
  return !shards.empty() && shards.front().device >= 0;
}

std::string advice_text(any_index const& of, std::uint64_t batch) {
  workload want;
  want.points = true;
  want.ranges = of.ordered() && of.key_type() != key_type::bytes;
  want.batch = batch;
  auto const found =
      advise(want, of.key_type(), row_type::u32, of.size(), is_on_device(of) ? backend_kind::cuda : backend_kind::cpu);
  std::string text = fmt::format("for batches of {} probes advice is {}:", batch, found.spec);
  for (std::string const& reason : found.reasons) text += "\n  - " + reason;
  return text;
}

}  // namespace

std::string explain(any_index const& of, std::uint64_t batch) {
  return run_call("explain", [&] {
    std::string_view const resolved = of.spec_text();
    auto const structure = resolved.substr(0, resolved.find('/'));
    memory_usage const memory = of.memory();
    std::string text = fmt::format("{} over {} keys of type {}, row ids of {} bits\nresolved spec: {}\n", structure,
                                   of.size(), to_string(of.key_type()), 8 * size_of(of.row_type()), resolved);
    text += "policy: " + policy_text(of, resolved.substr(structure.size())) + "\n" + levels_text(structure, of.size());
    text +=
        fmt::format("bytes: {} for keys and row ids, {} besides", size_text(memory.pairs), size_text(memory.auxiliary));
    if (of.size() != 0)
      text += fmt::format("; {:.2f} per key", static_cast<double>(memory.total()) / static_cast<double>(of.size()));
    text += "\n";
    if (auto const* const whole = dynamic_cast<index const*>(&of)) text += times_text(whole->times());
    text += of.ordered() ? "order: bounds, floor, ceil, ranges and as-of joins work\n"
                         : "order: none, so only equal keys are found\n";
    if (auto const* const shards = dynamic_cast<sharded_index const*>(&of)) text += shards->explain() + "\n";
    return text + advice_text(of, batch);
  });
}

}  // namespace warpdex
