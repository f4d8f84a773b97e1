// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// Files that are made of files: forged grouped indexes, and folders of shards with a forged, lost or foreign file.
/// Each is refused with an error of warpdex, or taken; then all calls answer, lists agree with counts, and no count is
/// above the number of entries.
#include "attack/campaign.hpp"
#include "attack/forgery.hpp"
#include "attack/some_values.hpp"
#include "support/backends.hpp"
#include "support/folder.hpp"
#include "support/forge.hpp"

#include <warpdex/grouped_index.hpp>
#include <warpdex/join.hpp>
#include <warpdex/lookups.hpp>
#include <warpdex/range_aggregates.hpp>
#include <warpdex/sharded.hpp>

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

namespace {

using namespace warpdex;
using namespace warpdex::test;
namespace fs = std::filesystem;
using attack::any_type;
using attack::some_values;
using attack::tally;
using attack::try_call;
using file_bytes = std::vector<std::uint8_t>;
using answers = std::initializer_list<lookup_output>;

constexpr int forgeries_of_each = 40;

/// Arrays for all answers of a lookup, and the call that writes them.
/// @param call takes a list of outputs
/// @return the first answers, if these are counts
template <class Call>
std::vector<std::uint64_t> written(lookup const& what, std::uint64_t size, row_type rows, Call const& call) {
  std::array<std::vector<std::uint64_t>, 2> held{std::vector<std::uint64_t>(size), std::vector<std::uint64_t>(size)};
  auto const output = [&](int i) -> lookup_output {
    auto* const data = held[static_cast<std::size_t>(i)].data();
    switch (what.writes[i]) {
      case answer_kind::flag: return std::span(reinterpret_cast<std::uint8_t*>(data), size);
      case answer_kind::row: return row_output{data, size, rows};
      case answer_kind::key: return key_output();
      case answer_kind::position:
      case answer_kind::length: return std::span(reinterpret_cast<std::uint32_t*>(data), size);
      default: return std::span(data, size);
    }
  };
  if (what.writes[1] == answer_kind::none) call({output(0)});
  else call({output(0), output(1)});
  return what.writes[0] == answer_kind::count ? held[0] : std::vector<std::uint64_t>();
}

void expect_counts(std::vector<std::uint64_t> const& counts, std::uint64_t most, matches const* lists,
                   lookup const& what) {
  std::uint64_t total = 0;
  for (std::uint64_t const count : counts) {
    if (count > most) throw std::runtime_error(fmt::format("{} counts {} of {} entries", what.name, count, most));
    total += count;
  }
  if (lists != nullptr && lists->total != total)
    throw std::runtime_error(fmt::format("{} counts {} rows, but lists {}", what.name, total, lists->total));
}

/// All lookups but `ancestors`.
/// @param look_up, list ask for the same probes @param trusts whether all of the file was checked
template <class LookUp, class List>
void ask(std::uint64_t entries, row_type rows, std::uint64_t size, bool trusts, tally& tried, LookUp const& look_up,
         List const& list) {
  std::vector<std::uint64_t> counts;
  for (lookup const* const what : lookups::all) {
    if (what == &lookups::ancestors) continue;
    try_call(tried, "lookups", [&] {
      if (what->lists()) {
        matches const found = list(*what);
        expect_counts(counts, entries,
                      trusts && !counts.empty() && what->takes == probe_form::ranges ? &found : nullptr, *what);
        return;
      }
      auto const made = written(*what, size, rows, [&](answers outputs) { look_up(*what, outputs); });
      if (what == &lookups::range_count) counts = made;
      expect_counts(made, entries, nullptr, *what);
    });
  }
}

class grouped_round {
 public:
  grouped_round(generator& random, tally& tried)
      : random_(random), tried_(tried), groups_(any_type(random)), keys_(any_type(random)) {}

  void run() {
    auto made = built();
    if (!made) return;
    auto const stored = made->save();
    for (int i = 0; i < forgeries_of_each; ++i) forge(io::file::parse(stored));
  }

 private:
  std::optional<grouped_index> built() {
    std::uint64_t const n = below(random_, 80);
    some_values const groups(groups_, n, random_), keys(keys_, n, random_);
    std::optional<grouped_index> made;
    try_call(tried_, "grouped indexes", [&] {
      made.emplace(grouped_index::build(pick(random_, all_samples()), groups.view(), keys.view(), exec_));
      for (std::uint64_t j = below(random_, 3); j > 0; --j) update(*made);
    });
    return made;
  }

