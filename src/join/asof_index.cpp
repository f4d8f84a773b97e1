// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <optional>

#include "backend/cpu/tuning.hpp"
#include "base/api_border.hpp"
#include "join/asof.hpp"
#include "join/join_steps.hpp"
#include "join/validity.hpp"
#include "request/batches.hpp"
#include "request/expect.hpp"
#include "request/staged_ranges.hpp"

namespace warpdex {
namespace {

constexpr char const* build_call = "asof_index::build";
constexpr char const* join_call = "asof_index::join";
constexpr int place_bits = 64;

/// @return bits that hold the numbers up to `last`, at least 1
int bits_up_to(std::uint64_t last) { return std::max(1, static_cast<int>(std::bit_width(last))); }

/// @return the distinct values of a column, in ascending order
key_list distinct_of(column from, execution const& exec) {
  auto const& backend = backend_of(exec);
  auto const sorted = backend.sort(from, std::nullopt, row_type::u64, std::nullopt, exec).pairs;
  auto kept = backend.distinct(sorted.keys.data(), sorted.size, kind_of(from.type), exec);
  key_list made;
  made.bytes = kept.keys.bytes();
  made.keys = std::move(kept.keys);
  made.size = kept.size;
  made.type = from.type;
  if (from.type == key_type::bytes) pack_references(made, exec);
  else steps::run(join_steps::decode_key{from.type, made.keys.data()}, made.size, exec);
  backend.synchronize(exec);
  made.keys.outlive_stream();
  made.offsets.outlive_stream();
  return made;
}

/// @return the number of the last of some values
std::uint64_t last_of(key_list const& values) { return std::max<std::uint64_t>(values.size, 1) - 1; }

/// @return whether values of a type are never numbered by their codes, which would take more than 8 bytes
bool is_wide(key_type type) { return size_of(type) > sizeof(std::uint64_t); }

/// @return probes of a part that are joined at a time. On a CPU these are few, so that scratch is used again and stays
/// in the caches; but not fewer than entries, among which more probes share cache lines
std::uint64_t most_probes(index_shape const& entries, std::uint64_t size) {
  return entries.backend == backend_kind::cpu ? std::max<std::uint64_t>(entries.size, cpu::tuning::asof_probes) : size;
}

}  // namespace

join_steps::numbered_values numbered(column from, execution const& exec) {
  if (from.size == 0) return {from.type, 0, 0};
  code_range const codes = steps::reduce(join_steps::code_at{from.type, from.data}, from.size, exec);
  return {from.type, codes.lowest, codes.highest - codes.lowest};
}

/// Values are numbered by their codes if the numbers of a group and of a key fit into a place. Else groups, and then
/// keys too, are numbered by their ranks among the distinct ones, which a search finds.
struct asof_index::parts {
  /// @param groups, keys columns without nulls, within reach of the backend; strings as references @param rows the row
  /// of each entry, unless it is its position
  parts(column groups, column keys, row_column const* rows, execution const& exec)
      : group_type(groups.type), all_groups{groups.type, 0, 0}, all_keys{keys.type, 0, 0}, key_bits(place_bits) {
    if (!is_wide(keys.type)) {
      all_keys = numbered(keys, exec);
      key_bits = bits_up_to(all_keys.last);
    }
    if (!is_wide(groups.type)) all_groups = numbered(groups, exec);
    if (is_wide(groups.type) || bits_up_to(all_groups.last) + key_bits > place_bits) number_groups(groups, keys, exec);
    entries = structure_over(groups, keys, rows, exec);
  }

  void number_groups(column groups, column keys, execution const& exec) {
    key_list const distinct = distinct_of(groups, exec);
    char const* const table = groups.type == key_type::bytes ? "AO+BS/rows=u64" : "HT(open)/rows=u64";
    by_group.emplace(index::build(table, distinct.view(), exec));
    int const group_bits = bits_up_to(last_of(distinct));
    if (group_bits + key_bits <= place_bits) return;
    distinct_keys.emplace(distinct_of(keys, exec));
    by_key.emplace(index::build("AO+BS/rows=u64", distinct_keys->view(), exec));
    all_keys = {keys.type, 0, last_of(*distinct_keys)};
    key_bits = bits_up_to(all_keys.last);
    if (group_bits + key_bits > place_bits)
      throw unsupported(std::string(build_call) + ": " + std::to_string(distinct.size) + " groups and " +
                        std::to_string(distinct_keys->size) + " distinct keys take " +
                        std::to_string(group_bits + key_bits) + " bits; at most " + std::to_string(place_bits) +
                        " are possible");
  }

