// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/join.hpp"

#include "bench/baselines.hpp"
#include "bench/lookup.hpp"

#include <warpdex/current_device.hpp>
#include <warpdex/error.hpp>

#include <fmt/format.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace warpdex::bench {
namespace {

/// Probes: keys, and values between them (`hit_rate`); for as-of joins values alone. Ranges hold `hits` entries.
template <class Key> left_side<Key> make_left(config const& c, stepped_keys<Key> const& keys) {
  constexpr std::uint64_t stream_left = 0x6c656674, stream_popular = 0x706f70;
  bool const ranges = c.join == join_op::range;
  double const hit_rate = c.join == join_op::asof ? 0 : c.hit_rate;
  left_side<Key> left{array<Key>(c.probes), array<Key>(ranges ? c.probes : 0)};
  std::uint64_t const firsts = ranges ? keys.size() - std::min(c.hits, keys.size()) + 1 : keys.distinct();
  std::optional<zipf> skew;
  if (c.zipf > 0) skew.emplace(firsts, c.zipf);
  auto const popular = permutation::of_size(firsts, mix(c.seed) ^ stream_popular);
  parallel_chunks(c.probes, [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i) {
      noise random(mix(c.seed) ^ stream_left, i);
      auto const element = skew ? popular((*skew)(random)) : random.below(firsts);
      left.lower[i] = ranges || random.real() < hit_rate ? keys.key(element) : keys.near(element, random);
      if (ranges) left.upper[i] = keys.key(std::min(element + c.hits, keys.size()) - 1);
    }
  });
  return left;
}

/// The row of each rank of the right side: the same number if the column is sorted.
class rank_rows {
 public:
  explicit rank_rows(config const& c) {
    constexpr std::uint64_t stream = 0x726f7773;
    if (c.right == right_side::unsorted) places_ = permutation::of_size(c.n, mix(c.seed) ^ stream);
  }
  std::uint64_t operator()(std::uint64_t rank) const noexcept { return places_ ? (*places_)(rank) : rank; }

  /// @return the smallest row of equal keys, of which `rank` is the first
  template <class Key> std::uint64_t least(stepped_keys<Key> const& keys, std::uint64_t rank) const noexcept {
    if (!places_ || rank == pair_sum::none) return rank;
    auto row = (*this)(rank);
    for (auto next = rank + 1; next < keys.size() && keys.first_of_key(next) == rank; ++next)
      row = std::min(row, (*this)(next));
    return row;
  }

 private:
  std::optional<permutation> places_;
};

/// The right pairs of the first `probes` probes.
template <class Key>
pair_sum expected_pairs(config const& c, stepped_keys<Key> const& keys, rank_rows const& row_of,
                        left_side<Key> const& left, std::uint64_t probes) {
  auto const key_at = [&](std::uint64_t rank) { return keys.at(rank); };
  return sum_chunks(probes, [&](std::uint64_t begin, std::uint64_t end) {
    pair_sum sum;
    for (auto i = begin; i < end; ++i) {
      Key const probe = left.lower[i];
      auto const first = keys.lower_bound(probe);
      if (c.join == join_op::asof) {
        auto const below = first > 0 ? keys.first_of_key(first - 1) : pair_sum::none;
        auto const above = c.asof.allow_exact_matches ? first : keys.upper_bound(probe);
        sum.add(i, row_of.least(keys, asof_answer(c.asof, probe, above, below, keys.size(), key_at)));
        continue;
      }
      auto const last = keys.upper_bound(c.join == join_op::range ? left.upper[i] : probe);
      switch (c.join) {
        case join_op::semi:
          if (first < last) sum.add(i, pair_sum::none);
          break;
        case join_op::anti:
          if (first == last) sum.add(i, pair_sum::none);
          break;
        default:
          for (auto rank = first; rank < last; ++rank) sum.add(i, row_of(rank));
          if (c.join == join_op::left && first == last) sum.add(i, pair_sum::none);
      }
    }
    return sum;
  });
}

