// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/data.hpp"

#include "bench/context.hpp"
#include "bench/key_file.hpp"
#include "bench/parallel.hpp"
#include "bench/strings.hpp"

#include <warpdex/search/codec.hpp>

#include <fmt/format.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace warpdex::bench {
namespace {

/// Seeds of the parts of a run. Each part has its own, so none depends on another.
enum stream : std::uint64_t { stream_order = 1, stream_drawn, stream_zipf, stream_probes };

template <class Key> constexpr Key last_value = std::numeric_limits<Key>::max();

/// Counts of keys.
template <class Key> using count_of = std::conditional_t<(sizeof(Key) > 8), Key, std::uint64_t>;

/// Draws values that are no keys, all with equal probability.
template <class Key> class miss_source {
  using count = count_of<Key>;

 public:
  miss_source(bool inside, key_set<Key> const& set, sorted_set<Key> const* sorted) : inside_(inside), set_(set) {
    if (set.size() == 0) return;
    bool possible = true;
    if (!inside) possible = set.lowest() > 0 || set.highest() < last_value<Key>;
    else if (set.generated()) possible = count{set.highest()} - set.lowest() >= set.size();
    else possible = find_gaps(*sorted);
    if (!possible)
      throw usage_error(fmt::format("--miss {}: all values from {} to {} are keys", inside ? "in" : "out",
                                    inside ? set.lowest() : Key{0}, inside ? set.highest() : last_value<Key>));
  }

  Key operator()(noise& random) const {
    if (set_.size() == 0) return static_cast<Key>(random.below(count{0}));
    if (!inside_) return draw_outside(random);
    if (!set_.generated()) return draw_from_gaps(random);
    count const lowest = set_.lowest(), highest = set_.highest();
    for (;;) {
      auto const x = static_cast<Key>(lowest + random.below(highest - lowest + 1));
      if (set_.row(x) == missing) return x;
    }
  }

 private:
  /// Values between two keys.
  struct gap {
    Key first;
    count before;  ///< values in all gaps before
  };

  bool find_gaps(sorted_set<Key> const& sorted) {
    for (std::uint64_t i = 1; i < sorted.size(); ++i) {
      count const step = sorted.keys[i] - sorted.keys[i - 1];
      if (step < 2) continue;
      gaps_.push_back({static_cast<Key>(sorted.keys[i - 1] + 1), gap_values_});
      gap_values_ += step - 1;
    }
    return !gaps_.empty();
  }

  Key draw_from_gaps(noise& random) const {
    count const x = random.below(gap_values_);
    auto const behind =
        std::upper_bound(gaps_.begin(), gaps_.end(), x, [](auto v, gap const& g) { return v < g.before; });
    gap const& g = *std::prev(behind);
    return static_cast<Key>(g.first + (x - g.before));
  }

  /// 0 to lowest - 1, then highest + 1 to the last value. These are not all values, so nothing overflows.
  Key draw_outside(noise& random) const {
    count const lowest = set_.lowest(), highest = set_.highest();
    count const x = random.below(lowest + (count{last_value<Key>} - highest));
    return static_cast<Key>(x < lowest ? x : highest + 1 + (x - lowest));
  }

  bool inside_;
  key_set<Key> const& set_;
  std::vector<gap> gaps_;
  count gap_values_ = 0;
};

/// Strings have no outside, and their set holds some that are no keys.
template <> class miss_source<std::string_view> {
 public:
  miss_source(bool inside, key_set<std::string_view> const& set, sorted_set<std::string_view> const*)
      : misses_(set.misses()) {
    if (!inside) throw usage_error("--miss out: it is for numbers");
  }

  std::string_view operator()(noise& random) const {
    return misses_.empty() ? std::string_view() : misses_[random.below(misses_.size())];  // none: there are no keys
  }

 private:
  std::span<std::string_view const> misses_;
};

/// Number of keys that begin with a prefix.
std::uint64_t keys_with(sorted_set<std::string_view> const& sorted, std::string_view prefix) {
  auto const all = sorted.keys.all();
  auto const first = std::lower_bound(all.begin(), all.end(), prefix);
  auto const end =
      std::partition_point(first, all.end(), [&](std::string_view key) { return key.starts_with(prefix); });
  return static_cast<std::uint64_t>(end - first);
}

/// @return the numbers that the library makes of a column's
template <class Key> array<Key> encoded(column from) {
  array<Key> codes(from.size);
  auto const codec = codec_of(from.type);
  parallel_chunks(from.size, [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i) codes[i] = encode(codec, load_element<Key>(from.data, i));
  });
  return codes;
}

}  // namespace

