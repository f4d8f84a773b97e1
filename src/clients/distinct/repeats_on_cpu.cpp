// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/distinct/repeats_on_cpu.hpp"

#include <warpdex/search/codec.hpp>
#include <warpdex/search/hash_bytes.hpp>
#include <warpdex/search/mix.hpp>
#include <warpdex/stop.hpp>

#include <algorithm>
#include <bit>
#include <utility>

#include "backend/cpu/key_row.hpp"
#include "backend/cpu/parallel.hpp"
#include "backend/cpu/tuning.hpp"
#include "base/random.hpp"
#include "clients/distinct/tuning.hpp"

namespace warpdex {
namespace {

/// Numbers. Equal hashes mean equal keys.
template <class Bits> struct number_keys {
  using hash_type = Bits;
  void const* numbers;
  key_codec codec;
  std::uint64_t seed;

  Bits hash(std::uint64_t i) const { return mix(encode(codec, load_element<Bits>(numbers, i)), seed); }
  bool same(std::uint64_t, std::uint64_t) const { return true; }
  void fetch(std::uint64_t) const {}
  void fetch_place(std::uint64_t) const {}
};

/// Strings, and their hashes.
struct string_keys {
  using hash_type = std::uint64_t;
  string_source strings;
  std::uint64_t const* hashes;

