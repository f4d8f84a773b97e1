// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <utility>

#include "backend/rounding_steps.hpp"
#include "base/api_border.hpp"
#include "clients/join/grouped.hpp"
#include "clients/join/join_steps.hpp"
#include "clients/join/validity.hpp"
#include "index/column_sort.hpp"
#include "request/expect.hpp"
#include "request/staged_ranges.hpp"

namespace warpdex {
namespace {

using join_steps::packed_side;

constexpr char const* build_call = "grouped_index::build";
constexpr char const* groups_name = "the column of groups";
constexpr char const* keys_name = "the column of keys";

/// The arrays of a call whose probes are packed as a whole.
class grouped_call {
 public:
  grouped_call(structure const& entries, place_coder const& coder, char const* call, nullable_column const& groups,
               execution const& exec)
      : coder_(coder), exec_(exec), stage_(call, entries.shape().backend, entries.shape().device, exec),
        batch_{reach(groups, names_of_groups.lower, names_of_groups.lower_valid), {}, groups.size} {
    coder.find_groups(batch_, exec);
  }

  /// @param probes one per group; null for the first or the last key of all
  /// @param missing see `pack_place`
  /// @return places
  buffer pack(nullable_column const* probes, char const* what, char const* valid_name, packed_side side, bool exact,
              buffer const& missing) {
    batch_.probes = probes == nullptr ? probe_array{} : reach(*probes, what, valid_name);
    return coder_.pack(batch_, side, exact, missing.as<std::uint8_t>(), exec_);
  }

  /// Checks that the outputs of a lookup, which come after the probes, are apart from these.
  void expect_apart(std::span<lookup_output const> outputs) {
    for (lookup_output const& to : outputs) {
      std::array<batch_array, 1> written{{{to.data, to.width, "the output", false, true}}};
      if (to.size != 0) stage_.use(to.size, written);
    }
  }

 private:
  probe_array reach(nullable_column const& from, char const* what, char const* valid_name) {
    column const& values = from;
    return {stage_.input(values, what).data, from.type, stage_.validity(from, valid_name)};
  }

