// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/distinct.hpp>
#include <warpdex/join.hpp>
#include <warpdex/key_encoder.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/api_border.hpp"
#include "base/tuning.hpp"
#include "clients/distinct/distinct_steps.hpp"
#include "clients/distinct/repeats_on_cpu.hpp"
#include "clients/join/join_steps.hpp"
#include "request/expect.hpp"
#include "request/staging.hpp"

namespace warpdex {
namespace {

/// Row ids of this type are positive in 32 bits with a sign, too.
row_type rows_of(std::uint64_t size) { return size < std::uint64_t{1} << 31 ? row_type::u32 : row_type::u64; }

/// The columns of a call as one column of keys.
class key_columns {
 public:
  key_columns(std::span<nullable_column const> columns, execution const& exec) {
    std::vector<nullable_column> rest(columns.begin(), columns.end());
    while (rest.size() > key_encoder::most_fields) {  // whose first ones become the numbers of their tuples
      std::span const first(rest.data(), key_encoder::most_fields);
      numbers_.push_back(unique(first, exec, {.inverse = true}).inverse);
      key_type const type = rows_of(first[0].size) == row_type::u32 ? key_type::u32 : key_type::u64;
      rest[0] = column(numbers_.back().data(), first[0].size, type);
      rest.erase(rest.begin() + 1, rest.begin() + key_encoder::most_fields);
    }
    whole_ = rest[0];
    if (rest.size() == 1) return;
    std::vector<key_field> fields;
    fields.reserve(rest.size());
    for (nullable_column const& column : rest)
      fields.push_back({.type = column.type, .nullable = column.validity != nullptr});
    keys_ = key_encoder(std::move(fields)).encode(rest, exec);
    whole_ = keys_;
  }

  nullable_column const& whole() const { return whole_; }

 private:
  std::vector<buffer> numbers_;
  key_list keys_;
  nullable_column whole_;
};

/// The arrays of a call, and its keys. The columns have one value at least.
class distinct_call {
 public:
  distinct_call(char const* call, std::span<nullable_column const> columns, execution const& exec)
      : exec_(exec), stage_(call, exec) {
    names_.reserve(columns.size());
    for (nullable_column const& column : columns) {
      char const* const name = names_.emplace_back("column number " + std::to_string(names_.size())).c_str();
      expect_known(call, name, column.type);
      expect_size(call, name, column.size, columns[0].size);
      detail::expect_array(call, name, column.data, column.size);
      if (column.size == 0) continue;
      stage_.validity(column, name);
      std::array<batch_array, 1> arrays{stage_.probes(column, name)};
      stage_.use(column.size, arrays);
    }
  }

  /// Checks an output, which must not overlap the columns.
  void use_output(std::span<bool> flags) {
    std::array<batch_array, 1> arrays{{{flags.data(), sizeof(bool), "the output of repeats", false, true}}};
    stage_.use(flags.size(), arrays);
  }

  void find(std::span<nullable_column const> columns, repeat_output const& out) {
    key_columns const keys(columns, exec_);
    if (exec_.memory->backend() == backend_kind::cpu) find_repeats(reached(keys.whole()), out, exec_);
    else find_on_device(keys.whole(), out);
  }

 private:
  keys_on_host reached(nullable_column const& keys) {
    column const& values = keys;
    keys_on_host result{values, {}, stage_.validity(keys, names_[0].c_str())};
    if (keys.type == key_type::bytes) result.strings = stage_.reach_strings(values, names_[0].c_str(), true);
    else result.values = stage_.input(values, names_[0].c_str());
    return result;
  }

  /// By the first row of each key, and a sort of these.
  void find_on_device(nullable_column const& keys, repeat_output const& out) const {
    row_type const type = rows_of(keys.size);
    std::size_t const width = size_of(type);
    buffer const own(out.firsts.data == nullptr ? keys.size * width : 0, exec_);
    row_array const firsts{out.firsts.data == nullptr ? own.data() : out.firsts.data, width};
    first_match(keys, keys, {firsts.data, keys.size, type}, exec_);
    if (auto const null = steps::find_first(distinct_steps::is_unfound{firsts}, keys.size, exec_))
      steps::run(distinct_steps::set_unfound{firsts, *null}, keys.size, exec_);
    column const order(firsts.data, keys.size, type == row_type::u32 ? key_type::u32 : key_type::u64);
    auto const sorted = backend_of(exec_).sort(order, std::nullopt, type, std::nullopt, exec_).pairs;
    steps::run(
        distinct_steps::flag_repeat{
            {sorted.keys.data(), width}, {sorted.rows.data(), width}, keys.size, out.keep, out.repeats, out.counts},
        keys.size, exec_);
    backend_of(exec_).synchronize(exec_);
  }