template <class Key>
key_set<Key> key_set<Key>::generate(std::uint64_t n, double uniformity, std::uint64_t seed, std::uint64_t copies) {
  key_set set;
  set.keys_ = array<Key>(n);
  if (n == 0) return set;
  std::uint64_t const distinct = (n + copies - 1) / copies;
  set.dense_ =
      distinct -
      std::min(distinct, static_cast<std::uint64_t>(std::llround(static_cast<double>(distinct) * uniformity / 100)));
  set.order_ = permutation::of_size(n, mix(seed) ^ stream_order);
  constexpr int drawn_bits = std::min<int>(sizeof(Key) * 8, 64);
  set.drawn_ = permutation::from(set.dense_, drawn_bits, mix(seed) ^ stream_drawn);
  parallel_chunks(n, [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i) {
      std::uint64_t const element = (*set.order_)(i) / copies;
      set.keys_[i] = element < set.dense_ ? static_cast<Key>(element) : drawn_key((*set.drawn_)(element));
    }
  });
  if (copies != 1) set.order_.reset();  // keys are not unique
  set.find_borders();
  return set;
}

template <class Key> key_set<Key> key_set<Key>::of_column(column keys) {
  if (keys.size >= missing)
    throw usage_error(fmt::format("--keys: {} keys; the benchmark takes fewer than {}", keys.size, missing));
  return of_array(encoded<Key>(keys));
}

template <class Key> key_set<Key> key_set<Key>::of_array(array<Key> keys) {
  key_set set;
  set.keys_ = std::move(keys);
  set.find_borders();
  return set;
}

template <class Key> void key_set<Key>::find_borders() {
  using borders = std::pair<Key, Key>;
  auto const join = [](borders a, borders b) {
    return borders(std::min(a.first, b.first), std::max(a.second, b.second));
  };
  auto const [low, high] = tbb::parallel_reduce(
      tbb::blocked_range<std::uint64_t>(0, size(), 1 << 14), borders(last_value<Key>, 0),
      [&](auto const& r, borders b) {
        for (auto i = r.begin(); i < r.end(); ++i) b = join(b, {keys_[i], keys_[i]});
        return b;
      },
      join);
  lowest_ = low;
  highest_ = high;
}

template <class Key> array<pair_of<Key>> unsorted_pairs(key_set<Key> const& set) {
  array<pair_of<Key>> pairs(set.size());
  auto const keys = set.keys();
  parallel_chunks(set.size(), [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i) pairs[i] = {keys[i], static_cast<std::uint32_t>(i)};
  });
  return pairs;
}

template <class Key> void sort_pairs(array<pair_of<Key>> const& pairs, bool unique) {
  auto* const begin = pairs.data();
  auto* const end = begin + pairs.size();
  if (unique) tbb::parallel_sort(begin, end, [](auto const& a, auto const& b) { return a.key < b.key; });
  else
    tbb::parallel_sort(begin, end,
                       [](auto const& a, auto const& b) { return a.key != b.key ? a.key < b.key : a.row < b.row; });
}

template <class Key> sorted_set<Key>::sorted_set(key_set<Key> const& set) : keys(set.size()), rows(set.size()) {
  auto const pairs = unsorted_pairs(set);
  sort_pairs(pairs, set.generated());
  parallel_chunks(set.size(), [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i) {
      keys[i] = pairs[i].key;
      rows[i] = pairs[i].row;
    }
  });
}

