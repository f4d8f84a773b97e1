// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "base/call.hpp"
#include "calls/expect.hpp"
#include "calls/lookup.hpp"
#include "calls/staging.hpp"
#include "join/asof.hpp"
#include "join/join_backend.hpp"
#include "join/validity.hpp"

namespace warpdex {
namespace {

/// The distinct values of a column, in ascending order.
struct distinct_column {
  buffer values;
  std::uint64_t size;
  key_type type;
  column all() const { return {values.data(), size, type}; }
};

distinct_column distinct_of(char const* call, column from, char const* what, execution const& exec) {
  backend_kind const kind = exec.memory->backend();
  backend const& platform = backend_of(kind);
  staging stage(call, kind, kind == backend_kind::cuda ? current_device() : -1, exec);
  std::size_t const width = size_of(from.type);
  from.data = stage.input(from.data, from.size, width, what);
  auto const sorted = platform.sort(from, std::nullopt, row_type::u64, std::nullopt, exec).pairs;
  auto kept = platform.distinct(sorted.keys.data(), sorted.size, width, exec);
  join_backend_of(kind).run(join_steps::decode_key{codec_of(from.type), width, kept.keys.data()}, kept.size, exec);
  platform.synchronize(exec);
  kept.keys.outlive_stream();
  return {std::move(kept.keys), kept.size, from.type};
}

}  // namespace

struct asof_index::parts {
  /// @param groups, keys columns without nulls @param rows the row of each entry, unless it is its position
  parts(column groups, column keys, row_column const* rows, execution const& exec)
      : distinct_groups(distinct_of(build_call, groups, "the column of groups", exec)),
        distinct_keys(distinct_of(build_call, keys, "the column of keys", exec)),
        by_group(index::build("HT(open)/rows=u64", distinct_groups.all(), exec)),
        by_key(index::build("AO+BS/rows=u64", distinct_keys.all(), exec)), rank_bits(bits_of(distinct_keys.size)),
        entries(index_of(groups, keys, rows, exec)) {
    distinct_groups.values = {};  // the index has them
  }

  static constexpr char const* build_call = "asof_index::build";

  static int bits_of(std::uint64_t numbers) { return std::max(1, static_cast<int>(std::bit_width(numbers))); }

  index index_of(column groups, column keys, row_column const* rows, execution const& exec) const {
    int const bits = bits_of(distinct_groups.size) + rank_bits;
    if (bits > 64)
      throw unsupported(std::string(build_call) + ": " + std::to_string(distinct_groups.size) + " groups and " +
                        std::to_string(distinct_keys.size) + " distinct keys take " + std::to_string(bits) +
                        " bits; at most 64 are possible");
    std::uint64_t const size = keys.size;
    buffer const group_numbers(size * sizeof(std::uint64_t), exec);
    buffer const packed(size * sizeof(std::uint64_t), exec);
    by_group.find(groups, {group_numbers.data(), size, row_type::u64}, exec);
    by_key.lower_bound(keys, {packed.as<std::uint64_t>(), size}, exec);
    join_backend_of(exec.memory->backend())
        .run(join_steps::pack_place{group_numbers.as<std::uint64_t>(), packed.as<std::uint64_t>(), false,
                                    distinct_keys.size, rank_bits, packed.as<std::uint64_t>(), nullptr},
             size, exec);
    column const places(packed.data(), size, key_type::u64);
    return rows == nullptr ? index::build("AO+BS", places, exec) : index::build("AO+BS", places, *rows, exec);
  }

  /// The entries of one side of some probes, and their keys.
  struct found_side {
    buffer rows;
    buffer keys;
  };

  /// @param groups numbers of the groups of the probes
  found_side search(std::uint64_t const* groups, void const* probes, key_type type, std::uint64_t size, bool above,
                    bool exact, execution const& exec) const {
    constexpr char const* call = "asof_index::join";
    structure const& keys = structure_of(by_key, call);
    structure const& all = structure_of(entries, call);
    join_backend const& steps = join_backend_of(exec.memory->backend());
    buffer const ranks(size * sizeof(std::uint64_t), exec);
    buffer const packed(size * sizeof(std::uint64_t), exec);
    buffer const missing(size, exec);
    buffer const places(size * sizeof(std::uint64_t), exec);
    found_side found{buffer(size * size_of(all.shape().rows), exec), buffer(size * size_of(distinct_keys.type), exec)};

    // Below the upper bound lie all keys not above the probe, below the lower bound those that are less.
    bool const upper = above != exact;
    point_batch const bound{upper ? point_op::upper_bound : point_op::lower_bound,
                            codec_of(distinct_keys.type),
                            probes,
                            size,
                            ranks.data(),
                            nullptr};
    run_points(keys, bound, type, upper ? rounding::down : rounding::up, sizeof(std::uint64_t), exec);
    steps.run(join_steps::pack_place{groups, ranks.as<std::uint64_t>(), !above, distinct_keys.size, rank_bits,
                                     packed.as<std::uint64_t>(), missing.as<std::uint8_t>()},
              size, exec);
    all.point({above ? point_op::ceil : point_op::floor, key_codec::identity, packed.data(), size, found.rows.data(),
               places.data()},
              exec);
    steps.run(join_steps::keep_in_group{packed.as<std::uint64_t>(),
                                        missing.as<std::uint8_t>(),
                                        places.as<std::uint64_t>(),
                                        rank_bits,
                                        {found.rows.data(), size_of(all.shape().rows)},
                                        distinct_keys.values.data(),
                                        size_of(distinct_keys.type),
                                        found.keys.data()},
              size, exec);
    return found;
  }