  void forge(io::file const& whole) {
    attack::forgery outer(whole);
    std::string const what = below(random_, 2) == 0 ? outer.change_part(random_) : outer.change(random_);
    auto const bytes = std::make_shared<file_bytes>(outer.bytes());
    check const checks = below(random_, 2) == 0 ? check::all : check::structure;
    std::optional<grouped_index> loaded;
    try_call(tried_, "grouped files taken, changed " + what, [&] {
      auto const view = std::as_bytes(std::span(*bytes));
      loaded.emplace(below(random_, 2) == 0 ? grouped_index::load(view, exec_, checks)
                                            : grouped_index::load(view, bytes, exec_, checks));
    });
    if (!loaded) return;
    examine(*loaded, checks == check::all);
    for (int i = 0; i < 2; ++i) {
      try_call(tried_, "updates of grouped indexes", [&] { update(*loaded); });
      examine(*loaded, false);
    }
    try_call(tried_, "grouped indexes copied", [&] { examine(loaded->clone(exec_), false); });
    try_call(tried_, "grouped indexes saved", [&] { grouped_index::load(loaded->save(), exec_, checks); });
  }

  void update(grouped_index& of) {
    std::uint64_t const come = below(random_, 12), go = below(random_, 5);
    some_values const groups(of.group_type(), come, random_), keys(of.key_type(), come, random_);
    some_values const lost_groups(of.group_type(), go, random_), lost(of.key_type(), go, random_);
    std::vector<std::uint32_t> const rows(come, static_cast<std::uint32_t>(below(random_, 100)));
    of.update(groups.view(), keys.view(), row_column(std::span(rows)), lost_groups.view(), lost.view(), exec_);
  }

  void examine(grouped_index const& of, bool trusts) {
    std::uint64_t const size = below(random_, 40);
    some_values const groups(of.group_type(), size, random_), low(of.key_type(), size, random_),
        high(of.key_type(), size, random_);
    auto const probes = [&](lookup const& what) {
      return what.takes == probe_form::ranges ? key_ranges{low.view(), high.view()} : key_ranges{low.view()};
    };
    ask(
        of.size(), of.row_type(), size, trusts, tried_,
        [&](lookup const& what, answers outputs) { of.look_up(what, groups.view(), probes(what), outputs, exec_); },
        [&](lookup const& what) { return of.list(what, groups.view(), probes(what), exec_); });
    for (auto const strategy : {asof_strategy::backward, asof_strategy::forward, asof_strategy::nearest})
      try_call(tried_, "as-of joins", [&] {
        std::vector<std::uint64_t> rows(size);
        join_asof(of, groups.view(), low.view(), row_output{rows.data(), size, of.row_type()}, exec_, {strategy});
      });
    try_call(tried_, "aggregates", [&] {
      std::vector<std::int32_t> const values(200, 3);
      range_aggregates const amounts(of.entries(), values, exec_);
      amounts.in_ranges(of.entries(), of.place_ranges(groups.view(), {low.view(), high.view()}, exec_).view(), exec_);
    });
  }

