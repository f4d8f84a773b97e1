// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "narrow.hpp"

#include <warpdex/error.hpp>
#include <warpdex/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <type_traits>

#include "columns.hpp"
#include "pieces.hpp"
#include "watched.hpp"

namespace warpdex::python {
namespace {

using number = __int128;

constexpr std::uint64_t grain = std::uint64_t{1} << 15;

/// A part of a column, seen in C++.
struct source {
  column values;                             ///< of a dictionary its words; without data if there are views
  std::shared_ptr<arrow_chunk const> views;  ///< of strings in that layout; else null
  any_array codes;                           ///< of a dictionary: which word each value is; else without data
  std::uint64_t size;
  std::uint8_t const* nulls;
  std::uint8_t const* misses;

  explicit source(column_part const& from)
      : views(from.column.views()), codes{}, size(from.size), nulls(flags_in(from.nulls, size)),
        misses(flags_in(from.misses, size)) {
    if (views == nullptr) values = column_of(nb::handle(from.column.get()));
    if (!from.codes.is_none()) codes = array_in(from.codes);
  }

  bool is_absent(std::uint64_t i) const {
    return (nulls != nullptr && nulls[i] != 0) || (misses != nullptr && misses[i] != 0);
  }
};

std::vector<source> sources_of(column_values const& from) {
  std::vector<source> made;
  for (nb::handle const one : from.parts) made.emplace_back(nb::cast<column_part const&>(one));
  return made;
}

bool is_text(source const& of) { return of.views != nullptr || of.values.type == key_type::bytes; }

bool is_integer(source const& of) {
  auto const type = of.values.type;
  return type == key_type::u32 || type == key_type::u64 || type == key_type::i32 || type == key_type::i64;
}

/// Strings of a column.
struct text_reader {
  column const& of;