  distinct_column distinct_groups;
  distinct_column distinct_keys;
  index by_group;  ///< rows are numbers of groups
  index by_key;    ///< ranks are numbers of keys
  int rank_bits;   ///< of a number of keys
  index entries;   ///< keys are packed numbers of group and key
};

asof_index::asof_index(std::unique_ptr<parts> made) : parts_(std::move(made)) {}
asof_index::asof_index(asof_index&&) noexcept = default;
asof_index& asof_index::operator=(asof_index&&) noexcept = default;
asof_index::~asof_index() = default;

asof_index asof_index::build(nullable_column const& groups, nullable_column const& keys, execution const& exec) {
  constexpr char const* call = parts::build_call;
  return run_call(call, exec, [&] {
    expect_known(call, "the column of groups", groups.type);
    expect_known(call, "the column of keys", keys.type);
    expect_size(call, "the column of keys", keys.size, groups.size);
    if (keys.type == key_type::u128) throw unsupported(std::string(call) + ": keys of type u128 have no order here");
    if (groups.validity == nullptr && keys.validity == nullptr)
      return asof_index(std::make_unique<parts>(groups, keys, nullptr, exec));
    valid_rows const valid(call, groups, keys, "AO+BS", exec);
    buffer const kept_groups = valid.take(groups, "the column of groups");
    buffer const kept_keys = valid.take(keys, "the column of keys");
    row_column const rows = valid.rows();
    return asof_index(std::make_unique<parts>(column(kept_groups.data(), valid.size(), groups.type),
                                              column(kept_keys.data(), valid.size(), keys.type), &rows, exec));
  });
}

std::uint64_t asof_index::size() const { return parts_->entries.size(); }
row_type asof_index::row_type() const { return parts_->entries.row_type(); }

void asof_index::join(nullable_column const& groups, nullable_column const& probes, row_output rows,
                      execution const& exec, asof_options const& options) const {
  constexpr char const* call = "asof_index::join";
  run_call(call, exec, [&] {
    if (parts_ == nullptr) throw invalid_argument(std::string(call) + ": the index was moved from");
    structure const& by_group = structure_of(parts_->by_group, call);
    index_shape const& shape = structure_of(parts_->entries, call).shape();
    key_type const key = parts_->distinct_keys.type;
    expect_comparable(call, "the column of groups", groups.type, by_group.shape().keys);
    expect_comparable(call, "the probe column", probes.type, key);
    expect_size(call, "the column of groups", groups.size, probes.size);
    expect_type(call, "the row output", rows.type, shape.rows);
    expect_size(call, "the row output", rows.size, probes.size);
    asof_request const ask(call, options, probes.type, key);
    staging stage(call, shape.backend, shape.device, exec);
    if (probes.size == 0) return;
    staged_validity const group_valid(call, "the validity of the groups", groups, shape, exec);
    staged_validity const probe_valid(call, "the validity of the probes", probes, shape, exec);
    join_backend const& steps = join_backend_of(shape.backend);
    std::size_t const row_width = size_of(shape.rows);
    std::uint64_t done = 0;
    std::vector<batch_array> arrays = {
        {const_cast<void*>(groups.data), size_of(groups.type), "the column of groups", true, false},
        {const_cast<void*>(probes.data), size_of(probes.type), "the probe column", true, false},
        {rows.data, row_width, "the row output", false, true}};
    stage.run(probes.size, std::move(arrays), by_group.efficient_batch(), [&](void* const* at, std::uint64_t size) {
      buffer const numbers(size * sizeof(std::uint64_t), exec);
      run_points(by_group, {point_op::find, codec_of(by_group.shape().keys), at[0], size, numbers.data(), nullptr},
                 groups.type, rounding::equal, sizeof(std::uint64_t), exec);
      // A null group is no group.
      steps.run(join_steps::pair_probe{group_valid.bits().from(done), {}, 0, {numbers.data(), sizeof(std::uint64_t)}},
                size, exec);
      parts::found_side below, above;
      auto const search = [&](bool looks_above) {
        return parts_->search(numbers.as<std::uint64_t>(), at[1], probes.type, size, looks_above, options.exact, exec);
      };
      if (ask.looks_below) below = search(false);
      if (ask.looks_above) above = search(true);
      steps.run(join_steps::choose_match{probes.type,
                                         key,
                                         at[1],
                                         probe_valid.bits().from(done),
                                         below.keys.data(),
                                         {below.rows.data(), row_width},
                                         above.keys.data(),
                                         {above.rows.data(), row_width},
                                         ask.measures,
                                         options.later,
                                         ask.limit,
                                         {at[2], row_width}},
                size, exec);
      done += size;
    });
    backend_of(shape.backend).synchronize(exec);
  });
}

}  // namespace warpdex
