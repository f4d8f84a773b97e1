// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/join/pairs.hpp"

#include <algorithm>

#include "base/api_border.hpp"
#include "base/profiled.hpp"
#include "base/tuning.hpp"
#include "clients/join/collect.hpp"
#include "clients/join/join_steps.hpp"
#include "clients/join/repeats.hpp"
#include "request/batches.hpp"
#include "request/expect.hpp"
#include "request/staged_ranges.hpp"

namespace warpdex {
namespace {

/// @return how matches in shards are found; nothing for an index in one memory
match_lister lister_of(searched_index const& right, execution const& exec) {
  if (right.whole() != nullptr) return {};
  auto const count = [&right, &exec](range_array const& part, std::uint64_t size, std::uint64_t* counts) {
    lookup const& what = part.form == probe_form::keys ? lookups::count : lookups::range_count;
    sharded_batches(right.shards()).answer(what, part, size, 0, {counts, nullptr}, exec);
  };
  auto const list = [&right, &exec](range_array const& part, std::uint64_t const* skipped, std::uint64_t const* offsets,
                                    std::uint64_t size, void* rows) {
    lookup const& what = part.form == probe_form::keys ? lookups::retrieve : lookups::range_retrieve;
    matches const found = sharded_batches(right.shards()).list(what, part, size, exec);
    std::uint64_t pairs = 0;
    auto const& backend = backend_of(exec);
    backend.copy(&pairs, offsets + size, sizeof(pairs), exec);
    backend.synchronize(exec);
    steps::run(join_steps::copy_listed{offsets, size, skipped, found.offsets.as<std::uint64_t const>(),
                                       size_of(found.row_type), found.rows.data(), rows},
               pairs, exec);
    backend.synchronize(exec);  // before the list goes
  };
  return {count, list};
}

/// One join: goes through the probes in parts, and through the pairs of a part in batches.
class join_pass {
 public:
  join_pass(searched_index const& right, join_request const& request, pair_taker& taker, execution const& exec,
            join_options const& options, staging& stage)
      : right_(right), ask_(request), taker_(taker), exec_(exec), options_(options), in_shards_(lister_of(right, exec)),
        lister_(right.whole() == nullptr ? &in_shards_ : request.lister), backend_(backend_of(right.shape().backend)),
        ranges_(request.form, request.probes, stage,
                request.form == probe_form::keys ? names_of_probes
                : request.nearest                ? names_of_groups
                                                 : names_of_bounds),
        left_type_(row_type_for(request.probes.size())), right_width_(size_of(right.shape().rows)),
        part_probes_(most_probes_of_part(right.shape().backend, right.shape().size, options.part_probes)),
        batch_pairs_(most_pairs_of_batch(taker.most_at_a_time(options.batch_pairs))) {
    if (!is_equality() && !request.nearest) return;
    one_match_ = !wants_rows() || (right.whole() != nullptr && !keys_repeat(*right.whole(), exec_));
    if (one_match_) part_probes_ = options.part_probes;  // nothing is counted
  }

  /// @return the columns for `staging::run`
  std::vector<batch_array> columns(staging& stage) const { return ranges_.columns(stage); }

  /// Joins the next `size` probes. @param at their columns
  void run(void* const* at, std::uint64_t size) {
    range_array const probes = ranges_.part(at, done_);
    for (u64 begin = 0; begin < size;) {
      expect_no_stop();
      u64 const part = std::min(part_probes_, size - begin);
      if (!run_part(probes.from(begin), part)) continue;
      begin += part;
      done_ += part;
    }
  }

  std::uint64_t pairs() const { return pairs_; }

 private:
  using u64 = std::uint64_t;

