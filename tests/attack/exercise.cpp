// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "attack/exercise.hpp"

#include "base/types.hpp"
#include "conformance/string_shapes.hpp"
#include "support/answers.hpp"
#include "support/damage.hpp"
#include "support/key_array.hpp"

#include <warpdex/join.hpp>
#include <warpdex/range_aggregates.hpp>

#include <fmt/format.h>

#include <iterator>
#include <numeric>
#include <stdexcept>

namespace warpdex::attack {
namespace {

using namespace test;
using numbers = std::vector<std::uint64_t>;

/// What callers give for keys that are held as `Key`.
template <class Key> using scalar_of = std::conditional_t<is_bytes<Key>, std::string, Key>;

template <class Scalar> std::vector<Scalar> some_keys(std::uint64_t n, generator& random) {
  return make_keys<Scalar>(static_cast<distribution>(below(random, distributions)), n, random);
}

void expect_at_most(numbers const& counted, std::uint64_t most, std::string const& what) {
  for (std::uint64_t const number : counted)
    if (number > most) throw std::runtime_error(fmt::format("{} answers {} of {} entries", what, number, most));
}

/// Probes, and the ranges from each of them to the next, in either order.
struct probes {
  column all;
  column lower;
  column upper;
};

void ask_lookups(index const& of, probes const& p, execution const& exec, tally& tried) {
  for (question const& q : questions_of(p.all, p.lower, p.upper, of.ordered())) {
    numbers const answer = q.ask(of, exec);
    if (q.name == "count" || q.name == "range_count" || q.name == "lower_bound" || q.name == "upper_bound")
      expect_at_most(answer, of.size(), q.name);
    ++tried["calls of lookups"];
  }
  std::vector<std::uint32_t> positions(p.all.size);
  rows_of(of, p.all.size, [&](row_output rows) { of.find_unordered(p.all, positions, rows, exec); });
  if (!of.ordered()) return;
  rows_of(of, p.all.size, [&](row_output rows) { of.floor(p.all, {}, rows, exec); });
  numbers ranks(of.size());
  std::iota(ranks.begin(), ranks.end(), std::uint64_t{0});
  of.keys_at(ranks, exec);
  of.rows_at(ranks, exec);
  if (of.key_type() != key_type::bytes) return;
  std::vector<std::uint32_t> lengths(p.all.size);
  rows_of(of, p.all.size, [&](row_output rows) { of.longest_prefix(p.all, rows, lengths, exec); });
  numbers counts(p.all.size);
  of.prefix_count(p.all, counts, exec);
  expect_at_most(counts, of.size(), "prefix_count");
  of.prefix_retrieve(p.all, exec);
}

void ask_joins(index const& of, probes const& p, execution const& exec, tally& tried) {
  join_options options;
  options.batch_pairs = 7;
  for (auto const kind : {join_kind::inner, join_kind::left, join_kind::semi, join_kind::anti}) {
    join(of, p.all, kind, exec);
    join(of, p.all, kind, exec, options);
    tried["calls of joins"] += 2;
    if (!of.ordered()) continue;
    join_between(of, {p.lower, p.upper}, kind, exec);
    join_between(of, {p.lower, p.upper, closed_ends::none}, kind, exec, options);
    join_between(of, {p.lower, {}}, kind, exec);
    tried["calls of joins"] += 3;
  }
  if (!of.ordered()) return;
  bool const measures = of.key_type() != key_type::bytes;
  for (auto const strategy : {asof_strategy::backward, asof_strategy::forward, asof_strategy::nearest})
    for (bool const last : {false, true}) {
      if (strategy == asof_strategy::nearest && !measures) continue;
      asof_options rule{strategy, !last};
      rule.ties = last ? asof_ties::last : asof_ties::first;
      rows_of(of, p.all.size, [&](row_output rows) { join_asof(of, p.all, rows, exec, rule); });
      ++tried["calls of joins"];
    }
}

/// Rows in a forged file may number any values, so aggregates may be refused.
void ask_aggregates(index const& of, probes const& p, execution const& exec, tally& tried) {
  std::vector<std::int32_t> const values(1000, 3);
  try {
    range_aggregates const amounts(of, values, exec);
    for (auto const& found : amounts.in_ranges(of, {p.lower, p.upper}, exec))
      expect_at_most({found.count}, of.size(), "in_ranges");
    amounts.of_keys(of, p.all, exec);
    expect_at_most({amounts.top_k(of, {p.lower, p.upper}, 3, exec).total}, 3 * p.lower.size, "top_k");
    ++tried["aggregates taken"];
  } catch (device_error const&) {
    throw;
  } catch (error const&) {
    ++tried["aggregates refused"];
  }
}

void ask_everything(index const& of, probes const& p, execution const& exec, tally& tried) {
  ask_lookups(of, p, exec, tried);
  ask_joins(of, p, exec, tried);
  if (of.ordered()) ask_aggregates(of, p, exec, tried);
}

/// Strings on the host, with offsets of 64 bits.
column column_of(std::vector<std::string> const& keys, key_type, byte_strings& result) {
  for (std::string const& key : keys) result.push_back(key);
  return result;
}
template <class Key> column column_of(std::vector<Key> const& keys, key_type type, byte_strings&) {
  return {keys.data(), keys.size(), type};
}

template <class Row, class Scalar> class exercised {
 public:
  exercised(index of, generator& random, execution const& exec, tally& tried)
      : random_(random), exec_(exec), tried_(tried), index_(std::move(of)), type_(index_.key_type()),
        keys_(probes_of(index_)) {
    probes_.all = column_of(keys_, type_, strings_);
    probes_.lower = probes_.upper = probes_.all;
    probes_.lower.size = --probes_.upper.size;
    if constexpr (std::is_same_v<Scalar, std::string>)
      probes_.upper.strings.offsets = static_cast<std::uint64_t const*>(probes_.all.strings.offsets) + 1;
    else probes_.upper.data = keys_.data() + 1;
  }

  void run() {
    index copy = index_.clone(exec_);
    for (index* const searched : {&index_, &copy}) {
      ask_everything(*searched, probes_, exec_, tried_);
      for (int i = 0; i < 3; ++i) {
        update(*searched);
        ask_everything(*searched, probes_, exec_, tried_);
      }
      searched->save();
    }
  }

 private:
  /// Probes like those of other tests, and many keys of the index itself, in the order of their ranks.
  std::vector<Scalar> probes_of(index const& of) {
    auto found = make_probes<Scalar>(some_keys<Scalar>(30, random_), 10, random_);
    if (of.ordered()) {
      numbers ranks(std::min<std::uint64_t>(of.size(), 60));
      std::uint64_t const from = ranks.empty() ? 0 : below(random_, of.size() - ranks.size() + 1);
      std::iota(ranks.begin(), ranks.end(), from);
      auto const own = keys_of<Scalar>(of.keys_at(ranks, exec_), exec_);
      found.insert(found.end(), own.begin(), own.end());
    }
    return found;
  }

  void update(index& of) {
    auto const put = [&](std::vector<Scalar> const& keys) {
      return key_array<Scalar>(keys, type_, place::host, random_(), exec_);
    };
    auto const come = put(some_keys<Scalar>(below(random_, 20), random_));
    auto const go = put({pick(random_, keys_), pick(random_, keys_)});
    std::vector<Row> const rows(come.view().size, static_cast<Row>(below(random_, 1000)));
    row_column const of_rows{std::span(rows)};
    try {
      if (below(random_, 2) == 0) of.update(come.view(), of_rows, go.view(), exec_);
      else of.insert_or_assign(come.view(), of_rows, exec_);
      ++tried_["updates made"];
    } catch (device_error const&) {
      throw;
    } catch (error const&) {
      ++tried_["updates refused"];
    }
  }

  generator& random_;
  execution const& exec_;
  tally& tried_;
  index index_;
  key_type const type_;
  byte_strings strings_;
  std::vector<Scalar> const keys_;
  probes probes_;
};

}  // namespace

io::file make_file(conformance_case const& c, generator& random, std::string& storage) {
  static folder const files;
  constexpr std::uint64_t sizes[] = {0, 1, 2, 3, 5, 16, 17, 60, 100, 300};
  execution const exec(host_memory(), {}, 1);
  with_types({kind_of(c.keys), c.rows}, [&]<class Key, class Row>() {
    using scalar = scalar_of<Key>;
    auto const put = [&](std::vector<scalar> const& keys) {
      return key_array<scalar>(keys, c.keys, place::host, random(), exec);
    };
    auto const keys = some_keys<scalar>(sizes[below(random, std::size(sizes))], random);
    auto built = index::build(c.spec, put(keys).view(), exec);
    for (std::uint64_t i = below(random, 4); i > 0; --i) {
      auto const come = some_keys<scalar>(below(random, 6), random);
      auto const go = keys.empty() ? come : std::vector<scalar>{pick(random, keys)};
      std::vector<Row> const rows(come.size(), static_cast<Row>(below(random, 1000)));
      built.update(put(come).view(), row_column(std::span(rows)), put(go).view(), exec);
    }
    storage = saved(built, files / "index.wdx");
  });
  return io::file::parse(std::as_bytes(std::span(storage)));
}

void exercise(index of, generator& random, execution const& exec, tally& tried) {
  with_types({kind_of(of.key_type()), of.row_type()},
             [&]<class Key, class Row>() { exercised<Row, scalar_of<Key>>(std::move(of), random, exec, tried).run(); });
}

}  // namespace warpdex::attack
