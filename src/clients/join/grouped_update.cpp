// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/grouped_index.hpp>

#include <memory>
#include <string>
#include <utility>

#include "base/api_border.hpp"
#include "clients/encoder/tuple_steps.hpp"
#include "clients/join/grouped.hpp"
#include "clients/join/validity.hpp"
#include "clients/sharded/searched_index.hpp"
#include "index/rows.hpp"
#include "request/expect.hpp"
#include "request/staged_ranges.hpp"

namespace warpdex {
namespace {

/// Entries of a batch, of the types of `build`.
struct grouped_rows {
  column groups;
  column keys;
};

void expect_rows(char const* call, grouped_parts const& of, grouped_rows const& batch) {
  expect_type(call, names_of_groups.lower, batch.groups.type, of.code->groups());
  expect_type(call, "the column of keys", batch.keys.type, of.code->keys());
  expect_size(call, names_of_groups.lower, batch.groups.size, batch.keys.size);
}

/// @return the values of some numbers
tuple_steps::place_keys values_of(tuple_steps::numbered_values const& numbers, int bits,
                                  std::optional<key_list> const& distinct, staging& stage) {
  return {bits, numbers, distinct ? stage.input(distinct->view(), "the distinct values").data : nullptr};
}

/// @return an index over places, in one memory or in shards as another one
std::unique_ptr<any_index> built_as(searched_index const& like, std::string const& spec, column places, row_column rows,
                                    execution const& exec) {
  if (like.whole() != nullptr) return std::make_unique<index>(index::build(spec, places, rows, exec));
  sharded_parts const& parts = like.shards();
  backend_of(exec).synchronize(exec);  // places are made on the stream of the call
  auto const shards = static_cast<std::uint32_t>(parts.how == placement::range ? parts.shards.size() : 0);
  return std::make_unique<sharded_index>(sharded_index::build(spec, places, rows, parts.how, parts.places, shards));
}

/// @return the same entries with numbers for the groups and keys of a batch too
grouped_parts renumbered(char const* call, grouped_parts const& from, grouped_rows const& batch,
                         execution const& exec) {
  searched_index const entries(*from.entries, call, exec);
  index_shape const& shape = entries.shape();
  place_coder const& known = from.code->at(exec);
  staging stage(call, shape.backend, shape.device, exec);
  place_numbers const& numbers = known.numbers();
  sorted_pairs const old = entries.entries(call, exec);
  known.expect_places(old.keys.as<std::uint64_t>(), old.size, exec);
  buffer const groups(old.size * size_of(batch.groups.type), exec), keys(old.size * size_of(batch.keys.type), exec);
  int const group_bits = place_coder::place_bits - numbers.key_bits;
  steps::run(tuple_steps::unpack_place{old.keys.as<std::uint64_t>(),
                                       values_of(numbers.keys, numbers.key_bits, numbers.distinct_keys, stage),
                                       values_of(numbers.groups, group_bits, numbers.distinct_groups, stage),
                                       groups.data(), keys.data()},
             old.size, exec);
  column const all_groups[] = {{groups.data(), old.size, batch.groups.type},
                               stage.input(batch.groups, names_of_groups.lower, true)};
  column const all_keys[] = {{keys.data(), old.size, batch.keys.type},
                             stage.input(batch.keys, "the column of keys", true)};
  row_column const rows(old.rows.data(), old.size, shape.rows);
  place_coder coder(call, all_groups, all_keys, exec);
  buffer const packed = coder.place_all(all_groups[0], all_keys[0], exec);
  auto next = built_as(entries, from.asked, column(packed.data(), old.size, key_type::u64), rows, exec);
  return {std::make_shared<narrow_code const>(std::move(coder), exec), std::move(next), from.asked, from.note};
}

/// Puts an index in the place of another one of its kind, which stays where it is: callers may hold a reference to it.
void replace(any_index& old, any_index& next) {
  if (auto* const whole = dynamic_cast<index*>(&old)) *whole = std::move(dynamic_cast<index&>(next));
  else dynamic_cast<sharded_index&>(old) = std::move(dynamic_cast<sharded_index&>(next));
}

column places_in(placed_points const& of) { return {of.places.data(), of.size, key_type::u64}; }

/// Changes the entries. @param apply takes the parts and the places of a batch
template <class Apply>
update_counts change(char const* call, grouped_parts& parts, grouped_rows const& batch, execution const& exec,
                     Apply const& apply) {
  expect_rows(call, parts, batch);
  placed_points placed = place_points(call, *parts.code, batch.groups, batch.keys, {}, exec);
  if (valid_rows(call, placed.view(), {}, parts.asked, exec).size() == batch.keys.size)
    return apply(parts, places_in(placed));
  searched_index(*parts.entries, call, exec).expect_idle(call);
  grouped_parts next = renumbered(call, parts, batch, exec);
  placed = place_points(call, *next.code, batch.groups, batch.keys, {}, exec);
  update_counts const counts = apply(next, places_in(placed));
  replace(*parts.entries, *next.entries);
  parts.code = std::move(next.code);
  return counts;
}

/// The places of entries to be erased, as far as they exist.
class erased_places {
 public:
  erased_places(char const* call, grouped_parts const& from, grouped_rows const& batch, execution const& exec)
      : placed_((expect_rows(call, from, batch), place_points(call, *from.code, batch.groups, batch.keys, {}, exec))),
        exist_(valid_rows(call, placed_.view(), {}, from.asked, exec).take(places_in(placed_), "the column of keys")) {}

