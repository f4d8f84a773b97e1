// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/hash_open.hpp>

#include <algorithm>
#include <limits>

#include "structures/hash/hash_structure.hpp"
#include "structures/hash_open/hash_update.hpp"

/// @file
/// How HT(open) is built from pairs in hash order, and how it is checked. Builds insert no single entries. The slot of
/// an entry follows from the entries before it:
///
///     slot[i] = max(slot[i-1] + 1, first slot of home[i]) = i + max over j <= i of (first slot of home[j] - j)
///
/// So one running-maximum scan places all entries, and CPU and GPU build the same table.
namespace warpdex {

/// If the layout is known only at run time, so is the number of slots per bucket.
template <class Key, class Row> struct bucket_width<any_pairs<Key, Row>> { int slots; };

namespace detail {

/// Writes, for each entry i, the distance from slot i to the first slot of its home, or 0 if the home begins earlier.
template <class View, class Shift> struct write_shift_at_home {
  View view;
  distinct_keys<View> entries;
  Shift* shifts;
  WDX_HD auto read(std::uint64_t i) const { return entries.key(i); }
  WDX_HD void operator()(std::uint64_t i, typename View::key_type hash) const {
    std::uint64_t const first = view.home_of(hash) * view.slots;
    shifts[i] = static_cast<Shift>(first > i ? first - i : 0);
  }
};

/// Writes entry i. If `fills` is set, also fills the gaps before and after the entry; neighbouring threads then write
/// whole sectors of memory. Returns true if the entry is too far from home, or a gap is too long for one thread.
template <class View, class Shift> struct write_entry {
  View view;
  distinct_keys<View> entries;
  Shift const* shifts;
  std::uint64_t keys;
  std::uint64_t end;       ///< number of all slots
  std::uint64_t farthest;  ///< most slots from the first slot of the home to the entry
  bool fills;
  pair_writer<typename View::key_type> to;

  static constexpr std::uint64_t longest_gap = 1024;

  struct placed_entry {
    slot_content<typename View::key_type, typename View::row_type> content;
    Shift shift, next_shift;
  };
  WDX_HD placed_entry read(std::uint64_t i) const {
    return {entries.at(i), shifts[i], shifts[i + 1 < keys ? i + 1 : i]};
  }
  WDX_HD bool operator()(std::uint64_t i, placed_entry const& read) const {
    std::uint64_t const slot = i + read.shift;
    to.put(slot, read.content.pair);
    if (read.content.repeats) entries.flags[slot] = 1;
    bool const is_far = slot - view.home_of(read.content.pair.key) * view.slots > farthest;
    if (!fills) return is_far;
    std::uint64_t const before = i == 0 ? slot : 0;
    std::uint64_t const behind = (i + 1 < keys ? i + 1 + read.next_shift : end) - (slot + 1);
    if (is_far || before > longest_gap || behind > longest_gap) return true;
    auto const empty = no_entry<typename View::key_type, typename View::row_type>();
    for (std::uint64_t gap = 0; gap < before; ++gap) to.put(gap, empty);
    for (std::uint64_t gap = 0; gap < behind; ++gap) to.put(slot + 1 + gap, empty);
    return false;
  }
};

/// Writes the shift of a group of home buckets.
template <class View> struct write_group_shift {
  View view;
  std::uint8_t* shifts;
  WDX_HD void operator()(std::uint64_t group) const {
    constexpr std::uint64_t most = 255;
    std::uint64_t const slots = static_cast<std::uint64_t>(view.slots);
    std::uint64_t least = most;
    std::uint64_t slot = 0;
    std::uint64_t const first = group * View::shift_homes;
    for (std::uint64_t home = first; home < view.homes && home < first + View::shift_homes && least != 0; ++home) {
      slot = slot < home * slots ? home * slots : slot;
      std::uint64_t const end = (home + least) * slots;  // no shift from there on is the least one
      while (slot < end && slot < view.end_slot() && view.pairs.row(slot) != View::none &&
             view.home_of(view.pairs.key(slot)) < home)
        ++slot;
      std::uint64_t const shift = slot / slots - home;
      least = shift < least ? shift : least;
    }
    shifts[group] = static_cast<std::uint8_t>(least);
  }
};

struct shift_differs {
  std::uint8_t const* shifts;
  std::uint8_t const* others;
  WDX_HD bool operator()(std::uint64_t group) const { return shifts[group] != others[group]; }
};

/// Whether a slot is wrong. If no slot is wrong, all hashes ascend and every search for one of them finds it: an entry
/// that is not in the first slot of its home follows a smaller entry without a gap.
template <class View> struct wrong_slot {
  View view;
  is_of_no_key<View> is_wrong_key;
  WDX_HD bool operator()(std::uint64_t slot) const {
    auto const key = view.pairs.key(slot);
    if (view.pairs.row(slot) == View::none) return key != View::empty_key;
    std::uint64_t const first = view.home_of(key) * view.slots;
    if (slot < first || is_wrong_key(view, key)) return true;
    return slot != first && (view.pairs.row(slot - 1) == View::none || !(view.pairs.key(slot - 1) < key));
  }
};

}  // namespace detail

template <class Engine, class View> class hash_table final : public hash_structure<Engine, View> {
  using base = hash_structure<Engine, View>;
  using base::stored_;
  using base::table_;
  using base::view_;
  using typename base::general_view;
  using typename base::Key;
  using typename base::Row;

 public:
  hash_table(plan const& made_by, hash_choice const& choice, contents from, execution const& exec)
      : base(made_by, choice, View{}), farthest_(64 * hash_choice::full_load / (hash_choice::full_load - choice.load)),
        load_(choice.load) {
    if (auto* pairs = std::get_if<sorted_pairs>(&from))
      this->build(std::move(*pairs), choice, View::slots, exec,
                  [&](auto const& entries, bool takes_any) { return try_build(entries, takes_any, exec); });
    else this->load(std::get<stored_index>(from), 1, exec);
    shifts_ = make_shifts(exec);
    view_.shifts = shifts_.as<std::uint8_t>();
    this->prepare(view_, exec);
  }

  memory_usage memory() const noexcept override {
    memory_usage usage = base::memory();
    usage.auxiliary += shifts_.bytes();
    return usage;
  }

  void outlive_stream() noexcept override {
    base::outlive_stream();
    shifts_.outlive_stream();
  }

  /// Updates in place if the batch is small, keys stay distinct, the new load is at least half of the planned load, and
  /// the batch leaves at least half of the planned free slots free.
  bool apply(changes const& batch, execution const& exec) override {
    std::uint64_t const count = batch.insert.size + batch.erase.size;
    auto const to = base::writer_of(stored_);
    if (this->has_lists() || to.keys_or_pairs == nullptr || count > view_.end_slot() / slots_per_change) return false;
    std::uint64_t const keys = this->keys_after(batch, exec);
    std::uint64_t const homes = table_.homes * View::slots;
    if (keys * 2 * hash_choice::full_load > homes * (hash_choice::full_load + load_) ||
        keys * 2 * hash_choice::full_load < homes * load_)
      return false;
    detail::table_changes<general_view> const changes{this->typed(batch), farthest_};
    if (!change_table<Engine>(changes, to, exec)) return false;
    write_shifts(shifts_, exec);
    this->set_keys(keys);
    return true;
  }

 private:
  /// Updates in place take at most one change per this number of slots. With more changes a rebuild takes less time.
  static constexpr std::uint64_t slots_per_change = 64;

  void check_slots(execution const& exec) const override {
    expect_none(Engine::count_if(exec, view_.end_slot(),
                                 detail::wrong_slot<general_view>{this->general(), {codec_of(this->shape().keys)}}),
                "slots out of order");
    if (view_.shifts == nullptr) return;
    buffer const again = make_shifts(exec);
    expect_none(Engine::count_if(exec, again.bytes(), detail::shift_differs{view_.shifts, again.as<std::uint8_t>()}),
                "shifts that differ from their slots");
  }

  void write_shifts(buffer const& to, execution const& exec) const {
    Engine::for_each(exec, to.bytes(), detail::write_group_shift<general_view>{this->general(), to.as<std::uint8_t>()});
  }

  /// @return the shifts of the table; empty if its planned load is low
  buffer make_shifts(execution const& exec) const {
    constexpr unsigned least_load = 850;
    if (load_ <= least_load) return buffer();
    buffer result((table_.homes + View::shift_homes - 1) / View::shift_homes, exec);
    write_shifts(result, exec);
    return result;
  }

  void list_slots(std::uint64_t* places, execution const& exec) const override {
    list<Engine>(exec, select_if<Engine>(exec, view_.end_slot(), detail::is_taken<general_view>{this->general()}),
                 places);
  }

  std::optional<buffer> try_build(detail::distinct_keys<general_view> const& entries, bool takes_any,
                                  execution const& exec) {
    std::uint64_t const farthest = takes_any ? std::numeric_limits<std::uint64_t>::max() : farthest_;
    // A build moves each shift four times, so it takes 32-bit shifts where they suffice.
    bool const narrow = table_.homes * View::slots < std::uint64_t{1} << 32;
    return narrow ? place_entries<std::uint32_t>(entries, farthest, exec)
                  : place_entries<std::uint64_t>(entries, farthest, exec);
  }

  /// @param farthest most slots from the first slot of its home to an entry
  /// @return the flags of the slots; nothing, with nothing kept, if an entry is farther
  template <class Shift>
  std::optional<buffer> place_entries(detail::distinct_keys<general_view> entries, std::uint64_t farthest,
                                      execution const& exec) {
    auto const& backend = backend_of(Engine::kind);
    std::uint64_t const keys = table_.keys;
    if (keys == 0) {
      this->add_pairs(0, exec);
      return buffer();
    }
    buffer shifts(keys * sizeof(Shift), exec);
    auto* const shift = shifts.as<Shift>();
    Shift last_shift = 0;
    Engine::for_each(exec, keys, detail::write_shift_at_home<general_view, Shift>{this->general(), entries, shift});
    backend.running_maximum(shift, keys, exec);
    backend.copy(&last_shift, shift + keys - 1, sizeof(last_shift), exec);
    backend.synchronize(exec);
    table_.units = std::max(table_.homes, (keys - 1 + last_shift) / View::slots + 1);
    if (table_.units - table_.homes > farthest) return std::nullopt;  // the last entry is too far

    std::uint64_t const slots = table_.units * View::slots;
    buffer flags = base::flags_for(entries, slots, exec);
    entries.flags = flags.as<std::uint8_t>();
    this->add_pairs(slots, exec);
    auto const to = base::writer_of(stored_);
    detail::write_entry<general_view, Shift> write{this->general(), entries, shift, keys, slots, farthest, true, to};
    if (Engine::count_if(exec, keys, write) == 0) return flags;
    Engine::for_each(exec, slots, write_gap<Key>{to, 0});
    write.fills = false;
    if (Engine::count_if(exec, keys, write) == 0) return flags;
    stored_.arrays.clear();
    return std::nullopt;
  }

  /// Most slots from the first slot of its home to an entry, unless keys were chosen to collide. This distance behaves
  /// like the length of a queue. With 2^28 random keys it was at most a seventh of this limit.
  std::uint64_t farthest_;
  unsigned load_;  ///< planned load, in thousandths
  buffer shifts_;  ///< see `hash_open::shifts`
};

}  // namespace warpdex
