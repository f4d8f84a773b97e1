// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/advise.hpp>
#include <warpdex/error.hpp>
#include <warpdex/search/sorted_array.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "advise/bucket_cost.hpp"
#include "advise/expected.hpp"
#include "backend/cuda/search/route.hpp"
#include "backend/cuda/tuning.hpp"
#include "base/api_border.hpp"
#include "base/tuning.hpp"
#include "base/words.hpp"
#include "batch/tuning_table.hpp"
#include "request/expect.hpp"
#include "structures/fanouts.hpp"
#include "structures/learned/learned_choice.hpp"
#include "structures/with_layout.hpp"

/// @file
/// Recommends a structure for a workload, with reasons. The reasons quote figures of the column, but of
/// measurements at most a ratio, because a new measurement may change these; they are in docs/performance/index.md.
namespace warpdex {
namespace {

constexpr std::string_view words[] = {"points", "ranges", "order", "least_memory", "rebuilds", "rays"};
constexpr std::string_view names[] = {"batch", "hits"};

/// @return the number in an argument such as `65536` or `2^16`
std::uint64_t read_count(spec const& s, spec::word const& word) {
  if (!word.value.starts_with("2^")) return s.number(word, 1, std::uint64_t{1} << 48);
  spec::word power = word;
  power.value.erase(0, 2);
  return std::uint64_t{1} << s.number(power, 0, 48);
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 1 << 20) return fmt::format("{} KB", bytes >> 10);
  if (bytes < 1 << 30) return fmt::format("{} MB", bytes >> 20);
  return fmt::format("{:.1f} GB", static_cast<double>(bytes) / (1 << 30));
}

/// @return the spec of a K-ary structure with the fan-out `best`, or the nearest compiled one
std::string k_ary(char const* name, int best) { return fmt::format("{}({})", name, nearest_fanout(best)); }

/// How a GPU searches a sorted array of plain columns.
struct sorted_search {
  std::uint64_t bytes;  ///< of the pairs
  bool in_windows;
  bool large;  ///< whether it is the fastest: in windows, or pinned as a whole
};

sorted_search search_on_gpu(workload const& w, index_shape const& shape) {
  using pairs = soa_pairs<std::uint32_t, std::uint32_t>;
  cuda::index_facts const sorted{shape.size, size_of(shape.keys), size_of(shape.keys) + size_of(shape.rows),
                                 sorted_array<pairs>::traits, true};
  auto const route = cuda::choose(sorted, search_op::find, w.batch, {}, {});
  bool const pinned = route.pins && sorted.bytes() <= cuda::tuning::pin_small_index;
  return {sorted.bytes(), route.in_windows, route.in_windows || pinned};
}

/// @return bytes as a part of the pairs
double part_of_pairs(column_profile const& column, std::uint64_t bytes) {
  auto const pairs =
      static_cast<double>(column.size) * static_cast<double>(size_of(column.keys) + size_of(column.rows));
  return static_cast<double>(bytes) / pairs;
}

/// @return the bytes of the model that suits a workload: splines are made faster, and search a little slower
std::uint64_t bytes_of_model(workload const& w, model_size const& model) {
  return w.rebuilds ? model.spline_bytes : model.pgm_bytes;
}

/// @return the model to search by without windows, of those whose rates were measured beyond the cache; null if all
/// are large, or the row ids too narrow
model_size const* small_model(workload const& w, column_profile const& column) {
  if (column.size > most_learned_entries(column.rows)) return nullptr;
  auto const found = std::find_if(column.models.begin(), column.models.end(), [&](model_size const& m) {
    return m.eps >= 16 && m.eps <= 64 && part_of_pairs(column, bytes_of_model(w, m)) < tuning::small_model;
  });
  return found == column.models.end() ? nullptr : &*found;
}

advice by_model(workload const& w, column_profile const& column, model_size const& model) {
  auto const bytes = bytes_of_model(w, model);
  advice a{w.rebuilds ? fmt::format("RS(eps={})", model.eps) : fmt::format("PGM({})", model.eps),
           {fmt::format("least memory: lines over the keys take {}, which is {:.2g}% of the pairs", bytes_text(bytes),
                        100 * part_of_pairs(column, bytes)),
            "without windows, and beyond the L2 cache, they lead to three times as many keys as binary search"}};
  if (w.order) a.reasons.push_back("order: lines leave the pairs in key order");
  if (w.rebuilds) a.reasons.push_back("rebuilds: a spline is made in a third of the time of the sort");
  return a;
}

/// @return what the keys themselves say, if they follow no lines; else empty
std::string remark_on(column_profile const& column) {
  for (auto const& m : column.models) {
    bool const many = m.pgm_segments > 100 && m.pgm_segments * 4 * m.eps > column.size;
    if (m.eps == 16 && many)
      return fmt::format(
          "the keys follow no lines: PGM({}) needs a segment for every {:.0f} of them, where no keys "
          "need more than one for {}; its model takes {:.2g}% of the pairs",
          m.eps, static_cast<double>(column.size) / static_cast<double>(m.pgm_segments), 2 * m.eps,
          100 * part_of_pairs(column, m.pgm_bytes));
  }
  return {};
}

advice for_gpu(workload const& w, index_shape const& shape, column_profile const* column) {
  auto const [bytes, windows, large] = search_on_gpu(w, shape);
  bool const in_order = w.order || w.rebuilds;
  auto const batches = fmt::format("batches of {} probes over {} of pairs", w.batch, bytes_text(bytes));
  auto const in_windows =
      batches + (windows ? " run in windows, which search sorted arrays in shared memory, several times as fast as "
                           "memory answers random reads"
                         : " find the first steps of a sorted array in shared memory, and the others in the caches");
  auto const too_small = batches + " are too small for windows";

  if (w.least_memory) {
    bool const by_binary_search = !large && in_order && bytes > tuning::gpu_cache_bytes;
    if (auto const* const m = by_binary_search && column != nullptr ? small_model(w, *column) : nullptr)
      return by_model(w, *column, *m);
    if (large || in_order) {
      advice a{"AO+BS", {"least memory: a sorted array holds the pairs and nothing else"}};
      if (w.order) a.reasons.push_back("order: of the structures without extra bytes only this one keeps key order");
      if (w.rebuilds) a.reasons.push_back("rebuilds: there is nothing to do after sorting the pairs");
      a.reasons.push_back(large ? in_windows : too_small + "; without them or pivots, binary search is slow");
      return a;
    }
    return {k_ary("EO+KS", 9),
            {"least memory: Eytzinger order adds no bytes to the pairs, and key order is not asked for",
             too_small + "; among the structures without extra bytes K = 9 is then the fastest beyond the cache, as in "
                         "the paper"}};
  }
  if (w.ranges) {
    advice a{k_ary("AO+PB+KS", 9),
             {"ranges: pivots find both ends in few accesses, then a range is one stretch of row ids, where Eytzinger "
              "order has one per level",
              "layout SoA, where the paper advises AoS: sums and lists of rows read no keys, so half the bytes"}};
    if (large && w.points) a.reasons.push_back("points: " + in_windows);
    if (!large && w.points) a.reasons.push_back("points: " + too_small + ", and then few wide nodes are a short way");
    if (w.order) a.reasons.push_back("order: pivots leave the pairs in key order");
    if (w.rebuilds) a.reasons.push_back("rebuilds: pivots add little to the time of the sort");
    return a;
  }
  if (large) {
    advice a{"AO+BS", {in_windows}};
    if (in_order) a.reasons.push_back("a sorted array keeps key order, adds no bytes and is built by the sort alone");
    return a;
  }
  if (bytes <= tuning::gpu_cache_bytes && !in_order)
    return {k_ary("EO+KS", 5),
            {too_small, "the pairs stay in the L2 cache, where K-ary Eytzinger search is the fastest without windows"}};
  if (bytes <= tuning::gpu_cache_bytes || w.rebuilds)
    return {k_ary("AO+PB+KS", 5),
            {too_small, w.rebuilds ? "rebuilds: pivots are built in a small part of the time of the sort; pairs that "
                                     "stay two arrays need no further pass"
                                   : "order: pivots keep it, and the pairs stay in the L2 cache"}};
  return {k_ary("AO+PB+KS", 9),
          {too_small, "beyond the L2 cache few wide nodes are a short way, in key order and for few more bytes"}};
}

advice for_cpu(workload const& w) {
  if (w.points && !w.ranges && !w.order && !w.least_memory && !w.rebuilds)
    return {"HT(open)",
            {"points: a hash table reads one bucket per probe, which on a CPU gives two to three times the rate of a "
             "search among sorted keys without windows, for 25% more bytes, or 67% with keys of 64 bits",
             "it has no order: bounds, floors and ranges need the word order or ranges"}};
  if (w.least_memory && (w.order || w.rebuilds))
    return {"AO+BS",
            {"least memory: a sorted array holds the pairs and nothing else",
             "of the structures without extra bytes it alone keeps key order, and it is built by the sort alone"}};
  if (w.least_memory)
    return {k_ary("EO+KS", 17),
            {"least memory: Eytzinger order adds no bytes to the pairs, and key order is not asked for",
             "K = 17 is the fastest without extra bytes: a node is one or two cache lines, searched by SIMD"}};
  advice a{k_ary("AO+PB+KS", 17),
           {"K = 17: a node is one or two cache lines, searched by SIMD; within the caches faster than Eytzinger "
            "search, for few more bytes"}};
  if (w.ranges) a.reasons.push_back("ranges: between its two ends a range is one stretch of row ids");
  if (w.order) a.reasons.push_back("order: pivots leave the pairs in key order");
  if (w.rebuilds) a.reasons.push_back("rebuilds: pivots take less time than another order of the pairs");
  return a;
}

/// cgRX, with the bucket that the model of its costs favours.
advice for_rays(workload const& w, index_shape const& shape, column_profile const* column) {
  auto const best = best_bucket(w, shape, column);
  auto const compare = [&](std::uint64_t bucket) {
    auto const other = cost_of_bucket(w, shape, column, bucket);
    return fmt::format("with buckets of {} it takes {:.2f} times as long, and {:.2g} bytes", bucket,
                       other.picoseconds / best.picoseconds, other.bytes);
  };
  advice a{fmt::format("cgRX(bucket={})", best.bucket),
           {fmt::format("rays: by the model, a lookup in buckets of {} takes {:.2g} bytes per entry beyond the pairs; "
                        "{}; {}",
                        best.bucket, best.bytes, compare(std::max<std::uint64_t>(2, best.bucket / 4)),
                        compare(std::min<std::uint64_t>(tuning::largest_modelled_bucket, best.bucket * 4))),
            w.least_memory ? "least memory: the smallest bucket whose tracer takes less than 1% of the pairs"
                           : "it has the most lookups per second and byte, the measure of paper 003"}};
  if (shape.backend == backend_kind::cpu) a.reasons.push_back("the model was measured on a GPU");
  else if (search_on_gpu(w, shape).in_windows)
    a.reasons.push_back(
        fmt::format("batches of {} run in windows, which trace no rays: buckets make a difference with "
                    "reorder=none and in smaller batches",
                    w.batch));
  return a;
}

/// Byte strings, and numbers of 16 bytes.
advice for_wide_keys(workload const& w, key_type keys) {
  auto const name = to_string(keys);
  bool const any_order = !w.order && !w.ranges;
  if (any_order && (keys != key_type::bytes || (w.points && !w.least_memory)))
    return {"HT(open)", {fmt::format("{} keys without an order: a hash table reads one key per probe", name)}};
  if (w.rebuilds)
    return {"AO+BS", {fmt::format("rebuilds: a sorted array of {} keys is made sooner than a tree over it", name)}};
  return {"GRT",
          {fmt::format("{} keys: a radix tree compares a byte per node, and reads few whole keys", name),
           "it stands over the keys in order, so a range is one stretch of row ids, and adds few bytes to them"}};
}

/// @param column the keys, if they are known
advice advise_on(workload const& w, index_shape const& shape, column_profile const* column) {
  constexpr char const* call = "advise";
  expect_known(call, "the key column", shape.keys);
  expect_known(call, "the row column", shape.rows);
  expect_known(call, shape.backend);
  bool const on_gpu = shape.backend == backend_kind::cuda;
  advice a = w.rays                    ? for_rays(w, shape, column)
             : size_of(shape.keys) > 8 ? for_wide_keys(w, shape.keys)
             : on_gpu                  ? for_gpu(w, shape, column)
                                       : for_cpu(w);
  bool const is_large = std::ranges::any_of(registry(), [&](structure_record const& record) {
    return record.info.name == spec(a.spec).structure() && record.info.large;
  });
  if (shape.size >= wide_from && !is_large)
    a = {"AO+BS", {"2^32 - 1 entries and more take positions of 64 bits, which few structures have"}};
  a.memory = expected_memory(make_plan(a.spec, shape)->resolved, shape, column);
  if (w.points || !w.ranges) a.rate = rate_like(a.spec, shape, w.batch, on_gpu && search_on_gpu(w, shape).large);
  return a;
}

}  // namespace