  text_place operator()(std::uint64_t i) const {
    auto const [begin, end] = span_of(of, i);
    return {static_cast<char const*>(of.data) + begin, end - begin, of.strings.bytes - begin};
  }
};

/// Calls `f` with a function that gives string number i.
template <class F> void with_texts(source const& of, F const& f) {
  if (of.views == nullptr) f(text_reader{of.values});
  else f([&views = *of.views](std::uint64_t i) { return viewed_text(views, static_cast<std::int64_t>(i)); });
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

/// Least and greatest of some integers, or of the lengths of strings.
struct extent {
  number least = 0;
  number most = 0;
  bool any = false;

  void add(extent const& more) {
    if (!more.any) return;
    least = any ? std::min(least, more.least) : more.least;
    most = any ? std::max(most, more.most) : more.most;
    any = true;
  }
};

template <class Value>
extent extent_of(source const& from, std::uint64_t begin, std::uint64_t end, Value const& value) {
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

/// Calls f(i) for all i below `count` at once; each of them may be a parallel loop.
template <class F> void each_of(std::uint64_t count, int threads, F const& f) {
  parallel_chunks(threads, count, 1, [&](std::uint64_t i, std::uint64_t) { f(i); });
}

extent extent_of(std::vector<source> const& parts, int threads) {
  extent all;
  std::mutex joining;
  auto const measure = [&](source const& of, std::uint64_t size, source const& flags) {
    parallel_chunks(threads, size, grain, [&](std::uint64_t begin, std::uint64_t end) {
      extent found;
      if (is_text(of))
        with_texts(of, [&](auto const& text) {
          found = extent_of(flags, begin, end, [&](std::uint64_t i) { return text(i).length; });
        });
      else with_numbers(of.values, [&](auto const& value) { found = extent_of(flags, begin, end, value); });
      std::lock_guard const lock(joining);
      all.add(found);
    });
  };
  each_of(parts.size(), threads, [&](std::uint64_t i) {
    source const& part = parts[i];
    if (part.codes.data == nullptr) return measure(part, part.size, part);
    source words = part;  // all of them, whether a value is one or not
    words.nulls = words.misses = nullptr;
    measure(part, part.values.size, words);
  });
  return all;
}

/// How a column is a part of numbers.
struct field {
  extent range;  ///< of the right values
  bool text = false;
  unsigned bits = 0;
  unsigned shift = 0;

  field(extent of, bool is_text) : range(of), text(is_text) {
    if (!range.any) return;
    auto const width = [](number of) {
      auto const low = static_cast<std::uint64_t>(of);
      return static_cast<unsigned>(of >> 64 != 0 ? 65 : std::bit_width(low));
    };
    if (!text) bits = width(range.most - range.least);
    else bits = range.most > 16 ? 129 : 8 * static_cast<unsigned>(range.most) + length_bits();
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
    u128 bytes = 0;
    constexpr std::uint64_t inlined = string_view_16::longest_inline;
    if (value.after >= sizeof bytes) std::memcpy(&bytes, value.at, sizeof bytes);
    else if (value.after >= inlined && value.length <= inlined) std::memcpy(&bytes, value.at, inlined);
    else if (value.length != 0) std::memcpy(&bytes, value.at, value.length);
    if (value.length < sizeof bytes) bytes &= (u128{1} << 8 * value.length) - 1;
    if (length_bits() != 0) bytes |= u128{value.length} << 8 * static_cast<unsigned>(range.most);
    to = bytes << shift;
    return true;
  }
};

/// One side as numbers. @tparam Number of 64 or 128 bits
template <class Number> class numbered_side {
 public:
  numbered_side(std::uint64_t size, int threads)
      : size_(size), threads_(threads), numbers_(size * sizeof(Number), on_host(0)), odd_(size, on_host(0)) {}

  /// Adds a column. @param is_first whether it is the first one
  void add(std::vector<source> const& parts, field const& of, bool is_first) {
    std::vector<std::uint64_t> rows{0};
    for (source const& part : parts) rows.push_back(rows.back() + part.size);
    each_of(parts.size(), threads_, [&](std::uint64_t i) {
      source const& part = parts[i];
      if (part.codes.data == nullptr) add_values(part, part.size, rows[i], of, is_first);
      else add_words(part, rows[i], of, is_first);
    });
  }

  nb::object numbers() && {
    constexpr std::uint64_t words = sizeof(Number) / sizeof(std::uint64_t);
    nb::object const flat = array_of<std::uint64_t>(std::move(numbers_), size_ * words);
    return words == 1 ? flat : flat.attr("reshape")(size_, words);
  }

  nb::object misses() && { return any_odd_ ? array_of<bool>(std::move(odd_), size_) : nb::object(nb::none()); }

 private:
  template <class Code> void each(std::uint64_t size, std::uint64_t row, bool is_first, Code const& code_of) {
    auto* const to = numbers_.as<Number>() + row;
    auto* const odd = odd_.as<std::uint8_t>() + row;
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

  void add_values(source const& from, std::uint64_t size, std::uint64_t row, field const& of, bool is_first) {
    auto const add = [&](auto const& value) {
      each(size, row, is_first, [&](std::uint64_t i, u128& code) { return of.code(value(i), code); });
    };
    if (of.text) with_texts(from, add);
    else with_numbers(from.values, add);
  }

  void add_words(source const& part, std::uint64_t row, field const& of, bool is_first) {
    numbered_side<u128> words(part.values.size, threads_);
    words.add_values(part, part.values.size, 0, of, true);
    auto const* const codes = words.numbers_.template as<u128>();
    auto const* const odd = words.odd_.template as<std::uint8_t>();
    with_integers(part.codes, [&](auto const* places) {
      each(part.size, row, is_first, [&](std::uint64_t i, u128& code) {
        auto const place = static_cast<std::uint64_t>(places[i]);
        if (place >= part.values.size || odd[place] != 0) return false;  // codes of nulls mean nothing
        code = codes[place];
        return true;
      });
    });
  }

  template <class> friend class numbered_side;

  std::uint64_t size_;
  int threads_;
  buffer numbers_;
  buffer odd_;  ///< which values no right one equals
  std::atomic<bool> any_odd_ = false;
};

template <class Number>
column_part side_of(std::vector<column_values> const& columns, std::vector<std::vector<source>> const& sources,
                    std::vector<field> const& fields, int threads) {
  numbered_side<Number> made(columns[0].size, threads);
  watched([&] {
    for (std::size_t c = 0; c < fields.size(); ++c) made.add(sources[c], fields[c], c == 0);
  });
  nb::object nulls = nb::none(), misses = nb::none();
  for (auto const& column : columns) {
    nulls = either(nulls, flags_of(column.parts, &column_part::nulls));
    misses = either(misses, flags_of(column.parts, &column_part::misses));
  }
  misses = either(misses, std::move(made).misses());
  return {std::move(made).numbers(), columns[0].size, std::move(nulls), std::move(misses)};
}

}  // namespace

std::optional<std::pair<column_part, column_part>> narrowed(std::vector<column_values> const& left,
                                                            std::vector<column_values> const& right, int threads) {
  std::vector<std::vector<source>> lefts, rights;
  for (auto const& one : left) lefts.push_back(sources_of(one));
  for (auto const& one : right) rights.push_back(sources_of(one));
  std::vector<field> fields;
  unsigned bits = 0;
  for (std::size_t c = 0; c < left.size(); ++c) {
    bool const text = is_text(rights[c][0]);
    auto const fits = [&](source const& of) { return text ? is_text(of) : is_integer(of); };
    if (!std::all_of(lefts[c].begin(), lefts[c].end(), fits) || !std::all_of(rights[c].begin(), rights[c].end(), fits))
      return std::nullopt;
    extent const range = watched([&] { return extent_of(rights[c], threads); });
    field& made = fields.emplace_back(range, text);
    made.shift = bits;
    bits += made.bits;
    if (bits > 128) return std::nullopt;
  }
  auto const both = [&]<class Number>() {
    return std::pair(side_of<Number>(left, lefts, fields, threads), side_of<Number>(right, rights, fields, threads));
  };
  return bits <= 64 ? both.template operator()<std::uint64_t>() : both.template operator()<u128>();
}

}  // namespace warpdex::python
