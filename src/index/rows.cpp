// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "index/rows.hpp"

#include <warpdex/search/hash_buckets.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/api_border.hpp"
#include "index/row_steps.hpp"
#include "index/sorted.hpp"
#include "request/batches.hpp"
#include "structures/structure.hpp"

/// @file
/// The row ids of a whole index: the greatest one, and more bits for all of them. All arrays with row ids are known by
/// their names in files (docs/reference/format.md).
namespace warpdex {
namespace {

io::section const* named(std::vector<io::section> const& all, std::string_view name) {
  auto const found =
      std::find_if(all.begin(), all.end(), [&](io::section const& section) { return section.name == name; });
  return found == all.end() ? nullptr : &*found;
}

/// @return the links of HT(buckets), whose section `table` has the seed and then the number of buckets
row_steps::chain_links links_of(structure const& s, std::vector<io::section> const& all) {
  auto const& arguments = s.resolved().arguments();
  if (arguments.empty() || arguments[0].value != "buckets") return {};
  using view = hash_buckets<soa_slots<std::uint32_t, std::uint32_t>>;  // others have as many slots
  std::uint64_t const buckets = static_cast<std::uint64_t const*>(named(all, "table")->data)[1];
  return {buckets * view::node_slots, view::node_slots, view::slots};
}

std::uint64_t greatest_in(structure const& s, execution const& exec) {
  index_shape const& shape = s.shape();
  if (shape.size == 0) return 0;
  if (s.borrows()) return shape.size - 1;  // row ids are ranks
  std::vector<io::section> const all = s.sections();
  std::size_t const width = size_of(shape.rows);
  std::uint64_t limit = 0;
  auto const look_at = [&](io::section const& array, std::size_t offset, std::size_t stride, void const* records,
                           row_steps::chain_links const& links) {
    auto const* const first = static_cast<char const*>(array.data);
    std::uint64_t const count = array.bytes / stride;
    auto const* const from = static_cast<char const*>(records);
    auto const take = [&](auto const& step) {
      limit = std::max<std::uint64_t>(limit, steps::reduce(step, count, exec).rows);
    };
    if (stride != width || from != nullptr || links.base_slots != 0)
      return take(row_steps::row_in_slot{first + offset, stride, width, from, links});
    with_row(shape.rows, [&]<class Row>() { take(row_steps::row_in_array<Row>{reinterpret_cast<Row const*>(first)}); });
  };
  if (auto const* const lists = named(all, "list_rows")) look_at(*lists, 0, width, nullptr, {});
  auto const* const records = named(all, "records");
  if (records != nullptr && named(all, "list_rows") != nullptr)
    return std::max<std::uint64_t>(limit, 1) - 1;  // these lists have all rows
  row_steps::chain_links const links = links_of(s, all);
  void const* const at = records == nullptr ? nullptr : records->data;
  if (auto const* const rows = named(all, "rows")) look_at(*rows, 0, width, at, links);
  if (auto const* const pairs = named(all, "pairs")) {
    std::size_t const key = records == nullptr ? size_of(shape.keys) : sizeof(std::uint64_t);
    auto const* const layout = s.resolved().option("layout");
    bool const packed = layout != nullptr && layout->value == "packed";
    look_at(*pairs, packed ? key : std::max(key, width), packed ? key + width : 2 * std::max(key, width), at, links);
  }
  return std::max<std::uint64_t>(limit, 1) - 1;
}

}  // namespace

std::string spec_of_wide_rows(std::string const& text) {
  spec const old(text);
  std::vector<spec::word> options;
  for (spec::word const& word : old.options())
    if (word.name != "rows" && word.name != "lanes") options.push_back(word);  // lane groups may take rows of 4 bytes
  options.push_back({"rows", "u64"});
  return spec(old.structure(), old.arguments(), std::move(options)).text();
}

std::optional<index> with_wide_rows(index& from, char const* call, execution const& exec) {
  from.built(call);
  structure& old = *from.structure_;
  index_shape shape = old.shape();
  if (shape.rows == row_type::u64) return std::nullopt;
  if (old.borrows())
    throw unsupported(std::string(call) + ": " + old.spec_text() +
                      " borrows its key column (over_sorted), and has no row ids of its own");
  expect_idle(old, call);
  old.expect_whole();
  old.expect_entries_in_order(exec);
  backend const& backend = backend_of(shape.backend);
  shape.rows = row_type::u64;
  auto const next = make_plan(spec_of_wide_rows(old.spec_text()), shape);
  sorted_pairs pairs = old.entries_to_merge(exec);
  buffer rows(shape.size * sizeof(std::uint64_t), exec);
  steps::run(row_steps::widen_row{pairs.rows.as<std::uint32_t const>(), rows.as<std::uint64_t>()}, shape.size, exec);
  pairs.rows = std::move(rows);
  pairs.seed = old.hash_seed();
  auto built = next->make(std::move(pairs), exec);
  backend.synchronize(exec);
  built->outlive_stream();
  return index(std::move(built), spec_of_wide_rows(from.request_), from.times_);
}

std::uint64_t index::greatest_row(execution const& exec) const {
  constexpr char const* call = "greatest_row";
  structure const& s = built(call);
  return run_call(call, exec, [&] {
    s.expect_whole();
    return greatest_in(s, exec);
  });
}

void index::widen_rows(execution const& exec) {
  constexpr char const* call = "widen_rows";
  built(call);
  run_call(call, exec, [&] {
    if (auto replacement = with_wide_rows(*this, call, exec)) *this = std::move(*replacement);
  });
}

}  // namespace warpdex
