// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "io/kind.hpp"

#include <warpdex/error.hpp>

#include <algorithm>

namespace warpdex::io {
namespace {

struct kind_text {
  file_kind kind;
  char const* spec;  ///< around that of the index
  char const* what;
};

constexpr kind_text wrapped[] = {
    {file_kind::grouped, "grouped", "that of a grouped index; load it as one"},
    {file_kind::sharded, "sharded", "the manifest of a sharded index; load its folder"},
    {file_kind::networks, "networks", "that of networks; load it as such"},
    {file_kind::aggregates, "aggregates", "that of range_aggregates; load it as such"},
    {file_kind::intervals, "intervals", "that of intervals; load it as such"},
    {file_kind::encoder, "encoder", "that of a key encoder; load it as one"},
    {file_kind::set, "set", "that of a set of keys; load it as one"},
    {file_kind::sharded_set, "sharded_set", "the manifest of a sharded set; load its folder"},
};
constexpr kind_text plain = {file_kind::plain, "", "that of a plain index; load it as one"};

kind_text const& text_of(std::string const& spec) {
  for (kind_text const& one : wrapped)
    if (spec.starts_with(std::string(one.spec) + "(")) return one;
  return plain;
}

}  // namespace

std::string spec_of(file_kind kind, std::string const& inner) {
  for (kind_text const& one : wrapped)
    if (one.kind == kind) return std::string(one.spec) + "(" + inner + ")";
  return inner;
}

file_kind kind_of(file const& from) { return text_of(from.head().spec).kind; }

void expect_kind(file const& from, file_kind wanted) {
  kind_text const& found = text_of(from.head().spec);
  if (found.kind != wanted) throw format_error(from.name() + ": the file is " + found.what);
}

void expect_saved(file const& from, header const& known, std::span<section const> sections, std::string_view blamed) {
  auto const names = from.names();
  auto const has_name = [](std::string const& name, section const& one) { return name == one.name; };
  if (!same(from.head(), known) || !std::equal(names.begin(), names.end(), sections.begin(), sections.end(), has_name))
    from.fail(blamed, "does not belong to the header and the sections");
}

}  // namespace warpdex::io
