// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/range_aggregates.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/api_border.hpp"
#include "base/tuning.hpp"
#include "clients/aggregates/aggregate_steps.hpp"
#include "clients/aggregates/ranked_ranges.hpp"
#include "clients/aggregates/sum_steps.hpp"
#include "io/mapping.hpp"
#include "request/batches.hpp"
#include "request/expect.hpp"
#include "request/staged_ranges.hpp"

namespace warpdex {
namespace {

/// Finds the rows and values whose numbers per range are known.
template <class Number>
void take_top(char const* call, searched_index const& s, aggregate_steps::top_of_ranks<Number> const& top,
              top_matches<Number>& found, execution const& exec) {
  if (found.total >= std::numeric_limits<std::size_t>::max() / sizeof(Number))
    throw out_of_memory(std::string(call) + ": " + std::to_string(found.total) + " rows exceed the address space");
  found.rows = buffer(found.total * size_of(found.row_type), exec);
  found.values = buffer(found.total * sizeof(Number), exec);
  if (found.total == 0) return;
  buffer const ranks(found.total * sizeof(std::uint64_t), exec);
  buffer const numbers((found.total + 1) * sizeof(std::uint64_t), exec);
  steps::run_long(aggregate_steps::take_top<Number>{top, found.offsets.template as<std::uint64_t>(),
                                                    found.values.template as<Number>(), ranks.as<std::uint64_t>(),
                                                    numbers.as<std::uint64_t>()},
                  found.probes, exec);
  s.rows_at(ranks.as<std::uint64_t>(), numbers.as<std::uint64_t>(), found.total, found.rows.data(), exec);
}

}  // namespace

template <class Number>
range_aggregates<Number>::range_aggregates(any_index const& over, value_column const& values, execution const& exec,
                                           moments known)
    : known_(known) {
  run_call("range_aggregates", exec, [&] {
    if (known != moments::first && known != moments::second && known != moments::sums)
      throw invalid_argument("range_aggregates: the moments are number " + std::to_string(static_cast<int>(known)) +
                             ", which is unknown");
    take_values(over, values, exec);
  });
}

template <class Number>
void range_aggregates<Number>::take_values(any_index const& over, value_column const& values, execution const& exec) {
  constexpr char const* call = "range_aggregates";
  searched_index const s(over, call, exec);
  index_shape const& shape = s.shape();
  expect_ordered(s.like(), call);
  if (static_cast<unsigned>(values.kind) > static_cast<unsigned>(number_kind::floating))
    throw invalid_argument(std::string(call) + ": the values are of kind number " +
                           std::to_string(static_cast<int>(values.kind)) + ", which is unknown");
  bool const floating = values.kind == number_kind::floating;
  if (floating != std::is_same_v<Number, double>)
    throw invalid_argument(std::string(call) +
                           (floating ? ": the values are floating numbers, which range_aggregates<double> "
                                       "takes"
                                     : ": the values are integers, which range_aggregates<i128> takes"));
  bool const possible = values.width == 4 || values.width == 8 ||
                        (!floating && (values.width == 1 || values.width == 2)) ||
                        (values.kind == number_kind::signed_integer && values.width == 16);
  if (!possible)
    throw invalid_argument(std::string(call) + ": values of " + std::to_string(values.width) +
                           " bytes; integers have 1, 2, 4 or 8, signed ones also 16, floating numbers 4 or 8");
  auto const& backend = backend_of(shape.backend);
  staging stage(call, shape.backend, shape.device, exec);
  backend_ = shape.backend;
  device_ = shape.device;
  size_ = shape.size;
  kind_ = values.kind;
  width_ = values.width;
  if (size_ == 0) return;

  {
    ranked_rows const ranked = rows_by_rank(s, exec);
    row_reader const rows{ranked.rows, shape.rows};
    expect_values(call, {rows, values.size, false}, size_, 0, exec);
    values_ = buffer(size_ * width_, exec);
    void const* const from = stage.input(values.data, values.size, width_, "the column of values");
    steps::run(aggregate_steps::gather(rows, width_).with(from, values_.data(), 0), size_, exec);
    if (values.validity != nullptr) {
      nullable_column bits;  // `validity` asks for no more of a column than its size and its bits
      bits.size = values.size;
      bits.validity = values.validity;
      bits.offset = values.offset;
      valid_ = buffer(size_, exec);
      steps::run(aggregate_steps::gather_valid{rows, stage.validity(bits, "the validity of the values"),
                                               valid_.template as<std::uint8_t>()},
                 size_, exec);
    }
    backend.synchronize(exec);
  }

  add_up_all(exec);
}

template <class Number> void range_aggregates<Number>::add_up_all(execution const& exec) {
  sums_ = known_ == moments::sums && holds_exact_sums(exec);
  if (sums_) make_sums(exec);
  else make_nodes(exec);
  backend_of(backend_).synchronize(exec);
  for (buffer* const array : {&values_, &valid_, &nodes_, &counts_}) array->outlive_stream();
}

template <class Number> void range_aggregates<Number>::make_nodes(execution const& exec) {
  std::vector<std::uint64_t> const sizes = level_sizes(size_);
  std::uint64_t nodes = 0;
  for (std::uint64_t const level : sizes) nodes += level;
  nodes_ = buffer(nodes * sizeof(partial<Number>), exec);
  auto* level = nodes_.template as<partial<Number>>();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i == 0) steps::run(aggregate_steps::add_up_values<Number>{reader(), size_, level, known_}, sizes[i], exec);
    else
      steps::run(aggregate_steps::add_up_nodes<Number>{level - sizes[i - 1], sizes[i - 1], level, known_}, sizes[i],
                 exec);
    level += sizes[i];
  }
}