  /// Joins `size` probes. If memory is out before any pair is handed over, it makes the next parts and batches smaller.
  /// @return whether they have been joined
  bool run_part(range_array const& part, u64 size) {
    profiled const range("join a part");
    handed_over_ = false;
    try {
      bool const finds_keys = is_equality() && right_.whole() != nullptr;
      if (ask_.nearest) pair_nearest(part, size);
      else if (finds_keys && !wants_rows()) list_found(part.lower, size);
      else if (finds_keys && one_match_) pair_found(part.lower, size);
      else pair_counted(part, size);
      return true;
    } catch (out_of_memory const&) {
      u64 const usual = most_pairs_of_batch(options_.batch_pairs);
      bool const made_all = batch_pairs_ > usual;  // at once
      if (handed_over_ || (size <= tuning::least_join_part && !made_all)) throw;
      if (made_all) {
        batch_pairs_ = usual;
        return false;
      }
    }
    part_probes_ = size / 2;
    batch_pairs_ = std::max<u64>(batch_pairs_ / 2, 1);
    return false;
  }

  bool is_equality() const { return ask_.form == probe_form::keys; }
  bool wants_rows() const { return ask_.kind == join_kind::inner || ask_.kind == join_kind::left; }
  std::size_t left_width() const { return size_of(left_type_); }

  void expect_no_stop() const {
    if (options_.stop.stop_requested())
      throw cancelled(std::string(ask_.call) + ": stopped after " + std::to_string(done_) + " of " +
                      std::to_string(ask_.probes.size()) + " probes and " + std::to_string(pairs_) + " pairs");
    stop_scope::look();
  }

  buffer make(u64 count, std::size_t width) const {
    try {
      return {count * width, exec_};
    } catch (out_of_memory const&) {
      if (!taker_.make_room()) throw;
    }
    return {count * width, exec_};
  }

  /// Hands over pairs.
  void hand_over(buffer left, buffer right, u64 count) {
    profiled const range("hand over");
    backend_.synchronize(exec_);
    if (count == 0) return;
    expect_no_stop();
    handed_over_ = true;
    taker_.take({std::move(left), std::move(right), count});
    pairs_ += count;
  }

  /// Lists the probes with a match, or those without one. @tparam Answer as of `keep_answer`
  template <class Answer> void list_answered(Answer const* answers, u64 size) {
    buffer left = make(size, left_width());
    join_steps::keep_answer<Answer> const keep{
        answers, ask_.kind == join_kind::semi, {left.data(), left_width()}, done_};
    u64 const kept = steps::select(keep, size, exec_);
    hand_over(std::move(left), {}, kept);
  }

  /// Semi and anti joins by equality.
  void list_found(probe_array const& probes, u64 size) {
    buffer const flags = make(size, 1);
    run_points(*right_.whole(), lookups::contains, probes, size, {flags.data()}, exec_);
    list_answered(flags.as<std::uint8_t>(), size);
  }

  /// Joins by equality with an index whose keys do not repeat.
  void pair_found(probe_array const& probes, u64 size) {
    buffer found = make(size, right_width_);
    run_points(*right_.whole(), lookups::find, probes, size, {found.data()}, exec_);
    pair_rows(std::move(found), size);
  }

  /// Pairs each probe with its row, or `no_row`.
  void pair_rows(buffer found, u64 size) {
    buffer left = make(size, left_width());
    row_array const numbers{left.data(), left_width()};
    if (ask_.kind == join_kind::left) {
      steps::run(join_steps::number_probe{numbers, done_}, size, exec_);
      return hand_over(std::move(left), std::move(found), size);
    }
    buffer rows = make(size, right_width_);
    u64 const kept = with_row(right_.shape().rows, [&]<class Row>() {
      join_steps::keep_answer<Row> const keep{found.as<Row>(), true, numbers, done_, rows.as<Row>()};
      return steps::select(keep, size, exec_);
    });
    hand_over(std::move(left), std::move(rows), kept);
  }

  /// Joins with the entries of the nearest keys.
  void pair_nearest(range_array const& part, u64 size) {
    bool const wants_keys = wants_rows() && !one_match_;
    buffer found = make(size, right_width_);
    row_array const rows{found.data(), right_width_};
    buffer const keys = ask_.nearest(part, size, rows, wants_keys);
    if (!wants_rows())
      return with_row(right_.shape().rows, [&]<class Row>() { list_answered(found.template as<Row>(), size); });
    if (!wants_keys) return pair_rows(std::move(found), size);
    key_type const type = right_.shape().keys;
    steps::run(join_steps::blank_key{rows, keys.data(), size_of(type)}, size, exec_);
    pair_counted({probe_form::keys, {keys.data(), type}}, size, &rows);
  }

