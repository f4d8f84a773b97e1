// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/join/columns.hpp"

#include <warpdex/sorted.hpp>
#include <warpdex/tuple_join.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/api_border.hpp"
#include "base/tuning.hpp"
#include "clients/join/collect.hpp"
#include "clients/join/pairs.hpp"
#include "index/sorted_steps.hpp"
#include "request/batches.hpp"
#include "request/expect.hpp"

namespace warpdex {
namespace {

/// The right rows without a mark.
struct unmatched_rows {
  char const* call;
  std::uint8_t const* marks;
  std::uint64_t size;  ///< number of right rows
  row_type left_type;
  row_type right_type;

  /// Hands them over, as pairs without a left row. @return their number
  std::uint64_t list(pair_taker& to, execution const& exec, join_options const& options) const {
    std::uint64_t pairs = 0;
    std::size_t const width = size_of(right_type);
    std::uint64_t const most = std::min<std::uint64_t>(most_pairs_of_batch(options.batch_pairs), tuning::validity_part);
    for (std::uint64_t begin = 0; begin < size; begin += most) {
      if (options.stop.stop_requested())
        throw cancelled(std::string(call) + ": stopped after " + std::to_string(begin) + " of " + std::to_string(size) +
                        " right rows");
      std::uint64_t const part = std::min(most, size - begin);
      buffer rows(part * width, exec);
      join_steps::keep_answer<std::uint8_t> const unmarked{marks + begin, false, {rows.data(), width}, begin};
      std::uint64_t const kept = steps::select(unmarked, part, exec);
      if (kept == 0) continue;
      buffer none(kept * size_of(left_type), exec);
      steps::run(join_steps::fill_none{{none.data(), size_of(left_type)}}, kept, exec);
      backend_of(exec).synchronize(exec);
      to.take({std::move(none), std::move(rows), kept});
      pairs += kept;
    }
    return pairs;
  }
};

/// An index over one of two columns, and the other one as probes.
class column_join {
 public:
  /// @param over an index over `right`, or if `swapped` over `left`
  column_join(char const* call, nullable_column const& left, nullable_column const& right, join_kind kind, bool swapped,
              index over)
      : call_(call), kind_(kind), swapped_(swapped), left_type_(row_type_for(left.size)), right_size_(right.size),
        right_type_(row_type_for(right.size)), over_(std::move(over)), probes_(swapped ? right : left) {}

  std::uint64_t run(pair_taker& to, execution const& exec, join_options const& options) const {
    bool const full = kind_ == join_kind::full;
    buffer const marks(full ? right_size_ : 0, exec);
    backend_of(exec).fill_zero(marks.data(), marks.bytes(), exec);
    marking taker(*this, to, full ? marks.as<std::uint8_t>() : nullptr, exec);
    join_request const ask{call_, full ? join_kind::left : kind_, probe_form::keys, {probes_}};
    std::uint64_t const pairs = run_join(structure_of(over_, call_), ask, taker, exec, options);
    unmatched_rows const rows{call_, marks.as<std::uint8_t>(), right_size_, left_type_, right_type_};
    return full ? pairs + rows.list(to, exec, options) : pairs;
  }

  std::uint64_t run(join_sink const& sink, execution const& exec, join_options const& options) const {
    to_sink taker(sink, left_type_, right_type_, options.batch_pairs);
    return run(taker, exec, options);
  }

  joined collect(execution const& exec, join_options const& options) const {
    pair_collector pairs(exec.memory->backend(), exec, left_type_, right_type_);
    run(pairs, exec, options);
    return pairs.all();
  }

 private:
  /// Hands pairs on, each with its rows in their places, and marks the right ones.
  class marking : public pair_taker {
   public:
    /// @param marks one per right row; or null
    marking(column_join const& of, pair_taker& to, std::uint8_t* marks, execution const& exec)
        : of_(of), to_(to), marks_(marks), exec_(exec) {}

