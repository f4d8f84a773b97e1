// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "row_cells.hpp"

#include "words.hpp"

#include <warpdex/error.hpp>

#include <fmt/format.h>

#include <set>

namespace warpdex::tables {

void row_cells::write_names(std::string_view taken) {
  if (!source_) {
    out_ << "row";
    return;
  }
  auto const before = split_names(taken);
  std::set<std::string> names(before.begin(), before.end());
  bool first = true;
  for (std::string name : source_->names()) {
    while (!names.insert(name).second) name += "_row";
    out_ << (first ? "" : ",") << csv_field(name);
    first = false;
  }
}

void row_cells::write(std::uint64_t row) {
  if (!source_) {
    out_ << row;
    return;
  }
  if (row >= source_->size())
    throw format_error(fmt::format("row {} of the index is not in {}, which has {}", row, source_->path(),
                                   counted(source_->size(), "row")));
  line_.clear();
  source_->append(row, line_);
  out_ << line_;
}

void row_cells::write_none() {
  if (!source_) return;
  for (std::size_t i = 1; i < source_->names().size(); ++i) out_ << ',';
}

}  // namespace warpdex::tables
