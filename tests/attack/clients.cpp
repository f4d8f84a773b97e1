// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// Forged files of networks, aggregates, intervals, sets and key encoders. Each is refused with an error of warpdex, or
/// taken; then all calls answer, lists agree with counts, and no count is above the number of entries.
#include "attack/campaign.hpp"
#include "attack/forgery.hpp"
#include "attack/some_values.hpp"
#include "support/backends.hpp"
#include "support/limited_memory.hpp"

#include <warpdex/intervals.hpp>
#include <warpdex/key_encoder.hpp>
#include <warpdex/key_set.hpp>
#include <warpdex/networks.hpp>
#include <warpdex/range_aggregates.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>

namespace {

using namespace warpdex;
using namespace warpdex::test;
using attack::any_type;
using attack::some_values;
using attack::tally;
using attack::try_call;
using stored = std::shared_ptr<std::vector<std::uint8_t> const>;

constexpr int forgeries_of_each = 40;

class client_round {
 public:
  client_round(generator& random, tally& tried) : random_(random), tried_(tried) { memory_.limit = 1 << 26; }

  void run() {
    switch (below(random_, 5)) {
      case 0: return forge_networks();
      case 1: return forge_aggregates();
      case 2: return forge_encoders();
      case 3: return forge_sets();
      default: return forge_intervals();
    }
  }

 private:
  /// @param load load(bytes, checks) returns what a forged file holds @param examine examine(what, probes)
  template <class Load, class Examine>
  void forge(std::string const& name, std::vector<std::byte> const& whole, Load const& load, Examine const& examine) {
    for (int i = 0; i < forgeries_of_each; ++i) {
      attack::forgery outer(io::file::parse(whole));
      std::string what = below(random_, 2) == 0 ? outer.change_part(random_) : outer.change(random_);
      if (below(random_, 4) == 0) what = outer.change(random_);
      auto const bytes = std::make_shared<std::vector<std::uint8_t> const>(outer.bytes());
      check const checks = below(random_, 2) == 0 ? check::all : check::structure;
      std::optional<decltype(load(bytes, checks))> loaded;
      try_call(tried_, name + " taken, changed " + what, [&] { loaded.emplace(load(bytes, checks)); });
      if (loaded) examine(*loaded);
    }
  }

  /// @return a `load` that copies the bytes, or uses them in place
  template <class Client> auto loads() {
    return [this](stored const& bytes, check checks) {
      auto const view = std::as_bytes(std::span(*bytes));
      return below(random_, 2) == 0 ? Client::load(view, exec_, checks) : Client::load(view, bytes, exec_, checks);
    };
  }

  void forge_intervals() {
    key_type const keys = any_type(random_), groups = any_type(random_);
    std::uint64_t const n = below(random_, 80);
    auto const ends = some_values::ordered(keys, n, random_);
    some_values const of(groups, n, random_);
    auto const closed = static_cast<closed_ends>(below(random_, 4));
    bool const grouped = below(random_, 2) == 0;
    std::optional<intervals> made;
    try_call(tried_, "intervals", [&] {
      made.emplace(grouped ? intervals::build(of.view(), ends.first.view(), ends.second.view(), exec_, closed)
                           : intervals::build(ends.first.view(), ends.second.view(), exec_, closed));
      if (below(random_, 3) == 0) made.emplace(made->with_min_overlap(std::int64_t{1}, exec_));
    });
    if (!made) return;
    forge("intervals", made->save(), loads<intervals>(), [&](intervals const& loaded) { examine(loaded); });
  }

