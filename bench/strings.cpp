// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/strings.hpp"

#include "bench/context.hpp"
#include "bench/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>

namespace warpdex::bench {
namespace {

struct named_shape {
  char const* name;
  string_shape shape;
};
constexpr named_shape shapes[] = {{"random16", string_shape::random16}, {"decimal", string_shape::decimal},
                                  {"urls", string_shape::urls},         {"tuples", string_shape::tuples},
                                  {"nested", string_shape::nested},     {"words", string_shape::words}};

/// Seeds of the parts of a key set.
enum stream : std::uint64_t { stream_order = 0x737472, stream_drawn, stream_file };

constexpr std::uint64_t hosts = 3000;
constexpr std::uint64_t sections = 32;
constexpr std::uint64_t days = 30 * 365;
constexpr std::uint64_t chain_length = 9;
constexpr std::size_t digits = 16;  // of 64 bits
constexpr std::string_view consonants = "bcdfghjklmnpqrstvwxz";
constexpr std::string_view vowels = "aeiou";
constexpr std::uint64_t syllables = consonants.size() * vowels.size();
constexpr std::string_view endings[] = {"", "s", "n", "r", "t", "st", "ng", "rs"};  // without vowels

char* put(char* to, std::string_view bytes) { return std::copy(bytes.begin(), bytes.end(), to); }

char* put_letters(char* to, int count, std::uint64_t seed) {
  noise random(seed, 0);
  while (count-- > 0) *to++ = static_cast<char>('a' + random.below(std::uint64_t{26}));
  return to;
}

char* put_digits(char* to, std::uint64_t number) { return fmt::format_to(to, "{:016x}", number); }

/// The stem is a number in syllables as digits, without leading zeros.
char* put_word(char* to, std::uint64_t element) {
  char letters[24];
  char* first = std::end(letters);
  for (std::uint64_t stem = element / std::size(endings);; stem /= syllables) {
    *--first = vowels[stem % vowels.size()];
    *--first = consonants[stem % syllables / vowels.size()];
    if (stem < syllables) break;
  }
  to = std::copy(first, std::end(letters), to);
  return put(to, endings[element % std::size(endings)]);
}

/// @return a number whose word is `word`, if it is one at all
std::optional<std::uint64_t> element_of_word(std::string_view word) {
  auto const stem = word.substr(0, word.find_last_of(vowels) + 1);
  auto const* const ending = std::find(std::begin(endings), std::end(endings), word.substr(stem.size()));
  if (ending == std::end(endings)) return {};
  std::uint64_t number = 0;
  for (std::size_t i = 1; i < stem.size(); i += 2)
    number = number * syllables + consonants.find(stem[i - 1]) * vowels.size() + vowels.find(stem[i]);
  return number * std::size(endings) + static_cast<std::uint64_t>(ending - std::begin(endings));
}

std::optional<std::uint64_t> number_of(std::string_view text, int base) {
  std::uint64_t number = 0;
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (problem != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace

std::string string_shape_names() {
  std::string names;
  for (auto const& s : shapes) names += fmt::format("{}{}", names.empty() ? "" : "|", s.name);
  return names;
}

std::optional<string_shape> string_shape_named(std::string_view name) {
  for (auto const& s : shapes)
    if (name == s.name) return s.shape;
  return {};
}

string_source::text string_source::operator()(std::uint64_t element) const noexcept {
  text out;
  char* end = out.bytes;
  bool const nested = shape_ == string_shape::nested;
  std::uint64_t const drawn = drawn_(nested ? element / chain_length : element);
  switch (shape_) {
    case string_shape::random16:
      for (std::uint64_t const half : {mix(drawn), drawn}) {
        std::memcpy(end, &half, sizeof half);
        end += sizeof half;
      }
      break;
    case string_shape::decimal: end = fmt::format_to(end, "{}", drawn); break;
    case string_shape::urls:
      end = put_letters(put(end, "https://www."), 8, mix(drawn) % hosts);
      end = put_letters(put(end, ".com/"), 6, hosts + mix(~drawn) % sections);
      end = put_digits(put(end, "/"), drawn);
      break;
    case string_shape::tuples: {
      auto const day = static_cast<std::uint32_t>(mix(drawn) % days) ^ 0x80000000u;  // as signed numbers are ordered
      for (int shift = 24; shift >= 0; shift -= 8) *end++ = static_cast<char>(day >> shift);
      std::memcpy(end, &drawn, sizeof drawn);
      end += sizeof drawn;
      break;
    }
    case string_shape::nested:
      std::memcpy(end, &drawn, sizeof drawn);
      end = std::fill_n(end + sizeof drawn, element % chain_length, '/');
      break;
    case string_shape::words: end = put_word(end, element);
  }
  out.size = static_cast<std::size_t>(end - out.bytes);
  return out;
}

std::optional<std::uint64_t> string_source::element_of(std::string_view string) const noexcept {
  if (shape_ == string_shape::words) return verified(element_of_word(string), string);
  std::optional<std::uint64_t> drawn;
  std::uint64_t link = 0;
  if (shape_ == string_shape::decimal) {
    drawn = number_of(string, 10);
  } else if (string.size() < (shape_ == string_shape::urls ? digits : sizeof *drawn)) {
    return {};
  } else if (shape_ == string_shape::random16 || shape_ == string_shape::tuples) {
    std::memcpy(&drawn.emplace(), string.data() + string.size() - sizeof *drawn, sizeof *drawn);
  } else if (shape_ == string_shape::urls) {
    drawn = number_of(string.substr(string.size() - digits), 16);
  } else {
    std::memcpy(&drawn.emplace(), string.data(), sizeof *drawn);
    link = string.size() - sizeof *drawn;
  }
  if (!drawn || link >= chain_length) return {};
  bool const nested = shape_ == string_shape::nested;
  return verified(drawn_.inverse(*drawn) * (nested ? chain_length : 1) + link, string);
}

std::optional<std::uint64_t> string_source::verified(std::optional<std::uint64_t> element,
                                                     std::string_view string) const noexcept {
  return element && std::string_view((*this)(*element)) == string ? element : std::nullopt;
}

template <class Make> void key_set<std::string_view>::fill(std::uint64_t count, Make const& make) {
  array<std::uint64_t> ends(count);
  parallel_chunks(count, [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i) ends[i] = std::string_view(make(i)).size();
  });
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < count; ++i) ends[i] = bytes += ends[i];
  bytes_ = array<char>(bytes);
  strings_ = array<std::string_view>(count);
  parallel_chunks(count, [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i) {
      auto const word = make(i);
      std::string_view const string = word;
      char* const to = bytes_.data() + (ends[i] - string.size());
      std::copy(string.begin(), string.end(), to);
      strings_[i] = {to, string.size()};
    }
  });
}

key_set<std::string_view> key_set<std::string_view>::generate(string_shape shape, std::uint64_t n, std::uint64_t seed,
                                                              std::uint64_t misses) {
  key_set set;
  set.size_ = n;
  set.source_.emplace(shape, mix(seed) ^ stream_drawn);
  if (n > 0) set.order_ = permutation::of_size(n, mix(seed) ^ stream_order);
  set.fill(n + misses, [&](std::uint64_t i) { return (*set.source_)(i < n ? (*set.order_)(i) : i); });
  return set;
}

namespace {

std::string_view string_at(column const& strings, std::uint64_t i) noexcept {
  auto const* const offsets = static_cast<std::uint64_t const*>(strings.strings.offsets);
  return {static_cast<char const*>(strings.data) + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
}

}  // namespace

/// @param keys with offsets of 64 bits, as files have them
key_set<std::string_view> key_set<std::string_view>::of_column(column keys, std::uint64_t misses) {
  if (keys.size >= missing)
    throw usage_error(fmt::format("--keys: {} keys; the benchmark takes fewer than {}", keys.size, missing));
  std::size_t longest = 0;
  for (std::uint64_t i = 0; i < keys.size; ++i) longest = std::max(longest, string_at(keys, i).size());
  key_set set;
  set.size_ = keys.size;
  set.fill(keys.size + misses, [&](std::uint64_t i) {
    if (i < keys.size) return std::string(string_at(keys, i));
    noise random(stream_file, i);
    std::string miss(keys.size == 0 ? std::string_view() : string_at(keys, random.below(keys.size)));
    miss.resize(longest + 1);
    return miss;
  });
  return set;
}

std::uint32_t key_set<std::string_view>::row(std::string_view key) const noexcept {
  auto const element = source_->element_of(key);
  return element && *element < size_ ? static_cast<std::uint32_t>(order_->inverse(*element)) : missing;
}

}  // namespace warpdex::bench
