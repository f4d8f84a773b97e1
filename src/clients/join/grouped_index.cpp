// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "backend/rounding_steps.hpp"
#include "base/api_border.hpp"
#include "clients/encoder/tuple_steps.hpp"
#include "clients/join/grouped.hpp"
#include "clients/join/validity.hpp"
#include "clients/sharded/dealing.hpp"
#include "clients/sharded/searched_index.hpp"
#include "index/column_sort.hpp"
#include "request/expect.hpp"
#include "request/staged_ranges.hpp"

namespace warpdex {
namespace {

using tuple_steps::packed_side;

constexpr char const* build_call = "grouped_index::build";
constexpr char const* groups_name = "the column of groups";
constexpr char const* keys_name = "the column of keys";

/// What a lookup writes.
using lookup_outputs = std::span<lookup_output const>;

/// Answers `floor` and `ceil`: the nearest entry, if it is of the group.
void find_near(grouped_parts const& from, lookup const& what, nullable_column const& groups,
               nullable_column const& probes, lookup_outputs outputs, execution const& exec) {
  any_index const& entries = *from.entries;
  searched_index const searched(entries, what.name, exec);
  expect_ordered(searched.like(), what.name);
  expect_grouped(what.name, *from.code, groups, probes);
  place_coder const& coder = from.code->at(exec);
  index_shape shape;
  shape.keys = coder.keys();
  shape.rows = entries.row_type();
  expect_outputs(what, shape, probes.size, outputs);
  staging stage(what.name, exec);
  if (probes.size == 0) return;
  key_ranges const sides{groups, probes};
  staged_ranges const staged(probe_form::ranges, sides, stage, names_of_groups);
  std::vector<batch_array> arrays = staged.columns(stage);
  bool const wants_keys = outputs[1].data != nullptr || outputs[1].size != 0;
  arrays.push_back({outputs[0].data, outputs[0].width, "the row output", false, true});
  if (wants_keys) arrays.push_back({outputs[1].data, outputs[1].width, "the key output", false, true});
  std::uint64_t done = 0;
  auto const side = what.op == search_op::ceil ? packed_side::above : packed_side::below;
  stage.run(
      probes.size, std::move(arrays), searched.efficient_batch(probes.size), [&](void* const* at, std::uint64_t size) {
        range_array const part = staged.part(at, done);
        grouped_batch batch{part.lower, part.upper, size};
        coder.find_groups(batch, exec);
        buffer const missing(size, exec), found(size * sizeof(std::uint64_t), exec);
        buffer const packed = coder.pack(batch, side, true, missing.as<std::uint8_t>(), exec);
        entries.look_up(what, {column(packed.data(), size, key_type::u64)},
                        {row_output(at[2], size, shape.rows), key_output(found.data(), size, key_type::u64)}, exec);
        coder.keep_in_group(packed, missing.as<std::uint8_t>(), found, {at[2], size_of(shape.rows)},
                            wants_keys ? at[3] : nullptr, size, exec);
        done += size;
      });
  backend_of(exec).synchronize(exec);
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

/// @param build build(places, their rows or null for positions, what is known of them) makes the entries
template <class Build>
std::unique_ptr<grouped_parts> parts_over(spec const& s, nullable_column const& groups, nullable_column const& keys,
                                          execution const& exec, Build const& build) {
  constexpr char const* call = build_call;
  expect_known(call, groups_name, groups.type);
  expect_known(call, keys_name, keys.type);
  expect_size(call, keys_name, keys.size, groups.size);
  staging stage(call, exec);
  auto const over = [&](column of_groups, column of_keys, row_column const* rows) {
    constexpr bool checks = true;
    column const in = stage.input(of_groups, groups_name, checks);
    column const key = stage.input(of_keys, keys_name, checks);
    place_coder coder(call, {&in, 1}, {&key, 1}, exec);
    buffer const packed = coder.place_all(in, key, exec);
    std::unique_ptr<any_index> entries =
        build(column(packed.data(), key.size, key_type::u64), rows, coder.known_bits_of_places());
    return std::make_unique<grouped_parts>(
        grouped_parts{std::make_shared<narrow_code const>(std::move(coder), exec), std::move(entries), s.text()});
  };
  column const &all_groups = groups, &all_keys = keys;
  if (groups.validity == nullptr && keys.validity == nullptr) return over(all_groups, all_keys, nullptr);
  valid_rows const valid(call, groups, keys, s, exec);
  key_list const kept_groups = valid.take(all_groups, groups_name);
  key_list const kept_keys = valid.take(all_keys, keys_name);
  row_column const rows = valid.rows();
  return over(kept_groups, kept_keys, &rows);
}

}  // namespace

grouped_parts const& parts_of(grouped_index const& from, char const* call) { return from.built(call); }

index const& grouped_parts::whole(char const* call) const {
  if (auto const* const one = dynamic_cast<index const*>(entries.get())) return *one;
  throw unsupported(std::string(call) + ": the entries are in shards; this call needs them in one memory");
}

grouped_index::grouped_index(std::unique_ptr<grouped_parts> made) : parts_(std::move(made)) {}
grouped_index::grouped_index(grouped_index&&) noexcept = default;
grouped_index& grouped_index::operator=(grouped_index&&) noexcept = default;
grouped_index::~grouped_index() = default;

grouped_index grouped_index::build(spec const& s, nullable_column const& groups, nullable_column const& keys,
                                   execution const& exec) {
  return run_call(build_call, exec, [&] {
    return grouped_index(parts_over(s, groups, keys, exec, [&](column places, row_column const* rows, known_bits bits) {
      auto const given = rows == nullptr ? std::nullopt : std::optional(*rows);
      auto const plan = make_plan(s, {key_type::u64, choose_row_type(build_call, s, places.size, given), places.size,
                                      exec.memory->backend(), device_of_call(exec)});
      auto entries = entries_over(places, *plan, rows, bits, exec);
      return std::make_unique<index>(index(std::move(entries), plan->request, {}));
    }));
  });
}

grouped_index grouped_index::build(spec const& s, nullable_column const& groups, nullable_column const& keys,
                                   placement how, std::span<shard_place const> places, std::uint32_t shards) {
  return run_call(build_call, [&] {
    expect_places(build_call, places);
    shard_place const home = home_of(build_call, keys, places);
    place_scope const scope(home.device);
    return grouped_index(parts_over(s, groups, keys, home.exec, [&](column of, row_column const* rows, known_bits) {
      backend_of(home.exec).synchronize(home.exec);
      return std::make_unique<sharded_index>(rows == nullptr ? sharded_index::build(s, of, how, places, shards)
                                                             : sharded_index::build(s, of, *rows, how, places, shards));
    }));
  });
}

grouped_parts const& grouped_index::built(char const* call) const {
  if (parts_ == nullptr)
    run_call(call, [&] { throw invalid_argument(std::string(call) + ": the index was moved from"); });
  return *parts_;
}

grouped_index::grouped_index(key_encoder const& encoder, std::unique_ptr<any_index> entries) {
  constexpr char const* call = "grouped_index";
  run_call(call, [&] {
    auto const fail = [](std::string const& why) { throw invalid_argument(std::string(call) + ": " + why); };
    if (!narrow_code_of(encoder)) fail("the encoder is wide; key_encoder::narrow makes one for groups");
    if (entries == nullptr) fail("the entries are null");
    if (entries->key_type() != key_type::u64)
      fail("the entries have keys of type " + std::string(to_string(entries->key_type())) +
           ", those of a narrow encoder are u64");
    std::string spec = entries->spec_text();
    parts_ =
        std::make_unique<grouped_parts>(grouped_parts{narrow_code_of(encoder), std::move(entries), std::move(spec)});
  });
}

key_encoder grouped_index::encoder() const {
  auto const& code = built("grouped_index::encoder").code;
  if (code->leading() == nullptr) return narrow_encoder({{.type = code->groups()}, {.type = code->keys()}}, code);
  auto const leading = code->leading()->fields();
  std::vector<key_field> fields(leading.begin(), leading.end());
  fields.push_back({.type = code->keys()});
  return narrow_encoder(std::move(fields), code);
}

std::uint64_t grouped_index::size() const { return built("grouped_index::size").entries->size(); }
std::uint64_t grouped_index::bytes() const {
  grouped_parts const& of = built("grouped_index::bytes");
  return of.entries->memory().total() + of.code->bytes();
}
key_type grouped_index::key_type() const { return built("grouped_index::key_type").code->keys(); }
key_type grouped_index::group_type() const { return built("grouped_index::group_type").code->groups(); }
row_type grouped_index::row_type() const { return built("grouped_index::row_type").entries->row_type(); }
index const& grouped_index::entries() const {
  constexpr char const* call = "grouped_index::entries";
  grouped_parts const& of = built(call);
  return run_call(call, [&]() -> index const& { return of.whole(call); });
}
any_index const& grouped_index::any_entries() const { return *built("grouped_index::any_entries").entries; }

placed_points grouped_index::place_points(nullable_column const& groups, nullable_column const& probes,
                                          execution const& exec) const {
  constexpr char const* call = "place_points";
  grouped_parts const& from = built(call);
  return run_call(call, exec, [&] { return warpdex::place_points(call, *from.code, groups, probes, {}, exec); });
}

placed_ranges grouped_index::place_ranges(nullable_column const& groups, key_ranges const& ranges,
                                          execution const& exec) const {
  constexpr char const* call = "place_ranges";
  grouped_parts const& from = built(call);
  return run_call(call, exec, [&] { return warpdex::place_ranges(call, *from.code, groups, ranges, {}, exec); });
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
      placed_points const points = warpdex::place_points(what.name, *from.code, groups, *probes.lower, to, exec);
      from.entries->look_up(what, {points.view()}, outputs, exec);
    } else {
      placed_ranges const ranges = warpdex::place_ranges(what.name, *from.code, groups, probes, to, exec);
      from.entries->look_up(what, ranges.view(), outputs, exec);
    }
    backend_of(exec).synchronize(exec);  // before the places go
  });
}

matches grouped_index::list(lookup const& what, nullable_column const& groups, key_ranges const& probes,
                            execution const& exec) const {
  grouped_parts const& from = built(what.name);
  return run_call(what.name, exec, [&] {
    if (what.op != search_op::count || !what.lists() || what.takes == probe_form::prefixes) fail_lookup(what);
    narrow_code const& code = *from.code;
    if (what.takes == probe_form::ranges)
      return from.entries->list(what, warpdex::place_ranges(what.name, code, groups, probes, {}, exec).view(), exec);
    placed_points const points = warpdex::place_points(what.name, code, groups, *probes.lower, {}, exec);
    return from.entries->list(what, {points.view()}, exec);
  });
}

}  // namespace warpdex
