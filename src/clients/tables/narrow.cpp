// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/tables/narrow.hpp"

#include <warpdex/search/common.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <type_traits>
#include <vector>

#include "clients/tables/chunks.hpp"

namespace warpdex::chunks {
namespace {

__extension__ typedef __int128 number;

bool is_integer(key_chunk const& of) {
  auto const type = of.values.type;
  return type == key_type::u32 || type == key_type::u64 || type == key_type::i32 || type == key_type::i64;
}

/// Calls `f` with a function that gives integer number i.
template <class F> void with_numbers(column const& of, F const& f) {
  auto const as = [&]<class T>(T const* from) { f([from](std::uint64_t i) { return from[i]; }); };
  switch (of.type) {
    case key_type::u32: return as(static_cast<std::uint32_t const*>(of.data));
    case key_type::u64: return as(static_cast<std::uint64_t const*>(of.data));
    case key_type::i32: return as(static_cast<std::int32_t const*>(of.data));
    default: return as(static_cast<std::int64_t const*>(of.data));
  }
}

/// @return the first 16 bytes of a string, with zeros after its end
WDX_INLINE u128 bytes_of(text_place const& text) {
  u128 bytes = 0;
  constexpr std::uint64_t inlined = string_view_16::longest_inline;
  if (text.after >= sizeof bytes) std::memcpy(&bytes, text.at, sizeof bytes);
  else if (text.after >= inlined && text.length <= inlined) std::memcpy(&bytes, text.at, inlined);
  else if (text.length != 0) std::memcpy(&bytes, text.at, std::min<std::uint64_t>(text.length, sizeof bytes));
  return text.length < sizeof bytes ? bytes & ((u128{1} << 8 * text.length) - 1) : bytes;
}

/// Least and greatest of some integers, or of the lengths of strings.
struct extent {
  number least = 0;
  number most = 0;
  bool any = false;
  u128 bytes = 0;   ///< of one of the strings
  u128 varies = 0;  ///< the bits in which others differ from it

  void add(extent const& more) {
    if (!more.any) return;
    varies |= more.varies | (any ? bytes ^ more.bytes : 0);
    if (!any) bytes = more.bytes;
    least = any ? std::min(least, more.least) : more.least;
    most = any ? std::max(most, more.most) : more.most;
    any = true;
  }
};

template <class Value>
extent extent_of(key_chunk const& from, std::uint64_t begin, std::uint64_t end, Value const& value) {
  using type = std::invoke_result_t<Value const&, std::uint64_t>;
  type least = std::numeric_limits<type>::max(), most = std::numeric_limits<type>::min();
  bool any = false;
  bool const all = from.nulls == nullptr && from.misses == nullptr;
  for (std::uint64_t i = begin; i < end; ++i) {
    if (!all && from.is_absent(i)) continue;
    type const one = value(i);
    least = std::min(least, one);
    most = std::max(most, one);
    any = true;
  }
  return {number{least}, number{most}, any};
}

/// The same of strings.
template <class Text>
extent extent_of_texts(key_chunk const& from, std::uint64_t begin, std::uint64_t end, Text const& text) {
  u128 first = 0, varies = 0;
  bool any = false;
  extent found = extent_of(from, begin, end, [&](std::uint64_t i) {
    text_place const place = text(i);
    u128 const bytes = bytes_of(place);
    if (!std::exchange(any, true)) first = bytes;
    varies |= bytes ^ first;
    return place.length;
  });
  found.bytes = first;
  found.varies = varies;
  return found;
}

extent extent_of(std::vector<key_chunk> const& parts, int threads) {
  extent all;
  std::mutex joining;
  auto const measure = [&](key_chunk const& of, std::uint64_t size, key_chunk const& flags) {
    parallel_chunks(threads, size, grain, [&](std::uint64_t begin, std::uint64_t end) {
      extent found;
      if (of.is_text()) with_texts(of, [&](auto const& text) { found = extent_of_texts(flags, begin, end, text); });
      else with_numbers(of.values, [&](auto const& value) { found = extent_of(flags, begin, end, value); });
      std::lock_guard const lock(joining);
      all.add(found);
    });
  };
  each_of(parts.size(), threads, [&](std::uint64_t i) {
    key_chunk const& part = parts[i];
    if (part.codes.data == nullptr) return measure(part, part.size, part);
    key_chunk words = part;  // all of them, whether a value is one or not
    words.nulls = words.misses = nullptr;
    measure(part, words_of(part), words);
  });
  return all;
}

/// @return the number of zero bytes before the first other one
unsigned low_zero_bytes(u128 of) {
  auto const low = static_cast<std::uint64_t>(of), high = static_cast<std::uint64_t>(of >> 64);
  return static_cast<unsigned>(low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(high)) / 8;
}

/// @return the number of bytes up to the last one that is not zero
unsigned used_bytes(u128 of) {
  auto const low = static_cast<std::uint64_t>(of), high = static_cast<std::uint64_t>(of >> 64);
  return static_cast<unsigned>((high != 0 ? 64 + std::bit_width(high) : std::bit_width(low)) + 7) / 8;
}

/// How a column is a part of numbers. Of strings these are the bytes in which the right ones differ, and the length.
struct field {
  extent range;  ///< of the right values
  bool text = false;
  unsigned first = 0;  ///< of the bytes of strings
  u128 kept = 0;       ///< their bits
  unsigned bits = 0;
  unsigned shift = 0;