/// The bytes that any index reads of a sorted right side at least: sectors of 32 bytes, the least that a device reads
/// over a link, at the ranks of the probes. Parts of the probes read their own.
template <class Key>
std::uint64_t probed_bytes(config const& c, stepped_keys<Key> const& keys, left_side<Key> const& left) {
  constexpr std::uint64_t sector = 32;
  array<std::uint64_t> sectors(std::min(c.part_probes, left.size()));
  std::atomic<std::uint64_t> distinct = 0;
  for (std::uint64_t first = 0; first < left.size(); first += sectors.size()) {
    auto const count = std::min(sectors.size(), left.size() - first);
    parallel_chunks(count, [&](std::uint64_t begin, std::uint64_t end) {
      for (auto i = begin; i < end; ++i) sectors[i] = keys.lower_bound(left.lower[first + i]) * sizeof(Key) / sector;
    });
    tbb::parallel_sort(sectors.data(), sectors.data() + count);
    parallel_chunks(count, [&](std::uint64_t begin, std::uint64_t end) {
      std::uint64_t own = 0;
      for (auto i = begin; i < end; ++i) own += i == 0 || sectors[i] != sectors[i - 1];
      distinct += own;
    });
  }
  return distinct * sector;
}

/// Row numbers of a batch, where the host reads them.
class host_rows {
 public:
  host_rows(row_column rows, execution const& exec) : rows_(rows) {
    if (!on_gpu(exec) || rows.size == 0) return;
    copy_ = array<unsigned char>(rows.size * size_of(rows.type));
    warpdex::copy(copy_.data(), rows.data, copy_.size(), exec);
    rows_.data = copy_.data();
  }

  std::uint64_t size() const noexcept { return rows_.size; }
  std::uint64_t operator[](std::uint64_t i) const noexcept {
    if (rows_.type == row_type::u64) return static_cast<std::uint64_t const*>(rows_.data)[i];
    auto const row = static_cast<std::uint32_t const*>(rows_.data)[i];
    return row == no_row<std::uint32_t> ? pair_sum::none : row;
  }

 private:
  row_column rows_;
  array<unsigned char> copy_;
};

pair_sum sum_of(join_batch const& batch, execution const& exec) {
  host_rows const left(batch.left, exec), right(batch.right, exec);
  return sum_chunks(std::max(left.size(), right.size()), [&](std::uint64_t begin, std::uint64_t end) {
    pair_sum sum;
    for (auto i = begin; i < end; ++i)
      sum.add(left.size() > 0 ? left[i] : i, right.size() > 0 ? right[i] : pair_sum::none);
    return sum;
  });
}

/// A join whose pairs are dropped, for `measure`.
class dropping_join {
 public:
  explicit dropping_join(join_call const& call) : call_(call) {}

  void poison() { pairs_ = 0; }
  void run() {
    pairs_ = call_([](join_batch const&) {});
  }
  std::uint64_t result_bytes() const noexcept { return 0; }
  std::uint64_t pairs() const noexcept { return pairs_; }

 private:
  join_call const& call_;
  std::uint64_t pairs_ = 0;
};

/// Times a join. One more run before it has all its pairs checked; the timed ones have them counted.
measured measure_join(std::string const& name, config const& c, pair_sum const& expected, join_call const& call,
                      execution const& exec, counting_resource& counter) {
  auto const expect = [&](pair_sum const& found) {
    if (found != expected)
      throw error(fmt::format("{}: wrong pairs of a join ({}): {} pairs with sum {:x}, expected {} with sum {:x}", name,
                              to_string(c.join), found.pairs, found.sum, expected.pairs, expected.sum));
  };
  pair_sum found;
  auto const returned = call([&](join_batch const& batch) { found += sum_of(batch, exec); });
  expect(found);
  expect({returned, found.sum});
  dropping_join dropping(call);
  auto const clock = make_wall_timer();
  return measure(dropping, c.repeat, *clock, counter, [&] { expect({dropping.pairs(), expected.sum}); });
}

