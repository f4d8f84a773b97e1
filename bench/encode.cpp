// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/encode.hpp"

#include "bench/data.hpp"
#include "bench/parallel.hpp"
#include "bench/placed_strings.hpp"
#include "bench/strings.hpp"

#include <warpdex/error.hpp>
#include <warpdex/key_encoder.hpp>

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpdex::bench {
namespace {

constexpr std::size_t text_bytes = 8;
constexpr std::size_t key_bytes = sizeof(std::int32_t) + text_bytes;

/// The fields of tuples whose keys are known: they are the strings of `--keys tuples`.
struct tuple_columns {
  array<std::int32_t> days;
  array<std::string_view> texts;

  explicit tuple_columns(std::span<std::string_view const> keys) : days(keys.size()), texts(keys.size()) {
    parallel_chunks(keys.size(), [&](std::uint64_t begin, std::uint64_t end) {
      for (auto i = begin; i < end; ++i) {
        std::uint32_t day = 0;
        for (std::size_t b = 0; b < sizeof day; ++b) day = day << 8 | static_cast<unsigned char>(keys[i][b]);
        days[i] = static_cast<std::int32_t>(day ^ 0x80000000u);
        texts[i] = keys[i].substr(sizeof day);
      }
    });
  }
};

/// A list of strings on the host.
class fetched_strings {
 public:
  fetched_strings(key_list const& list, execution const& exec) : bytes_(list.bytes), offsets_(list.size + 1) {
    warpdex::copy(bytes_.data(), list.keys.data(), list.bytes, exec);
    warpdex::copy(offsets_.data(), list.offsets.data(), (list.size + 1) * sizeof(std::uint64_t), exec);
  }
  std::string_view operator[](std::uint64_t i) const {
    return {bytes_.data() + offsets_[i], bytes_.data() + offsets_[i + 1]};
  }

 private:
  array<char> bytes_;
  array<std::uint64_t> offsets_;
};

void expect_strings(char const* call, key_list const& got, std::span<std::string_view const> wanted,
                    execution const& exec) {
  if (got.size != wanted.size()) throw error(fmt::format("{}: {} strings of {}", call, got.size, wanted.size()));
  fetched_strings const strings(got, exec);
  for (std::uint64_t i = 0; i < wanted.size(); ++i)
    if (strings[i] != wanted[i]) throw error(fmt::format("{}: string {} is wrong", call, i));
}

void expect_days(key_list const& got, std::span<std::int32_t const> wanted, execution const& exec) {
  array<std::int32_t> days(got.size);
  warpdex::copy(days.data(), got.keys.data(), got.size * sizeof(std::int32_t), exec);
  if (got.size != wanted.size() || std::memcmp(days.data(), wanted.data(), wanted.size_bytes()) != 0)
    throw error("decode: days are wrong");
}

/// Runs once to warm up, then `repeat` times. @param run returns what `check` looks at, after the clock stopped
template <class Run, class Check>
seconds time_of(int repeat, execution const& exec, Run const& run, Check const& check) {
  auto const clock = make_timer(exec);
  std::vector<double> runs;
  for (int r = -1; r < repeat; ++r) {
    clock->start();
    auto const encoded = run();
    double const time = clock->stop();
    check(encoded);
    if (r >= 0) runs.push_back(time);
  }
  return seconds::of(std::move(runs));
}

}  // namespace

void run_encode(config const& c, cli_context const& context, report& out) {
  auto const set = key_set<std::string_view>::generate(string_shape::tuples, c.n, c.seed, 0);
  auto const keys = set.keys();
  tuple_columns const columns(keys);
  execution const exec = make_execution(c.backend, 0);
  placed<std::int32_t> const days(columns.days.all(), exec);
  placed<std::string_view> const texts(columns.texts.all(), exec);
  std::array<nullable_column, 2> const fields = {column(std::span(days.data(), days.size())), texts.keys()};
  key_encoder const encoder({{.type = key_type::i32}, {.type = key_type::bytes}});
  // Both ways read one side and write the other.
  std::uint64_t const moved = days.bytes() + texts.bytes() + c.n * key_bytes + (c.n + 1) * sizeof(std::uint64_t);

  if (c.baselines != baseline_choice::none) {
    buffer const from(moved / 2, exec);
    buffer const to(moved / 2, exec);
    auto const time = time_of(
        c.repeat, exec, [&] { return warpdex::copy(to.data(), from.data(), from.bytes(), exec), 0; }, [](int) {});
    out.add({"a copy that moves as many bytes", on_gpu(exec) ? 0 : 1, time, c.n, 0, 2 * from.bytes()});
  }
  for (int const threads : on_gpu(exec) ? std::vector<int>{0} : c.threads) {
    execution with_threads = exec;
    with_threads.threads = threads;
    key_list encoded;
    auto const add = [&](char const* op, seconds const& time) {
      record line;
      line["name"] = op;
      line["threads"] = on_gpu(exec) ? record(nullptr) : record(threads);
      put_time(line, time);
      double const rate = rate_of(c.n, time.median);
      line["rate"] = rate;
      line["moved_bytes"] = moved;
      line["byte_rate"] = rate_of(moved, time.median);
      out.add_index(std::move(line), rate);
    };
    {
      progress const shown(context, "encode");
      add("encode", time_of(
                        c.repeat, with_threads, [&] { return encoder.encode(fields, with_threads); },
                        [&](key_list const& result) { expect_strings("encode", result, keys, with_threads); }));
      encoded = encoder.encode(fields, with_threads);
    }
    progress const shown(context, "decode");
    add("decode", time_of(
                      c.repeat, with_threads, [&] { return encoder.decode(encoded, with_threads); },
                      [&](std::vector<decoded_column> const& decoded) {
                        expect_days(decoded[0].values, columns.days.all(), with_threads);
                        expect_strings("decode", decoded[1].values, columns.texts.all(), with_threads);
                      }));
  }
}

}  // namespace warpdex::bench
