// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/sharded_set.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include "backend/rounding_steps.hpp"
#include "base/api_border.hpp"
#include "clients/key_set/set_parts.hpp"
#include "clients/sharded/dealing.hpp"
#include "clients/sharded/folder.hpp"
#include "clients/sharded/pieces.hpp"
#include "clients/sharded/tuning.hpp"

namespace warpdex {

/// Where the shards of sets are, and which keys each has.
struct sharded_set::layout {
  layout(std::span<shard_place const> at, std::size_t shards, index const& between)
      : places(at.begin(), at.end()), place_of(places_of_shards(shards, places.size())),
        borders(placed_in(places, between)) {}

  std::vector<shard_place> places;
  std::vector<std::size_t> place_of;    ///< of each shard
  std::vector<placed_borders> borders;  ///< in each place, and on the host

  std::size_t count() const { return place_of.size(); }
  shard_place const& place(std::size_t shard) const { return places[place_of[shard]]; }

  void for_all(std::function<void(std::size_t)> const& work) const {
    for_shards(places, place_of, numbers_below(count()), work);
  }

  bool has_borders_of(layout const& other) const {
    index const &left = borders.back().keys, &right = other.borders.back().keys;
    if (this == &other) return true;
    if (count() != other.count() || left.size() != right.size()) return false;
    auto const ranks = numbers_below(left.size());
    key_list const a = left.keys_at({ranks.begin(), ranks.end()}, {}),
                   b = right.keys_at({ranks.begin(), ranks.end()}, {});
    return a.bytes == 0 || std::memcmp(a.keys.data(), b.keys.data(), a.bytes) == 0;
  }

  /// @return whether keys in the place of a shard belong to it
  bool has_between_borders(std::size_t shard, key_list const& keys) const {
    std::vector<std::uint64_t> owners(keys.size);
    borders[place_of[shard]].keys.upper_bound(keys.view(), owners, place(shard).exec);
    return std::all_of(owners.begin(), owners.end(), [&](std::uint64_t owner) { return owner == shard; });
  }

  /// @return sets of the keys between the borders
  shard_list deal(char const* call, std::vector<home_piece> const& pieces, set_code code) const {
    shard_list made(count());
    bool const with_rows = pieces.front().with_rows;
    deal_columns(call, pieces, {borders.back().keys, places, place_of},
                 [&](std::size_t i, column const& keys, row_column const& rows) {
                   execution const& exec = place(i).exec;
                   made[i] = with_rows ? std::make_shared<key_set const>(keys, rows, exec, code)
                                       : std::make_shared<key_set const>(keys, exec, code);
                 });
    return made;
  }
};

namespace {

/// Keys that a call was given, in pieces that are dealt to the shards.
class keys_to_deal {
 public:
  /// @param rows of the keys, or null
  keys_to_deal(char const* call, nullable_column const& keys, row_column const* rows,
               std::span<shard_place const> places)
      : home_(home_of(call, keys, places)), scope_(home_.device), valid_(call, keys, rows, home_.exec) {
    row_type const type = rows == nullptr ? row_type::u32 : rows->type;
    whole_columns columns{{&valid_.keys, 1}, std::nullopt, type, rows != nullptr};
    if (rows != nullptr) columns.rows = row_column(valid_.rows.data, valid_.rows.size, type);
    pieces_ = home_pieces(call, columns, places, true);
  }

  std::vector<home_piece> const& pieces() const { return pieces_; }

