// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/chunked_keys.hpp>
#include <warpdex/device.hpp>
#include <warpdex/error.hpp>
#include <warpdex/grouped_index.hpp>
#include <warpdex/sorted.hpp>
#include <warpdex/tuple_join.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include "clients/tables/chunks.hpp"
#include "clients/tables/present.hpp"
#include "clients/tables/words.hpp"

namespace warpdex {
namespace {

using namespace chunks;

bool is_on_host(execution const& exec) { return exec.memory->backend() == backend_kind::cpu; }

/// Turns rows among those that are kept into rows of all; `no_row` stays.
void rows_of_all(void* rows, row_type type, std::uint64_t size, present_rows const& of, int threads) {
  if (of.kept == nullptr) return;
  with_rows(rows, type, [&]<class Row>(Row* to) {
    parallel_chunks(threads, size, grain, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i)
        if (to[i] != no_row<Row>) to[i] = static_cast<Row>(of.kept[static_cast<std::ptrdiff_t>(to[i])]);
    });
  });
}

/// @return the pairs of numbers that ascend on both sides; nothing for other keys, and if left rows that match nothing
/// are wanted and were left out
std::optional<joined> merged(encoded_keys const& left, encoded_keys const& right, join_kind kind,
                             execution const& exec) {
  auto sides = mergeable({&left, 1}, {&right, 1}, exec.threads);
  if (!sides) return std::nullopt;
  auto const& [mine, others] = *sides;
  if (mine.kept != nullptr && kind != join_kind::inner && kind != join_kind::semi) return std::nullopt;
  if (!ascends(mine.columns[0], exec) || !ascends(others.columns[0], exec)) return std::nullopt;
  joined made = merge_join(mine.columns[0], others.columns[0], kind, exec);
  rows_of_all(made.left.data(), made.left_type, made.size, mine, exec.threads);
  rows_of_all(made.right.data(), made.right_type, made.right_rows().size, others, exec.threads);
  return made;
}

/// Pairs by a hash table over the right keys on the host, or by an index on a device.
joined searched(encoded_keys& left, encoded_keys& right, join_kind kind, execution const& exec) {
  nullable_column const lefts = valid_keys(left, exec.threads), rights = valid_keys(right, exec.threads);
  if (is_on_host(exec)) return hash_join(lefts, rights, kind, exec, {.keeps_order = true});
  bool const is_full = kind == join_kind::full;
  joined pairs = join(build_valid("auto", rights, exec), lefts, is_full ? join_kind::left : kind, exec);
  return on_host(is_full ? with_unmatched(std::move(pairs), rights.size, exec) : std::move(pairs), exec);
}

void find_nearest(std::span<encoded_keys> groups, encoded_keys& left, std::span<encoded_keys> other_groups,
                  encoded_keys& right, row_output rows, asof_options const& options, execution const& exec) {
  int const threads = exec.threads;
  nullable_column const lefts = valid_keys(left, threads), rights = valid_keys(right, threads);
  auto const in_index = [&](auto over, auto const&... probes) {
    if (over.row_type() != rows.type) over.widen_rows(exec);
    join_asof(over, probes..., rows, exec, options);
  };
  if (groups.empty()) return in_index(build_valid("AO+BS", rights, exec), lefts);
  auto const of_left = valid_keys(groups[0], threads), of_right = valid_keys(other_groups[0], threads);
  in_index(grouped_index::build("AO+BS", of_right, rights, exec), of_left, lefts);
}

}  // namespace

joined chunks::on_host(joined from, execution const& exec) {
  if (is_on_host(exec) || from.on_host) return from;
  for (buffer* rows : {&from.left, &from.right}) {
    buffer made(rows->bytes(), execution());
    if (rows->bytes() != 0) copy(made.data(), rows->data(), rows->bytes(), exec);
    *rows = std::move(made);
  }
  from.on_host = true;
  return from;
}

joined join(std::span<chunked_keys const> left, std::span<chunked_keys const> right, join_kind kind, bool nulls_equal,
            execution const& exec) {
  std::pair<chunked_keys, chunked_keys> numbers;
  if (left.size() == 1 && right.size() == 1 && have_words(left[0]) && right[0].chunks[0].is_text()) {
    numbers = numbered(left[0], right[0], nulls_equal, exec.threads);
    left = {&numbers.first, 1};
    right = {&numbers.second, 1};
  }
  auto [lefts, rights] = encode_keys(left, right, nulls_equal, false, exec);
  execution const host = execution().with_threads(exec.threads);
  if (kind != join_kind::full)
    if (auto made = merged(lefts, rights, kind, host)) return std::move(*made);
  return searched(lefts, rights, kind, exec);
}

row_list join_asof(std::span<chunked_keys const> left_groups, chunked_keys const& left,
                   std::span<chunked_keys const> right_groups, chunked_keys const& right, bool nulls_equal,
                   asof_options const& options, execution const& exec) {
  if (left.chunks.empty() || right.chunks.empty()) throw invalid_argument("join_asof: keys has no chunks");
  int const threads = exec.threads;
  std::vector<encoded_keys> lefts, rights;
  if (!left_groups.empty()) {
    auto [mine, others] = encode_groups(left_groups, right_groups, nulls_equal, exec);
    lefts.push_back(std::move(mine));
    rights.push_back(std::move(others));
  }
  lefts.push_back(whole(left, threads));
  rights.push_back(whole(right, threads));
  if (lefts[0].keys.size != left.size || rights[0].keys.size != right.size)
    throw invalid_argument("join_asof: there are not as many groups as keys");
  row_list made;
  made.size = left.size;
  made.type = right.size < std::uint64_t{1} << 31 ? row_type::u32 : row_type::u64;
  made.rows = buffer(made.size * size_of(made.type), execution());
  row_output const rows{made.rows.data(), made.size, made.type};
  std::size_t const last = lefts.size() - 1;
  auto sides = options.tolerances.size == 0 ? mergeable(lefts, rights, threads) : std::nullopt;
  if (sides) {
    present_rows const &mine = sides->first, &others = sides->second;
    buffer few(mine.kept == nullptr ? 0 : mine.size * size_of(made.type), execution());
    row_output const to{mine.kept == nullptr ? made.rows.data() : few.data(), mine.size, made.type};
    execution const host = execution().with_threads(threads);
    bool const done = last == 0 ? asof_merge(mine.columns[0], others.columns[0], to, host, options)
                                : asof_merge(mine.columns[0], mine.columns[1], others.columns[0], others.columns[1], to,
                                             host, options);
    if (done) {
      rows_of_all(to.data, made.type, mine.size, others, threads);
      if (mine.kept == nullptr) return made;
      with_rows(made.rows.data(), made.type, [&]<class Row>(Row* of_all) {
        std::fill_n(of_all, made.size, no_row<Row>);
        parallel_chunks(threads, mine.size, grain, [&](std::uint64_t begin, std::uint64_t end) {
          for (std::uint64_t i = begin; i < end; ++i) of_all[mine.kept.get()[i]] = few.as<Row>()[i];
        });
      });
      return made;
    }
  }
  sides.reset();
  std::span const groups(lefts.data(), last), others(rights.data(), last);
  find_nearest(groups, lefts[last], others, rights[last], rows, options, exec);
  return made;
}

}  // namespace warpdex
