// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/chunked_keys.hpp>
#include <warpdex/error.hpp>
#include <warpdex/key_encoder.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "clients/tables/chunks.hpp"
#include "clients/tables/narrow.hpp"
#include "clients/tables/words.hpp"

namespace warpdex {
namespace {

using namespace chunks;

bool is_float(key_type of) { return of == key_type::f32 || of == key_type::f64; }
bool has_sign(key_type of) { return of == key_type::i32 || of == key_type::i64; }

void expect_pairs(char const* call, std::span<chunked_keys const> left, std::span<chunked_keys const> right) {
  auto const fail = [call](std::string const& text) { throw invalid_argument(std::string(call) + ": " + text); };
  if (left.empty() || left.size() != right.size())
    fail("left has " + std::to_string(left.size()) + " key columns, right " + std::to_string(right.size()));
  for (std::size_t c = 0; c < left.size(); ++c) {
    for (auto const& [of, all] : {std::pair(&left[c], &left[0]), std::pair(&right[c], &right[0])})
      if (of->size != all->size || of->chunks.empty())
        fail("key column " + std::to_string(c) + " has " + std::to_string(of->size) + " values, the first one " +
             std::to_string(all->size));
    if (left[c].chunks[0].is_text() != right[c].chunks[0].is_text())
      fail("key column " + std::to_string(c) + " holds strings on one side alone");
  }
}

/// @return whether a chunk has numbers that are too large for a sign
bool is_large(key_chunk const& of, int threads) {
  if (of.values.type != key_type::u64) return false;
  auto const* const numbers = static_cast<std::uint64_t const*>(of.values.data);
  std::atomic<bool> any = false;
  parallel_chunks(threads, of.values.size, grain, [&](std::uint64_t begin, std::uint64_t end) {
    if (std::any_of(numbers + begin, numbers + end, [](auto value) { return value >> 63 != 0; })) any = true;
  });
  return any;
}

template <class Holds> bool any_chunk(chunked_keys const& left, chunked_keys const& right, Holds const& holds) {
  return std::any_of(left.chunks.begin(), left.chunks.end(), holds) ||
         std::any_of(right.chunks.begin(), right.chunks.end(), holds);
}

/// @return whether a column has integers that no type of 64 bits holds
bool is_split(chunked_keys const& left, chunked_keys const& right, int threads) {
  return any_chunk(left, right, [](key_chunk const& one) { return has_sign(one.values.type); }) &&
         any_chunk(left, right, [threads](key_chunk const& one) { return is_large(one, threads); });
}

/// Integers of both signs as two columns: whether each is negative, and its bits.
void add_split(std::vector<chunked_keys>& to, chunked_keys const& from, int threads) {
  chunked_keys signs{{}, from.size, from.held}, bits = signs;
  for (key_chunk const& one : from.chunks) {
    std::uint64_t const size = one.values.size;
    auto const negative = room<std::uint32_t>(size);
    auto const whole = room<std::uint64_t>(size);
    with_key_type(one.values.type, [&]<class Key>() {
      auto const* const numbers = static_cast<key_number<Key> const*>(one.values.data);
      parallel_chunks(threads, size, grain, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i) {
          negative.get()[i] = numbers[i] < 0;
          whole.get()[i] = static_cast<std::uint64_t>(numbers[i]);
        }
      });
    });
    key_chunk made = one;
    made.values = column(negative.get(), size, key_type::u32);
    signs.chunks.push_back(made);
    signs.held.push_back(negative);
    made.values = column(whole.get(), size, key_type::u64);
    bits.chunks.push_back(made);
    bits.held.push_back(whole);
  }
  to.push_back(std::move(signs));
  to.push_back(std::move(bits));
}

/// @return the type in which both sides of a column are compared
key_type common_type(key_type left, key_type right) {
  if (left == right) return left;
  if (is_float(left) || is_float(right)) return key_type::f64;
  bool const is_signed = has_sign(left) || has_sign(right);
  return !is_signed && (left == key_type::u64 || right == key_type::u64) ? key_type::u64 : key_type::i64;
}

