// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/baselines.hpp"
#include "bench/lookup.hpp"
#include "bench/parallel.hpp"

#include <warpdex/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace warpdex::bench {
namespace {

/// The last value of a range of `length` values, or of the type.
template <class Key> Key last_of(Key first, std::uint64_t length) {
  if constexpr (is_string<Key>) throw usage_error("--length: it is for numbers");
  else return first + std::min(static_cast<Key>(length - 1), static_cast<Key>(~Key{0} - first));
}

/// Ranges that begin at uniformly drawn ranks: of `hits` entries (paper 000, section 5.7), or more if the keys of the
/// bounds repeat; or of `length` values (paper 004, section IV.E).
template <class Key> range_set<Key> make_ranges(config const& c, sorted_set<Key> const& sorted) {
  constexpr std::uint64_t stream = 0x72616e6765;
  range_set<Key> ranges{array<Key>(c.probes), array<Key>(c.probes), array<std::uint32_t>(c.probes),
                        array<std::uint32_t>(c.probes)};
  std::uint64_t const n = sorted.size();
  std::uint64_t const hits = c.length == 0 ? std::min(c.hits, n) : std::min<std::uint64_t>(1, n);
  parallel_chunks(c.probes, [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i) {
      noise random(mix(c.seed) ^ stream, i);
      std::uint64_t const first = random.below(n - hits + 1);
      ranges.lower[i] = n == 0 ? Key{} : sorted.keys[first];
      ranges.upper[i] = n == 0 ? Key{} : sorted.keys[first + hits - 1];
      if (c.length != 0) ranges.upper[i] = last_of(ranges.lower[i], c.length);
    }
  });
  if (c.order == probe_order::sorted) {
    std::vector<std::pair<Key, Key>> pairs(c.probes);
    for (std::uint64_t i = 0; i < c.probes; ++i) pairs[i] = {ranges.lower[i], ranges.upper[i]};
    std::sort(pairs.begin(), pairs.end());
    for (std::uint64_t i = 0; i < c.probes; ++i) std::tie(ranges.lower[i], ranges.upper[i]) = pairs[i];
  }
  parallel_chunks(c.probes, [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i) {
      ranges.begin[i] = static_cast<std::uint32_t>(sorted.lower_bound(ranges.lower[i]));
      ranges.end[i] = static_cast<std::uint32_t>(sorted.upper_bound(ranges.upper[i]));
    }
  });
  return ranges;
}

/// The inner nodes of a radix tree of bytes whose keys are in a range: of the nodes on one level, those with keys that
/// differ in the next byte. A walk through the tree visits them. @param begin, end ranks of the range
template <class Key> std::uint64_t inner_nodes(sorted_set<Key> const& sorted, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t nodes = 0;
  for (int below = 8 * sizeof(Key); below > 0; below -= 8) {  // bits of a key that a node does not fix
    auto const rest = static_cast<Key>(static_cast<Key>(~Key{0}) >> (8 * sizeof(Key) - below));
    for (auto rank = begin; rank < end;) {
      auto const last_value = static_cast<Key>(sorted.keys[rank] | rest);
      Key const first = sorted.keys[sorted.lower_bound(static_cast<Key>(last_value - rest))];
      rank = sorted.upper_bound(last_value);
      if (first >> (below - 8) != sorted.keys[rank - 1] >> (below - 8)) ++nodes;
    }
  }
  return nodes;
}

/// The mean of the first ranges.
template <class Key> double inner_nodes(sorted_set<Key> const& sorted, range_set<Key> const& ranges) {
  constexpr std::uint64_t most = 256;
  std::uint64_t const some = std::min(ranges.size(), most);
  std::atomic<std::uint64_t> nodes = 0;
  parallel_chunks(
      some,
      [&](std::uint64_t begin, std::uint64_t end) {
        for (auto i = begin; i < end; ++i) nodes += inner_nodes(sorted, ranges.begin[i], ranges.end[i]);
      },
      1);
  return static_cast<double>(nodes) / static_cast<double>(some);
}