  /// Counts the matches of each probe, and writes the pairs. @param rows if given, probes without a row match nothing
  void pair_counted(range_array const& part, u64 size, row_array const* rows = nullptr) {
    buffer const counted = make(size + 1, sizeof(u64));
    buffer const begins = make(size, sizeof(u64));
    auto* const counts = counted.as<u64>();
    auto* const first = begins.as<u64>();
    if (lister_ == nullptr) {
      run_ranges(*right_.whole(), part, size, {counts, first}, exec_);
    } else {
      lister_->count(part, size, counts);
      backend_.fill_zero(first, begins.bytes(), exec_);  // so that cuts make it the number of pairs before
    }
    if (rows != nullptr) steps::run(join_steps::clear_count{*rows, counts}, size, exec_);
    if (!wants_rows()) {
      buffer const flags = make(size, 1);
      steps::run(join_steps::flag_match{counts, flags.as<std::uint8_t>()}, size, exec_);
      return list_answered(flags.as<std::uint8_t>(), size);
    }
    bool const lists_unmatched = ask_.kind == join_kind::left;
    if (lists_unmatched) steps::run(join_steps::count_unmatched{counts, first}, size, exec_);
    u64 const total = backend_.exclusive_scan(counts, size, exec_);
    for (u64 begin = 0, probe = 0; begin < total; begin += batch_pairs_) {
      expect_no_stop();
      u64 const end = begin + std::min(batch_pairs_, total - begin);
      u64 const last = end == total ? size : last_probe_before(counts, probe, size, end);
      bool const cuts = lists_unmatched || end - begin != total;
      write_pairs(part.from(probe), counts + probe, first + probe, last - probe, begin, end, done_ + probe, cuts);
      probe = last - 1;  // it may go on in the next batch
    }
  }