workload workload_of(spec const& s) {
  if (!same_word(s.structure(), "auto")) s.fail(0, "only auto takes a workload");
  workload w;
  for (auto const& word : s.arguments()) {
    if (same_word(word.name, "batch")) w.batch = read_count(s, word);
    else if (same_word(word.name, "hits")) w.hits = read_count(s, word);
    else if (!word.name.empty()) s.fail(word.position, "auto does not take this argument" + hint(word.name, names));
    else if (same_word(word.value, "points")) w.points = true;
    else if (same_word(word.value, "ranges")) w.ranges = true;
    else if (same_word(word.value, "order")) w.order = true;
    else if (same_word(word.value, "least_memory")) w.least_memory = true;
    else if (same_word(word.value, "rebuilds")) w.rebuilds = true;
    else if (same_word(word.value, "rays")) w.rays = true;
    else s.fail(word.position, fmt::format("unknown workload '{}'{}", word.value, hint(word.value, words)));
  }
  return w;
}

advice advise(workload const& w, key_type keys, row_type rows, std::uint64_t n, backend_kind backend) {
  return run_call("advise", [&] { return advise_on(w, {keys, rows, n, backend}, nullptr); });
}

advice advise(workload const& w, column_profile const& column, backend_kind backend) {
  return run_call("advise", [&] {
    auto a = advise_on(w, {column.keys, column.rows, column.size, backend}, &column);
    if (auto const remark = remark_on(column); !remark.empty()) a.reasons.push_back(remark);
    return a;
  });
}

std::string tuned_policy(spec const& s, key_type keys, row_type rows, std::uint64_t n, std::string_view device) {
  return run_call("tuned_policy", [&] {
    auto const plan = make_plan(s, {keys, rows, n, backend_kind::cuda, -1});
    policy const request = read_policy(plan->resolved, {2, 4, 8, 16, 32});  // the plan has checked which there are
    return policy_text(tuned(request, table_for(device), plan->resolved, static_cast<int>(8 * size_of(keys)), n));
  });
}

}  // namespace warpdex