 private:
  shard_place home_;
  place_scope scope_;
  valid_keys valid_;
  std::vector<home_piece> pieces_;
};

/// Looks for probes in a shard. @param answers flags, or rows
void ask_shard(key_set const& shard, column const& probes, void* answers, std::size_t width, execution const& exec) {
  if (width == sizeof(bool)) shard.contains(probes, std::span(static_cast<bool*>(answers), probes.size), exec);
  else shard.find(probes, std::span(static_cast<std::uint64_t*>(answers), probes.size), exec);
}

/// The same for a shard that may be in another place than the probes and their answers.
void ask_from(call_home const& home, key_set const& shard, shard_place const& place, column const& probes,
              void* answers, std::size_t width) {
  place_scope const scope(place.device < 0 ? home.device : place.device);
  if (home.is(place)) {
    ask_shard(shard, probes, answers, width, place.device < 0 ? home.exec : place.exec);
  } else {
    buffer const copied(probes.size * size_of(probes.type), place.exec), found(probes.size * width, place.exec);
    send(copied.data(), probes.data, copied.bytes(), home, place);
    ask_shard(shard, {copied.data(), probes.size, probes.type}, found.data(), width, place.exec);
    send(answers, found.data(), found.bytes(), home, place);
  }
  backend_of(place.exec).synchronize(place.exec);
}

bool same_places(std::vector<shard_place> const& a, std::vector<shard_place> const& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](shard_place const& x, shard_place const& y) { return x.device == y.device; });
}

}  // namespace

sharded_set sharded_set::build(nullable_column const& keys, row_column const* rows, std::span<shard_place const> places,
                               set_code code, std::uint32_t shards) {
  constexpr char const* call = "build";
  return run_call(call, [&] {
    expect_code(call, code);
    expect_shards(call, shards);
    expect_places(call, places);
    connect(places);
    keys_to_deal const given(call, keys, rows, places);
    std::size_t const count = shards == 0 ? places.size() : shards;
    auto const made = std::make_shared<layout const>(places, count, borders_of(call, given.pieces(), count));
    return sharded_set(made, made->deal(call, given.pieces(), code));
  });
}

sharded_set sharded_set::build(nullable_column const& keys, std::span<shard_place const> places, set_code code,
                               std::uint32_t shards) {
  return build(keys, nullptr, places, code, shards);
}

sharded_set sharded_set::build(nullable_column const& keys, row_column rows, std::span<shard_place const> places,
                               set_code code, std::uint32_t shards) {
  return build(keys, &rows, places, code, shards);
}

sharded_set::layout const& sharded_set::built(char const* call) const {
  if (layout_ == nullptr)
    run_call(call, [&] { throw invalid_argument(fmt::format("{}: the set was moved from", call)); });
  return *layout_;
}

void sharded_set::exchange(call_home const& home, range_array const& probes, std::uint64_t size, void* answers,
                           std::size_t width) const {
  layout const& at = *layout_;
  execution const& exec = home.exec;
  shard_route const route =
      route_probes(borders_at(at.places, at.borders, "find", home), lookups::find, probes, size, exec);
  buffer const found_at(size * sizeof(std::uint32_t), exec);
  if (probes.lower.valid.bits != nullptr) {  // nulls are not dealt
    u128 const none = width == sizeof(bool) ? 0 : ~u128{0};
    steps::run(rounding_steps::fill_key{~u128{0}, sizeof(std::uint32_t), found_at.data()}, size, exec);
    steps::run(rounding_steps::fill_key{none, width, answers}, size, exec);
  }
  dealt_arrays const dealt = deal_probes(route, at.count(), probes, size, exec, found_at.as<std::uint32_t>());
  buffer const found(dealt.all() * width, exec);
  backend_of(exec).synchronize(exec);
  std::vector<std::size_t> asked;
  for (shard_part const& part : parts_of(dealt, at.count())) asked.push_back(part.shard);
  for_shards(at.places, at.place_of, asked, [&](std::size_t i) {
    ask_from(home, *shards_[i], at.place(i), {dealt.part(0, i), dealt.size(i), probes.lower.type},
             moved(found.data(), dealt.shares.begins[i] * width), width);
  });
  steps::run(sharded_steps::gather_answer{found_at.as<std::uint32_t>(), width, found.data(), answers}, size, exec);
}