template <class Number> bool range_aggregates<Number>::holds_exact_sums(execution const& exec) const {
  if constexpr (std::is_same_v<Number, double>)
    return steps::reduce(sum_steps::reach_of_value{reader()}, size_, exec).is_exact();
  else return true;
}

template <class Number> void range_aggregates<Number>::make_sums(execution const& exec) {
  std::uint64_t const blocks = size_ / values_per_sum + 1;  // the last one may be empty
  std::vector<std::uint64_t> sizes = level_sizes(blocks);
  sizes.insert(sizes.begin(), blocks);
  std::vector<buffer> levels;
  levels.reserve(sizes.size());
  for (std::uint64_t const size : sizes) levels.emplace_back(size * sizeof(running_sum<Number>), exec);
  auto const at = [&](std::size_t i) { return levels[i].template as<running_sum<Number>>(); };
  steps::run(sum_steps::sum_values<Number>{reader(), size_, at(0)}, blocks, exec);
  for (std::size_t i = 1; i < sizes.size(); ++i)
    steps::run(sum_steps::sum_sums<Number>{at(i - 1), sizes[i - 1], at(i)}, sizes[i], exec);
  for (std::size_t i = sizes.size(); i-- > 0;) {
    auto const* const before = i + 1 < sizes.size() ? at(i + 1) : nullptr;
    steps::run(sum_steps::sum_all_before<Number>{at(i), sizes[i], before}, blocks_of(sizes[i]), exec);
  }
  nodes_ = std::move(levels[0]);
  if (valid_.data() != nullptr) {
    counts_ = buffer((blocks + 1) * sizeof(std::uint64_t), exec);
    auto* const counts = counts_.template as<std::uint64_t>();
    steps::run(sum_steps::count_values{valid_.template as<std::uint8_t>(), size_, counts}, blocks, exec);
    backend_of(backend_).exclusive_scan(counts, blocks, exec);
  }
  backend_of(backend_).synchronize(exec);  // before the other levels go
}

template <class Number> value_reader<Number> range_aggregates<Number>::reader() const {
  return {values_.data(), valid_.template as<std::uint8_t>(), kind_, width_};
}

template <class Number> value_tree<Number> range_aggregates<Number>::tree() const {
  std::vector<std::uint64_t> const sizes = level_sizes(size_);
  value_tree<Number> result{
      reader(), nodes_.template as<partial<Number>>(), {}, static_cast<int>(sizes.size()), known_};
  for (std::size_t i = 1; i < sizes.size(); ++i) result.begin[i] = result.begin[i - 1] + sizes[i - 1];
  return result;
}

template <class Number>
void range_aggregates<Number>::add_up(ranks_of_ranges const& ranks, std::uint64_t count, aggregate<Number>* out,
                                      execution const& exec) const {
  auto const add = [&](auto const& of) {
    steps::run(sum_steps::add_up_ranks<Number, std::remove_cvref_t<decltype(of)>>{of, ranks, out}, count, exec);
  };
  if (sums_)
    add(running_sums<Number>{reader(), nodes_.template as<running_sum<Number>>(),
                             counts_.template as<std::uint64_t>()});
  else add(tree());
}

template <class Number>
void range_aggregates<Number>::of_ranks(std::span<std::uint64_t const> first, std::span<std::uint64_t const> last,
                                        std::span<aggregate<Number>> out, execution const& exec) const {
  constexpr char const* call = "of_ranks";
  run_call(call, exec, [&] {
    expect_whole(call);
    asked_ranks const ranks{call, first, last, backend_, device_, size_};
    run_ranks(ranks, {out.data(), sizeof(aggregate<Number>), "the output", false, true}, out.size(), exec,
              [&](ranks_of_ranges const& part, std::uint64_t count, void* to) {
                add_up(part, count, static_cast<aggregate<Number>*>(to), exec);
              });
  });
}