  field(extent of, bool is_text) : range(of), text(is_text) {
    if (!range.any) return;
    auto const width = [](number wide) {
      auto const low = static_cast<std::uint64_t>(wide);
      return static_cast<unsigned>(wide >> 64 != 0 ? 65 : std::bit_width(low));
    };
    if (!text) {
      bits = width(range.most - range.least);
      return;
    }
    unsigned const end = used_bytes(range.varies);
    first = end == 0 ? 0 : low_zero_bytes(range.varies);
    kept = (end == 16 ? ~u128{0} : (u128{1} << 8 * end) - 1) & ~((u128{1} << 8 * first) - 1);
    bits = range.most > 16 ? 129 : 8 * (end - first) + length_bits();
  }

  unsigned length_bits() const {
    return range.least == range.most ? 0
                                     : static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(range.most)));
  }

  /// @return whether a right value may equal one; if so, its part of the number
  template <class Integer> bool code(Integer value, u128& to) const {
    if (!range.any || number{value} < range.least || number{value} > range.most) return false;
    to = static_cast<u128>(number{value} - range.least) << shift;
    return true;
  }
  bool code(text_place const& value, u128& to) const {
    if (!range.any || value.length > static_cast<std::uint64_t>(range.most) ||
        value.length < static_cast<std::uint64_t>(range.least))
      return false;
    u128 const bytes = bytes_of(value);
    if (((bytes ^ range.bytes) & ~kept) != 0) return false;
    to = (bytes & kept) >> 8 * first;
    if (unsigned const more = length_bits(); more != 0) to |= u128{value.length} << (bits - more);
    to <<= shift;
    return true;
  }
};