void sharded_set::ask_over_links(char const* call, nullable_column const& probes, void* answers,
                                 std::size_t width) const {
  auto const& places = layout_->places;
  std::size_t const count = std::clamp<std::size_t>(probes.size / tuning::linked_probes, 1, places.size());
  at_places(places, numbers_below(count), [&](std::size_t i) {
    std::uint64_t const begin = probes.size * i / count;
    nullable_column piece = probes;
    piece.data = moved(probes.data, begin * size_of(probes.type));
    piece.size = probes.size * (i + 1) / count - begin;
    piece.offset += begin;
    ask(call, piece, moved(answers, begin * width), width, places[i].exec);
  });
}

void sharded_set::ask(char const* call, nullable_column const& probes, void* answers, std::size_t width,
                      execution const& exec) const {
  auto const& places = layout_->places;
  call_home const home(exec);
  auto const on_host = [](shard_place const& place) { return place.device < 0; };
  if (home.device < 0 && std::none_of(places.begin(), places.end(), on_host))
    return ask_over_links(call, probes, answers, width);
  borders_at(places, layout_->borders, call, home);
  staging stage(call, exec);
  if (probes.size == 0) return;
  validity_bits const valid = stage.validity(probes, "the validity of probes");
  std::size_t const key_width = size_of(probes.type);
  std::uint64_t const most = home.device < 0 ? tuning::exchanged_probes : tuning::most_exchanged_probes;
  std::uint64_t done = 0;
  auto const run_part = [&](void* const* arrays, std::uint64_t size) {
    for (std::uint64_t begin = 0; begin < size; begin += most)
      exchange(home, {probe_form::keys, {moved(arrays[0], begin * key_width), probes.type, valid.from(done + begin)}},
               std::min(size - begin, most), moved(arrays[1], begin * width), width);
    done += size;
  };
  batch_array const keys = stage.probes(probes, "the column of probes");
  stage.run(probes.size, {keys, {answers, width, "the output", false, true}}, 0, run_part, true);
  backend_of(exec).synchronize(exec);
}

void sharded_set::contains(nullable_column const& probes, std::span<bool> found, execution const& exec) const {
  constexpr char const* call = "contains";
  built(call);
  run_call(call, exec, [&] {
    expect_comparable(call, "the column of probes", probes.type, key_type());
    expect_size(call, "the output", found.size(), probes.size);
    ask(call, probes, found.data(), sizeof(bool), exec);
  });
}

std::vector<std::uint8_t> sharded_set::contains(nullable_column const& probes, execution const& exec) const {
  auto found = detail::answers<std::uint8_t>("contains", probes.size);
  contains(probes, {reinterpret_cast<bool*>(found.data()), found.size()}, exec);
  return found;
}

void sharded_set::find(nullable_column const& probes, std::span<std::uint64_t> rows, execution const& exec) const {
  constexpr char const* call = "find";
  built(call);
  run_call(call, exec, [&] {
    expect_rows_of_set(call, row_bits());
    expect_comparable(call, "the column of probes", probes.type, key_type());
    expect_size(call, "the output", rows.size(), probes.size);
    ask(call, probes, rows.data(), sizeof(std::uint64_t), exec);
  });
}

std::vector<std::uint64_t> sharded_set::find(nullable_column const& probes, execution const& exec) const {
  auto rows = detail::answers<std::uint64_t>("find", probes.size);
  find(probes, rows, exec);
  return rows;
}

std::uint64_t sharded_set::count(nullable_column const& probes, execution const& exec) const {
  constexpr char const* call = "count";
  built(call);
  return run_call(call, exec, [&] {
    expect_comparable(call, "the column of probes", probes.type, key_type());
    expect_possible(call, "the column of probes", probes.size);
    buffer const flags(probes.size, exec);
    ask(call, probes, flags.data(), sizeof(bool), exec);
    return count_flags(flags, exec);
  });
}