  execution const& exec_;
  std::vector<std::string> names_;
  staging stage_;
};

/// Lists the rows that are no repeats. @param numbers per row its place in the list; or no array
void list_kept(unique_rows& kept, buffer const& repeats, row_array numbers, execution const& exec) {
  std::size_t const width = size_of(kept.type);
  buffer all(repeats.bytes() * width, exec);
  for (std::uint64_t begin = 0; begin < repeats.bytes(); begin += tuning::validity_part) {
    distinct_steps::list_kept const list{repeats.as<std::uint8_t>(), begin, kept.size, {all.data(), width}, numbers};
    kept.size += steps::select(list, std::min<std::uint64_t>(tuning::validity_part, repeats.bytes() - begin), exec);
  }
  kept.rows = buffer(kept.size * width, exec);
  backend_of(exec).copy(kept.rows.data(), all.data(), kept.rows.bytes(), exec);
  backend_of(exec).synchronize(exec);
}

/// @return from[at[i]] for each i
buffer gathered(buffer const& from, std::size_t width, row_array at, std::uint64_t size, execution const& exec) {
  buffer result(size * width, exec);
  steps::run(join_steps::gather{from.data(), width, at, result.data()}, size, exec);
  return result;
}

}  // namespace

unique_rows unique(std::span<nullable_column const> columns, execution const& exec, unique_options const& options) {
  constexpr char const* call = "unique";
  return run_call(call, exec, [&] {
    if (columns.empty()) throw invalid_argument("unique: there is no column");
    if (options.keep != keep_row::first && (options.inverse || options.counts))
      throw invalid_argument("unique: an inverse and counts are of the first rows, but others are kept");
    std::uint64_t const size = columns[0].size;
    unique_rows result;
    result.type = rows_of(size);
    distinct_call search(call, columns, exec);
    if (size == 0) return result;
    std::size_t const width = size_of(result.type);
    buffer const repeats(size, exec), firsts(options.inverse ? size * width : 0, exec),
        counts(options.counts ? size * sizeof(std::uint64_t) : 0, exec), numbers(firsts.bytes(), exec);
    search.find(columns,
                {options.keep, repeats.as<std::uint8_t>(), {firsts.data(), width}, counts.as<std::uint64_t>()});
    list_kept(result, repeats, {numbers.data(), width}, exec);
    if (options.inverse) result.inverse = gathered(numbers, width, {firsts.data(), width}, size, exec);
    if (options.counts)
      result.counts = gathered(counts, sizeof(std::uint64_t), {result.rows.data(), width}, result.size, exec);
    backend_of(exec).synchronize(exec);
    return result;
  });
}

void duplicates(std::span<nullable_column const> columns, std::span<bool> repeats, execution const& exec,
                keep_row keep) {
  constexpr char const* call = "duplicates";
  run_call(call, exec, [&] {
    if (columns.empty()) throw invalid_argument("duplicates: there is no column");
    expect_size(call, "the output of repeats", repeats.size(), columns[0].size);
    distinct_call search(call, columns, exec);
    if (repeats.empty()) return;
    search.use_output(repeats);
    bool const in_place = exec.memory->backend() == backend_kind::cpu;
    buffer const flags(in_place ? 0 : repeats.size(), exec);
    auto* const to = in_place ? reinterpret_cast<std::uint8_t*>(repeats.data()) : flags.as<std::uint8_t>();
    search.find(columns, {keep, to, {nullptr, size_of(rows_of(repeats.size()))}, nullptr});
    if (in_place) return;
    backend_of(exec).copy(repeats.data(), flags.data(), repeats.size(), exec);
    backend_of(exec).synchronize(exec);
  });
}

}  // namespace warpdex
