// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/view_structure.hpp"

/// @file
/// What all flat structures share. A flat structure is an array of pairs whose slots follow from ranks, and perhaps a
/// guide: further arrays that lead searches to the right pairs. Its view describes it fully.
///
/// A flat view has ranks (search/view.hpp). Its slots are ranks, or follow from an Eytzinger order: then there are more
/// slots in memory than entries.
namespace warpdex {

/// The guide of structures that need none. Other guides have the same functions.
struct no_guide {
  /// Makes the arrays of the guide from the entries, adds them to `to`, and points the view at them.
  template <class Engine, class View, class Entries>
  void build(View&, Entries const&, stored_arrays&, execution const&) const {}

  /// Points the view at the arrays in a file.
  /// @param take takes an array from the file: take(name, bytes)
  /// @throws format_error if the arrays do not fit together; what they hold is checked by `verify`
  template <class View, class Take> void load(View&, io::file const&, Take) const {}

  /// @throws format_error if the arrays do not lead all searches to the right pairs
  template <class Engine, class View, class Entries> void verify(View const&, Entries const&, execution const&) const {}
};

/// A guide that follows from the entries alone, so that files do not hold it. It owns its arrays and has
///
///     build<Engine>(view&, exec)          makes them from the entries of the view, which are in order
///     verify<Engine>(view const&, exec)   throws format_error if they are not those that it would make
///     bytes(), outlive_stream()           of its arrays
template <class Guide>
concept derived_guide = requires(Guide guide) {
  { guide.bytes() } -> std::same_as<std::uint64_t>;
  guide.outlive_stream();
};

/// A guide whose lines hold positions. Earlier versions wrote positions as wide as row ids; `has_wide_lines` tells
/// whether a file has such lines where narrow ones would do.
template <class Guide, class Key, class Position>
concept guide_with_lines = requires(io::file const& file) {
  { Guide::template has_wide_lines<Key, Position>(file) } -> std::same_as<bool>;
};

namespace detail {

/// Writes a copy of the last entry to padding slot number `i`.
template <class Entries> struct fill_padding {
  Entries entries;
  pair_writer<typename Entries::key_type> to;
  WDX_HD void operator()(std::uint64_t i) const {
    to.put(entries.size + i, entries.pairs.at(entries.slot_of(entries.size - 1)));
  }
};

/// Whether padding slot number `i` is not a copy of the last entry.
template <class Entries> struct wrong_padding {
  Entries entries;
  WDX_HD bool operator()(std::uint64_t i) const {
    return entries.pairs.key(entries.size + i) != entries.pairs.key(entries.slot_of(entries.size - 1));
  }
};

/// Sums the row ids of range `i`, which are consecutive ranks, modulo 2^64.
struct sum_positions {
  std::uint64_t const* first;
  std::uint64_t const* counts;
  std::uint64_t* sums;
  WDX_HD void operator()(std::uint64_t i) const {
    auto const count = load_element<std::uint64_t>(counts, i);
    std::uint64_t const pairs = count % 2 == 0 ? count / 2 * (count - 1) : (count - 1) / 2 * count;
    store_element(sums, i, first[i] * count + pairs);
  }
};

}  // namespace detail

/// @tparam Guide as `no_guide`, or a `derived_guide`
template <class Engine, class View, class Guide = no_guide> class flat_structure : public view_structure<Engine, View> {
  using base = view_structure<Engine, View>;
  using base::soa;
  using base::stored_;
  using typename base::Key;
  static constexpr bool in_key_order = View::traits.in_key_order;
  static constexpr bool has_padding = View::traits.level_fanout != 0;

  using position = typename View::position;
  using slots_type = std::conditional_t<in_key_order, slots_by_rank<position>, slots_by_level<position>>;
  using entries_type = flat_entries<Key, slots_type, position>;

  /// Number of unused slots before the first.
  static constexpr std::uint64_t lead = eytzinger_lead(View::traits.level_fanout);

  static constexpr slot_order order{View::traits.level_fanout};

 public:
  /// @param empty the view with its geometry set and its pointers null
  flat_structure(plan const& made_by, View const& empty, policy const& run, contents from, execution const& exec,
                 Guide guide = {})
      : base(made_by, empty, run), guide_(std::move(guide)) {
    if (auto* pairs = std::get_if<sorted_pairs>(&from)) lay_out(std::move(*pairs), exec);
    else if (auto const* keys = std::get_if<borrowed_keys>(&from)) borrow(*keys, exec);
    else load(std::get<stored_index>(from), exec);
    this->prepare(by_rank(), exec);
  }

  /// The row ids of borrowed keys are ranks. Nothing need be read for their sums.
  void range(range_batch const& batch, execution const& exec) const override {
    if (!borrowed_ || batch.sums == nullptr) return base::range(batch, exec);
    buffer const scratch(batch.first == nullptr ? batch.size * sizeof(std::uint64_t) : 0, exec);
    range_batch ranks = batch;
    ranks.sums = nullptr;
    if (ranks.counts == nullptr) ranks.counts = batch.sums;
    if (ranks.first == nullptr) ranks.first = scratch.as<std::uint64_t>();
    base::range(ranks, exec);
    Engine::for_each(exec, batch.size, detail::sum_positions{ranks.first, ranks.counts, batch.sums});
  }

  bool borrows() const noexcept override { return borrowed_; }
  void keep_codes(buffer codes) noexcept override { codes_ = std::move(codes); }

  memory_usage memory() const noexcept override {
    memory_usage usage = base::memory();
    if constexpr (derived_guide<Guide>) usage.auxiliary += guide_.bytes();
    if (codes_.bytes() != 0) usage.pairs = codes_.bytes();
    else if (borrowed_) usage.borrowed = std::uint64_t{view_.size} * sizeof(Key);
    return usage;
  }

  sorted_pairs entries_to_merge(execution const& exec) const override { return take_entries<Engine>(by_rank(), exec); }

  void keys_at(std::uint64_t const* ranks, std::uint64_t size, void* keys, execution const& exec) const override {
    Engine::for_each(exec, size,
                     detail::take_key_at<entries_type>{by_rank(), codec_of(this->shape().keys), ranks, keys});
  }

  std::optional<sorted_view> entries_in_place() const noexcept override {
    if constexpr (soa) return sorted_view{view_.pairs.keys, view_.pairs.rows.data, view_.size, order};
    else return std::nullopt;
  }

  bool assign(sorted_pairs const& batch, execution const& exec) override {
    auto const to = this->writer_of(stored_, lead);
    if (to.keys_or_pairs == nullptr || !assign_rows<Engine>(*this, by_rank(), to, batch, exec)) return false;
    pad(exec);
    return true;
  }

  void verify(execution const& exec) const override {
    if (view_.size == 0) return;
    check_entries(exec);
    if constexpr (derived_guide<Guide>) guide_.template verify<Engine>(view_, exec);
    else guide_.template verify<Engine>(view_, by_rank(), exec);
  }

  void outlive_stream() noexcept override {
    base::outlive_stream();
    if constexpr (derived_guide<Guide>) guide_.outlive_stream();
  }

 protected:
  using base::view_;

 private:
  entries_type by_rank() const { return {view_.pairs, view_.size, slots_type(order, view_.size)}; }

  void check_entries(execution const& exec) const {
    auto const all = by_rank();
    expect_none(
        Engine::count_if(exec, view_.size, detail::out_of_order<entries_type>{all, codec_of(this->shape().keys)}),
        "entries out of order, or keys or row ids that are none");
    if constexpr (has_padding)
      expect_none(Engine::count_if(exec, slots() - view_.size, detail::wrong_padding<entries_type>{all}),
                  "padding slots that differ from the largest entry");
  }

  void build_guide(execution const& exec) {
    if constexpr (derived_guide<Guide>) guide_.template build<Engine>(view_, exec);
    else guide_.template build<Engine>(view_, by_rank(), stored_, exec);
  }

  /// @return the number of slots in memory, without the leading ones
  std::uint64_t slots() const {
    if constexpr (has_padding) return view_.padded_size();
    else return view_.size;
  }

  void lay_out(sorted_pairs&& sorted, execution const& exec) {
    bool const in_place = soa && (in_key_order || sorted.order.fanout != 0);
    if (in_place) {
      stored_.add("keys", this->place(std::move(sorted.keys), exec));
      stored_.add("rows", this->place(std::move(sorted.rows), exec));
    } else {
      this->add_pairs(slots() + lead, exec);
    }
    this->point_view_at_pairs(lead);
    auto const all = by_rank();
    auto const to = this->writer_of(stored_, lead);
    if (!in_place)
      Engine::for_each(exec, view_.size,
                       detail::place_pair<Key, slots_type>{all.slots, sorted.keys.template as<Key>(),
                                                           this->rows_in(sorted.rows.data()), to});
    if constexpr (lead != 0)
      for (auto& [name, array] : stored_.arrays)
        backend_of(Engine::kind).fill_zero(array.owned.data(), lead * (array.bytes / (slots() + lead)), exec);
    pad(exec);
    build_guide(exec);
  }

  /// Fills the padding after the entries.
  void pad([[maybe_unused]] execution const& exec) const {
    if constexpr (has_padding)
      Engine::for_each(exec, slots() - view_.size,
                       detail::fill_padding<entries_type>{by_rank(), this->writer_of(stored_, lead)});
  }

  void borrow(borrowed_keys const& keys, execution const& exec) {
    if constexpr (soa && in_key_order) {
      borrowed_ = true;
      this->remote_ = keys.remote;
      view_.pairs = {static_cast<Key const*>(keys.data), this->rows_in(nullptr)};
      build_guide(exec);
    } else {
      throw unsupported(this->spec_text() + " cannot search keys where they are");
    }
  }

  void load(stored_index const& from, execution const& exec) {
    this->take_pairs(from, slots() + lead, exec);
    this->point_view_at_pairs(lead);
    if constexpr (derived_guide<Guide>) {
      this->complete_load(from, [&] {
        if (view_.size != 0 && from.checks_structure()) check_entries(exec);  // the guide is made from them
      });
      build_guide(exec);
    } else if (has_wide_lines(from)) {
      this->check_in_file(from, [&] {
        if (from.checks_structure()) check_entries(exec);  // the guide is made from them
      });
      build_guide(exec);
      this->complete_load(from, [] {});
    } else {
      guide_.load(view_, from.file, [&](char const* name, std::uint64_t bytes) -> stored_array const& {
        return this->take(from, name, bytes, exec);
      });
      this->complete_load(from, [&] {
        if (view_.size == 0) return;
        if (from.checks_entries()) check_entries(exec);
        if (from.checks_structure()) guide_.template verify<Engine>(view_, by_rank(), exec);
        if (from.doubts_entries()) this->doubt_entries();
      });
    }
  }

  static bool has_wide_lines([[maybe_unused]] stored_index const& from) {
    using Position = typename View::position;
    if constexpr (guide_with_lines<Guide, Key, Position>)
      return Guide::template has_wide_lines<Key, Position>(from.file);
    else return false;
  }

  Guide guide_;
  bool borrowed_ = false;
  buffer codes_;  ///< of borrowed keys whose codes are other numbers
};

}  // namespace warpdex