  column view() const { return exist_.view(); }

 private:
  placed_points placed_;
  key_list exist_;
};

}  // namespace

grouped_parts& grouped_index::updated(char const* call) {
  built(call);
  return *parts_;
}

update_counts grouped_index::insert(column groups, column keys, row_column rows, execution const& exec) {
  constexpr char const* call = "insert";
  grouped_parts& parts = updated(call);
  return run_call(call, exec, [&] {
    return change(call, parts, {groups, keys}, exec,
                  [&](grouped_parts& to, column places) { return to.entries->insert(places, rows, exec); });
  });
}

update_counts grouped_index::insert_or_assign(column groups, column keys, row_column rows, execution const& exec) {
  constexpr char const* call = "insert_or_assign";
  grouped_parts& parts = updated(call);
  return run_call(call, exec, [&] {
    return change(call, parts, {groups, keys}, exec,
                  [&](grouped_parts& to, column places) { return to.entries->insert_or_assign(places, rows, exec); });
  });
}

update_counts grouped_index::erase(column groups, column keys, execution const& exec) {
  constexpr char const* call = "erase";
  grouped_parts& parts = updated(call);
  return run_call(call, exec, [&] {
    erased_places const gone(call, parts, {groups, keys}, exec);
    return parts.entries->erase(gone.view(), exec);
  });
}

update_counts grouped_index::update(column insert_groups, column insert_keys, row_column insert_rows,
                                    column erase_groups, column erase_keys, execution const& exec) {
  constexpr char const* call = "update";
  grouped_parts& parts = updated(call);
  return run_call(call, exec, [&] {
    return change(call, parts, {insert_groups, insert_keys}, exec, [&](grouped_parts& to, column places) {
      erased_places const gone(call, to, {erase_groups, erase_keys}, exec);
      return to.entries->update(places, insert_rows, gone.view(), exec);
    });
  });
}

void grouped_index::widen_rows(execution const& exec) {
  constexpr char const* call = "widen_rows";
  grouped_parts& parts = updated(call);
  run_call(call, exec, [&] {
    std::string asked = spec_of_wide_rows(parts.asked);
    parts.entries->widen_rows(exec);
    parts.asked = std::move(asked);
  });
}

}  // namespace warpdex