join_kind kind_of(join_op op) {
  switch (op) {
    case join_op::left: return join_kind::left;
    case join_op::semi: return join_kind::semi;
    case join_op::anti: return join_kind::anti;
    default: return join_kind::inner;
  }
}

/// The join that `c` asks for, with an index. `exec` and `right` must outlive it.
join_call index_join(config const& c, warpdex::index const& right, column lower, column upper, execution const& exec) {
  join_options const options{.batch_pairs = c.batch_pairs, .part_probes = c.part_probes};
  switch (c.join) {
    case join_op::range:
      return [=, &right, &exec](join_sink const& sink) {
        return join_between(right, {lower, upper}, join_kind::inner, sink, exec, options);
      };
    case join_op::asof: {
      auto const rows = std::make_shared<result_array>(lower.size, size_of(right.row_type()), exec);
      rows->poison();
      return [=, &right, &exec, ask = c.asof](join_sink const& sink) {
        join_asof(right, lower, {rows->data(), lower.size, right.row_type()}, exec, ask);
        if (on_gpu(exec)) synchronize_device();  // the call need not have waited
        sink({{}, {rows->data(), lower.size, right.row_type()}});
        return lower.size;
      };
    }
    default:
      return [=, &right, &exec, kind = kind_of(c.join)](join_sink const& sink) {
        return join(right, lower, kind, sink, exec, options);
      };
  }
}

/// Fields of a join's pairs.
void put_pairs(record& line, pair_sum const& expected, measured const& runs) {
  line["pairs"] = expected.pairs;
  line["pair_rate"] = rate_of(expected.pairs, runs.time.median);
}