template <class Key> std::uint64_t sorted_set<Key>::lower_bound(Key key) const noexcept {
  auto const all = keys.all();
  return static_cast<std::uint64_t>(std::lower_bound(all.begin(), all.end(), key) - all.begin());
}

template <class Key> std::uint64_t sorted_set<Key>::upper_bound(Key key) const noexcept {
  auto const all = keys.all();
  return static_cast<std::uint64_t>(std::upper_bound(all.begin(), all.end(), key) - all.begin());
}

namespace {

/// Mixes up equal pieces of an array, or the elements within each piece.
template <class Key> void mix_up(array<Key>& probes, std::uint64_t piece, bool within, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto* const begin = probes.data();
  std::uint64_t const pieces = probes.size() / piece;
  if (within) {
    for (std::uint64_t p = 0; p < pieces; ++p) std::shuffle(begin + p * piece, begin + (p + 1) * piece, random);
    return;
  }
  for (std::uint64_t p = pieces; p > 1; --p) {
    auto* const last = begin + (p - 1) * piece;
    auto* const other = begin + random() % p * piece;
    if (other != last) std::swap_ranges(last, last + piece, other);
  }
}

template <class Key> void bring_in_order(array<Key>& probes, config const& c) {
  if (c.order == probe_order::random) return;
  tbb::parallel_sort(probes.data(), probes.data() + probes.size());
  if (c.order == probe_order::descending) std::reverse(probes.data(), probes.data() + probes.size());
  if (c.order == probe_order::near) mix_up(probes, 1024, true, c.seed);
  if (c.order == probe_order::blocks) mix_up(probes, 1 << 16, false, c.seed);
}

}  // namespace

template <class Key> array<Key> make_probes(config const& c, key_set<Key> const& set, sorted_set<Key> const* sorted) {
  if constexpr (!is_string<Key>)
    if (!c.probe_file.empty()) {
      key_file file(c.probe_file);
      auto of_file = encoded<Key>(file.read());
      bring_in_order(of_file, c);
      return of_file;
    }
  array<Key> probes(c.probes);
  double const hit_rate = set.size() == 0 ? 0 : c.hit_rate;
  std::optional<miss_source<Key>> misses;
  if (hit_rate < 1) misses.emplace(c.miss_inside, set, sorted);
  // Frequent keys must not be neighbours, even if the column is sorted.
  std::optional<permutation> popular;
  std::optional<zipf> skew;
  if (c.zipf > 0 && set.size() > 0) {
    popular = permutation::of_size(set.size(), mix(c.seed) ^ stream_zipf);
    skew.emplace(set.size(), c.zipf);
  }
  auto const keys = set.keys();
  parallel_chunks(c.probes, [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i) {
      noise random(mix(c.seed) ^ stream_probes, i);
      if (misses && random.real() >= hit_rate) probes[i] = (*misses)(random);
      else probes[i] = keys[skew ? (*popular)((*skew)(random)) : random.below(set.size())];
      if constexpr (is_string<Key>)
        if (c.what->takes == probe_form::prefixes && c.what->op == search_op::count)
          probes[i].remove_suffix(probes[i].size() / 2);
    }
  });
  bring_in_order(probes, c);
  return probes;
}

