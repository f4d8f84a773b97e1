// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/round_key.hpp>

#include <cstdint>

#include "backend/cpu/isa.hpp"
#include "backend/steps.hpp"
#include "base/row_array.hpp"
#include "base/sized_elements.hpp"
#include "base/validity_bits.hpp"
#include "clients/key_set/set_code.hpp"
#include "clients/key_set/tuning.hpp"

/// @file
/// What is done with the keys of sets, for host and device. Arrays are within reach of the backend.
namespace warpdex::set_steps {

/// Encodes a column.
template <class Key> struct encode_key {
  void const* keys;
  key_codec codec;
  Key* out;
  WDX_HD void operator()(std::uint64_t i) const { out[i] = encode(codec, load_element<Key>(keys, i)); }
};

/// Takes each 16th key of a level to the next one.
template <class Key> struct take_pivot {
  Key const* from;
  Key* to;
  WDX_HD void operator()(std::uint64_t i) const { to[i] = from[i * set_fanout]; }
};

/// Finds how a block is cut, and how many words it has.
template <class Key> struct measure_block {
  Key const* keys;
  std::uint64_t size;
  Key* bases;
  set_head* heads;
  std::uint64_t* words;

  WDX_HD void operator()(std::uint64_t block) const {
    Key const* const first = keys + block * set_block;
    unsigned const count = keys_of_block(size, block);
    bases[block] = first[0];
    set_head const head = head_of(first, count);
    heads[block] = head;
    words[block] = words_of<Key>(head, count);
  }

  WDX_HD static set_head head_of(Key const* first, unsigned count) {
    unsigned alike = 1;
    while (alike + 1 < count && first[alike + 1] - first[alike] == first[1] - first[0]) ++alike;
    if (count > 1 && alike + 1 == count) return set_head::of_distance();
    Key const distance = first[count - 1] - first[0];
    int const length = bit_length(distance), width = length > 8 ? length - 8 : 0;
    return set_head::of_parts(width, static_cast<unsigned>(distance >> width));
  }
};

/// Writes some words of a block: every `shares`th one. Each word is gathered from the keys whose bits it has.
template <class Key> struct write_words {
  static constexpr unsigned shares = tuning::set_block_shares;

  Key const* keys;
  std::uint64_t size;
  std::uint64_t const* places;
  set_head const* heads;
  std::uint64_t* words;

  WDX_HD void operator()(std::uint64_t number) const {
    std::uint64_t const block = number / shares;
    auto const share = static_cast<unsigned>(number % shares);
    Key const* const first = keys + block * set_block;
    unsigned const count = keys_of_block(size, block);
    set_head const head = heads[block];
    std::uint64_t* const to = words + places[block];
    if (head.regular()) {
      Key const distance = first[1] - first[0];
      if (share < words_of<Key>(head, count)) to[share] = static_cast<std::uint64_t>(distance >> (64 * share));
      return;
    }
    unsigned const high = head.high_words(count), all = words_of<Key>(head, count);
    for (unsigned w = share; w < high; w += shares) to[w] = high_word(first, count, head.width(), 64 * w);
    for (unsigned w = high + share; w < all; w += shares) to[w] = low_word(first, count, head.width(), 64 * (w - high));
  }

 private:
  /// @param from the number of its first bit
  WDX_HD static std::uint64_t high_word(Key const* first, unsigned count, int width, unsigned from) {
    auto const bit = [&](unsigned i) { return static_cast<unsigned>((first[i] - first[0]) >> width) + i; };
    unsigned i = 0;
    for (unsigned last = count; i < last;) {
      unsigned const middle = (i + last) / 2;
      if (bit(middle) < from) i = middle + 1;
      else last = middle;
    }
    std::uint64_t word = 0;
    for (; i < count && bit(i) - from < 64; ++i) word |= std::uint64_t{1} << (bit(i) - from);
    return word;
  }
  WDX_HD static std::uint64_t low_word(Key const* first, unsigned count, int width, unsigned from) {
    Key const mask = static_cast<Key>((Key{1} << width) - 1);
    std::uint64_t word = 0;
    unsigned i = from / static_cast<unsigned>(width);  // before the key
    for (int at = static_cast<int>(i) * width - static_cast<int>(from); i + 1 < count && at < 64; ++i, at += width) {
      Key const low = static_cast<Key>((first[i + 1] - first[0]) & mask);
      word |= at < 0 ? static_cast<std::uint64_t>(low >> -at) : static_cast<std::uint64_t>(low) << at;
    }
    return word;
  }
};

/// Completes the head of a block whose words are written.
struct complete_head {
  std::uint64_t size;
  std::uint64_t const* places;
  std::uint64_t const* words;
  set_head* heads;

