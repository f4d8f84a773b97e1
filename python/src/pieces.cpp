// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "pieces.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace warpdex::python {
namespace {

char const* advanced(void const* from, std::uint64_t bytes) {
  return from == nullptr ? nullptr : static_cast<char const*>(from) + bytes;
}

nullable_column cut_column(nullable_column of, std::uint64_t begin, std::uint64_t length) {
  if (of.type != key_type::bytes) {
    of.data = advanced(of.data, begin * size_of(of.type));
  } else if (of.strings.offset_bytes != 0) {
    of.strings.offsets = advanced(of.strings.offsets, begin * of.strings.offset_bytes);
  } else {
    of.data = advanced(of.data, begin * of.strings.stride);
    of.strings.bytes -= begin * of.strings.stride;
  }
  of.size = length;
  of.offset += begin;
  return of;
}

/// @return eight flags, from the lowest bit on
std::uint8_t packed(std::uint8_t const* flags) {
  std::uint64_t eight = 0;
  std::memcpy(&eight, flags, sizeof eight);
  return static_cast<std::uint8_t>(eight * 0x0102040810204080 >> 56);
}

std::vector<std::uint8_t> valid_bits(std::uint8_t const* nulls, std::uint8_t const* misses, std::uint64_t size) {
  std::vector<std::uint8_t> bits((size + 7) / 8, 0xff);
  for (auto const* const flags : {nulls, misses}) {
    if (flags == nullptr) continue;
    for (std::uint64_t i = 0; i < size / 8; ++i) bits[i] = static_cast<std::uint8_t>(bits[i] & ~packed(flags + 8 * i));
    for (std::uint64_t i = size & ~std::uint64_t{7}; i < size; ++i)
      if (flags[i] != 0) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] & ~(1u << (i % 8)));
  }
  return bits;
}

template <class Number> void spread_as(piece const& of, void const* words, void* to, unsigned char none) {
  Number missing = 0;
  std::memset(&missing, none, sizeof missing);
  auto const* const from = static_cast<Number const*>(words);
  auto* const out = static_cast<Number*>(to);
  with_integers(of.codes, [&](auto const* codes) {
    for (std::uint64_t i = 0; i < of.size; ++i)
      out[i] = of.is_absent(i) ? missing : from[static_cast<std::uint64_t>(codes[i])];
  });
}

/// @return whether parts are numbers of one type, in host memory as all columns of several parts
bool are_numbers(std::vector<part> const& parts) {
  auto const type = parts[0].whole().values.type;
  return type != key_type::bytes && std::all_of(parts.begin(), parts.end(), [&](part const& part) {
           return !part.whole().has_codes() && part.whole().values.type == type;
         });
}

/// Numbers of several parts, one after the other.
class joined_parts {
 public:
  joined_parts(key_type type, std::uint64_t size) : type_(type), held_(std::make_shared<arrays>()) {
    held_->values.resize(size * size_of(type));
  }

  std::uint64_t size() const { return size_; }

  void add(piece const& from) {
    std::size_t const width = size_of(type_);
    if (from.size != 0) std::memcpy(held_->values.data() + size_ * width, from.values.data, from.size * width);
    auto& bits = held_->bits;
    if (from.validity != nullptr) {
      bits.resize((held_->values.size() / width + 7) / 8, 0xff);
      for (std::uint64_t i = 0; i < from.size; ++i)
        if (from.is_absent(i))
          bits[(size_ + i) / 8] = static_cast<std::uint8_t>(bits[(size_ + i) / 8] & ~(1u << ((size_ + i) % 8)));
    }
    size_ += from.size;
  }

  piece whole() && {
    piece result{size_, column(held_->values.data(), size_, type_)};
    if (!held_->bits.empty()) result.validity = result.values.validity = held_->bits.data();
    result.held = std::move(held_);
    return result;
  }

 private:
  struct arrays {
    std::vector<std::byte> values;
    std::vector<std::uint8_t> bits;  // empty if all values are valid
  };

  key_type type_;
  std::shared_ptr<arrays> held_;
  std::uint64_t size_ = 0;
};

}  // namespace

