// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// Merges and as-of joins on a device: of two sorted columns; over one index, with random and with sorted probes; and in
// groups whose sides are both sorted by time. Answers, or a part of them, are checked against those of the host.
//
//   nvcc -O2 -std=c++20 -arch=native scripts/merge-time.cu -lwarpdex -o merge-time && ./merge-time
#include <warpdex/index.hpp>
#include <warpdex/join.hpp>
#include <warpdex/sorted.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

namespace {

using namespace warpdex;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

u64 mixed(u64 x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdull;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ull;
  return x ^ x >> 33;
}

template <class T> buffer on_device(std::vector<T> const& host, execution const& exec) {
  buffer made(host.size() * sizeof(T), exec);
  copy(made.data(), host.data(), made.bytes(), exec);
  return made;
}

/// @return the median time of a call on the device in milliseconds
double median_ms(execution const& exec, std::function<void()> const& call) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  call();
  std::vector<float> times(5);
  for (float& time : times) {
    cudaEventRecord(begin, exec.stream.get());
    call();
    cudaEventRecord(end, exec.stream.get());
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&time, begin, end);
  }
  std::nth_element(times.begin(), times.begin() + 2, times.end());
  return times[2];
}

/// Joins of two sorted columns; half of the left values are on the right.
template <class Key> void two_columns(execution const& exec, u64 n, u64 count) {
  constexpr key_type type = sizeof(Key) == 4 ? key_type::u32 : key_type::u64;
  std::vector<Key> keys(n), probes(count);
  u64 const gap = (u64{1} << 32) / n;
  for (u64 i = 0; i < n; ++i) keys[i] = static_cast<Key>(i * gap + mixed(i) % (gap / 2));
  for (u64 i = 0; i < count; ++i) {
    u64 const place = i * (n / count);
    probes[i] = keys[place] + (i % 2 == 0 ? 0 : static_cast<Key>(gap / 2));
  }
  buffer const right = on_device(keys, exec), left = on_device(probes, exec), rows(count * sizeof(u32), exec);
  column const rights(right.data(), n, type), lefts(left.data(), count, type);
  double const read = static_cast<double>((n + count) * sizeof(Key));
  auto const show = [&](char const* what, double ms, double written, bool right_answer) {
    std::printf("%zu bytes per key, %-26s %8.3f ms %6.1f G/s, %.2f TB/s, %s\n", sizeof(Key), what, ms,
                static_cast<double>(count) / ms / 1e6, (read + written) / ms / 1e9, right_answer ? "right" : "WRONG");
  };
  auto const time = [&](char const* what, auto const& join, join_kind kind, double bytes_per_pair, u64 expected) {
    u64 pairs = 0;
    double const ms = median_ms(exec, [&] {
      pairs = join(
          lefts, rights, kind, [](join_batch const&) {}, exec, join_options{});
    });
    show(what, ms, bytes_per_pair * static_cast<double>(expected), pairs == expected);
  };
  auto const merged = [](auto const&... all) { return merge_join(all...); };
  auto const hashed = [](auto const&... all) { return hash_join(all...); };
  auto const either = [](auto const&... all) { return join(all...); };
  time("merge_join inner", merged, join_kind::inner, 8, count / 2);
  time("merge_join left", merged, join_kind::left, 8, count);
  time("merge_join semi", merged, join_kind::semi, 4, count / 2);
  time("merge_join anti", merged, join_kind::anti, 4, count / 2);
  time("merge_join full", merged, join_kind::full, 8, count + n - count / 2);
  time("join of columns, inner", either, join_kind::inner, 8, count / 2);
  time("hash_join inner", hashed, join_kind::inner, 8, count / 2);
  auto const asof = [&](char const* what, asof_options const& options) {
    double const ms = median_ms(exec, [&] {
      asof_merge(lefts, rights, {rows.data(), count, row_type::u32}, exec, options);
    });
    std::vector<u32> found(count);
    copy(found.data(), rows.data(), rows.bytes(), exec);
    u64 wrong = 0;  // of both directions: the key of an odd value is half a gap and more away from the next one
    for (u64 i = 0; i < count; ++i) {
      u64 const place = i * (n / count);
      u64 const above = place + 1 < n ? keys[place + 1] - probes[i] : ~u64{0};
      bool const later = options.direction == asof_direction::nearest && above < probes[i] - keys[place];
      wrong += found[i] != static_cast<u32>(later ? place + 1 : place);
    }
    show(what, ms, 4.0 * static_cast<double>(count), wrong == 0);
  };
  asof("asof_merge", {});
  asof("asof_merge nearest", {.direction = asof_direction::nearest});
  double const checked = median_ms(exec, [&] { ascends(rights, exec); });
  std::printf("%zu bytes per key, ascends %.3f ms\n", sizeof(Key), checked);
}