  /// Groups and probes, and what is known of them; or groups and keys that are to be entries.
  struct probe_batch {
    probe_array groups;
    probe_array probes;
    std::uint64_t size;
    buffer group_numbers = {};  ///< empty if groups are numbered by their codes
  };

  void find_groups(probe_batch& batch, execution const& exec) const {
    if (!by_group) return;
    structure const& table = structure_of(*by_group, join_call);
    batch.group_numbers = buffer(batch.size * sizeof(std::uint64_t), exec);
    run_points(table, lookups::find, {batch.groups.keys, batch.groups.type}, batch.size, {batch.group_numbers.data()},
               exec);
  }

  /// @param missing see `pack_place`
  /// @return the packed places of a batch
  buffer pack(probe_batch const& batch, join_steps::packed_side side, bool exact, std::uint8_t* missing,
              execution const& exec) const {
    buffer packed(batch.size * sizeof(std::uint64_t), exec);
    if (by_key) {
      // Below the upper bound are all keys not above the probe, below the lower bound those that are less.
      bool const upper = (side == join_steps::packed_side::above) != exact;
      run_points(structure_of(*by_key, join_call), upper ? lookups::upper_bound : lookups::lower_bound,
                 {batch.probes.keys, batch.probes.type}, batch.size, {packed.data()}, exec);
    }
    auto* const places = packed.as<std::uint64_t>();
    auto const& [groups, probes, size, numbers] = batch;
    steps::run(join_steps::pack_place{groups.keys, groups.type, groups.valid, numbers.as<std::uint64_t>(), all_groups,
                                      probes.keys, probes.type, probes.valid, by_key ? places : nullptr, all_keys, side,
                                      exact, key_bits, places, missing},
               batch.size, exec);
    return packed;
  }

  std::unique_ptr<structure> structure_over(column groups, column keys, row_column const* rows,
                                            execution const& exec) const {
    probe_batch all{{groups.data, groups.type}, {keys.data, keys.type}, keys.size};
    find_groups(all, exec);
    buffer const packed = pack(all, join_steps::packed_side::above, true, nullptr, exec);
    column const places(packed.data(), keys.size, key_type::u64);
    warpdex::row_type const row = rows != nullptr                     ? rows->type
                                  : keys.size < no_row<std::uint32_t> ? warpdex::row_type::u32
                                                                      : warpdex::row_type::u64;
    backend const& backend = backend_of(exec);
    auto const plan =
        make_plan(spec("AO+BS"), {key_type::u64, row, keys.size, exec.memory->backend(), device_of_call(exec)});
    auto const given = rows == nullptr ? std::nullopt : std::optional(*rows);
    auto made = plan->make(backend.sort(places, given, row, std::nullopt, exec, by_key ? 0 : key_bits).pairs, exec);
    backend.synchronize(exec);
    made->outlive_stream();
    return made;
  }

  /// Finds the entries on one side of some probes.
  /// @param rows the row of each, or `no_row`
  side_found search(probe_batch const& batch, asof_request const& ask, bool above, bool exact, row_array rows,
                    execution const& exec) const {
    structure const& all = *entries;
    buffer const missing(batch.size, exec);
    auto const side = above ? join_steps::packed_side::above : join_steps::packed_side::below;
    buffer const packed = pack(batch, side, exact, missing.as<std::uint8_t>(), exec);
    buffer places(batch.size * sizeof(std::uint64_t), exec);
    buffer keys(ask.measures ? batch.size * size_of(all_keys.type) : 0, exec);
    find_side(all,
              {{packed.data(), key_type::u64},
               batch.size,
               above,
               above ? rounding::up : rounding::down,
               above ? ask.last_above : ask.last_below},
              rows, places.data(), exec);
    steps::run(join_steps::keep_in_group{packed.as<std::uint64_t>(), missing.as<std::uint8_t>(),
                                         places.as<std::uint64_t>(), key_bits, rows, all_keys,
                                         distinct_keys ? distinct_keys->keys.data() : nullptr, keys.data()},
               batch.size, exec);
    return {std::move(places), std::move(keys)};
  }