  WDX_HD void operator()(std::uint64_t block) const {
    set_head& head = heads[block];
    if (!head.regular()) head.zeros = head.zeros_of(words + places[block], keys_of_block(size, block));
    head.bits |= places[block];
  }
};

/// Writes the keys of a block. @tparam Key of codes
template <class Key> struct read_block {
  set_view<Key> set;
  key_codec codec;  ///< identity for codes
  Key* out;
  WDX_HD void operator()(std::uint64_t block) const {
    Key* const to = out + block * set_block;
    set.each(block, [&](unsigned i, Key key) {
      to[i] = decode(codec, key);
      return true;
    });
  }
};

/// The same of one key of a plain set.
template <class Key> struct read_key {
  Key const* keys;
  key_codec codec;
  Key* out;
  WDX_HD void operator()(std::uint64_t i) const { out[i] = decode(codec, keys[i]); }
};

/// Holds if a block of a file has no words of its own that follow those of the block before.
template <class Key> struct is_misplaced {
  set_view<Key> set;
  std::uint64_t words;
  WDX_HD bool operator()(std::uint64_t block) const {
    set_head const head = set.heads[block];
    bool const narrow = head.width() <= static_cast<int>(sizeof(Key)) * 8 - 8 || head.width() == 0;
    if (head.regular() ? head.width() != 0 || head.top() != 0 : !narrow) return true;
    std::uint64_t const end = head.place() + words_of<Key>(head, set.keys_of(block));
    return (block == 0 && head.place() != 0) ||
           end != (block + 1 == set.blocks() ? words : set.heads[block + 1].place());
  }
};

/// Holds if a block of a file is none that a set writes. All blocks have their words.
template <class Key> struct is_damaged {
  set_view<Key> set;
  key_codec codec;
  WDX_HD bool operator()(std::uint64_t block) const {
    bool const is_last = block + 1 == set.blocks();
    Key before = 0;
    unsigned const taken = set.each(block, [&](unsigned i, Key key) {
      bool const fits = (i == 0 ? key == set.levels[0][block] : before < key) && is_code(codec, key);
      before = key;
      return fits;
    });
    return taken != set.keys_of(block) || !has_counts(block) || (!is_last && set.levels[0][block + 1] <= before);
  }

 private:
  /// @return whether as many bits of the high parts are set as there are keys, the last one's is the last, and the head
  /// has their zeros
  WDX_HD bool has_counts(std::uint64_t block) const {
    set_head const head = set.heads[block];
    unsigned const keys = set.keys_of(block);
    if (head.regular()) return head.zeros == 0;
    unsigned found = 0;
    std::uint64_t const* const parts = set.words + head.place();
    for (unsigned w = 0; w < head.high_words(keys); ++w) found += static_cast<unsigned>(count_ones(parts[w]));
    unsigned const last = head.top() + keys - 1;  // the bit of the last key
    return found == keys && (parts[last / 64] >> (last % 64)) == 1 && head.zeros == head.zeros_of(parts, keys);
  }
};

/// Holds if a key of a plain set is the code of none.
template <class Key> struct is_no_key {
  Key const* keys;
  key_codec codec;
  WDX_HD bool operator()(std::uint64_t i) const { return !is_code(codec, keys[i]); }
};

/// Probes of any type that is comparable with the keys.
struct set_probes {
  void const* data;
  key_type type;
  key_type keys;
  validity_bits valid;

  /// @return whether each probe may equal a key
  bool all_are_keys() const { return type == keys && valid.bits == nullptr; }