  void examine(intervals const& of) {
    std::uint64_t const size = below(random_, 40);
    some_values const low(of.key_type(), size, random_), high(of.key_type(), size, random_);
    some_values const groups(of.group_type().value_or(key_type::u32), size, random_);
    for (bool const points : {false, true}) {
      interval_probes probes = points ? interval_probes(low.view()) : interval_probes(low.view(), high.view());
      if (of.group_type()) probes = probes.within(groups.view());
      try_call(tried_, "matches of intervals", [&] {
        auto const counts = of.count(probes, exec_);
        if (std::any_of(counts.begin(), counts.end(), [&](std::uint64_t count) { return count > of.size(); }))
          throw std::runtime_error("a probe matches more intervals than there are");
        std::vector<std::uint64_t> rows(size);
        of.find(probes, {rows.data(), size, of.row_type()}, exec_);
        if (of.retrieve(probes, exec_).total != std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}))
          throw std::runtime_error("intervals are counted, but not listed");
        of.join(probes, join_kind::left, exec_);
      });
      try_call(tried_, "nearest intervals", [&] { of.nearest(probes, 3, exec_, {.with_distances = true}); });
      try_call(tried_, "gaps", [&] { of.gaps(probes, exec_); });
      std::vector<double> lengths(size);
      try_call(tried_, "coverage", [&] {
        if (of.key_type() == key_type::f32 || of.key_type() == key_type::f64)
          return of.coverage(probes, lengths, exec_);
        std::vector<std::uint64_t> whole(size);
        of.coverage(probes, whole, exec_);
      });
    }
    try_call(tried_, "unions", [&] { of.merge(exec_); });
    try_call(tried_, "least overlaps", [&] { of.with_min_overlap(std::int64_t{2}, exec_).save(); });
    try_call(tried_, "intervals saved", [&] { intervals::load(of.save(), exec_); });
  }

  void forge_networks() {
    std::uint64_t const n = below(random_, 60);
    std::vector<u128> addresses(n);
    std::vector<std::uint8_t> lengths(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      bool const ipv4 = below(random_, 2) == 0;
      addresses[i] = ipv4 ? address_of(static_cast<std::uint32_t>(random_())) : u128{random_()} << 64 | random_();
      lengths[i] = static_cast<std::uint8_t>(below(random_, ipv4 ? 33 : 129));
    }
    char const* const structures[] = {"AO+BS", "GRT", "auto(ranges)"};
    networks const made(addresses, lengths, exec_, host_bits::mask, structures[below(random_, 3)]);
    forge("networks", made.save(), loads<networks>(), [&](networks const& loaded) {
      try_call(tried_, "networks asked", [&] {
        loaded.find(addresses, exec_);
        matches const found = loaded.covering(addresses, exec_);
        if (found.total > addresses.size() * loaded.size()) throw std::runtime_error("too many networks are listed");
        networks::load(loaded.save(), exec_);
      });
    });
  }

  void forge_sets() {
    key_type const type = any_type(random_);
    some_values const keys(type == key_type::bytes ? key_type::u128 : type, below(random_, 700), random_);
    key_set const made(keys.view(), exec_, below(random_, 3) == 0 ? set_code::plain : set_code::compressed);
    forge("sets", made.save(), loads<key_set>(), [&](key_set& loaded) {
      try_call(tried_, "sets asked", [&] {
        key_list const held = loaded.keys(exec_);
        if (held.size != loaded.size() || loaded.count(held.view(), exec_) != held.size)
          throw std::runtime_error("a set lists keys that it does not have");
        loaded.erase(held.view(), exec_);
        if (loaded.size() != 0) throw std::runtime_error("a set has keys that it does not list");
        key_set::load(loaded.save(), exec_);
      });
    });
  }

  void forge_aggregates() {
    std::vector<std::int32_t> values(below(random_, 80));
    for (auto& one : values) one = static_cast<std::int32_t>(random_());
    warpdex::index const over = warpdex::index::build("AO+BS", column(values), exec_);
    std::vector<std::uint8_t> const bits(values.size() / 8 + 1, 0b1101);
    auto const known = static_cast<moments>(below(random_, 3));
    range_aggregates<i128> const made(over, value_column(values, bits.data()), exec_, known);
    std::vector<std::int32_t> const low = {-1000000000, 0, 5}, high = {2000000000, 7, 4};
    forge(
        "aggregates", made.save(),
        [this](stored const& bytes, check) {
          auto const view = std::as_bytes(std::span(*bytes));
          return below(random_, 2) == 0 ? load_range_aggregates(view, exec_)
                                        : load_range_aggregates(view, bytes, exec_);
        },
        [&](any_range_aggregates const& loaded) {
          try_call(tried_, "aggregates asked", [&] {
            std::visit([&](auto const& of) { of.in_ranges(over, {column(low), column(high)}, exec_); }, loaded);
          });
        });
  }

  void forge_encoders() {
    std::vector<key_field> fields(1 + below(random_, 5));
    for (key_field& one : fields)
      one = {any_type(random_), below(random_, 2) == 0, below(random_, 2) == 0, below(random_, 2) == 0};
    forge(
        "encoders", some_encoder(fields),
        [](stored const& bytes, check) { return key_encoder::load(std::as_bytes(std::span(*bytes))); },
        [&](key_encoder const& loaded) {
          std::vector<some_values> held;
          std::vector<nullable_column> columns;
          for (key_field const& one : loaded.fields()) held.emplace_back(one.type, 9, random_);
          for (some_values const& one : held) columns.push_back(one.view());
          try_call(tried_, "tuples", [&] { loaded.decode(loaded.encode(columns, exec_), exec_); });
          if (!loaded.is_narrow()) return;
          auto const leading = std::span(std::as_const(columns)).first(columns.size() - 1);
          try_call(tried_, "narrow probes", [&] { loaded.points(columns, exec_); });
          try_call(tried_, "narrow ranges", [&] { loaded.ranges(leading, {columns.back(), {}}, exec_); });
        });
  }

  /// @return the bytes of an encoder of some fields, whose numbers are those of some tuples if it is narrow
  std::vector<std::byte> some_encoder(std::vector<key_field> fields) {
    if (fields.size() < 2 || below(random_, 2) == 0) return key_encoder(fields).save();
    fields.back().descending = fields.back().nullable = false;
    std::vector<some_values> held;
    std::vector<nullable_column> columns;
    for (key_field const& one : fields) held.emplace_back(one.type, 9, random_);
    for (some_values const& one : held) columns.push_back(one.view());
    return key_encoder::narrow(fields, columns, execution(host_memory(), {}, 1)).save();
  }

  generator& random_;
  tally& tried_;
  limited_memory memory_{host_memory()};
  execution const exec_{memory_, {}, 1};
};

void one_round(generator& random, tally& tried) { client_round(random, tried).run(); }

}  // namespace

int main() { return warpdex::attack::run("attack_clients", 100, one_round); }