std::uint8_t const* flags_in(nb::handle from, std::uint64_t size) {
  if (from.is_none()) return nullptr;
  auto const flags = array_in(from);
  if (flags.itemsize() != 1 || flags.size != size) throw invalid_argument("the flags are not as many as the values");
  return static_cast<std::uint8_t const*>(flags.data);
}

piece piece::cut(std::uint64_t begin, std::uint64_t length) const {
  piece result = *this;
  result.size = length;
  result.offset += begin;
  if (!has_codes()) {
    result.values = cut_column(values, begin, length);
  } else {
    result.codes.data = static_cast<char*>(codes.data) + begin * codes.itemsize();
    result.codes.size = length;
  }
  return result;
}

part::part(column_part const& from, shared_index const* of) {
  whole_.size = from.size;
  bool const has_bits = nb::isinstance<nb::tuple>(from.nulls);  // as arrays on devices have
  nb::object const valid = has_bits ? from.nulls : nb::object(nb::none());
  nb::handle const column = from.column.get();
  whole_.values = of != nullptr ? of->column_of(column, nb::handle(valid)) : column_of(column, valid);
  if (!from.codes.is_none()) whole_.codes = array_in(from.codes);
  else if (whole_.values.size != whole_.size) throw invalid_argument("the part has another size than its column");
  if (has_bits) {
    whole_.validity = whole_.values.validity;
    whole_.offset = whole_.values.offset;
    return;
  }
  auto const* const missing = flags_in(from.nulls, whole_.size);
  auto const* const misses = flags_in(from.misses, whole_.size);
  if (missing == nullptr && misses == nullptr) return;
  auto const bits = std::make_shared<std::vector<std::uint8_t> const>(valid_bits(missing, misses, whole_.size));
  whole_.held = bits;
  whole_.validity = bits->data();
  if (!whole_.has_codes()) whole_.values.validity = bits->data();
}

probe_columns::probe_columns(nb::tuple const& columns, shared_index const* of) {
  for (nb::handle const column : columns) {
    auto& parts = columns_.emplace_back();
    std::uint64_t size = 0;
    for (nb::handle const item : nb::cast<column_values const&>(column).parts)
      size += parts.emplace_back(item, of).size();
    if (parts.empty() || (columns_.size() > 1 && size != size_))
      throw invalid_argument("the columns have different lengths");
    size_ = size;
  }
}

/// Values of which a part with fewer is put together with others, and those of a piece that is made so.
constexpr std::uint64_t long_part = std::uint64_t{1} << 20, joined_values = std::uint64_t{1} << 22;

std::uint64_t probe_columns::next(std::vector<place>& places, std::vector<piece>& pieces, std::uint64_t most) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    auto const& from = columns_[c];
    auto& [number, at] = places[c];
    while (at == from[number].size() && number + 1 < from.size()) ++number, at = 0;
    std::uint64_t const rest = from[number].size() - at;
    bool const joins = rest < std::min(most, long_part) && are_numbers(from);
    most = std::min(most, joins ? joined_values : rest);
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) pieces[c] = taken(columns_[c], places[c], most);
  return most;
}

/// @return the next values of a column, of several parts if those of one are fewer
piece probe_columns::taken(parts const& from, place& at, std::uint64_t size) {
  piece const& first = from[at.part].whole();
  if (first.size - at.at >= size) {
    piece result = first.cut(at.at, size);
    at.at += size;
    return result;
  }
  joined_parts result(first.values.type, size);
  while (result.size() < size) {
    piece const& of = from[at.part].whole();
    std::uint64_t const some = std::min(size - result.size(), of.size - at.at);
    result.add(of.cut(at.at, some));
    at = some == of.size - at.at && result.size() < size ? place{at.part + 1, 0} : place{at.part, at.at + some};
  }
  return std::move(result).whole();
}

void spread(piece const& of, void const* words, lookup_output const& to, unsigned char none) {
  switch (to.width) {
    case 1: return spread_as<std::uint8_t>(of, words, to.data, none);
    case 4: return spread_as<std::uint32_t>(of, words, to.data, none);
    default: return spread_as<std::uint64_t>(of, words, to.data, none);
  }
}

}  // namespace warpdex::python
