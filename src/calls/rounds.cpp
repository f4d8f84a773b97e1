// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/call.hpp"
#include "calls/expect.hpp"
#include "calls/lookup.hpp"
#include "calls/rounds_backend.hpp"
#include "calls/staging.hpp"

/// @file
/// The calls whose answers take several rounds of lookups.
namespace warpdex {
namespace {

/// @return a string for messages: its first bytes, those that are no printable characters as \\xNN
std::string text_of(byte_key key, backend const& platform, execution const& exec) {
  constexpr std::uint32_t most = 64;
  std::string bytes(std::min(key.size, most), '\0');
  if (!bytes.empty()) platform.copy(bytes.data(), key.data, bytes.size(), exec);
  platform.synchronize(exec);
  std::string text = "'";
  for (unsigned char const byte : bytes)
    text += byte < 0x20 || byte > 0x7e ? fmt::format("\\x{:02x}", byte) : std::string(1, static_cast<char>(byte));
  return text + (key.size > most ? "..." : "'");
}

/// @return a key for messages; dates are days, timestamps microseconds
std::string text_of(key_type type, void const* key, backend const& platform, execution const& exec) {
  std::byte bytes[sizeof(u128)];
  platform.copy(bytes, key, size_of(type), exec);
  platform.synchronize(exec);
  auto const number = [&]<class T>(T value) {
    std::memcpy(&value, bytes, sizeof(value));
    return fmt::format("{}", value);
  };
  switch (type) {
    case key_type::u32: return number(std::uint32_t{});
    case key_type::u64: return number(std::uint64_t{});
    case key_type::i32:
    case key_type::date: return number(std::int32_t{});
    case key_type::i64:
    case key_type::timestamp: return number(std::int64_t{});
    case key_type::f32: return number(float{});
    case key_type::f64: return number(double{});
    case key_type::u128: return number(u128{});
    default: break;
  }
  byte_key string;
  std::memcpy(&string, bytes, sizeof(string));
  return text_of(string, platform, exec);
}

}  // namespace

void fail_trace(structure const& s, trace_request const& asked, std::uint64_t row, void const* key,
                execution const& exec) {
  if (row >= asked.parents_size)
    throw invalid_argument(
        fmt::format("trace: row id {} has no parent; the column of parents has {} keys", row, asked.parents_size));
  // Only keys of the index can be met again, so this one comes from the parents.
  throw invalid_argument(fmt::format("trace: a path does not end; the key {} with row id {} is its own ancestor",
                                     text_of(s.shape().keys, key, backend_of(s.shape().backend), exec), row));
}

void index::match_longest(column probes, row_output rows, std::span<std::uint32_t> lengths,
                          execution const& exec) const {
  constexpr char const* call = "match_longest";
  structure const& s = built(call);
  run_call(call, exec, [&] {
    expect_prefixes(s, call);
    expect_comparable(call, "the probe column", probes.type, key_type::bytes);
    expect_type(call, "the row output", rows.type, s.shape().rows);
    expect_size(call, "the row output", rows.size, probes.size);
    expect_size(call, "the length output", lengths.size(), probes.size);
    staging stage(call, s.shape().backend, s.shape().device, exec);
    if (probes.size == 0) return;
    auto const run_part = [&](void* const* at, std::uint64_t size) {
      s.match_longest(static_cast<byte_key*>(at[0]), size, at[1], static_cast<std::uint32_t*>(at[2]), exec);
    };
    stage.run(probes.size,
              {stage.probes(probes, "the probe column"),
               {rows.data, size_of(rows.type), "the row output", false, true},
               {lengths.data(), sizeof(std::uint32_t), "the length output", false, true}},
              s.efficient_batch(), run_part);
  });
}

matches index::trace(column probes, column parents, execution const& exec) const {
  constexpr char const* call = "trace";
  structure const& s = built(call);
  return run_call(call, exec, [&] {
    index_shape const& shape = s.shape();
    expect_comparable(call, "the probe column", probes.type, shape.keys);
    expect_type(call, "the column of parents", parents.type, shape.keys);
    expect_size(call, "the column of parents", parents.size, shape.size);
    staging arrays(call, shape.backend, shape.device, exec);
    column const from = arrays.input(probes, "the probe column");
    column const to = arrays.input(parents, "the column of parents");
    s.expect_whole();
    return rounds_backend_of(shape.backend)
        .trace(s, {from.data, probes.type, probes.size, to.data, parents.size}, exec);
  });
}

}  // namespace warpdex
