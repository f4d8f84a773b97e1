// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "pair_lines.hpp"

#include "words.hpp"

#include <warpdex/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <set>

namespace warpdex::tables {

pair_lines::pair_lines(output& out, table left, std::optional<table> right, std::vector<std::string> const& columns)
    : out_(out), has_right_(right.has_value()), left_(std::move(left)), right_(std::move(right)) {
  std::vector<std::string> names = left_->names();
  std::set<std::string> taken(names.begin(), names.end());
  std::vector<std::string> right_names;
  if (right_) right_names = right_->names();
  for (std::string& name : right_names)
    while (!taken.insert(name).second) name += "_right";
  if (columns.empty()) names.insert(names.end(), right_names.begin(), right_names.end());
  else names = select(columns, right_names);
  for (std::string const& name : names) header_ += (header_.empty() ? "" : ",") + csv_field(name);
}

std::vector<std::string> pair_lines::select(std::vector<std::string> const& columns,
                                            std::vector<std::string> const& right_names) {
  auto const number_in = [](std::vector<std::string> const& names, std::string const& name) {
    auto const found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names.begin()));
  };
  std::vector<std::string> left, right, right_written;
  for (std::string const& name : columns) {
    if (number_in(left_->names(), name)) {
      left.push_back(name);
    } else if (auto const i = number_in(right_names, name)) {
      right.push_back(right_->names()[*i]);
      right_written.push_back(name);
    } else {
      throw format_error(fmt::format("--columns: no table has a column '{}'; they have {}{}{}", name,
                                     fmt::join(left_->names(), ", "), right_names.empty() ? "" : ", ",
                                     fmt::join(right_names, ", ")));
    }
  }
  left_->select(left);
  if (right.empty()) right_.reset();
  else right_->select(right);
  left.insert(left.end(), right_written.begin(), right_written.end());
  return left;
}

void pair_lines::write_header() {
  if (!left_) {
    out_ << (has_right_ ? "left,right\n" : "left\n");
    return;
  }
  line_ = header_;
  write_line();
}

void pair_lines::write(std::uint64_t left, std::optional<std::uint64_t> right) {
  ++written_;
  if (!left_) {
    out_ << left;
    if (has_right_) out_ << ',';
    if (right) out_ << *right;
    out_ << '\n';
    return;
  }
  left_->append(left, line_);
  if (right_) {
    if (!left_->names().empty()) line_ += ',';
    if (!right) line_.append(right_->names().size() - 1, ',');
    else if (*right < right_->size()) right_->append(*right, line_);
    else
      throw format_error(fmt::format("row {} of the index is not in {}, which has {}", *right, right_->path(),
                                     counted(right_->size(), "row")));
  }
  write_line();
}

// A blank line would be no row at the end of a table.
void pair_lines::write_line() {
  out_ << (line_.empty() ? "\"\"" : line_) << '\n';
  line_.clear();
}

}  // namespace warpdex::tables