template <class Number>
void range_aggregates<Number>::run_ranges(char const* call, any_index const& over, probe_form form,
                                          key_ranges const& ranges, std::span<aggregate<Number>> out,
                                          execution const& exec) const {
  run_call(call, exec, [&] {
    expect_whole(call);
    searched_index const s(over, call, exec);
    expect_ranges(call, s, form, ranges, size_);
    run_ranked(call, s, form, ranges, {out.data(), sizeof(aggregate<Number>), "the output", false, true}, out.size(),
               exec, [&](ranks_of_ranges const& part, std::uint64_t count, void* to) {
                 add_up(part, count, static_cast<aggregate<Number>*>(to), exec);
               });
  });
}

template <class Number>
void range_aggregates<Number>::in_ranges(any_index const& over, key_ranges const& ranges,
                                         std::span<aggregate<Number>> out, execution const& exec) const {
  run_ranges("in_ranges", over, probe_form::ranges, ranges, out, exec);
}

template <class Number>
void range_aggregates<Number>::of_keys(any_index const& over, nullable_column const& keys,
                                       std::span<aggregate<Number>> out, execution const& exec) const {
  run_ranges("of_keys", over, probe_form::keys, {keys}, out, exec);
}

template <class Number>
top_matches<Number> range_aggregates<Number>::first_k(char const* call, any_index const& over, key_ranges const& ranges,
                                                      std::uint64_t k, extreme which, execution const& exec) const {
  return run_call(call, exec, [&] {
    expect_whole(call);
    searched_index const s(over, call, exec);
    expect_ranges(call, s, probe_form::ranges, ranges, size_);
    if (known_ == moments::sums)
      throw unsupported(std::string(call) + ": these aggregates know sums alone; make them with moments::first");
    auto const& backend = backend_of(backend_);
    staging stage(call, backend_, device_, exec);
    range_array const probes = staged_ranges(probe_form::ranges, ranges, stage).whole(stage);
    top_matches<Number> found;
    found.probes = ranges.size();
    found.row_type = s.shape().rows;
    found.offsets = buffer((found.probes + 1) * sizeof(std::uint64_t), exec);
    auto* const offsets = found.offsets.template as<std::uint64_t>();
    if (found.probes == 0) {
      backend.fill_zero(offsets, sizeof(std::uint64_t), exec);
    } else {
      buffer const first(found.probes * sizeof(std::uint64_t), exec);
      buffer const counts(found.probes * sizeof(std::uint64_t), exec);
      aggregate_steps::top_of_ranks<Number> const top{tree(), first.as<std::uint64_t>(), counts.as<std::uint64_t>(),
                                                      which};
      s.find_ranges(probes, found.probes, {counts.as<std::uint64_t>(), first.as<std::uint64_t>()}, exec);
      steps::run(aggregate_steps::count_top<Number>{top, k, offsets}, found.probes, exec);
      found.total = backend.exclusive_scan(offsets, found.probes, exec);
      take_top(call, s, top, found, exec);
    }
    backend.synchronize(exec);
    return found;
  });
}

template <class Number>
top_matches<Number> range_aggregates<Number>::top_k(any_index const& over, key_ranges const& ranges, std::uint64_t k,
                                                    execution const& exec) const {
  return first_k("top_k", over, ranges, k, extreme::max, exec);
}

template <class Number>
top_matches<Number> range_aggregates<Number>::bottom_k(any_index const& over, key_ranges const& ranges, std::uint64_t k,
                                                       execution const& exec) const {
  return first_k("bottom_k", over, ranges, k, extreme::min, exec);
}

template <class Number> void range_aggregates<Number>::expect_whole(char const* call) const {
  if (size_ != 0 && values_.data() == nullptr)
    throw invalid_argument(std::string(call) + ": these aggregates were moved from");
  if (file_ != nullptr) file_->expect_whole();
}

template <class Number> std::span<Number const> top_matches<Number>::values_of(std::uint64_t range) const {
  auto const size = [&]<class Row>(Row) { return rows_of<Row>(range).size(); };
  bool const wide = row_type == warpdex::row_type::u64;
  std::size_t const count = wide ? size(std::uint64_t{}) : size(std::uint32_t{});
  return all_values().subspan(offsets.as<std::uint64_t const>()[range], count);
}

template struct top_matches<i128>;
template struct top_matches<double>;
template class range_aggregates<i128>;
template class range_aggregates<double>;

}  // namespace warpdex