/// One side as numbers. @tparam Number of 64 or 128 bits
template <class Number> class numbered_side {
 public:
  numbered_side(std::uint64_t size, int threads)
      : threads_(threads), numbers_(room<Number>(size)), odd_(room<std::uint8_t>(size)) {}

  /// Adds a column. @param is_first whether it is the first one
  void add(std::vector<key_chunk> const& parts, field const& of, bool is_first) {
    std::vector<std::uint64_t> rows{0};
    for (key_chunk const& part : parts) rows.push_back(rows.back() + part.size);
    each_of(parts.size(), threads_, [&](std::uint64_t i) {
      key_chunk const& part = parts[i];
      if (part.codes.data == nullptr) add_values(part, part.size, rows[i], of, is_first);
      else add_words(part, rows[i], of, is_first);
    });
  }

  std::shared_ptr<Number[]> const& numbers() const { return numbers_; }

  /// @return 1 per value that no right one equals; null if there is none
  std::shared_ptr<std::uint8_t[]> misses() const { return any_odd_ ? odd_ : nullptr; }

 private:
  template <class Code> void each(std::uint64_t size, std::uint64_t row, bool is_first, Code const& code_of) {
    auto* const to = numbers_.get() + row;
    auto* const odd = odd_.get() + row;
    parallel_chunks(threads_, size, grain, [&](std::uint64_t begin, std::uint64_t end) {
      bool any = false;
      for (std::uint64_t i = begin; i < end; ++i) {
        u128 code = 0;
        bool const fits = code_of(i, code);
        to[i] = is_first ? static_cast<Number>(code) : static_cast<Number>(to[i] | code);
        odd[i] = static_cast<std::uint8_t>((is_first ? 0 : odd[i]) | !fits);
        any |= !fits;
      }
      if (any) any_odd_ = true;
    });
  }

  void add_values(key_chunk const& from, std::uint64_t size, std::uint64_t row, field const& of, bool is_first) {
    auto const add = [&](auto const& value) {
      each(size, row, is_first, [&](std::uint64_t i, u128& code) { return of.code(value(i), code); });
    };
    if (of.text) with_texts(from, add);
    else with_numbers(from.values, add);
  }

  void add_words(key_chunk const& part, std::uint64_t row, field const& of, bool is_first) {
    std::uint64_t const size = words_of(part);
    numbered_side<u128> words(size, threads_);
    words.add_values(part, size, 0, of, true);
    auto const* const codes = words.numbers_.get();
    auto const* const odd = words.odd_.get();
    detail::with_codes(part.codes, [&](auto const* places) {
      each(part.size, row, is_first, [&](std::uint64_t i, u128& code) {
        auto const place = static_cast<std::uint64_t>(places[i]);
        if (place >= size || odd[place] != 0) return false;  // codes of nulls mean nothing
        code = codes[place];
        return true;
      });
    });
  }

  template <class> friend class numbered_side;

  int threads_;
  std::shared_ptr<Number[]> numbers_;
  std::shared_ptr<std::uint8_t[]> odd_;  ///< which values no right one equals
  std::atomic<bool> any_odd_ = false;
};

template <class Number>
encoded_keys side_of(std::span<chunked_keys const> columns, std::vector<field> const& fields, int threads) {
  std::uint64_t const size = columns[0].size;
  numbered_side<Number> made(size, threads);
  for (std::size_t c = 0; c < fields.size(); ++c) made.add(columns[c].chunks, fields[c], c == 0);
  auto const nulls = flags_of(columns, &key_chunk::nulls, threads);
  auto const misses = either(flags_of(columns, &key_chunk::misses, threads), made.misses(), size, threads);
  key_type const type = sizeof(Number) == sizeof(std::uint64_t) ? key_type::u64 : key_type::u128;
  return {column(made.numbers().get(), size, type), nulls.get(), misses.get(), {made.numbers(), nulls, misses}};
}

}  // namespace

std::optional<std::pair<encoded_keys, encoded_keys>> narrowed(std::span<chunked_keys const> left,
                                                              std::span<chunked_keys const> right, int threads) {
  std::vector<field> fields;
  unsigned bits = 0;
  for (std::size_t c = 0; c < left.size(); ++c) {
    auto const &lefts = left[c].chunks, &rights = right[c].chunks;
    bool const text = rights[0].is_text();
    auto const fits = [&](key_chunk const& of) { return text ? of.is_text() : is_integer(of); };
    if (!std::all_of(lefts.begin(), lefts.end(), fits) || !std::all_of(rights.begin(), rights.end(), fits))
      return std::nullopt;
    field& made = fields.emplace_back(extent_of(rights, threads), text);
    made.shift = bits;
    bits += made.bits;
    if (bits > 128) return std::nullopt;
  }
  auto const both = [&]<class Number>() {
    return std::pair(side_of<Number>(left, fields, threads), side_of<Number>(right, fields, threads));
  };
  return bits <= 64 ? both.template operator()<std::uint64_t>() : both.template operator()<u128>();
}

}  // namespace warpdex::chunks