  place_coder const& coder_;
  execution const& exec_;
  staging stage_;
  grouped_batch batch_;
};

/// What a lookup writes; nothing for one that makes places alone.
using lookup_outputs = std::span<lookup_output const>;

placed_ranges place_ranges(char const* call, grouped_parts const& from, nullable_column const& groups,
                           key_ranges const& ranges, lookup_outputs outputs, execution const& exec) {
  expect_comparable(call, groups_name, groups.type, from.coder.groups());
  expect_ranges(call, from.coder.keys(), ranges);
  auto const& [lower, upper, closed] = ranges;
  if (lower) expect_size(call, names_of_bounds.lower, lower->size, groups.size);
  if (upper) expect_size(call, names_of_bounds.upper, upper->size, groups.size);
  grouped_call columns(structure_of(from.entries, call), from.coder, call, groups, exec);
  buffer const missing[2] = {buffer(groups.size, exec), buffer(groups.size, exec)};
  placed_ranges made;
  made.size = groups.size;
  made.lower = columns.pack(lower ? &*lower : nullptr, names_of_bounds.lower, names_of_bounds.lower_valid,
                            packed_side::above, detail::is_left_closed(closed), missing[0]);
  made.upper = columns.pack(upper ? &*upper : nullptr, names_of_bounds.upper, names_of_bounds.upper_valid,
                            packed_side::below, detail::is_right_closed(closed), missing[1]);
  columns.expect_apart(outputs);
  steps::run(join_steps::clear_range{{missing[0].as<std::uint8_t>(), missing[1].as<std::uint8_t>()},
                                     made.lower.as<std::uint64_t>(),
                                     made.upper.as<std::uint64_t>()},
             made.size, exec);
  backend_of(exec).synchronize(exec);
  made.lower.outlive_stream();
  made.upper.outlive_stream();
  return made;
}

}  // namespace

void expect_grouped(char const* call, place_coder const& coder, nullable_column const& groups,
                    nullable_column const& probes) {
  expect_comparable(call, groups_name, groups.type, coder.groups());
  expect_comparable(call, names_of_groups.upper, probes.type, coder.keys());
  expect_size(call, groups_name, groups.size, probes.size);
}

namespace {

placed_points place_apart(char const* call, grouped_parts const& from, nullable_column const& groups,
                          nullable_column const& probes, lookup_outputs outputs, execution const& exec) {
  expect_grouped(call, from.coder, groups, probes);
  grouped_call columns(structure_of(from.entries, call), from.coder, call, groups, exec);
  buffer const missing(groups.size, exec);
  placed_points made{
      columns.pack(&probes, names_of_groups.upper, names_of_groups.upper_valid, packed_side::equal, true, missing),
      buffer(validity_bytes(groups.size), exec), groups.size};
  columns.expect_apart(outputs);
  steps::run(rounding_steps::pack_flags{missing.as<std::uint8_t>(), made.size, made.validity.as<std::uint8_t>(), 0},
             validity_bytes(made.size), exec);
  backend_of(exec).synchronize(exec);
  made.places.outlive_stream();
  made.validity.outlive_stream();
  return made;
}

/// Answers `floor` and `ceil`.
void find_near(grouped_parts const& from, lookup const& what, nullable_column const& groups,
               nullable_column const& probes, std::span<lookup_output const> outputs, execution const& exec) {
  structure const& s = structure_of(from.entries, what.name);
  place_coder const& coder = from.coder;
  expect_ordered(s, what.name);
  expect_grouped(what.name, coder, groups, probes);
  index_shape shape = s.shape();
  shape.keys = coder.keys();
  expect_outputs(what, shape, probes.size, outputs);
  staging stage(what.name, shape.backend, shape.device, exec);
  if (probes.size == 0) return;
  key_ranges const sides{groups, probes};
  staged_ranges const staged(probe_form::ranges, sides, stage, names_of_groups);
  std::vector<batch_array> arrays = staged.columns(stage);
  bool const wants_keys = outputs[1].data != nullptr || outputs[1].size != 0;
  arrays.push_back({outputs[0].data, outputs[0].width, "the row output", false, true});
  if (wants_keys) arrays.push_back({outputs[1].data, outputs[1].width, "the key output", false, true});
  std::uint64_t done = 0;
  stage.run(probes.size, std::move(arrays), s.efficient_batch(), [&](void* const* at, std::uint64_t size) {
    range_array const part = staged.part(at, done);
    grouped_batch batch{part.lower, part.upper, size};
    coder.find_groups(batch, exec);
    buffer const missing(size, exec), found(size * sizeof(std::uint64_t), exec);
    auto const side = what.op == search_op::ceil ? packed_side::above : packed_side::below;
    buffer const packed = coder.pack(batch, side, true, missing.as<std::uint8_t>(), exec);
    run_points(s, what, {packed.data(), key_type::u64}, size, {at[2], found.data()}, exec);
    coder.keep_in_group(packed, missing.as<std::uint8_t>(), found, {at[2], size_of(shape.rows)},
                        wants_keys ? at[3] : nullptr, size, exec);
    done += size;
  });
  backend_of(shape.backend).synchronize(exec);
}

[[noreturn]] void fail_lookup(lookup const& what) {
  throw unsupported(std::string("grouped_index: ") + what.name +
                    " is not among the lookups within groups; equal_range gives ranks, and entries() all lookups of an "
                    "index over places");
}

/// @return entries over places
std::unique_ptr<structure> entries_over(column places, plan const& to, row_column const* rows, known_bits bits,
                                        execution const& exec) {
  backend const& backend = backend_of(exec);
  auto const given = rows == nullptr ? std::nullopt : std::optional(*rows);
  auto const seed = to.hash_seed();
  auto made = to.make(backend.sort(places, given, to.shape.rows, seed, exec, seed ? known_bits{} : bits).pairs, exec);
  backend.synchronize(exec);
  made->outlive_stream();
  return made;
}

}  // namespace

grouped_parts const& parts_of(grouped_index const& from, char const* call) { return from.built(call); }

placed_points place_points(char const* call, grouped_parts const& from, nullable_column const& groups,
                           nullable_column const& probes, execution const& exec) {
  return place_apart(call, from, groups, probes, {}, exec);
}

grouped_index::grouped_index(std::unique_ptr<grouped_parts> made) : parts_(std::move(made)) {}
grouped_index::grouped_index(grouped_index&&) noexcept = default;
grouped_index& grouped_index::operator=(grouped_index&&) noexcept = default;
grouped_index::~grouped_index() = default;

grouped_index grouped_index::build(spec const& s, nullable_column const& groups, nullable_column const& keys,
                                   execution const& exec) {
  constexpr char const* call = build_call;
  return run_call(call, exec, [&] {
    expect_known(call, groups_name, groups.type);
    expect_known(call, keys_name, keys.type);
    expect_size(call, keys_name, keys.size, groups.size);
    staging stage(call, exec);
    auto const made = [&](column of_groups, column of_keys, row_column const* rows) {
      constexpr bool checks = true;
      column const in = stage.input(of_groups, groups_name, checks);
      column const key = stage.input(of_keys, keys_name, checks);
      place_coder coder(call, {&in, 1}, {&key, 1}, exec);
      buffer const packed = coder.place_all(in, key, exec);
      column const places(packed.data(), key.size, key_type::u64);
      auto const given = rows == nullptr ? std::nullopt : std::optional(*rows);
      auto const plan = make_plan(s, {key_type::u64, choose_row_type(call, s, key.size, given), key.size,
                                      exec.memory->backend(), device_of_call(exec)});
      auto entries = entries_over(places, *plan, rows, coder.known_bits_of_places(), exec);
      return grouped_index(std::make_unique<grouped_parts>(
          grouped_parts{std::move(coder), index(std::move(entries), plan->request, {}), plan->request}));
    };
    column const &all_groups = groups, &all_keys = keys;
    if (groups.validity == nullptr && keys.validity == nullptr) return made(all_groups, all_keys, nullptr);
    valid_rows const valid(call, groups, keys, s, exec);
    key_list const kept_groups = valid.take(all_groups, groups_name);
    key_list const kept_keys = valid.take(all_keys, keys_name);
    row_column const rows = valid.rows();
    return made(kept_groups, kept_keys, &rows);
  });
}

grouped_parts const& grouped_index::built(char const* call) const {
  if (parts_ == nullptr)
    run_call(call, [&] { throw invalid_argument(std::string(call) + ": the index was moved from"); });
  return *parts_;
}

std::uint64_t grouped_index::size() const { return built("grouped_index::size").entries.size(); }
std::uint64_t grouped_index::bytes() const {
  grouped_parts const& of = built("grouped_index::bytes");
  return of.entries.memory().total() + of.coder.bytes();
}
key_type grouped_index::key_type() const { return built("grouped_index::key_type").coder.keys(); }
key_type grouped_index::group_type() const { return built("grouped_index::group_type").coder.groups(); }
row_type grouped_index::row_type() const { return built("grouped_index::row_type").entries.row_type(); }
index const& grouped_index::entries() const { return built("grouped_index::entries").entries; }

placed_points grouped_index::place_points(nullable_column const& groups, nullable_column const& probes,
                                          execution const& exec) const {
  constexpr char const* call = "place_points";
  grouped_parts const& from = built(call);
  return run_call(call, exec, [&] { return warpdex::place_points(call, from, groups, probes, exec); });
}

placed_ranges grouped_index::place_ranges(nullable_column const& groups, key_ranges const& ranges,
                                          execution const& exec) const {
  constexpr char const* call = "place_ranges";
  grouped_parts const& from = built(call);
  return run_call(call, exec, [&] { return warpdex::place_ranges(call, from, groups, ranges, {}, exec); });
}

void grouped_index::look_up(lookup const& what, nullable_column const& groups, key_ranges const& probes,
                            std::initializer_list<lookup_output> outputs, execution const& exec) const {
  grouped_parts const& from = built(what.name);
  run_call(what.name, exec, [&] {
    lookup_outputs const to(outputs.begin(), outputs.size());
    bool const ranks = what.op == search_op::lower_bound || what.op == search_op::upper_bound;
    if (what.takes == probe_form::prefixes || what.lists() || ranks) fail_lookup(what);
    if (what.op == search_op::floor || what.op == search_op::ceil)
      return find_near(from, what, groups, *probes.lower, to, exec);
    if (what.takes == probe_form::keys) {
      placed_points const points = place_apart(what.name, from, groups, *probes.lower, to, exec);
      from.entries.look_up(what, {points.view()}, outputs, exec);
    } else {
      placed_ranges const ranges = warpdex::place_ranges(what.name, from, groups, probes, to, exec);
      from.entries.look_up(what, ranges.view(), outputs, exec);
    }
    backend_of(exec).synchronize(exec);  // before the places go
  });
}

matches grouped_index::list(lookup const& what, nullable_column const& groups, key_ranges const& probes,
                            execution const& exec) const {
  grouped_parts const& from = built(what.name);
  return run_call(what.name, exec, [&] {
    if (what.op != search_op::count || !what.lists() || what.takes == probe_form::prefixes) fail_lookup(what);
    if (what.takes == probe_form::ranges)
      return from.entries.list(what, warpdex::place_ranges(what.name, from, groups, probes, {}, exec).view(), exec);
    return from.entries.list(what, {warpdex::place_points(what.name, from, groups, *probes.lower, exec).view()}, exec);
  });
}

}  // namespace warpdex
