// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "key_texts.hpp"

#include "strings.hpp"
#include "table.hpp"

#include <warpdex/device.hpp>

#include <utility>

namespace warpdex::tables {

key_texts::key_texts(key_type type, std::span<tuple_field const> fields, notation as, int threads)
    : type_(type), as_(std::move(as)), threads_(threads) {
  for (auto const& field : fields) fields_.push_back({.type = *field.type, .descending = field.descending});
}

void key_texts::take(key_list const& keys, execution const& exec) {
  std::vector<std::byte> bytes(keys.bytes);
  if (keys.bytes != 0) copy(bytes.data(), keys.keys.data(), keys.bytes, exec);
  offsets_.clear();
  if (type_ == key_type::bytes) {
    offsets_.resize(keys.size + 1);
    copy(offsets_.data(), keys.offsets.data(), offsets_.size() * sizeof offsets_[0], exec);
  }
  take(std::move(bytes), keys.size);
}

void key_texts::take(std::vector<std::byte> keys, std::uint64_t count) {
  bytes_ = std::move(keys);
  size_ = count;
  if (!fields_.empty()) tuples_ = key_encoder(fields_).decode(this->keys(), execution(host_memory(), {}, threads_));
}

column key_texts::keys() const {
  if (type_ == key_type::bytes) return {std::span(bytes_), std::span(offsets_)};
  return {bytes_.data(), size_, type_};
}

std::string_view key_texts::operator[](std::uint64_t i) {
  text_.clear();
  if (tuples_.empty()) append(keys(), i);
  for (decoded_column const& field : tuples_) {
    if (&field != &tuples_.front()) text_ += ',';
    append(field.values.view(), i);
  }
  return text_;
}

void key_texts::append(column const& keys, std::uint64_t i) {
  char room[key_text_size];
  if (keys.type != key_type::bytes) {
    text_ += as_.format(keys.type, static_cast<std::byte const*>(keys.data) + i * size_of(keys.type), room);
    return;
  }
  std::string_view const key = string_at(keys, i);
  if (as_.is_uuid() && is_uuid(key)) text_ += as_.format(keys.type, key.data(), room);
  else text_ += csv_field(key, scratch_);
}

}  // namespace warpdex::tables