  generator& random_;
  tally& tried_;
  execution const exec_{host_memory(), {}, 1};
  key_type const groups_, keys_;
};

file_bytes read(fs::path const& path) {
  std::ifstream from(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(from), {}};
}

void write(fs::path const& path, file_bytes const& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// @return a forged file with the note of the old one, which names its shard
file_bytes forged(file_bytes const& from, generator& random) {
  attack::forgery change(io::file::parse(std::as_bytes(std::span(from))));
  for (std::uint64_t i = 1 + below(random, 2); i > 0; --i) change.change(random);
  auto bytes = change.bytes();
  constexpr std::size_t at = offsetof(io::file_header, note);
  if (bytes.size() < sizeof(io::file_header)) return bytes;
  std::memcpy(bytes.data() + at, from.data() + at, sizeof io::file_header::note);
  repair_checksums(bytes);
  return bytes;
}

class folder_round {
 public:
  folder_round(generator& random, tally& tried) : random_(random), tried_(tried), type_(any_type(random)) {}

  void run() {
    static folder const files;
    fs::path const whole = files / "whole", other = files / "other";
    if (!save(whole) || !save(other)) return;
    for (int i = 0; i < forgeries_of_each; ++i) {
      fs::path const damaged = files / "damaged";
      fs::remove_all(damaged);
      fs::copy(whole, damaged);
      std::string const what = damage(damaged, other);
      load(damaged, what);
    }
    for (fs::path const& one : {whole, other}) fs::remove_all(one);
  }

 private:
  std::vector<shard_place> places() { return std::vector<shard_place>(1 + below(random_, 4), shard_place{exec_, -1}); }

  bool save(fs::path const& to) {
    std::uint64_t const n = below(random_, 200);
    some_values const keys(type_, n, random_);
    auto const where = places();
    bool done = false;
    try_call(tried_, "folders", [&] {
      auto const how = below(random_, 3) == 0 ? warpdex::placement::replicate : warpdex::placement::range;
      auto made = sharded_index::build(pick(random_, all_samples()), keys.view(), how, where);
      for (std::uint64_t j = below(random_, 3); j > 0; --j) update(made);
      made.save(to);
      done = true;
    });
    return done;
  }

  /// Changes a file of a folder. @param other a folder of the same kind of keys
  std::string damage(fs::path const& of, fs::path const& other) {
    auto const files_in = [](fs::path const& where) {
      std::vector<fs::path> found(fs::directory_iterator(where), {});
      std::sort(found.begin(), found.end());
      return found;
    };
    auto const files = files_in(of);
    fs::path const one = pick(random_, files);
    file_bytes bytes = read(one);
    switch (below(random_, 8)) {
      case 0: fs::remove(one); return "lost";
      case 1: write(one, read(pick(random_, files))); return "those of another one of the folder";
      case 2: write(one, read(pick(random_, files_in(other)))); return "those of another folder";
      case 3: attack::change_header(bytes, random_); break;
      default: write(one, forged(bytes, random_)); return "forged";
    }
    repair_checksums(bytes);
    write(one, bytes);
    return "changed at the beginning";
  }

  void load(fs::path const& from, std::string const& what) {
    check const checks = below(random_, 2) == 0 ? check::all : check::structure;
    auto const where = places();
    std::optional<sharded_index> loaded;
    try_call(tried_, "folders taken with files " + what,
             [&] { loaded.emplace(sharded_index::load(from, where, below(random_, 2) == 0, checks)); });
    if (!loaded) return;
    examine(*loaded, checks == check::all);
    try_call(tried_, "updates of shards", [&] { update(*loaded); });
    examine(*loaded, false);
    try_call(tried_, "shards verified", [&] { loaded->verify(); });
    try_call(tried_, "folders saved", [&] { loaded->save(from); });
  }

  void update(sharded_index& of) {
    std::uint64_t const come = below(random_, 12);
    some_values const keys(of.key_type(), come, random_), lost(of.key_type(), below(random_, 5), random_);
    std::vector<std::uint32_t> const rows(come, static_cast<std::uint32_t>(below(random_, 100)));
    of.update(keys.view(), row_column(std::span(rows)), lost.view(), exec_);
  }

  void examine(sharded_index const& of, bool trusts) {
    std::uint64_t const size = below(random_, 40);
    some_values const low(of.key_type(), size, random_), high(of.key_type(), size, random_);
    auto const probes = [&](lookup const& what) {
      return what.takes == probe_form::ranges ? key_ranges{low.view(), high.view()} : key_ranges{low.view()};
    };
    ask(
        of.size(), of.row_type(), size, trusts, tried_,
        [&](lookup const& what, answers outputs) { of.look_up(what, probes(what), outputs, exec_); },
        [&](lookup const& what) { return of.list(what, probes(what), exec_); });
    std::vector<std::uint64_t> ranks(of.size() == 0 ? 0 : 5);
    for (std::uint64_t& rank : ranks) rank = below(random_, of.size());
    try_call(tried_, "keys of ranks", [&] { of.keys_at(ranks, exec_); });
    try_call(tried_, "rows of ranks", [&] { of.rows_at(ranks, exec_); });
  }

  generator& random_;
  tally& tried_;
  execution const exec_{host_memory(), {}, 1};
  key_type const type_;
};

void one_round(generator& random, tally& tried) {
  if (below(random, 2) == 0) grouped_round(random, tried).run();
  else folder_round(random, tried).run();
}

}  // namespace

int main() { return warpdex::attack::run("attack_parts", 60, one_round); }