/// Makes floats integers of 64 bits; those that equal none are misses.
template <class Float, class Integer> void make_whole(encoded_keys& of, int threads) {
  double const low = std::is_signed_v<Integer> ? -0x1p63 : 0, high = std::is_signed_v<Integer> ? 0x1p63 : 0x1p64;
  auto const* const numbers = static_cast<Float const*>(of.keys.data);
  auto const made = room<Integer>(of.keys.size);
  auto const odd = room<std::uint8_t>(of.keys.size);
  std::atomic<bool> any_odd = false;
  parallel_chunks(threads, of.keys.size, grain, [&](std::uint64_t begin, std::uint64_t end) {
    bool any = false;
    for (std::uint64_t i = begin; i < end; ++i) {
      auto const number = static_cast<double>(numbers[i]);
      bool const is_whole = number >= low && number < high && std::floor(number) == number;
      made.get()[i] = is_whole ? static_cast<Integer>(number) : Integer{0};
      bool const is_odd =
          (!is_whole && (of.nulls == nullptr || of.nulls[i] == 0)) || (of.misses != nullptr && of.misses[i] != 0);
      odd.get()[i] = is_odd;
      any |= is_odd;
    }
    if (any) any_odd = true;
  });
  of.keys = column(made.get(), of.keys.size, std::is_signed_v<Integer> ? key_type::i64 : key_type::u64);
  of.misses = any_odd ? odd.get() : nullptr;
  of.held.insert(of.held.end(), {made, odd});
}

/// Makes the side of floats integers, if the other side has integers.
void make_whole(chunked_keys& left, chunked_keys& right, int threads) {
  auto const are_floats = [](chunked_keys const& of) {
    return std::any_of(of.chunks.begin(), of.chunks.end(),
                       [](key_chunk const& one) { return is_float(one.values.type); });
  };
  bool const left_floats = are_floats(left);
  if (left.chunks[0].is_text() || left_floats == are_floats(right)) return;
  chunked_keys &floats = left_floats ? left : right, &others = left_floats ? right : left;
  bool const is_signed = any_chunk(others, others, [](key_chunk const& one) { return has_sign(one.values.type); });
  encoded_keys made = whole(floats, threads);
  auto const as = [&]<class Float>(Float) {
    if (is_signed) make_whole<Float, std::int64_t>(made, threads);
    else make_whole<Float, std::uint64_t>(made, threads);
  };
  if (made.keys.type == key_type::f32) as(float());
  else as(double());
  made.held.insert(made.held.end(), floats.held.begin(), floats.held.end());
  floats = in_one(std::move(made));
}

/// @return whether the keys of a join may become other numbers: several columns, or strings, without nulls that count
bool may_be_narrow(std::span<chunked_keys const> left, std::span<chunked_keys const> right, bool nulls_equal) {
  if (left.size() == 1 && !right[0].chunks[0].is_text()) return false;
  auto const has_nulls = [](chunked_keys const& of) {
    return std::any_of(of.chunks.begin(), of.chunks.end(), [](key_chunk const& one) { return one.nulls != nullptr; });
  };
  return !nulls_equal ||
         (std::none_of(left.begin(), left.end(), has_nulls) && std::none_of(right.begin(), right.end(), has_nulls));
}

/// One side of a join as keys of tuples.
encoded_keys tuples(std::vector<encoded_keys>& columns, std::span<chunked_keys const> from,
                    std::vector<key_type> const& types, bool nulls_equal, execution const& exec) {
  int const threads = exec.threads;
  std::vector<key_field> fields;
  std::vector<nullable_column> values;
  encoded_keys made;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    encoded_keys known{columns[c].keys, nulls_equal ? columns[c].nulls : nullptr};
    nullable_column value = valid_keys(known, threads);
    if (types[c] != value.type) {
      known.held.push_back(numbers_as(value, types[c], threads));
      value.data = known.held.back().get();
      value.type = types[c];
    }
    values.push_back(value);
    fields.push_back({.type = types[c], .nullable = nulls_equal});
    made.held.insert(made.held.end(), known.held.begin(), known.held.end());
  }
  auto const misses = flags_of(from, &key_chunk::misses, threads);
  auto const nulls = nulls_equal ? nullptr : flags_of(from, &key_chunk::nulls, threads);
  auto const keys = std::make_shared<key_list>(key_encoder(fields).encode(values, execution().with_threads(threads)));
  std::span const bytes(keys->keys.as<std::byte const>(), keys->keys.bytes());
  // Keys of 16 bytes are quicker to join as strings of one width.
  made.keys = keys->type == key_type::u128 ? column::fixed_bytes(bytes, sizeof(u128), keys->size) : keys->view();
  made.nulls = nulls.get();
  made.misses = misses.get();
  made.held.insert(made.held.end(), {nulls, misses, keys});
  return made;
}

