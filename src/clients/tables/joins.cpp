// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/chunked_keys.hpp>
#include <warpdex/device.hpp>
#include <warpdex/error.hpp>
#include <warpdex/grouped_index.hpp>
#include <warpdex/sorted.hpp>

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

/// Leaves out pairs without a right row.
joined with_matches(joined from, int threads) {
  joined made;
  made.left_type = from.left_type;
  made.right_type = from.right_type;
  made.on_host = from.on_host;
  with_rows(from.right.data(), from.right_type, [&]<class Right>(Right const* rights) {
    auto const before =
        counts_before(from.size, threads, [rights](std::uint64_t i) { return rights[i] != no_row<Right>; });
    made.size = before.back();
    made.left = buffer(made.size * size_of(made.left_type), execution());
    made.right = buffer(made.size * sizeof(Right), execution());
    with_rows(from.left.data(), from.left_type, [&]<class Left>(Left const* lefts) {
      parallel_chunks(threads, from.size, grain, [&](std::uint64_t begin, std::uint64_t end) {
        std::uint64_t to = before[begin / grain];
        for (std::uint64_t i = begin; i < end; ++i) {
          if (rights[i] == no_row<Right>) continue;
          made.left.as<Left>()[to] = lefts[i];
          made.right.as<Right>()[to++] = rights[i];
        }
      });
    });
  });
  return made;
}

/// @return the pairs and, after them, right rows without one
joined with_alone(joined const& from, std::uint64_t rights) {
  std::vector<bool> has_pair(rights);
  joined made;
  made.left_type = from.left_type;
  made.right_type = from.right_type;
  made.on_host = true;
  with_rows(from.right.data(), from.right_type, [&]<class Right>(Right const* of_right) {
    for (std::uint64_t i = 0; i < from.size; ++i)
      if (of_right[i] != no_row<Right>) has_pair[of_right[i]] = true;
    made.size = from.size + static_cast<std::uint64_t>(std::count(has_pair.begin(), has_pair.end(), false));
    made.left = buffer(made.size * size_of(made.left_type), execution());
    made.right = buffer(made.size * sizeof(Right), execution());
    auto* to = std::copy_n(of_right, from.size, made.right.as<Right>());
    for (std::uint64_t row = 0; row < rights; ++row)
      if (!has_pair[row]) *to++ = static_cast<Right>(row);
  });
  with_rows(from.left.data(), from.left_type, [&]<class Left>(Left const* of_left) {
    std::fill_n(std::copy_n(of_left, from.size, made.left.as<Left>()), made.size - from.size, no_row<Left>);
  });
  return made;
}

/// Pairs by a hash table over the right keys on the host, or by an index on a device.
joined searched(encoded_keys& left, encoded_keys& right, join_kind kind, execution const& exec) {
  nullable_column const lefts = valid_keys(left, exec.threads), rights = valid_keys(right, exec.threads);
  if (is_on_host(exec)) {
    // By itself an inner join goes through the longer column, in whose order the pairs come.
    if (kind == join_kind::inner && lefts.size < rights.size)
      return with_matches(hash_join(lefts, rights, join_kind::left, exec), exec.threads);
    return hash_join(lefts, rights, kind, exec);
  }
  auto const asked = kind == join_kind::full ? join_kind::left : kind;
  joined made = on_host(join(build_valid("auto", rights, exec), lefts, asked, exec), exec);
  return kind == join_kind::full ? with_alone(made, rights.size) : std::move(made);
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