template <class Key>
array<std::uint32_t> make_answers(lookup const& what, key_set<Key> const& set, sorted_set<Key> const* sorted,
                                  std::span<Key const> probes) {
  array<std::uint32_t> answers(probes.size());
  auto const find = [&](Key key) -> std::uint32_t {
    if (set.generated()) return set.row(key);
    auto const slot = sorted->lower_bound(key);
    return slot < sorted->size() && sorted->keys[slot] == key ? sorted->rows[slot] : missing;
  };
  auto const fill = [&](auto const& answer) {
    parallel_chunks(probes.size(), [&](std::uint64_t begin, std::uint64_t end) {
      for (auto i = begin; i < end; ++i) answers[i] = static_cast<std::uint32_t>(answer(probes[i]));
    });
  };
  if constexpr (is_string<Key>) {
    if (what.takes == probe_form::prefixes && what.op == search_op::count) {
      fill([&](Key prefix) { return keys_with(*sorted, prefix); });
      return answers;
    }
    if (what.takes == probe_form::prefixes) {
      fill([&](Key probe) {
        std::uint32_t row = find(probe);
        for (; row == missing && !probe.empty(); row = find(probe)) probe.remove_suffix(1);
        return row;
      });
      return answers;
    }
  } else if (what.takes == probe_form::prefixes) {
    throw usage_error(fmt::format("--ops {}: it is for keys of type bytes", what.name));
  }
  auto const first_row = [&](std::uint64_t slot) { return sorted->rows[sorted->lower_bound(sorted->keys[slot])]; };
  switch (what.op) {
    case search_op::contains: fill([&](Key key) { return find(key) != missing; }); break;
    case search_op::count:  // of lists, whose rows `point_lookup::check` looks at
      if (set.generated()) fill([&](Key key) { return find(key) != missing; });
      else fill([&](Key key) { return sorted->upper_bound(key) - sorted->lower_bound(key); });
      break;
    case search_op::lower_bound: fill([&](Key key) { return sorted->lower_bound(key); }); break;
    case search_op::upper_bound: fill([&](Key key) { return sorted->upper_bound(key); }); break;
    case search_op::floor:
      fill([&](Key key) {
        auto const above = sorted->upper_bound(key);
        return above == 0 ? missing : first_row(above - 1);
      });
      break;
    case search_op::ceil:
      fill([&](Key key) {
        auto const slot = sorted->lower_bound(key);
        return slot == sorted->size() ? missing : sorted->rows[slot];
      });
      break;
    default: fill(find);
  }
  return answers;
}

template class key_set<std::uint32_t>;
template class key_set<std::uint64_t>;
template class key_set<u128>;
template struct sorted_set<std::uint32_t>;
template struct sorted_set<std::uint64_t>;
template struct sorted_set<u128>;
template struct sorted_set<std::string_view>;
template array<pair_of<std::uint32_t>> unsorted_pairs(key_set<std::uint32_t> const&);
template array<pair_of<std::uint64_t>> unsorted_pairs(key_set<std::uint64_t> const&);
template array<pair_of<u128>> unsorted_pairs(key_set<u128> const&);
template array<pair_of<std::string_view>> unsorted_pairs(key_set<std::string_view> const&);
template void sort_pairs(array<pair_of<std::uint32_t>> const&, bool);
template void sort_pairs(array<pair_of<std::uint64_t>> const&, bool);
template void sort_pairs(array<pair_of<u128>> const&, bool);
template void sort_pairs(array<pair_of<std::string_view>> const&, bool);
template array<std::uint32_t> make_probes(config const&, key_set<std::uint32_t> const&,
                                          sorted_set<std::uint32_t> const*);
template array<std::uint64_t> make_probes(config const&, key_set<std::uint64_t> const&,
                                          sorted_set<std::uint64_t> const*);
template array<u128> make_probes(config const&, key_set<u128> const&, sorted_set<u128> const*);
template array<std::string_view> make_probes(config const&, key_set<std::string_view> const&,
                                             sorted_set<std::string_view> const*);
template array<std::uint32_t> make_answers(lookup const&, key_set<std::uint32_t> const&,
                                           sorted_set<std::uint32_t> const*, std::span<std::uint32_t const>);
template array<std::uint32_t> make_answers(lookup const&, key_set<std::uint64_t> const&,
                                           sorted_set<std::uint64_t> const*, std::span<std::uint64_t const>);
template array<std::uint32_t> make_answers(lookup const&, key_set<u128> const&, sorted_set<u128> const*,
                                           std::span<u128 const>);
template array<std::uint32_t> make_answers(lookup const&, key_set<std::string_view> const&,
                                           sorted_set<std::string_view> const*, std::span<std::string_view const>);

}  // namespace warpdex::bench