/// Adds what the keys of a side are made of.
void hold(encoded_keys& keys, std::vector<chunked_keys> const& from) {
  for (chunked_keys const& one : from) keys.held.insert(keys.held.end(), one.held.begin(), one.held.end());
}

}  // namespace

std::pair<encoded_keys, encoded_keys> encode_keys(std::span<chunked_keys const> left,
                                                  std::span<chunked_keys const> right, bool nulls_equal, bool one_type,
                                                  execution const& exec) {
  int const threads = exec.threads;
  expect_pairs("encode_keys", left, right);
  if (may_be_narrow(left, right, nulls_equal))
    if (auto narrow = narrowed(left, right, threads)) return std::move(*narrow);
  std::vector<chunked_keys> lefts, rights;
  bool are_mixed = false;
  for (std::size_t c = 0; c < left.size(); ++c) {
    chunked_keys one = left[c], two = right[c];
    make_whole(one, two, threads);
    if (is_split(one, two, threads)) {
      add_split(lefts, one, threads);
      add_split(rights, two, threads);
      continue;
    }
    lefts.push_back(std::move(one));
    rights.push_back(std::move(two));
  }
  std::vector<encoded_keys> of_left, of_right;
  std::vector<key_type> types;
  for (std::size_t c = 0; c < lefts.size(); ++c) {
    auto const one = of_left.emplace_back(whole(lefts[c], threads)).keys.type;
    auto const two = of_right.emplace_back(whole(rights[c], threads)).keys.type;
    types.push_back(common_type(one, two));
    are_mixed |= one != two;
  }
  bool const with_nulls = nulls_equal && (of_left[0].nulls != nullptr || of_right[0].nulls != nullptr);
  bool const is_plain = lefts.size() == 1 && !with_nulls && !(one_type && are_mixed);
  std::pair made = is_plain ? std::pair(std::move(of_left[0]), std::move(of_right[0]))
                            : std::pair(tuples(of_left, lefts, types, nulls_equal, exec),
                                        tuples(of_right, rights, types, nulls_equal, exec));
  hold(made.first, lefts);
  hold(made.second, rights);
  return made;
}

std::pair<encoded_keys, encoded_keys> encode_groups(std::span<chunked_keys const> left,
                                                    std::span<chunked_keys const> right, bool nulls_equal,
                                                    execution const& exec) {
  std::vector<chunked_keys> lefts(left.begin(), left.end()), rights(right.begin(), right.end());
  expect_pairs("encode_groups", left, right);
  for (std::size_t c = 0; c < left.size(); ++c)
    if (chunks::have_words(left[c]) || chunks::have_words(right[c]))
      if (left[c].chunks[0].is_text())
        std::tie(lefts[c], rights[c]) = chunks::numbered(left[c], right[c], nulls_equal, exec.threads);
  auto made = encode_keys(lefts, rights, nulls_equal, true, exec);
  auto const type = made.second.keys.type;
  bool const are_integers = kind_of(type) != key_kind::bytes && type != key_type::u128 && !is_float(type);
  hold(made.first, lefts);
  hold(made.second, rights);
  if (left.size() == 1 && are_integers && !rights[0].chunks[0].is_text()) return made;
  auto numbers = chunks::numbered(chunks::in_one(std::move(made.first)), chunks::in_one(std::move(made.second)), false,
                                  exec.threads);
  auto const side = [&](chunked_keys& of) {
    key_chunk const& chunk = of.chunks[0];
    return encoded_keys{chunk.values, chunk.nulls, chunk.misses, std::move(of.held)};
  };
  return {side(numbers.first), side(numbers.second)};
}

}  // namespace warpdex