void one_index(execution const& exec, u64 n, u64 count) {
  std::vector<u32> keys(n), probes(count);
  for (u64 i = 0; i < n; ++i) keys[i] = static_cast<u32>(i * ((u64{1} << 32) / n) + mixed(i) % ((u64{1} << 32) / n));
  for (u64 i = 0; i < count; ++i) probes[i] = static_cast<u32>(mixed(i + 99));
  buffer const right = on_device(keys, exec);
  warpdex::index const built = warpdex::index::build("AO+BS", {right.data(), n, key_type::u32}, exec);
  buffer const rows(count * sizeof(u32), exec);
  for (bool const sorted : {false, true}) {
    if (sorted) std::sort(probes.begin(), probes.end());
    buffer const left = on_device(probes, exec);
    column const asked(left.data(), count, key_type::u32);
    auto const time = [&](char const* what, asof_options const& options) {
      double const ms = median_ms(exec, [&] {
        asof_join(built, asked, {rows.data(), count, row_type::u32}, exec, options);
      });
      std::vector<u32> found(count);
      copy(found.data(), rows.data(), rows.bytes(), exec);
      u64 wrong = 0;
      for (u64 i = 0; i < count; i += 1009) {
        auto const above = static_cast<u64>(std::lower_bound(keys.begin(), keys.end(), probes[i]) - keys.begin());
        bool const equal = above < n && keys[above] == probes[i];
        u32 expected = ~u32{0};
        u64 const limit = options.tolerance ? static_cast<u64>(std::get<std::int64_t>(*options.tolerance)) : ~u64{0};
        bool const nearest = options.direction == asof_direction::nearest;
        u64 const below_distance = above == 0 ? ~u64{0} : probes[i] - keys[above - 1];
        u64 const above_distance = above == n || !nearest ? ~u64{0} : keys[above] - probes[i];
        if (equal) expected = static_cast<u32>(above);
        else if (std::min(below_distance, above_distance) <= limit &&
                 std::min(below_distance, above_distance) != ~u64{0})
          expected = static_cast<u32>(below_distance <= above_distance ? above - 1 : above);
        wrong += found[i] != expected;
      }
      std::printf("%s probes, %-10s %7.3f ms %6.1f G/s, wrong %llu\n", sorted ? "sorted" : "random", what, ms,
                  static_cast<double>(count) / ms / 1e6, static_cast<unsigned long long>(wrong));
    };
    time("backward", {});
    time("tolerance", {.tolerance = std::int64_t{8}});
    time("nearest", {.direction = asof_direction::nearest});
  }
}

void in_groups(execution const& exec, u64 quotes, u64 trades, u32 groups) {
  auto const times = [](u64 n, u64 seed) {
    std::vector<u64> made(n);
    u64 const gap = (u64{1} << 36) / n;
    for (u64 i = 0; i < n; ++i) made[i] = i * gap + mixed(i + seed) % gap;
    return made;
  };
  auto const group_of = [groups](u64 n, u64 seed) {
    std::vector<u32> made(n);
    for (u64 i = 0; i < n; ++i) made[i] = static_cast<u32>(mixed(i ^ seed) % groups);
    return made;
  };
  auto const right_times = times(quotes, 1), left_times = times(trades, 2);
  auto const right_groups = group_of(quotes, 3), left_groups = group_of(trades, 4);
  buffer const rt = on_device(right_times, exec), lt = on_device(left_times, exec);
  buffer const rg = on_device(right_groups, exec), lg = on_device(left_groups, exec);
  buffer const rows(trades * sizeof(u32), exec);
  column const right_group(rg.data(), quotes, key_type::u32), right_time(rt.data(), quotes, key_type::u64);
  column const left_group(lg.data(), trades, key_type::u32), left_time(lt.data(), trades, key_type::u64);
  std::printf("%u groups, build %7.3f ms\n", groups,
              median_ms(exec, [&] { grouped_index::build("AO+BS", right_group, right_time, exec); }));
  grouped_index const built = grouped_index::build("AO+BS", right_group, right_time, exec);
  auto const time = [&](char const* what, asof_options const& options) {
    double const ms = median_ms(exec, [&] {
      asof_join(built, left_group, left_time, {rows.data(), trades, row_type::u32}, exec, options);
    });
    std::vector<u32> found(trades);
    copy(found.data(), rows.data(), rows.bytes(), exec);
    u64 wrong = 0;
    for (u64 i = 0; i < trades; i += 100003) {
      auto const at = static_cast<u64>(std::upper_bound(right_times.begin(), right_times.end(), left_times[i]) -
                                       right_times.begin());
      u64 below = at, above = at;
      while (below != 0 && right_groups[below - 1] != left_groups[i]) --below;
      while (above < quotes && right_groups[above] != left_groups[i]) ++above;
      u64 const below_distance = below == 0 ? ~u64{0} : left_times[i] - right_times[below - 1];
      bool const looks_above = options.direction == asof_direction::nearest && above < quotes;
      u64 const above_distance = looks_above ? right_times[above] - left_times[i] : ~u64{0};
      u64 const limit = options.tolerance ? static_cast<u64>(std::get<std::int64_t>(*options.tolerance)) : ~u64{0} - 1;
      u64 const nearest = std::min(below_distance, above_distance);
      u32 const expected = nearest > limit                    ? ~u32{0}
                           : below_distance <= above_distance ? static_cast<u32>(below - 1)
                                                              : static_cast<u32>(above);
      wrong += found[i] != expected;
    }
    std::printf("%u groups, %-10s %7.3f ms %6.1f G/s, wrong %llu\n", groups, what, ms,
                static_cast<double>(trades) / ms / 1e6, static_cast<unsigned long long>(wrong));
  };
  time("backward", {});
  time("tolerance", {.tolerance = std::int64_t{1 << 20}});
  time("nearest", {.direction = asof_direction::nearest});
}

}  // namespace

int main(int argc, char** argv) {
  int const smaller = argc > 1 ? std::atoi(argv[1]) : 0;  // powers of two by which all sizes are smaller
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  execution const exec(device_memory(), stream);
  two_columns<u32>(exec, u64{1} << (28 - smaller), u64{1} << (27 - smaller));
  two_columns<u64>(exec, u64{1} << (27 - smaller), u64{1} << (27 - smaller));
  one_index(exec, u64{1} << (28 - smaller), u64{1} << (27 - smaller));
  in_groups(exec, u64{1} << (27 - smaller), u64{1} << (26 - smaller), 5000);
}
