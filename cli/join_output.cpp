// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "join_output.hpp"

#include <warpdex/error.hpp>

#include <fmt/format.h>

#include <set>

namespace warpdex::cli {

void pair_lines::write_header() {
  if (!left_) {
    out_ << (has_right_ ? "left,right\n" : "left\n");
    return;
  }
  std::set<std::string> taken(left_->names().begin(), left_->names().end());
  for (std::string const& name : left_->names()) line_ += input::csv_field(name) + ',';
  if (right_) {
    for (std::string name : right_->names()) {
      while (!taken.insert(name).second) name += "_right";
      line_ += input::csv_field(name) + ',';
    }
  }
  line_.pop_back();
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
    line_ += ',';
    if (!right) line_.append(right_->names().size() - 1, ',');
    else if (*right < right_->size()) right_->append(*right, line_);
    else
      throw format_error(
          fmt::format("row {} of the index is not in {}, which has {} rows", *right, right_->path(), right_->size()));
  }
  write_line();
}

// A blank line would be no row at the end of a table.
void pair_lines::write_line() {
  out_ << (line_.empty() ? "\"\"" : line_) << '\n';
  line_.clear();
}

}  // namespace warpdex::cli