sharded_set::shard_list sharded_set::between_borders_of(char const* call, layout const& to, bool with_rows) const {
  layout const& at = *layout_;
  if (at.has_borders_of(to)) return shards_;
  std::vector<key_list> keys(at.count());
  std::vector<buffer> rows(at.count());
  std::vector<home_piece> pieces(at.count());
  // What is on the host goes to other shards over the link of a device, if there is one.
  auto const linked = std::find_if(at.places.begin(), at.places.end(), [](auto const& one) { return one.device >= 0; });
  at.for_all([&](std::size_t i) {
    shard_place const& place = at.place(i);
    keys[i] = shards_[i]->keys(place.exec);
    std::uint64_t const size = keys[i].size, size_of_rows = with_rows ? size : 0;
    rows[i] = buffer(size_of_rows * sizeof(std::uint64_t), place.exec);
    if (with_rows) shards_[i]->find(keys[i].view(), std::span(rows[i].as<std::uint64_t>(), size), place.exec);
    backend_of(place.exec).synchronize(place.exec);
    shard_place const& from = place.device < 0 && linked != at.places.end() ? *linked : place;
    pieces[i] = {from, keys[i].view(), {rows[i].data(), size_of_rows, row_type::u64}, 0, with_rows};
  });
  shard_list dealt = to.deal(call, pieces, set_code::plain);
  at.for_all([&](std::size_t i) { keys[i] = {}, rows[i] = {}; });  // which are freed where they are
  return dealt;
}

sharded_set sharded_set::combined(char const* call, sharded_set const& other, set_call combine) const {
  layout const& at = built(call);
  other.built(call);
  return run_call(call, [&] {
    expect_one_type(call, key_type(), other.key_type());
    if (!same_places(at.places, other.layout_->places))
      throw invalid_argument(fmt::format("{}: the sets are not in the same places", call));
    shard_list const right = other.between_borders_of(call, at, row_bits() != 0 && other.row_bits() != 0);
    shard_list result(at.count());
    at.for_all([&](std::size_t i) {
      result[i] = std::make_shared<key_set const>(((*shards_[i]).*combine)(*right[i], at.place(i).exec));
    });
    return sharded_set(layout_, std::move(result));
  });
}

sharded_set sharded_set::merge(sharded_set const& other) const { return combined("merge", other, &key_set::merge); }

sharded_set sharded_set::intersection(sharded_set const& other) const {
  return combined("intersection", other, &key_set::intersection);
}

sharded_set sharded_set::difference(sharded_set const& other) const {
  return combined("difference", other, &key_set::difference);
}

std::uint64_t sharded_set::change(char const* call, nullable_column const& keys, row_column const* rows,
                                  set_call combine, execution const& exec) {
  layout const& at = built(call);
  return run_call(call, exec, [&] {
    bool const adds = combine == &key_set::merge;
    expect_change_of_set(call, keys.type, key_type(), adds, rows != nullptr, row_bits());
    backend_of(exec).synchronize(exec);  // which may have the keys
    keys_to_deal const given(call, keys, rows, at.places);
    shard_list const right = at.deal(call, given.pieces(), set_code::plain);
    shard_list result = shards_;
    at.for_all([&](std::size_t i) {
      if (right[i]->size() != 0)
        result[i] = std::make_shared<key_set const>(((*shards_[i]).*combine)(*right[i], at.place(i).exec));
    });
    std::uint64_t const before = size();
    shards_.swap(result);
    return adds ? size() - before : before - size();
  });
}

std::uint64_t sharded_set::insert(nullable_column const& keys, execution const& exec) {
  return change("insert", keys, nullptr, &key_set::merge, exec);
}

std::uint64_t sharded_set::insert(nullable_column const& keys, row_column rows, execution const& exec) {
  return change("insert", keys, &rows, &key_set::merge, exec);
}

std::uint64_t sharded_set::erase(nullable_column const& keys, execution const& exec) {
  return change("erase", keys, nullptr, &key_set::difference, exec);
}

