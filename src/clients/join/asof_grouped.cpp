// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "backend/cpu/tuning.hpp"
#include "base/api_border.hpp"
#include "clients/encoder/tuple_steps.hpp"
#include "clients/join/asof.hpp"
#include "clients/join/grouped.hpp"
#include "clients/join/join_steps.hpp"
#include "request/batches.hpp"
#include "request/expect.hpp"
#include "request/staged_ranges.hpp"

namespace warpdex {
namespace {

using tuple_steps::packed_side;

constexpr char const* join_call = "join_asof";

/// @return probes of a part that are joined at a time. On a CPU these are few, so that scratch is used again and stays
/// in the caches; but not fewer than entries, among which more probes share cache lines
std::uint64_t most_probes(index_shape const& entries, std::uint64_t size) {
  return entries.backend == backend_kind::cpu ? std::max<std::uint64_t>(entries.size, cpu::tuning::asof_probes) : size;
}

/// An as-of join with a grouped index, checked.
class grouped_asof {
 public:
  /// @param sides groups, and probes
  grouped_asof(grouped_index const& right, key_ranges const& sides, asof_options const& options, execution const& exec)
      : code_(*parts_of(right, join_call).code), coder_(code_.at(exec)),
        entries_(*parts_of(right, join_call).entries, join_call, exec), sides_(sides),
        exact_(options.allow_exact_matches), exec_(exec), ask_(checked(options)),
        limited_(options.tolerance.has_value()), rule_(one_search()) {}

  searched_index const& right() const { return entries_; }

  asof_request const& request() const { return ask_; }

  /// Writes the row of each match. @return their places, if wanted
  buffer find(range_array const& part, std::uint64_t size, row_array rows, bool wants_places,
              probe_array const& tolerances = {}) const {
    grouped_batch batch{part.lower, part.upper, size};
    coder_.find_groups(batch, exec_);
    if (rule_ && !wants_places) {
      batch.keeps_distances = limited_ && coder_.keeps_distances(batch.probes, size, exec_);
      if (batch.keeps_distances == limited_) {
        search_once(batch, rows);
        return {};
      }
    }
    auto const one_side = [&](bool above, row_array found) { return search(batch, above, found); };
    // A null finds no place, so that no more is to be known of validity.
    asof_probes const probes{{batch.probes.keys, batch.probes.type}, size, tolerances};
    return find_nearest(ask_, probes, coder_.keys(), wants_places ? sizeof(std::uint64_t) : 0, rows, one_side, exec_);
  }

  /// Calls work(entries, request) for a join that hands over pairs.
  auto pairs(join_kind kind, auto const& work) const {
    match_search const nearest = [this](auto const&... of) { return find(of...); };
    return work(right(), join_request{join_call, kind, probe_form::ranges, sides_, nearest});
  }

 private:
  asof_request checked(asof_options const& options) const {
    expect_ordered(entries_.like(), join_call);
    expect_grouped(join_call, code_, *sides_.lower, *sides_.upper);
    return {join_call, options, sides_.upper->type, coder_.keys()};
  }

  /// @return how one search finds the match of a probe, if it can. Ranks of keys have no distances. A probe outside the
  /// numbers of keys takes the place of the nearest one, so it is lost on which side the match is
  std::optional<nearest_rule> one_search() const {
    if (coder_.by_rank() || entries_.whole() == nullptr) return std::nullopt;
    if (ask_.looks_below && ask_.looks_above && ask_.last_below != ask_.last_above) return std::nullopt;
    int const bits = coder_.key_bits();
    return warpdex::one_search(ask_, exact_, sides_.upper->type, coder_.keys(),
                               bits < place_coder::place_bits ? ~std::uint64_t{0} << bits : 0);
  }

  /// Finds the entries on one side of some probes.
  /// @param rows the row of each, or `no_row`
  side_found search(grouped_batch const& batch, bool above, row_array rows) const {
    buffer const missing(batch.size, exec_);
    auto const side = above ? packed_side::above : packed_side::below;
    buffer const packed = coder_.pack(batch, side, exact_, missing.as<std::uint8_t>(), exec_);
    buffer places(batch.size * sizeof(std::uint64_t), exec_);
    buffer keys(ask_.measures ? batch.size * size_of(coder_.keys()) : 0, exec_);
    bool const last = above ? ask_.last_above : ask_.last_below;
    find_side(entries_,
              {{packed.data(), key_type::u64}, batch.size, above, above ? rounding::up : rounding::down, last}, rows,
              places.data(), exec_);
    coder_.keep_in_group(packed, missing.as<std::uint8_t>(), places, rows, keys.data(), batch.size, exec_);
    return {std::move(places), std::move(keys)};
  }