  std::uint64_t hash(std::uint64_t i) const { return hashes[i]; }
  bool same(std::uint64_t a, std::uint64_t b) const { return strings.at(a) == strings.at(b); }
  WDX_INLINE void fetch(std::uint64_t i) const { prefetch(strings.at(i).data); }
  WDX_INLINE void fetch_place(std::uint64_t i) const {
    prefetch(static_cast<char const*>(strings.layout.offsets) + i * strings.layout.offset_bytes);
  }
};

/// @return the upper bits of a hash
template <class Hash> std::uint64_t upper_bits(Hash hash) {
  if constexpr (sizeof(Hash) == 4) return std::uint64_t{hash} << 32;
  else return static_cast<std::uint64_t>(hash >> (8 * sizeof(Hash) - 64));
}

/// An open hash table of rows by the hashes of their keys.
template <class Keys, class Row> class row_table {
 public:
  using entry = key_row<typename Keys::hash_type, Row>;

  /// @param used_bits upper bits that all hashes of a table share
  row_table(Keys const& keys, int used_bits, execution const& exec) : keys_(keys), used_bits_(used_bits), exec_(exec) {}

  /// Takes all rows out, and makes room for some.
  void clear(std::uint64_t rows) {
    resize(static_cast<std::uint64_t>(tuning::distinct_slots_per_row * static_cast<double>(rows)) + 2);
  }

  /// @return the row of the table with the key of another one, which it enters if there is none
  Row find_or_enter(entry const& of) {
    entry& at = slots_.as<entry>()[slot_of(of)];
    if (at.row != no_row<Row>) return at.row;
    at = of;
    if (++taken_ >= most_) grow();
    return of.row;
  }

 private:
  /// @return the slot of the row with the same key, or a free one
  std::uint64_t slot_of(entry const& of) const {
    auto const* const slots = slots_.as<entry>();
    std::uint64_t at = multiply_high(upper_bits<typename Keys::hash_type>(of.key) << used_bits_, size_);
    while (slots[at].row != no_row<Row> && !(slots[at].key == of.key && keys_.same(slots[at].row, of.row)))
      if (++at == size_) at = 0;
    return at;
  }

  void resize(std::uint64_t slots) {
    if (slots_.bytes() < slots * sizeof(entry)) slots_ = buffer(slots * sizeof(entry), exec_);
    size_ = slots;
    most_ = static_cast<std::uint64_t>(static_cast<double>(slots) / tuning::distinct_slots_per_row);
    taken_ = 0;
    for (std::uint64_t at = 0; at < slots; ++at) slots_.as<entry>()[at].row = no_row<Row>;
  }

  void grow() {
    buffer const before = std::exchange(slots_, buffer());
    std::uint64_t const slots = size_;
    resize(2 * slots);
    for (entry const *at = before.as<entry>(), *const end = at + slots; at != end; ++at) {
      if (at->row == no_row<Row>) continue;
      slots_.as<entry>()[slot_of(*at)] = *at;
      ++taken_;
    }
  }

  Keys const& keys_;
  int const used_bits_;
  execution const& exec_;
  buffer slots_;
  std::uint64_t size_ = 0;
  std::uint64_t most_ = 0;  ///< rows that it takes before it grows
  std::uint64_t taken_ = 0;
};

/// One search for repeats.
template <class Keys, class Row> class repeat_search {
  using table = row_table<Keys, Row>;
  using entry = typename table::entry;

 public:
  repeat_search(Keys const& keys, validity_bits valid, std::uint64_t size, repeat_output const& out,
                execution const& exec)
      : keys_(keys), valid_(valid), size_(size), out_(out), exec_(exec),
        bits_(
            std::min(static_cast<int>(std::bit_width(size / tuning::distinct_part_rows)), tuning::most_distinct_bits)),
        parts_((std::uint64_t{1} << bits_) + 1),
        grain_(std::max<std::uint64_t>(tuning::distinct_grain, size / cpu::tuning::most_pieces + 1)) {}

  void run() {
    deal();
    std::uint64_t const at_a_time = std::max<std::uint64_t>(1, parts_ / cpu::tuning::most_pieces);
    parallel_chunks(exec_.threads, parts_, at_a_time, [&](std::uint64_t begin, std::uint64_t end) {
      table rows(keys_, bits_, exec_);
      for (std::uint64_t part = begin; part < end; ++part) look_up(part, rows);
    });
  }

 private:
  std::uint64_t part_of(std::uint64_t i, typename Keys::hash_type hash) const {
    if (!valid_(i)) return parts_ - 1;
    return bits_ == 0 ? 0 : upper_bits(hash) >> (64 - bits_);
  }

  /// Puts the rows of each part one after the other.
  void deal() {
    std::uint64_t const runs = (size_ + grain_ - 1) / grain_;
    buffer const places(runs * parts_ * sizeof(std::uint64_t), exec_);
    auto const places_of = [&](std::uint64_t begin) { return places.as<std::uint64_t>() + begin / grain_ * parts_; };
    parallel_chunks(exec_.threads, size_, grain_, [&](std::uint64_t begin, std::uint64_t end) {
      auto* const counts = places_of(begin);
      std::fill_n(counts, parts_, 0);
      for (std::uint64_t i = begin; i < end; ++i) ++counts[part_of(i, keys_.hash(i))];
    });
    begins_ = buffer((parts_ + 1) * sizeof(std::uint64_t), exec_);
    std::uint64_t all = 0;
    for (std::uint64_t part = 0; part < parts_; ++part) {
      begins_.as<std::uint64_t>()[part] = all;
      for (std::uint64_t r = 0; r < runs; ++r) all += std::exchange(places.as<std::uint64_t>()[r * parts_ + part], all);
    }
    begins_.as<std::uint64_t>()[parts_] = all;
    dealt_ = buffer(size_ * sizeof(entry), exec_);
    parallel_chunks(exec_.threads, size_, grain_, [&](std::uint64_t begin, std::uint64_t end) {
      auto* const at = places_of(begin);
      for (std::uint64_t i = begin; i < end; ++i) {
        auto const hash = keys_.hash(i);
        dealt_.as<entry>()[at[part_of(i, hash)]++] = {hash, static_cast<Row>(i)};
      }
    });
  }

  void look_up(std::uint64_t part, table& rows) const {
    std::uint64_t const begin = begins_.as<std::uint64_t>()[part], end = begins_.as<std::uint64_t>()[part + 1];
    if (begin == end) return;
    constexpr std::uint64_t ahead = cpu::tuning::probes_ahead;
    auto const* const dealt = dealt_.as<entry>();
    bool const are_null = part == parts_ - 1;
    auto const at = [&](std::uint64_t i) -> entry const& {
      return dealt[out_.keep == keep_row::last ? end - 1 - i : begin + i];
    };
    if (!are_null) rows.clear(std::min(end - begin, tuning::distinct_part_rows));
    for (std::uint64_t i = 0; i < end - begin; ++i) {
      if (i % cpu::tuning::copy_grain == 0) stop_scope::look();
      // The strings of a part are anywhere in their column.
      if (i + 2 * ahead < end - begin) keys_.fetch_place(at(i + 2 * ahead).row);
      if (i + ahead < end - begin) keys_.fetch(at(i + ahead).row);
      write(at(i).row, are_null ? at(0).row : rows.find_or_enter(at(i)));
    }
  }

  /// @param first the first row with the key of a row, in the order of the search
  void write(Row row, Row first) const {
    bool const repeats = row != first;
    if (out_.repeats != nullptr) {
      out_.repeats[row] = repeats;
      if (repeats && out_.keep == keep_row::none) out_.repeats[first] = 1;
    }
    if (out_.firsts.data != nullptr) static_cast<Row*>(out_.firsts.data)[row] = first;
    if (out_.counts != nullptr) out_.counts[first] = repeats ? out_.counts[first] + 1 : 1;
  }

  Keys const& keys_;
  validity_bits const valid_;
  std::uint64_t const size_;
  repeat_output const& out_;
  execution const& exec_;
  int const bits_;
  std::uint64_t const parts_;  ///< the last one is that of nulls
  std::uint64_t const grain_;
  buffer begins_;  ///< of each part, and the end
  buffer dealt_;
};

template <class Keys>
void find_repeats(Keys const& keys, keys_on_host const& of, repeat_output const& out, execution const& exec) {
  if (out.firsts.width == 4) repeat_search<Keys, std::uint32_t>(keys, of.valid, of.values.size, out, exec).run();
  else repeat_search<Keys, std::uint64_t>(keys, of.valid, of.values.size, out, exec).run();
}

}  // namespace

void find_repeats(keys_on_host const& keys, repeat_output const& out, execution const& exec) {
  column const& values = keys.values;
  std::uint64_t const seed = random_number();
  auto const of_numbers = [&]<class Bits>(Bits) {
    find_repeats(number_keys<Bits>{values.data, codec_of(values.type), seed}, keys, out, exec);
  };
  if (values.type == key_type::bytes) {
    buffer const hashes(values.size * sizeof(std::uint64_t), exec);
    string_hash const hash(seed);
    parallel_chunks(exec.threads, values.size, cpu::tuning::loop_grain, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i)
        hashes.as<std::uint64_t>()[i] = mix(keys.valid(i) ? hash(keys.strings.at(i)) : 0, seed);
    });
    find_repeats(string_keys{keys.strings, hashes.as<std::uint64_t>()}, keys, out, exec);
  } else if (size_of(values.type) == 4) {
    of_numbers(std::uint32_t{});
  } else if (size_of(values.type) == 8) {
    of_numbers(std::uint64_t{});
  } else {
    of_numbers(u128{});
  }
}

}  // namespace warpdex