  /// @return a number of probes that have all pairs up to number `pair`, by a search between `low` and `high`
  u64 last_probe_before(u64 const* offsets, u64 low, u64 high, u64 pair) const {
    while (low < high) {
      u64 const middle = low + (high - low) / 2;
      u64 offset = 0;
      backend_.copy(&offset, offsets + middle, sizeof(offset), exec_);
      backend_.synchronize(exec_);
      if (offset < pair) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /// Writes the pairs [begin, end) of the part, which belong to the given probes, and hands them over.
  /// @param number of the first probe
  /// @param cuts whether these are not all pairs of the part, or some are without a match
  void write_pairs(range_array const& part, u64 const* offsets, u64 const* first, u64 probes, u64 begin, u64 end,
                   u64 number, bool cuts) {
    profiled const range("write pairs");
    u64 const size = end - begin;
    buffer left = make(size, left_width());
    buffer right = make(size, right_width_);
    buffer cut_offsets, cut_first;
    if (cuts) {
      cut_offsets = make(probes + 1, sizeof(u64));
      cut_first = make(probes, sizeof(u64));
    }
    backend_.fill_zero(left.data(), left.bytes(), exec_);
    steps::run(join_steps::cut_pairs{offsets,
                                     first,
                                     probes,
                                     begin,
                                     end,
                                     cut_offsets.as<u64>(),
                                     cut_first.as<u64>(),
                                     {left.data(), left_width()},
                                     number},
               probes + 1, exec_);
    if (left_type_ == row_type::u32) backend_.running_maximum(left.as<std::uint32_t>(), size, exec_);
    else backend_.running_maximum(left.as<u64>(), size, exec_);
    u64 const* const from = cuts ? cut_first.as<u64>() : first;
    u64 const* const to = cuts ? cut_offsets.as<u64>() : offsets;
    if (lister_ != nullptr) lister_->list(part, from, to, probes, right.data());
    else if (right_.shape().size != 0) right_.whole()->fill({from, to, probes, right.data()}, exec_);
    if (ask_.kind == join_kind::left)
      steps::run(join_steps::clear_unmatched{first, cut_offsets.as<u64>(), {right.data(), right_width_}}, probes,
                 exec_);
    hand_over(std::move(left), std::move(right), size);
  }

  searched_index const& right_;
  join_request const& ask_;
  pair_taker& taker_;
  execution const& exec_;
  join_options const& options_;
  match_lister const in_shards_;
  match_lister const* const lister_;  ///< null if the index finds its matches
  backend const& backend_;
  staged_ranges const ranges_;
  row_type const left_type_;
  std::size_t const right_width_;
  u64 part_probes_;           ///< most probes per part
  u64 batch_pairs_;           ///< most pairs per batch
  bool handed_over_ = false;  ///< whether pairs of this part were handed over
  bool one_match_ = false;    ///< whether a probe has at most one match
  u64 done_ = 0;              ///< probes of earlier parts
  u64 pairs_ = 0;             ///< pairs handed over
};

void expect_request(searched_index const& right, join_request const& ask, join_options const& options) {
  auto const fail = [&](std::string const& why) { throw invalid_argument(std::string(ask.call) + ": " + why); };
  if (ask.kind == join_kind::full)
    throw unsupported(std::string(ask.call) +
                      ": a join with an index lists no rows of the index without a probe; join two columns");
  if (static_cast<unsigned>(ask.kind) > static_cast<unsigned>(join_kind::full))
    fail("join kind number " + std::to_string(static_cast<int>(ask.kind)) + " is unknown");
  if (options.batch_pairs == 0) fail("batches of 0 pairs");
  if (options.part_probes == 0) fail("parts of 0 probes");
  if (ask.nearest || ask.lister != nullptr) return;
  if (ask.form != probe_form::keys) expect_ordered(right.like(), ask.call);
  expect_probes(right.like(), ask.call, ask.form, ask.probes);
}

}  // namespace

std::uint64_t most_probes_of_part(backend_kind kind, std::uint64_t entries, std::uint64_t limit) {
  // More gain nothing on a CPU, whose windows are as long.
  std::uint64_t const usual = std::uint64_t{1} << (kind == backend_kind::cpu ? 24 : 30);
  return std::min({limit, usual, ~std::uint64_t{0} / std::max<std::uint64_t>(entries, 1)});
}

void expect_sink(char const* call, join_sink const& sink) {
  if (!sink) throw invalid_argument(std::string(call) + ": the sink is empty");
}

joined collect_join(searched_index const& right, join_request const& request, execution const& exec,
                    join_options const& options) {
  pair_collector pairs(right.shape().backend, exec, row_type_for(request.probes.size()), right.shape().rows);
  run_join(right, request, pairs, exec, options);
  return pairs.all();
}

std::uint64_t run_join(searched_index const& right, join_request const& request, join_sink const& sink,
                       execution const& exec, join_options const& options) {
  expect_sink(request.call, sink);
  to_sink taker(sink, row_type_for(request.probes.size()), right.shape().rows, options.batch_pairs);
  return run_join(right, request, taker, exec, options);
}

std::uint64_t run_join(searched_index const& right, join_request const& request, pair_taker& taker,
                       execution const& exec, join_options const& options) {
  expect_request(right, request, options);
  join_stop const stop(options);
  staging stage(request.call, right.shape().backend, right.shape().device, exec);
  std::uint64_t const probes = request.probes.size();
  if (probes == 0) return 0;
  auto const during = right.hold();  // sinks are calls of the user's
  join_pass pass(right, request, taker, exec, options, stage);
  constexpr bool body_waits = true;  // for the numbers of pairs, and for the sink
  stage.run(
      probes, pass.columns(stage), right.efficient_batch(probes),
      [&](void* const* at, std::uint64_t size) { pass.run(at, size); }, body_waits);
  return pass.pairs();
}

}  // namespace warpdex