  /// @return how one search finds the match of a probe, if it can. Ranks of keys have no distances. A probe outside the
  /// numbers of keys takes the place of the nearest one, so its distance is lost, and on which side the match is
  std::optional<nearest_rule> one_search(asof_request const& ask, asof_options const& options, key_type probes) const {
    if (by_key || options.tolerance) return std::nullopt;
    if (ask.looks_below && ask.looks_above && ask.last_below != ask.last_above) return std::nullopt;
    return warpdex::one_search(ask, options.exact, probes, all_keys.type,
                               key_bits < place_bits ? ~std::uint64_t{0} << key_bits : 0);
  }

  /// Finds the matches of some probes by one search each.
  void search_once(probe_batch const& batch, nearest_rule const& rule, row_array rows, execution const& exec) const {
    using join_steps::packed_side;
    auto const side = !rule.above ? packed_side::below : rule.below ? packed_side::either : packed_side::above;
    buffer const missing(batch.size, exec);
    buffer const packed = pack(batch, side, true, missing.as<std::uint8_t>(), exec);
    find_by_rule(*entries, rule, {{packed.data(), key_type::u64}, batch.size}, rows, exec);
    steps::run(join_steps::clear_missing{missing.as<std::uint8_t>(), rows}, batch.size, exec);
  }

  /// A join with the entries, checked.
  class checked_join {
   public:
    checked_join(parts const& from, key_ranges const& sides, asof_options const& options, execution const& exec)
        : from_(from), sides_(sides), exact_(options.exact), exec_(exec), ask_(checked(from, sides, options)),
          rule_(from.one_search(ask_, options, sides.upper.type)) {}

    /// Writes the row of each match. @return their places, if wanted
    buffer find(range_array const& part, std::uint64_t size, row_array rows, bool wants_places) const {
      probe_batch batch{part.lower, part.upper, size};
      from_.find_groups(batch, exec_);
      if (rule_ && !wants_places) {
        from_.search_once(batch, *rule_, rows, exec_);
        return {};
      }
      auto const search = [&](bool above, row_array found) {
        return from_.search(batch, ask_, above, exact_, found, exec_);
      };
      // A null finds no place, so that no more is to be known of validity.
      asof_probes const probes{{batch.probes.keys, batch.probes.type}, size};
      return find_nearest(ask_, probes, from_.all_keys.type, wants_places ? sizeof(std::uint64_t) : 0, rows, search,
                          exec_);
    }

    /// Calls work(entries, request) for a join that hands over pairs.
    auto pairs(join_kind kind, auto const& work) const {
      match_search const nearest = [this](auto const&... of) { return find(of...); };
      return work(*from_.entries, join_request{join_call, kind, probe_form::ranges, sides_, nearest});
    }

   private:
    static asof_request checked(parts const& from, key_ranges const& sides, asof_options const& options) {
      key_type const key = from.all_keys.type;
      expect_comparable(join_call, "the column of groups", sides.lower.type, from.group_type);
      expect_comparable(join_call, "the probe column", sides.upper.type, key);
      expect_size(join_call, "the column of groups", sides.lower.size, sides.upper.size);
      return {join_call, options, sides.upper.type, key};
    }

    parts const& from_;
    key_ranges const& sides_;  ///< groups, and probes
    bool exact_;
    execution const& exec_;
    asof_request ask_;
    std::optional<nearest_rule> rule_;  ///< how one search finds the match of a probe, if it can
  };