/// Everything that joins of one run share.
template <class Key> class join_bench {
 public:
  join_bench(config const& c, cli_context const& context, report& out)
      : c_(c), context_(context), out_(out), exec_(make_execution(c.backend, c.threads.front())), gpu_(on_gpu(exec_)),
        keys_(c.n, c.join == join_op::range ? 1 : c.hits, c.seed), row_of_(c) {}

  void run() {
    if (!gpu_ && c_.right == right_side::host) throw usage_error("--right host: it is for the cuda backend");
    if (!gpu_ && c_.place != placement::device)
      throw usage_error(fmt::format("--left {}: it is for the cuda backend", to_string(c_.place)));
    buffer const sorted(c_.n * sizeof(Key), execution(c_.right == right_side::host ? pinned_memory() : host_memory()));
    left_side<Key> left;
    pair_sum expected;
    {
      progress const shown(context_, "making both sides");
      fill(sorted.as<Key>());
      left = make_left(c_, keys_);
      expected = expected_pairs(c_, keys_, row_of_, left, c_.probes);
      bool const in_order = c_.right == right_side::sorted || c_.right == right_side::host;
      if (in_order && by_equality()) probed_ = probed_bytes(c_, keys_, left);
    }
    std::span<Key const> const column(sorted.as<Key>(), c_.n);
    placed<Key> const right(column, exec_, c_.right == right_side::host ? placement::host : placement::device);
    placed<Key> const lower(left.lower.first(left.lower.size()), exec_, c_.place);
    placed<Key> const upper(left.upper.first(left.upper.size()), exec_, c_.place);
    run_baselines(column, left, right, lower, expected);
    for (auto const& s : c_.specs) run_index(s, right, lower, upper, expected);
  }

 private:
  void fill(Key* to) const {
    parallel_chunks(c_.n, [&](std::uint64_t begin, std::uint64_t end) {
      for (auto rank = begin; rank < end; ++rank) to[row_of_(rank)] = keys_.at(rank);
    });
  }

  std::vector<int> threads() const { return gpu_ ? std::vector<int>{0} : c_.threads; }
  bool by_equality() const { return c_.join != join_op::range && c_.join != join_op::asof; }
  bool wants(baseline_choice c) const { return c_.baselines == baseline_choice::all || c_.baselines == c; }

  void run_baselines(std::span<Key const> column, left_side<Key> const& left, placed<Key> const& right,
                     placed<Key> const& probes, pair_sum const& expected) {
    bool const searches = c_.right != right_side::unsorted || c_.join == join_op::asof;
    if (searches && wants(baseline_choice::cpu))
      run_cpu_join_baselines<Key>(
          c_, column, left, [&](std::uint64_t count) { return expected_pairs(c_, keys_, row_of_, left, count); },
          context_, out_);
    bool const over_link = c_.right == right_side::host;
    if (over_link && (wants(baseline_choice::gpu) || c_.baselines == baseline_choice::limits))
      run_right_copy(c_, column.data(), column.size_bytes(), exec_, out_);
    if (by_equality() && wants(gpu_ ? baseline_choice::gpu : baseline_choice::cpu))
      for (int const t : threads()) run_hash_join(right, probes, expected, t);
  }

  void run_hash_join(placed<Key> const& right, placed<Key> const& probes, pair_sum const& expected, int threads) {
    progress const shown(context_, "hash_join");
    counting_resource counter(*exec_.memory);
    execution const counted = counted_by(counter, threads);
    join_options const options{.batch_pairs = c_.batch_pairs};  // parts are of the probes of an index
    auto const runs = measure_join(
        "hash_join", c_, expected,
        [&](join_sink const& sink) {
          return hash_join(probes.keys(), right.keys(), kind_of(c_.join), sink, counted, options);
        },
        counted, counter);
    out_.add({"hash_join", threads, runs.time, c_.probes, 0, runs.scratch});
  }

  void run_index(spec const& s, placed<Key> const& right, placed<Key> const& lower, placed<Key> const& upper,
                 pair_sum const& expected) {
    progress const shown(context_, out_.label(s.text(), c_.specs.size()));
    counting_resource counter(*exec_.memory);
    bool const builds = c_.right == right_side::unsorted;
    bool const borrows = c_.right != right_side::index && !builds && s.option("pairs") == nullptr;
    auto built = borrows ? build_index(s, right.keys(), exec_, counter, warpdex::index::over_sorted)
                         : build_index(s, right.keys(), exec_, counter);
    for (int const t : threads()) {
      execution const counted = counted_by(counter, t);
      auto const ask = index_join(c_, built.index, lower.keys(), upper.keys(), counted);
      auto const call = [&](join_sink const& sink) {
        if (builds) built.index = warpdex::index::build(s, right.keys(), counted);
        return ask(sink);
      };
      auto const runs = measure_join(s.text(), c_, expected, call, counted, counter);
      record line;
      put_index(line, built, s);
      line["borrowed_bytes"] = built.index.memory().borrowed;
      double const rate = put_lookups(line, built, gpu_ ? record(nullptr) : record(t), runs, c_.probes);
      put_pairs(line, expected, runs);
      line["right_bytes"] = right.bytes();
      if (probed_) line["probed_bytes"] = *probed_;
      out_.add_index(std::move(line), rate);
    }
  }

  execution counted_by(counting_resource& counter, int threads) const {
    execution counted = exec_;
    counted.memory = &counter;
    counted.threads = threads;
    return counted;
  }

  config const& c_;
  cli_context const& context_;
  report& out_;
  execution exec_;
  bool gpu_;
  stepped_keys<Key> keys_;
  rank_rows row_of_;
  std::optional<std::uint64_t> probed_;
};

}  // namespace

void run_join(config const& c, cli_context const& context, report& out) {
  if (c.type == key_type::u64) join_bench<std::uint64_t>(c, context, out).run();
  else join_bench<std::uint32_t>(c, context, out).run();
}

}  // namespace warpdex::bench