  /// Finds the matches of some probes by one search each.
  void search_once(grouped_batch const& batch, row_array rows) const {
    auto const side = !rule_->above ? packed_side::below : rule_->below ? packed_side::either : packed_side::above;
    buffer const missing(batch.size, exec_);
    buffer const packed = coder_.pack(batch, side, true, missing.as<std::uint8_t>(), exec_);
    find_by_rule(*entries_.whole(), *rule_, {{packed.data(), key_type::u64}, batch.size}, rows, exec_);
    steps::run(join_steps::clear_missing{missing.as<std::uint8_t>(), rows}, batch.size, exec_);
  }

  narrow_code const& code_;
  place_coder const& coder_;
  searched_index const entries_;
  key_ranges const& sides_;
  bool exact_;
  execution const& exec_;
  asof_request ask_;
  bool limited_;                      ///< whether there is one tolerance, within which distances count
  std::optional<nearest_rule> rule_;  ///< how one search finds the match of a probe, if it can
};

}  // namespace

void join_asof(grouped_index const& right, nullable_column const& groups, nullable_column const& probes,
               row_output rows, execution const& exec, asof_options const& options) {
  constexpr char const* call = join_call;
  run_call(call, exec, [&] {
    key_ranges const sides{groups, probes};
    grouped_asof const join(right, sides, options, exec);
    index_shape const& shape = join.right().shape();
    expect_type(call, "the row output", rows.type, shape.rows);
    staging stage(call, shape.backend, shape.device, exec);
    if (!options.offsets.empty()) {
      auto const run = [&](nullable_column const& moved, row_output to, asof_options const& once) {
        join_asof(right, groups, moved, to, exec, once);
        return true;
      };
      join_by_offsets(call, probes, rows, stage, exec, options, run);
      return;
    }
    expect_size(call, "the row output", rows.size, probes.size);
    if (probes.size == 0) return;
    staged_ranges const staged(probe_form::ranges, sides, stage, names_of_groups);
    staged_tolerances const tolerances(call, join.request(), probes.size, stage, exec);
    std::uint64_t done = 0;
    std::size_t const row_width = size_of(shape.rows);
    std::vector<batch_array> arrays = staged.columns(stage);
    arrays.push_back({rows.data, row_width, "the row output", false, true});
    stage.run(probes.size, std::move(arrays), join.right().efficient_batch(probes.size),
              [&](void* const* at, std::uint64_t size) {
                range_array const all = staged.part(at, done);
                std::uint64_t const most = most_probes(shape, size);
                for (std::uint64_t begin = 0; begin < size; begin += most)
                  join.find(all.from(begin), std::min(most, size - begin),
                            {static_cast<char*>(at[2]) + begin * row_width, row_width}, false,
                            tolerances.from(done + begin));
                done += size;
              });
    backend_of(shape.backend).synchronize(exec);
  });
}

std::uint64_t join_asof(grouped_index const& right, nullable_column const& groups, nullable_column const& probes,
                        join_kind kind, join_sink const& sink, execution const& exec, asof_options const& options,
                        join_options const& sizes) {
  return run_call(join_call, exec, [&] {
    expect_no_offsets(join_call, options);
    key_ranges const sides{groups, probes};
    return grouped_asof(right, sides, options, exec).pairs(kind, [&](searched_index const& s, join_request const& ask) {
      return run_join(s, ask, sink, exec, sizes);
    });
  });
}

joined join_asof(grouped_index const& right, nullable_column const& groups, nullable_column const& probes,
                 join_kind kind, execution const& exec, asof_options const& options, join_options const& sizes) {
  return run_call(join_call, exec, [&] {
    expect_no_offsets(join_call, options);
    key_ranges const sides{groups, probes};
    return grouped_asof(right, sides, options, exec).pairs(kind, [&](searched_index const& s, join_request const& ask) {
      return collect_join(s, ask, exec, sizes);
    });
  });
}

std::uint64_t join_between(grouped_index const& right, nullable_column const& groups, key_ranges const& ranges,
                           join_kind kind, join_sink const& sink, execution const& exec, join_options const& options) {
  return join_between(right.any_entries(), right.place_ranges(groups, ranges, exec).view(), kind, sink, exec, options);
}

joined join_between(grouped_index const& right, nullable_column const& groups, key_ranges const& ranges, join_kind kind,
                    execution const& exec, join_options const& options) {
  return join_between(right.any_entries(), right.place_ranges(groups, ranges, exec).view(), kind, exec, options);
}

}  // namespace warpdex