/// One batch of range lookups, and its answers.
template <class Key> class range_lookup {
 public:
  range_lookup(lookup const& what, warpdex::index const& x, placed<Key> const& lower, placed<Key> const& upper,
               execution const& exec)
      : what_(what), index_(x), lower_(lower), upper_(upper), exec_(exec),
        out_(what.lists() ? 0 : lower.size(), sizeof(std::uint64_t), exec) {}

  void poison() {
    found_ = {};
    out_.poison();
  }

  void run() {
    key_ranges const ranges{lower_.keys(), upper_.keys()};
    if (what_.lists()) found_ = index_.list(what_, ranges, exec_);
    else index_.look_up(what_, ranges, {out_.as<std::uint64_t>()}, exec_);
  }

  /// Bytes of the answers that the call itself allocated.
  std::uint64_t result_bytes() const noexcept { return found_.offsets.bytes() + found_.rows.bytes(); }

  /// @param sums sums[i] is the sum of the first i rows in key order
  void check(sorted_set<Key> const& sorted, range_set<Key> const& ranges, array<std::uint64_t> const& sums) {
    if (what_.lists()) return check_rows(sorted, ranges);
    out_.fetch();
    for_all(ranges, [&](std::uint64_t i) {
      auto const expected = what_.writes[0] == answer_kind::sum ? sums[ranges.end[i]] - sums[ranges.begin[i]]
                                                                : std::uint64_t{ranges.end[i]} - ranges.begin[i];
      return out_.at<std::uint64_t>(i) == expected;
    });
  }

 private:
  /// @param right whether answer i is right
  template <class Right> void for_all(range_set<Key> const& ranges, Right const& right) const {
    std::atomic<std::uint64_t> wrong = ranges.size();
    parallel_chunks(ranges.size(), [&](std::uint64_t begin, std::uint64_t end) {
      for (auto i = begin; i < end; ++i)
        if (!right(i)) wrong = i;
    });
    if (auto const i = wrong.load(); i < ranges.size())
      throw error(fmt::format("{}: wrong answer of {} to range {}, {} to {}", index_.spec_text(), what_.name, i,
                              ranges.lower[i], ranges.upper[i]));
  }

  void check_rows(sorted_set<Key> const& sorted, range_set<Key> const& ranges) const {
    array<std::uint64_t> offsets(ranges.size() + 1);
    warpdex::copy(offsets.data(), found_.offsets.data(), offsets.size() * sizeof(std::uint64_t), exec_);
    std::size_t const width = size_of(index_.row_type());
    array<unsigned char> rows(found_.total * width);
    if (rows.size() > 0) warpdex::copy(rows.data(), found_.rows.data(), rows.size(), exec_);
    auto const row = [&](std::uint64_t i) {
      std::uint64_t value = 0;
      std::memcpy(&value, rows.data() + i * width, width);
      return value;
    };
    if (offsets[0] != 0 || offsets[ranges.size()] != found_.total || found_.probes != ranges.size())
      throw error(fmt::format("{}: range_retrieve: wrong number of rows, {}", index_.spec_text(), found_.total));
    for_all(ranges, [&](std::uint64_t i) {
      std::uint64_t const count = ranges.end[i] - ranges.begin[i];
      if (offsets[i] > found_.total || offsets[i + 1] - offsets[i] != count || offsets[i + 1] > found_.total)
        return false;
      for (std::uint64_t j = 0; j < count; ++j)
        if (row(offsets[i] + j) != sorted.rows[ranges.begin[i] + j]) return false;
      return true;
    });
  }

  lookup const& what_;
  warpdex::index const& index_;
  placed<Key> const& lower_;
  placed<Key> const& upper_;
  execution exec_;
  result_array out_;
  matches found_;
};

}  // namespace

template <class Key> void run_range(config const& c, key_data<Key>& data, cli_context const& context, report& out) {
  auto const& set = data.set();
  execution const exec = make_execution(c.backend, c.threads.front());
  bool const gpu = on_gpu(exec);
  auto const& sorted = [&]() -> auto const& {
    progress const shown(context, "sorting keys");
    return data.sorted();
  }
  ();
  auto const ranges = make_ranges(c, sorted);
  array<std::uint64_t> sums(sorted.size() + 1);
  sums[0] = 0;
  for (std::uint64_t i = 0; i < sorted.size(); ++i) sums[i + 1] = sums[i] + sorted.rows[i];
  std::uint64_t entries = 0;
  for (std::uint64_t i = 0; i < ranges.size(); ++i) entries += ranges.end[i] - ranges.begin[i];

  if (c.baselines == baseline_choice::all || c.baselines == baseline_choice::cpu)
    run_cpu_range_baselines(c, set, sorted, ranges, context, out);
  if (gpu && (c.baselines == baseline_choice::all || c.baselines == baseline_choice::gpu))
    run_gpu_range_baselines(c, sorted, ranges, exec, out);

  placed<Key> const keys(set.keys(), exec);
  placed<Key> const lower(ranges.lower.first(ranges.size()), exec), upper(ranges.upper.first(ranges.size()), exec);
  std::optional<double> nodes;
  if constexpr (!is_string<Key>)
    if (c.length != 0) nodes = inner_nodes(sorted, ranges);
  for (auto const& s : c.specs) {
    progress const shown(context, out.label(s.text(), c.specs.size()));
    counting_resource counter(*exec.memory);
    auto const built = build_index(s, keys.keys(), exec, counter);
    for (int const t : gpu ? std::vector<int>{0} : c.threads) {
      execution counted = exec;
      counted.memory = &counter;
      counted.threads = t;
      range_lookup<Key> lookup(*c.what, built.index, lower, upper, counted);
      auto const clock = make_timer(exec);
      auto const runs = measure(lookup, c.repeat, *clock, counter, [&] { lookup.check(sorted, ranges, sums); });
      record line;
      put_index(line, built, s);
      double const rate = put_lookups(line, built, gpu ? record(nullptr) : record(t), runs, ranges.size());
      line["entries"] = entries;
      line["entry_rate"] = rate_of(entries, runs.time.median);
      if (nodes) line["inner_nodes"] = *nodes;
      out.add_index(std::move(line), rate);
    }
  }
}

template void run_range(config const&, key_data<std::uint32_t>&, cli_context const&, report&);
template void run_range(config const&, key_data<std::uint64_t>&, cli_context const&, report&);
template void run_range(config const&, key_data<u128>&, cli_context const&, report&);
template void run_range(config const&, key_data<std::string_view>&, cli_context const&, report&);

}  // namespace warpdex::bench