  key_type group_type;
  join_steps::numbered_values all_groups;  ///< used unless there is `by_group`
  join_steps::numbered_values all_keys;    ///< numbers of `by_key`, if there is one
  int key_bits;                            ///< of the number of a key
  std::optional<index> by_group;           ///< rows are numbers of groups
  std::optional<key_list> distinct_keys;   ///< by their numbers, if there is `by_key`
  std::optional<index> by_key;             ///< ranks are numbers of keys
  std::unique_ptr<structure> entries;      ///< keys are packed numbers of group and key
};

asof_index::asof_index(std::unique_ptr<parts> made) : parts_(std::move(made)) {}
asof_index::asof_index(asof_index&&) noexcept = default;
asof_index& asof_index::operator=(asof_index&&) noexcept = default;
asof_index::~asof_index() = default;

asof_index asof_index::build(nullable_column const& groups, nullable_column const& keys, execution const& exec) {
  constexpr char const* call = build_call;
  return run_call(call, exec, [&] {
    expect_known(call, "the column of groups", groups.type);
    expect_known(call, "the column of keys", keys.type);
    expect_size(call, "the column of keys", keys.size, groups.size);
    staging stage(call, exec);
    auto const made = [&](column of_groups, column of_keys, row_column const* rows) {
      constexpr bool checks = true;
      return asof_index(std::make_unique<parts>(stage.input(of_groups, "the column of groups", checks),
                                                stage.input(of_keys, "the column of keys", checks), rows, exec));
    };
    if (groups.validity == nullptr && keys.validity == nullptr) return made(groups, keys, nullptr);
    valid_rows const valid(call, groups, keys, "AO+BS", exec);
    key_list const kept_groups = valid.take(groups, "the column of groups");
    key_list const kept_keys = valid.take(keys, "the column of keys");
    row_column const rows = valid.rows();
    return made(kept_groups, kept_keys, &rows);
  });
}

asof_index::parts const& asof_index::built(char const* call) const {
  if (parts_ == nullptr)
    run_call(call, [&] { throw invalid_argument(std::string(call) + ": the index was moved from"); });
  return *parts_;
}

std::uint64_t asof_index::size() const { return built("asof_index::size").entries->shape().size; }
row_type asof_index::row_type() const { return built("asof_index::row_type").entries->shape().rows; }

void asof_index::join(nullable_column const& groups, nullable_column const& probes, row_output rows,
                      execution const& exec, asof_options const& options) const {
  constexpr char const* call = join_call;
  run_call(call, exec, [&] {
    parts const& from = built(call);
    structure const& entries = *from.entries;
    index_shape const& shape = entries.shape();
    key_ranges const sides{groups, probes};
    parts::checked_join const join(from, sides, options, exec);
    expect_type(call, "the row output", rows.type, shape.rows);
    staging stage(call, shape.backend, shape.device, exec);
    if (!options.offsets.empty()) {
      auto const run = [&](nullable_column const& moved, row_output to, asof_options const& once) {
        this->join(groups, moved, to, exec, once);
        return true;
      };
      join_by_offsets(call, probes, rows, stage, exec, options, run);
      return;
    }
    expect_size(call, "the row output", rows.size, probes.size);
    if (probes.size == 0) return;
    staged_ranges const staged(probe_form::ranges, sides, stage, names_of_groups);
    std::uint64_t done = 0;
    std::size_t const row_width = size_of(shape.rows);
    std::vector<batch_array> arrays = staged.columns(stage);
    arrays.push_back({rows.data, row_width, "the row output", false, true});
    stage.run(probes.size, std::move(arrays), entries.efficient_batch(), [&](void* const* at, std::uint64_t size) {
      range_array const all = staged.part(at, done);
      std::uint64_t const most = most_probes(shape, size);
      for (std::uint64_t begin = 0; begin < size; begin += most)
        join.find(all.from(begin), std::min(most, size - begin),
                  {static_cast<char*>(at[2]) + begin * row_width, row_width}, false);
      done += size;
    });
    backend_of(shape.backend).synchronize(exec);
  });
}

std::uint64_t asof_index::join(nullable_column const& groups, nullable_column const& probes, join_kind kind,
                               join_sink const& sink, execution const& exec, asof_options const& options,
                               join_options const& sizes) const {
  return run_call(join_call, exec, [&] {
    expect_no_offsets(join_call, options);
    key_ranges const sides{groups, probes};
    return parts::checked_join(built(join_call), sides, options, exec)
        .pairs(kind, [&](structure const& s, join_request const& ask) { return run_join(s, ask, sink, exec, sizes); });
  });
}

joined asof_index::join(nullable_column const& groups, nullable_column const& probes, join_kind kind,
                        execution const& exec, asof_options const& options, join_options const& sizes) const {
  return run_call(join_call, exec, [&] {
    expect_no_offsets(join_call, options);
    key_ranges const sides{groups, probes};
    return parts::checked_join(built(join_call), sides, options, exec)
        .pairs(kind, [&](structure const& s, join_request const& ask) { return collect_join(s, ask, exec, sizes); });
  });
}

}  // namespace warpdex
