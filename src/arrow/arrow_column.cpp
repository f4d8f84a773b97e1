// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/arrow_column.hpp>
#include <warpdex/error.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include "arrow/arrays.hpp"

namespace warpdex {
namespace {

/// @return a structure of Arrow whose parts `owner` keeps, as one that a consumer releases. Children may be released
/// alone.
template <class T> T shared_copy(T const& from, std::shared_ptr<void const> const& owner) {
  struct kept {
    std::shared_ptr<void const> owner;
    std::vector<T> parts;
    std::vector<T*> children;
    T* dictionary = nullptr;
  };
  auto held = std::make_unique<kept>(kept{owner, {}, {}});
  auto const count = static_cast<std::size_t>(from.n_children);
  held->parts.reserve(count + 1);
  for (std::size_t i = 0; i < count; ++i)
    held->children.push_back(&held->parts.emplace_back(shared_copy(*from.children[i], owner)));
  if (from.dictionary != nullptr) held->dictionary = &held->parts.emplace_back(shared_copy(*from.dictionary, owner));
  T result = from;
  result.children = held->children.data();
  result.dictionary = held->dictionary;
  result.private_data = held.release();
  result.release = [](T* self) {
    std::unique_ptr<kept> const parts(static_cast<kept*>(self->private_data));
    for (T& part : parts->parts)
      if (part.release != nullptr) part.release(&part);
    self->release = nullptr;
  };
  return result;
}

/// An array without values, and its parts.
struct empty_array {
  ArrowArray value{};
  std::array<void const*, 3> buffers{};
  std::vector<std::unique_ptr<empty_array>> parts;
  std::vector<ArrowArray*> children;

  explicit empty_array(ArrowSchema const& schema) {
    static constexpr std::array<std::int64_t, 2> zeros{};
    if (schema.format == nullptr) throw invalid_argument("its schema has no format");
    std::string_view const format = schema.format;
    bool const has_offsets = format == "u" || format == "z" || format == "U" || format == "Z";
    bool const is_view = format == "vu" || format == "vz";
    std::int64_t const count = format == "n" || format == "+r"              ? 0
                               : has_offsets || is_view                     ? 3
                               : format == "+s" || format.starts_with("+w") ? 1
                                                                            : 2;
    buffers[1] = buffers[2] = zeros.data();
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
      if (schema.children == nullptr || schema.children[i] == nullptr)
        throw invalid_argument("columns of its schema are null");
      add(*schema.children[i]);
    }
    value = {0, 0, 0, count, schema.n_children, buffers.data(), children.data(), nullptr, nullptr, nullptr};
    if (schema.dictionary != nullptr) {
      parts.push_back(std::make_unique<empty_array>(*schema.dictionary));
      value.dictionary = &parts.back()->value;
    }
  }

  void add(ArrowSchema const& child) {
    parts.push_back(std::make_unique<empty_array>(child));
    children.push_back(&parts.back()->value);
  }
};

}  // namespace

arrow_column arrow_column::empty(ArrowSchema const& schema, std::shared_ptr<void const> owner) {
  auto const held =
      std::make_shared<std::pair<std::shared_ptr<void const>, empty_array> const>(std::move(owner), schema);
  return {schema, held->second.value, -1, held};
}

arrow_column::arrow_column(ArrowSchema schema, ArrowArray array, int device, std::shared_ptr<void const> owner)
    : schema_(schema), array_(array), device_(device), owner_(std::move(owner)) {
  if (schema.format == nullptr) throw invalid_argument("its schema has no format");
}

bool arrow_column::is_table() const { return std::string_view(schema_.format) == "+s"; }

ArrowSchema arrow_column::schema() const { return shared_copy(schema_, owner_); }

ArrowArray arrow_column::array() const { return shared_copy(array_, owner_); }

arrow_column arrow_column::slice(std::int64_t begin, std::int64_t count) const {
  arrow_column result = *this;
  if (count != array_.length && array_.null_count != 0) result.array_.null_count = -1;
  result.array_.offset += begin;
  result.array_.length = count;
  return result;
}

std::vector<std::pair<std::string, arrow_column>> arrow_column::columns() const {
  if (!is_table() || schema_.n_children != array_.n_children)
    throw type_error("its array of Arrow has the format " + std::string(schema_.format) + "; a table is a struct");
  check_fields(array_, {});
  if (array_.null_count > 0) throw invalid_argument("rows of the table itself are null");
  auto const is_there = [](auto const* const* parts, std::int64_t count) {
    return parts != nullptr && std::all_of(parts, parts + count, [](auto const* item) { return item != nullptr; });
  };
  if (schema_.n_children > 0 &&
      (!is_there(schema_.children, schema_.n_children) || !is_there(array_.children, schema_.n_children)))
    throw invalid_argument("columns of the table are null");
  std::vector<std::pair<std::string, arrow_column>> result;
  for (std::int64_t i = 0; i < schema_.n_children; ++i) {
    ArrowArray part = *array_.children[i];
    check_fields(part, {});
    if (part.length < array_.offset + array_.length)
      throw invalid_argument("column " + std::to_string(i) + " has " + std::to_string(part.length) +
                             " rows, but the table " + std::to_string(array_.offset + array_.length));
    if (part.length != array_.length && part.null_count != 0) part.null_count = -1;
    part.offset += array_.offset;
    part.length = array_.length;
    char const* const name = schema_.children[i]->name;
    result.emplace_back(name == nullptr ? "" : name, arrow_column(*schema_.children[i], part, device_, owner_));
  }
  return result;
}

arrow_column arrow_column::table(std::vector<std::pair<std::string, arrow_column>> columns, std::int64_t rows,
                                 int device) {
  struct kept {
    std::vector<std::pair<std::string, arrow_column>> columns;
    std::vector<ArrowSchema*> schemas;
    std::vector<ArrowArray*> arrays;
    std::array<void const*, 1> buffers{};
  };
  auto const held = std::make_shared<kept>(kept{std::move(columns), {}, {}});
  for (auto& [name, item] : held->columns) {
    item.schema_.name = name.c_str();
    held->schemas.push_back(&item.schema_);
    held->arrays.push_back(&item.array_);
  }
  auto const count = static_cast<std::int64_t>(held->columns.size());
  ArrowSchema const schema{"+s", "", nullptr, 0, count, held->schemas.data(), nullptr, nullptr, nullptr};
  ArrowArray const array{rows, 0, 0, 1, count, held->buffers.data(), held->arrays.data(), nullptr, nullptr, nullptr};
  return {schema, array, device, held};
}

}  // namespace warpdex