  /// @return whether a key may equal probe `i`, which `key` then is
  template <class Key> WDX_HD bool read(std::uint64_t i, Key& key) const {
    key = 0;
    if (!valid(i)) return false;
    key_codec const codec = codec_of(keys);
    if (type == keys) {
      key = encode(codec, load_element<Key>(data, i));
      return true;
    }
    rounded_key const near = round_key(type, detail::load_bytes(data, size_of(type), i), keys);
    key = encode(codec, static_cast<Key>(near.below));
    return near.exact;
  }
};

/// Answers whether a set has a probe.
struct flag_answer {
  std::uint8_t* out;
  WDX_HD void prefetch_row(std::uint64_t) const {}
  void prefetch_output(std::uint64_t i) const { __builtin_prefetch(out + i, 1); }
  WDX_HD void write(std::uint64_t i, bool found, std::uint64_t) const { out[i] = found ? 1 : 0; }
};

/// Answers the row of a probe.
struct row_answer {
  packed_rows rows;
  std::uint64_t* out;
  WDX_HD void prefetch_row(std::uint64_t rank) const { rows.prefetch_row(rank); }
  void prefetch_output(std::uint64_t i) const { __builtin_prefetch(out + i, 1); }
  WDX_HD void write(std::uint64_t i, bool found, std::uint64_t rank) const {
    store_element(out, i, found ? rows.get(rank) : no_row<std::uint64_t>);
  }
};

/// Looks for probe `i` in a set.
template <class Key, class Answer> struct look_up {
  set_view<Key> set;
  set_probes probes;
  Answer answer;

  WDX_HD void operator()(std::uint64_t i) const {
    set_search<Key> search;
    bool const found = probes.read(i, search.key) && set.size != 0;
    if (found) set.find(search);
    answer.write(i, found && search.found, set.rank(search));
  }

  /// On the host searches take turns, so that their memory is read at the same time.
  void run_part(std::uint64_t begin, std::uint64_t end) const {
    if (set.size == 0) {
      for (; begin < end; ++begin) answer.write(begin, false, 0);
      return;
    }
    run_on_isa([this, begin, end] { fly_over(end - begin, [begin](std::uint64_t i) { return begin + i; }); });
  }

  /// Looks for the probes place_of(i) of a set that has keys, for all i below `size`.
  template <class Place> void fly_over(std::uint64_t size, Place const& place_of) const {
    for (std::uint64_t first = 0; first < size; first += flight)
      fly(size - first < flight ? static_cast<int>(size - first) : flight,
          [&place_of, first](int j) { return place_of(first + static_cast<unsigned>(j)); });
  }

 private:
  static constexpr int flight = tuning::set_flight;

  template <class Place> void fly(int count, Place const& place_of) const {
    set_search<Key> searches[flight];
    bool has_key[flight];
    for (int j = 0; j < count; ++j) has_key[j] = probes.read(place_of(j), searches[j].key);
    for (int level = set.depth - 1; level >= 0; --level)
      for (int j = 0; j < count; ++j) {
        set.descend(level, searches[j]);
        if (level > 0) set.prefetch_node(level - 1, searches[j].block);
        else if (!set.is_plain()) prefetch(set.heads + searches[j].block);
      }
    for (int j = 0; j < count; ++j) {
      set.begin(searches[j]);
      if (!searches[j].is_over) prefetch(set.high_word(searches[j]));
    }
    if (!set.is_plain()) fly_in_blocks(searches, count);
    for (int j = 0; j < count; ++j) answer.prefetch_row(searches[j].found ? set.rank(searches[j]) : 0);
    for (int j = 0; j < count; ++j) answer.write(place_of(j), has_key[j] && searches[j].found, set.rank(searches[j]));
  }

  void fly_in_blocks(set_search<Key>* searches, int count) const {
    for (int j = 0; j < count; ++j) {
      set_search<Key>& s = searches[j];
      if (s.is_over) continue;
      set.find_high(s);
      if (s.is_over) continue;
      unsigned const middle = s.first + s.count / 2;
      std::uint64_t const bit = std::uint64_t{middle} * static_cast<unsigned>(s.head.width());
      prefetch(set.words + s.head.place() + s.head.high_words(set.keys_of(s.block)) + bit / 64);
    }
    for (int j = 0; j < count; ++j)
      if (!searches[j].is_over) set.find_low(searches[j]);
  }
};

template <class Key> using contains = look_up<Key, flag_answer>;
template <class Key> using find_row = look_up<Key, row_answer>;

/// Keeps the first of equal keys, with its row.
template <class Key> struct keep_first {
  Key const* keys;  ///< ascending
  row_array rows;
  Key* kept;
  std::uint64_t* kept_rows;
  WDX_HD bool operator()(std::uint64_t i) const { return i == 0 || keys[i] != keys[i - 1]; }
  WDX_HD void write(std::uint64_t i, std::uint64_t at) const {
    kept[at] = keys[i];
    kept_rows[at] = rows.get(i);
  }
};

struct is_no_row {
  row_array rows;
  WDX_HD bool operator()(std::uint64_t i) const { return rows.get(i) == rows.none(); }
};

/// Packs a group of rows.
struct pack_rows {
  std::uint64_t const* rows;
  std::uint64_t size;
  int bits;
  std::uint64_t* words;
  WDX_HD void operator()(std::uint64_t number) const {
    std::uint64_t const begin = number * packed_rows::group, end = begin + packed_rows::group;
    bit_writer to{words + number * static_cast<unsigned>(bits)};
    for (std::uint64_t i = begin; i < end; ++i) to.put(i < size ? rows[i] : 0, bits);
  }
};

/// The number of probes that a set has, from the flags of each.
struct number_in {
  std::uint64_t count = 0;
  WDX_HD number_in with(number_in const& other) const { return {count + other.count}; }
};
struct count_flag {
  std::uint8_t const* flags;
  WDX_HD number_in operator()(std::uint64_t i) const { return {flags[i]}; }
};

/// Which keys of two sets are in the result of a call.
struct set_rule {
  bool left_alone, right_alone, both;
};

/// The keys of two sets, in the order of a merge that takes those of the left first, cut into tiles.
template <class Key> struct set_pair {
  static constexpr std::uint64_t tile = tuning::set_tile;
  static constexpr std::uint64_t absent = ~std::uint64_t{0};

  Key const* left;
  std::uint64_t left_size;
  Key const* right;
  std::uint64_t right_size;
  set_rule rule;

  WDX_HD std::uint64_t tiles() const { return (left_size + right_size + tile - 1) / tile; }

  /// Calls keep(key, i, j) for the keys of a tile that belong to the result: number i of the left or j of the right, or
  /// of both; `absent` for the other one.
  template <class Keep> WDX_HD void each(std::uint64_t number, Keep const& keep) const {
    std::uint64_t const begin = number * tile, all = left_size + right_size;
    std::uint64_t const end = begin + tile < all ? begin + tile : all;
    std::uint64_t i = begin > right_size ? begin - right_size : 0;
    for (std::uint64_t last = begin < left_size ? begin : left_size; i < last;) {  // how many are of the left
      std::uint64_t const middle = i + (last - i) / 2;
      if (right[begin - 1 - middle] < left[middle]) last = middle;
      else i = middle + 1;
    }
    std::uint64_t j = begin - i;
    for (std::uint64_t at = begin; at < end; ++at) {
      if (j == right_size || (i < left_size && left[i] <= right[j])) {
        bool const is_both = j < right_size && left[i] == right[j];
        if (is_both ? rule.both : rule.left_alone) keep(left[i], i, is_both ? j : absent);
        ++i;
      } else {
        bool const is_both = i > 0 && left[i - 1] == right[j];  // which the left had already
        if (!is_both && rule.right_alone) keep(right[j], absent, j);
        ++j;
      }
    }
  }
};

template <class Key> struct count_tile {
  set_pair<Key> pair;
  std::uint64_t* counts;
  WDX_HD void operator()(std::uint64_t number) const {
    std::uint64_t kept = 0;
    pair.each(number, [&](Key, std::uint64_t, std::uint64_t) { ++kept; });
    counts[number] = kept;
  }
};

template <class Key> struct write_tile {
  set_pair<Key> pair;
  std::uint64_t const* places;
  Key* out;
  packed_rows left_rows = {}, right_rows = {};
  std::uint64_t* rows = nullptr;  ///< of a key in both sets the lesser one; null if none are wanted

  WDX_HD void operator()(std::uint64_t number) const {
    std::uint64_t at = places[number];
    pair.each(number, [&](Key key, std::uint64_t i, std::uint64_t j) {
      if (rows != nullptr) {
        std::uint64_t const left = i == pair.absent ? pair.absent : left_rows.get(i);
        std::uint64_t const right = j == pair.absent || right_rows.bits == 0 ? pair.absent : right_rows.get(j);
        rows[at] = left < right ? left : right;
      }
      out[at++] = key;
    });
  }
};

template <template <class> class Step>
using run_for_all = steps::runs<Step<std::uint32_t>, Step<std::uint64_t>, Step<u128>>;
template <template <class> class Step>
using run_long_for_all = steps::runs_long<Step<std::uint32_t>, Step<std::uint64_t>, Step<u128>>;
template <template <class> class Step>
using find_for_all = steps::finds_first<Step<std::uint32_t>, Step<std::uint64_t>, Step<u128>>;

struct all : steps::list<run_for_all<encode_key>, run_for_all<take_pivot>, run_for_all<read_key>, run_for_all<contains>,
                         run_for_all<find_row>, steps::runs_long<pack_rows>,
                         steps::selects<keep_first<std::uint32_t>, keep_first<std::uint64_t>, keep_first<u128>>,
                         run_long_for_all<measure_block>, run_for_all<write_words>, steps::runs<complete_head>,
                         run_long_for_all<read_block>, run_long_for_all<count_tile>, run_long_for_all<write_tile>,
                         find_for_all<is_misplaced>, find_for_all<is_damaged>, find_for_all<is_no_key>,
                         steps::finds_first<is_no_row>, steps::reduces<count_flag>> {};
all list_of_step(...);

}  // namespace warpdex::set_steps