    void take(made_pairs pairs) override {
      if (of_.swapped_) std::swap(pairs.left, pairs.right);
      if (marks_ != nullptr)
        steps::run(join_steps::mark_row{{pairs.right.data(), size_of(of_.right_type_)}, marks_}, pairs.size, exec_);
      to_.take(std::move(pairs));
    }
    bool make_room() override { return to_.make_room(); }
    std::uint64_t most_at_a_time(std::uint64_t of_options) const override { return to_.most_at_a_time(of_options); }

   private:
    column_join const& of_;
    pair_taker& to_;
    std::uint8_t* marks_;
    execution const& exec_;
  };

  char const* call_;
  join_kind kind_;
  bool swapped_;
  row_type left_type_;
  std::uint64_t right_size_;
  row_type right_type_;
  index over_;
  nullable_column probes_;
};

column_join by_hash(char const* call, nullable_column const& left, nullable_column const& right, join_kind kind,
                    bool keeps_order, execution const& exec) {
  bool const swapped = kind == join_kind::inner && left.size < right.size && !keeps_order;
  return {call, left, right, kind, swapped, build_valid(hash_spec, swapped ? left : right, exec)};
}

column_join by_merge(char const* call, nullable_column const& left, nullable_column const& right, join_kind kind,
                     bool /*keeps_order*/, execution const& exec) {
  expect_numbers(call, "the left column", left.type);
  expect_numbers(call, "the right column", right.type);
  expect_comparable(call, "the left column", left.type, right.type);
  return {call, left, right, kind, false, over_ascending(call, right, row_type_for(right.size), exec)};
}

/// @return whether a merge of two columns reads each of them once
bool can_merge(nullable_column const& left, nullable_column const& right, execution const& exec) {
  auto const is_plain = [](nullable_column const& side) {
    return side.validity == nullptr && size_of(side.type) <= sizeof(std::uint64_t);
  };
  return is_plain(left) && is_plain(right) && both_ascend(left, right, exec);
}

/// @return an execution of the memory in which a column is
execution where_it_is(column const& values, execution const& exec) {
  bool const moves = exec.memory->backend() == backend_kind::cuda && !locate(values.data).on_device;
  return moves ? execution(host_memory()) : exec;
}

column_join by_order(char const* call, nullable_column const& left, nullable_column const& right, join_kind kind,
                     bool keeps_order, execution const& exec) {
  expect_known(call, "the left column", left.type);
  expect_known(call, "the right column", right.type);
  return can_merge(left, right, exec) ? by_merge(call, left, right, kind, keeps_order, exec)
                                      : by_hash(call, left, right, kind, keeps_order, exec);
}

using column_join_maker = column_join(char const*, nullable_column const&, nullable_column const&, join_kind, bool,
                                      execution const&);

std::uint64_t run(char const* call, column_join_maker* make, nullable_column const& left, nullable_column const& right,
                  join_kind kind, join_sink const& sink, execution const& exec, join_options const& options) {
  return run_call(call, exec, [&] {
    expect_sink(call, sink);
    join_stop const stop(options);
    return make(call, left, right, kind, options.keeps_order, exec).run(sink, exec, options);
  });
}

joined collect(char const* call, column_join_maker* make, nullable_column const& left, nullable_column const& right,
               join_kind kind, execution const& exec, join_options const& options) {
  return run_call(call, exec, [&] {
    join_stop const stop(options);
    return make(call, left, right, kind, options.keeps_order, exec).collect(exec, options);
  });
}

}  // namespace

index over_ascending(char const* call, nullable_column const& right, row_type rows, execution const& exec) {
  detail::expect_array(call, "the right column", right.data, right.size);
  spec const sorted_array(rows == row_type::u64 ? "AO+BS/rows=u64" : "AO+BS");
  if (right.validity != nullptr || right.size == 0) return build_valid(sorted_array, right, exec);
  column const& values = right;
  constexpr std::uintptr_t alignment = 16;
  bool const is_aligned = reinterpret_cast<std::uintptr_t>(right.data) % alignment == 0;
  location const at = locate(right.data);
  bool const is_within_reach = exec.memory->backend() == backend_kind::cpu || at.on_device || at.from_device != nullptr;
  if (is_aligned && is_within_reach) return index::over_sorted(sorted_array, values, exec);
  sorted_steps::descends const descends{right.type, right.data};
  if (auto const before = steps::find_first(descends, right.size - 1, where_it_is(right, exec)))
    throw invalid_argument(std::string(call) + ": the right column is not sorted: key number " +
                           std::to_string(*before + 1) + " is less than the one before it");
  return index::build(sorted_array, values, exec);
}

bool both_ascend(column const& left, column const& right, execution const& exec) {
  auto const is_ascending = [&](column const& side) {
    return side.size == 0 || ascends(side, where_it_is(side, exec));
  };
  return is_ascending(right) && is_ascending(left);
}

std::uint64_t hash_join(nullable_column const& left, nullable_column const& right, join_kind kind,
                        join_sink const& sink, execution const& exec, join_options const& options) {
  return run("hash_join", by_hash, left, right, kind, sink, exec, options);
}

joined hash_join(nullable_column const& left, nullable_column const& right, join_kind kind, execution const& exec,
                 join_options const& options) {
  return collect("hash_join", by_hash, left, right, kind, exec, options);
}

std::uint64_t merge_join(nullable_column const& left, nullable_column const& right, join_kind kind,
                         join_sink const& sink, execution const& exec, join_options const& options) {
  return run("merge_join", by_merge, left, right, kind, sink, exec, options);
}

joined merge_join(nullable_column const& left, nullable_column const& right, join_kind kind, execution const& exec,
                  join_options const& options) {
  return collect("merge_join", by_merge, left, right, kind, exec, options);
}

std::uint64_t join(nullable_column const& left, nullable_column const& right, join_kind kind, join_sink const& sink,
                   execution const& exec, join_options const& options) {
  return run("join", by_order, left, right, kind, sink, exec, options);
}

joined join(nullable_column const& left, nullable_column const& right, join_kind kind, execution const& exec,
            join_options const& options) {
  return collect("join", by_order, left, right, kind, exec, options);
}

joined with_unmatched(joined pairs, std::uint64_t right, execution const& exec) {
  constexpr char const* call = "with_unmatched";
  return run_call(call, exec, [&] {
    execution const host(host_memory(), {}, exec.threads);
    execution const& place = pairs.on_host ? host : exec;
    expect_known(call, "the left rows", pairs.left_type);
    expect_known(call, "the right rows", pairs.right_type);
    row_array const rows{pairs.right.data(), size_of(pairs.right_type)};
    if (pairs.size != 0 && pairs.right.bytes() == 0)
      throw invalid_argument(std::string(call) + ": the pairs have no right rows, as those of a semi join");
    if (right > rows.none())
      throw invalid_argument(std::string(call) + ": right is " + std::to_string(right) + ", which rows of type " +
                             std::string(to_string(pairs.right_type)) + " cannot number");
    buffer const marks(right, place);
    backend_of(place).fill_zero(marks.data(), right, place);
    steps::run(join_steps::mark_row{rows, marks.as<std::uint8_t>()}, pairs.size, place);
    pair_collector all(place.memory->backend(), place, pairs.left_type, pairs.right_type);
    unmatched_rows const unmatched{call, marks.as<std::uint8_t>(), right, pairs.left_type, pairs.right_type};
    all.take({std::move(pairs.left), std::move(pairs.right), pairs.size});
    unmatched.list(all, place, {});
    joined result = all.all();
    result.on_host |= pairs.on_host;
    return result;
  });
}

}  // namespace warpdex
