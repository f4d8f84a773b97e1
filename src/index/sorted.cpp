// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "index/sorted.hpp"

#include <warpdex/search/common.hpp>
#include <warpdex/sorted.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "backend/cpu/parallel.hpp"
#include "backend/cpu/tuning.hpp"
#include "backend/cpu/walk.hpp"
#include "base/api_border.hpp"
#include "index/sorted_steps.hpp"
#include "request/expect.hpp"
#include "request/staging.hpp"

namespace warpdex {
namespace {

constexpr std::uint64_t flight = cpu::tuning::sorted_flight;

/// Searches `flight` probes at once. All take the same steps: the number of keys that are left is the same.
template <bool Upper, class Keys>
void search_flight(Keys const& keys, typename Keys::code const* probes, std::uint64_t* out) {
  std::array<std::uint64_t, flight> at{};
  auto const passed = [&](std::uint64_t position, typename Keys::code probe) {
    return static_cast<std::uint64_t>(Upper ? !(probe < keys[position]) : keys[position] < probe);
  };
  std::uint64_t left = keys.size();
  while (left > 1) {
    std::uint64_t const half = left / 2;
    left -= half;
    for (std::uint64_t i = 0; i < flight; ++i) {
      at[i] += half * passed(at[i] + half - 1, probes[i]);  // no branch, which would be as good as random
      prefetch(keys.address(at[i] + left / 2));
    }
  }
  for (std::uint64_t i = 0; i < flight; ++i) out[i] = left == 0 ? 0 : at[i] + passed(at[i], probes[i]);
}

/// Searches the probes [begin, end), most of which ascend: walks from the place of each to that of the next one.
template <bool Upper, class Keys>
void walk_some(Keys const& keys, Keys const& probes, std::uint64_t begin, std::uint64_t end, std::uint64_t* out) {
  std::uint64_t at = bound_in(keys, probes[begin], Upper);
  for (std::uint64_t i = begin; i < end; ++i) {
    auto const probe = probes[i];
    if (i != begin && probe < probes[i - 1]) at = bound_in(keys, probe, Upper);
    at = walk(at, keys.size(),
              [&](std::uint64_t position) { return Upper ? !(probe < keys[position]) : keys[position] < probe; });
    store_element(out, i, at);
  }
}

/// Searches the probes [begin, end).
template <bool Upper, class Keys>
void search_some(Keys const& keys, key_type type, column probes, std::uint64_t begin, std::uint64_t end,
                 std::uint64_t* out) {
  using code = typename Keys::code;
  std::array<code, flight> codes{};
  std::array<std::uint64_t, flight> found;
  for (std::uint64_t first = begin; first < end; first += flight) {
    std::uint64_t const count = std::min(flight, end - first);
    if (probes.type == type) {
      Keys const same(probes);
      for (std::uint64_t i = 0; i < count; ++i) codes[i] = same[first + i];
      search_flight<Upper>(keys, codes.data(), found.data());
      std::memcpy(out + first, found.data(), count * sizeof out[0]);
      continue;
    }
    std::array<bool, flight> misses;
    for (std::uint64_t i = 0; i < count; ++i) {
      rounded_key const near =
          round_key(probes.type, detail::load_bytes(probes.data, size_of(probes.type), first + i), type);
      codes[i] = encode(codec_of(type), static_cast<code>(Upper ? near.below : near.above));
      misses[i] = !(Upper ? near.has_below : near.has_above);
    }
    search_flight<Upper>(keys, codes.data(), found.data());
    for (std::uint64_t i = 0; i < count; ++i)
      store_element(out, first + i, !misses[i] ? found[i] : Upper ? std::uint64_t{0} : keys.size());
  }
}

template <bool Upper>
void search_on_host(column const& sorted, column const& probes, std::uint64_t* out, execution const& exec) {
  with_codes(sorted.type, [&]<class Keys>() {
    Keys const keys(sorted);
    if (probes.size == 1 && probes.type == sorted.type)
      return store_element(out, 0, bound_in(keys, Keys(probes)[0], Upper));
    bool walks = probes.type == sorted.type && close_enough_to_walk(sorted.size, probes.size);
    if (walks) {
      Keys const same(probes);
      walks = ascends_in_samples(probes.size, [&](std::uint64_t i) { return same[i + 1] < same[i]; });
    }
    parallel_chunks(exec.threads, probes.size, cpu::tuning::probe_grain, [&](std::uint64_t begin, std::uint64_t end) {
      if (walks) return walk_some<Upper>(keys, Keys(probes), begin, end, out);
      search_some<Upper>(keys, sorted.type, probes, begin, end, out);
    });
  });
}

template <bool Upper>
void search(char const* call, column sorted, column probes, std::span<std::uint64_t> out, execution const& exec) {
  run_call(call, exec, [&] {
    expect_numbers(call, "the sorted column", sorted.type);
    expect_numbers(call, "the probe column", probes.type);
    expect_comparable(call, "the probe column", probes.type, sorted.type);
    expect_size(call, "the output", out.size(), probes.size);
    staging stage(call, exec);
    sorted = stage.input(sorted, "the sorted column");
    if (probes.size == 0) return;
    if (exec.memory->backend() == backend_kind::cpu) {
      stage.input(probes, "the probe column");
      stage.output(out.data(), out.size(), sizeof out[0], "the output");
      return search_on_host<Upper>(sorted, probes, out.data(), exec);
    }
    auto const run_part = [&](void* const* at, std::uint64_t size) {
      with_codes(sorted.type, [&]<class Keys>() {
        sorted_steps::search<Keys> const step{
            Keys(sorted), sorted.type, at[0], probes.type, static_cast<std::uint64_t*>(at[1]), Upper};
        steps::run(step, size, exec);
      });
    };
    stage.run(probes.size,
              {stage.probes(probes, "the probe column"), {out.data(), sizeof out[0], "the output", false, true}}, 0,
              run_part);
  });
}

bool ascends_on_host(column keys, execution const& exec) {
  std::atomic<bool> all = true;
  with_codes(keys.type, [&]<class Keys>() {
    Keys const codes(keys);
    parallel_chunks(exec.threads, keys.size - 1, cpu::tuning::sorted_grain,
                    [&](std::uint64_t begin, std::uint64_t end) {
                      constexpr std::uint64_t block = cpu::tuning::sorted_block;
                      for (std::uint64_t i = begin; i < end && all.load(std::memory_order_relaxed); i += block) {
                        bool descends = false;
                        for (std::uint64_t j = i; j < std::min(i + block, end); ++j)
                          descends |= codes[j + 1] < codes[j];
                        if (descends) all = false;
                      }
                    });
  });
  return all.load();
}

}  // namespace

void expect_numbers(char const* call, char const* what, key_type type) {
  expect_known(call, what, type);
  if (type == key_type::bytes || type == key_type::u128)
    throw unsupported(std::string(call) + ": " + what + " is of type " + std::string(to_string(type)) +
                      "; only numbers of at most 8 bytes are taken");
}

buffer codes_of(column keys, execution const& exec) {
  buffer codes(keys.size * size_of(keys.type), exec);
  steps::run(sorted_steps::encode_key{keys.type, keys.data, codes.data()}, keys.size, exec);
  return codes;
}

bool ascends(column keys, execution const& exec) {
  constexpr char const* call = "ascends";
  return run_call(call, exec, [&] {
    expect_numbers(call, "the column", keys.type);
    staging stage(call, exec);
    keys = stage.input(keys, "the column");
    if (keys.size < 2) return true;
    if (exec.memory->backend() == backend_kind::cpu) return ascends_on_host(keys, exec);
    if (codec_of(keys.type) == key_codec::identity)  // a pass over typed keys, which is twice as fast
      return !backend_of(exec).order_of(keys.data, keys.size, kind_of(keys.type), exec).first_descent;
    return !steps::find_first(sorted_steps::descends{keys.type, keys.data}, keys.size - 1, exec);
  });
}

void lower_bound_in(column sorted, column probes, std::span<std::uint64_t> out, execution const& exec) {
  search<false>("lower_bound_in", sorted, probes, out, exec);
}

void upper_bound_in(column sorted, column probes, std::span<std::uint64_t> out, execution const& exec) {
  search<true>("upper_bound_in", sorted, probes, out, exec);
}

}  // namespace warpdex