key_list sharded_set::keys() const {
  layout const& at = built("keys");
  return run_call("keys", [&] {
    std::size_t const width = size_of(key_type());
    key_list all;
    all.size = size();
    all.type = key_type();
    all.keys = buffer(all.size * width, execution(host_memory()));
    all.bytes = all.keys.bytes();
    std::vector<std::uint64_t> before(1, 0);
    for (auto const& shard : shards_) before.push_back(before.back() + shard->size());
    at.for_all([&](std::size_t i) {
      key_list const part = shards_[i]->keys(at.place(i).exec);
      carry(moved(all.keys.data(), before[i] * width), part.keys.data(), part.bytes, at.place(i).exec);
    });
    return all;
  });
}

void save(sharded_set const& from, std::filesystem::path const& folder, std::string_view note) {
  sharded_set::layout const& at = from.built("save");
  run_call("save", [&] {
    io::header const head{io::spec_of(io::file_kind::sharded_set, name_of(from.code())), from.key_type(), row_type::u64,
                          at.count()};
    shards_to_save to{head, 1, {}, at.borders.back().keys};
    for (auto const& shard : from.shards_) to.entries.push_back(shard->size());
    save_folder(folder, to, note, [&](std::vector<shard_file> const& files) {
      at.for_all([&](std::size_t i) { save(*from.shards_[i], files[i].path, files[i].note); });
    });
  });
}

sharded_set sharded_set::load(std::filesystem::path const& folder, std::span<shard_place const> places, bool map,
                              check checks) {
  constexpr char const* call = "load";
  return run_call(call, [&] {
    expect_places(call, places);
    connect(places);
    sharded_set result(nullptr, {});
    load_folder(folder, io::file_kind::sharded_set, [&](manifest const& from) {
      if (from.numbers.how != 1) throw format_error(from.file.name() + ": the shards of a set have ranges of keys");
      auto const at = std::make_shared<layout const>(places, from.entries.size(), from.borders());
      shard_list loaded(at->count());
      at->for_all([&](std::size_t i) {
        std::filesystem::path const path = from.file_of(i);
        loaded[i] = std::make_shared<key_set const>(key_set::load(path, at->place(i).exec, map, checks));
        if (loaded[i]->size() != from.entries[i] || loaded[i]->key_type() != from.file.head().keys)
          throw format_error(path.string() + ": the shard is not as the manifest says");
        if (checks == check::all && loaded[i]->size() != 0 &&
            !at->has_between_borders(i, loaded[i]->ends(at->place(i).exec)))
          throw format_error(path.string() + ": keys are beyond the borders of the shard");
      });
      for (auto const& shard : loaded)
        if ((shard->row_bits() == 0) != (loaded.front()->row_bits() == 0))
          throw format_error(from.file.name() + ": some shards keep rows, and others do not");
      result = sharded_set(at, std::move(loaded));
      result.note_ = from.file.note();
    });
    return result;
  });
}

warpdex::key_type sharded_set::key_type() const {
  built("key_type");
  return shards_.front()->key_type();
}

std::uint64_t sharded_set::size() const {
  built("size");
  std::uint64_t all = 0;
  for (auto const& shard : shards_) all += shard->size();
  return all;
}

set_code sharded_set::code() const {
  built("code");
  set_code most = set_code::plain;
  for (auto const& shard : shards_) most = std::max(most, shard->code());
  return most;
}

int sharded_set::row_bits() const {
  built("row_bits");
  int most = 0;
  for (auto const& shard : shards_) most = std::max(most, shard->row_bits());
  return most;
}

std::uint64_t sharded_set::bytes() const {
  std::uint64_t all = 0;
  for (set_shard const& shard : shards()) all += shard.bytes;
  return all;
}

std::vector<int> sharded_set::devices() const {
  layout const& at = built("devices");
  std::vector<int> found;
  found.reserve(at.places.size());
  for (shard_place const& place : at.places) found.push_back(place.device);
  return found;
}

std::vector<set_shard> sharded_set::shards() const {
  layout const& at = built("shards");
  std::vector<set_shard> found;
  found.reserve(at.count());
  for (std::size_t i = 0; i < at.count(); ++i)
    found.push_back({at.place(i).device, shards_[i]->size(), shards_[i]->bytes()});
  return found;
}

}  // namespace warpdex
