// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/sharded.hpp>

#include <warpdex/current_device.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "base/api_border.hpp"
#include "clients/sharded/exchange.hpp"
#include "clients/sharded/tuning.hpp"

namespace warpdex {
namespace {

/// @return whether all arrays of a lookup are on the host: then each device takes its piece of them over its own link,
/// whatever the device of the call
bool are_on_host(key_ranges const& probes, std::initializer_list<lookup_output> outputs) {
  auto const is_there = [](void const* array) { return array == nullptr || !device_of(array).has_value(); };
  for (auto const* bound : {&probes.lower, &probes.upper}) {
    nullable_column const c = bound->value_or(column());
    for (void const* array : {c.data, c.strings.offsets, static_cast<void const*>(c.validity)})
      if (!is_there(array)) return false;
  }
  return std::all_of(outputs.begin(), outputs.end(), [&](lookup_output const& to) { return is_there(to.data); });
}

}  // namespace

sharded_parts const& parts_of(sharded_index const& from, char const* call) { return from.built(call); }

sharded_index::sharded_index(std::unique_ptr<sharded_parts> parts) : parts_(std::move(parts)) {}
sharded_index::sharded_index(sharded_index&&) noexcept = default;
sharded_index& sharded_index::operator=(sharded_index&&) noexcept = default;

/// Shards are freed where they are.
sharded_index::~sharded_index() = default;

sharded_parts& sharded_index::built(char const* call) const {
  if (parts_ == nullptr)
    run_call(call, [&] { throw invalid_argument(std::string(call) + ": the index was moved from"); });
  return *parts_;
}

std::uint64_t sharded_index::size() const { return built("size").before.back(); }
warpdex::key_type sharded_index::key_type() const { return built("key_type").like().shape().keys; }
warpdex::row_type sharded_index::row_type() const { return built("row_type").like().shape().rows; }
std::string const& sharded_index::spec_text() const { return built("spec_text").like().spec_text(); }
bool sharded_index::ordered() const { return built("ordered").like().ordered(); }
placement sharded_index::how() const { return built("how").how; }

memory_usage sharded_index::memory() const {
  memory_usage all;
  for (shard_info const& shard : shards()) {
    all.pairs += shard.memory.pairs;
    all.auxiliary += shard.memory.auxiliary;
    all.remote = all.remote || shard.memory.remote;
  }
  return all;
}

std::vector<shard_info> sharded_index::shards() const {
  sharded_parts const& parts = built("shards");
  return run_call("shards", [&] {
    std::vector<shard_info> found;
    for (std::size_t i = 0; i < parts.shards.size(); ++i)
      found.push_back({parts.place_of(i).device, parts.shards[i].entries.size(), parts.shards[i].entries.memory()});
    return found;
  });
}

std::string sharded_index::explain() const {
  sharded_parts const& parts = built("explain");
  return run_call("explain", [&] {
    std::string text = fmt::format("{} over {} place{}: {}", to_string(parts.how), parts.places.size(),
                                   parts.places.size() == 1 ? "" : "s", parts.why);
    std::size_t number = 0;
    for (shard_info const& shard : shards())
      text += fmt::format("\nshard {} on {}: {} entries, {} bytes, {}", number, name_of_device(shard.device),
                          shard.entries, shard.memory.total(), parts.shards[number].entries.spec_text()),
          ++number;
    return text;
  });
}

void sharded_index::verify(execution const&) const {
  sharded_parts const& parts = built("verify");
  run_call("verify", [&] {
    for_shards(parts, numbers_below(parts.shards.size()),
               [&](std::size_t i) { parts.shards[i].entries.verify(parts.place_of(i).exec); });
  });
}

void sharded_index::look_up(lookup const& what, key_ranges const& probes, std::initializer_list<lookup_output> outputs,
                            execution const& exec) const {
  sharded_parts const& parts = built(what.name);
  run_call(what.name, [&] {
    bool const from_host = device_of_call(exec) >= 0 && are_on_host(probes, outputs);
    run_lookup(sharded_batches(parts), what, probes, {outputs.begin(), outputs.size()},
               from_host ? execution(host_memory(), {}, exec.threads) : exec);
  });
}

void sharded_index::look_up_spread(lookup const& what, std::span<key_ranges const> probes,
                                   std::span<std::vector<lookup_output> const> outputs) const {
  sharded_parts const& parts = built(what.name);
  run_call(what.name, [&] {
    for (auto const& [pieces, kind] : {std::pair(probes.size(), "probes"), std::pair(outputs.size(), "outputs")})
      if (pieces != parts.places.size())
        throw invalid_argument(
            fmt::format("{}: {} pieces of {} for {} places", what.name, pieces, kind, parts.places.size()));
    bool const few = std::all_of(probes.begin(), probes.end(),
                                 [](key_ranges const& piece) { return piece.size() <= tuning::probes_of_one_thread; });
    auto const at_each = [&](bool by_threads, auto const& work) {
      at_places(
          parts.places, numbers_below(parts.places.size()),
          [&](std::size_t i) {
            name_failures("place", i, parts.places.size(), parts.places[i].device,
                          [&] { work(i, parts.places[i].exec); });
          },
          by_threads);
    };
    std::exception_ptr failure;
    try {
      at_each(!few, [&](std::size_t i, execution const& exec) {
        run_lookup(sharded_batches(parts, true), what, probes[i], outputs[i], exec);
      });
    } catch (...) {
      failure = std::current_exception();
    }
    at_each(false, [](std::size_t, execution const& exec) { backend_of(exec).synchronize(exec); });
    if (failure) std::rethrow_exception(failure);
  });
}

std::uint64_t sharded_index::greatest_row(execution const&) const {
  sharded_parts const& parts = built("greatest_row");
  return run_call("greatest_row", [&] {
    std::vector<std::uint64_t> rows(parts.shards.size());
    for_shards(parts, numbers_below(rows.size()),
               [&](std::size_t i) { rows[i] = parts.shards[i].entries.greatest_row(parts.place_of(i).exec); });
    return *std::max_element(rows.begin(), rows.end());
  });
}

matches sharded_index::list(lookup const& what, key_ranges const& probes, execution const& exec) const {
  sharded_parts const& parts = built(what.name);
  return run_call(what.name, exec, [&] { return run_list(sharded_batches(parts), what, probes, exec); });
}

matches sharded_index::ancestors(nullable_column const& probes, column parents, execution const& exec) const {
  sharded_parts const& parts = built("ancestors");
  return run_call("ancestors", exec, [&] { return run_ancestors(sharded_batches(parts), probes, parents, exec); });
}

matches sharded_index::rows_at(std::span<std::uint64_t const> ranks, execution const& exec) const {
  sharded_parts const& parts = built("rows_at");
  return run_call("rows_at", exec, [&] { return warpdex::rows_at(parts, ranks, exec); });
}

key_list sharded_index::keys_at(std::span<std::uint64_t const> ranks, execution const& exec) const {
  sharded_parts const& parts = built("keys_at");
  return run_call("keys_at", exec, [&] { return warpdex::keys_at(parts, ranks, exec); });
}

}  // namespace warpdex
