// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/sorted_bytes.hpp>

#include <array>
#include <bit>

#include "backend/update/selection.hpp"
#include "structures/flat_structure.hpp"
#include "structures/strings/different_words.hpp"

/// @file
/// Structures over strings in key order. They are made from references to strings in key order and gather their bytes.
/// Files hold the entries alone; what guides searches to them, such as heads, follows from them.
namespace warpdex {
namespace detail {

/// The number of bytes with which all keys begin: those that the first and the last one share.
template <class Pairs> struct find_shared {
  Pairs pairs;
  std::uint64_t size;
  std::uint32_t* shared;
  WDX_HD void operator()(std::uint64_t) const {
    byte_key const first = pairs.key(0);
    byte_key const last = pairs.key(size - 1);
    *shared = common_bytes(first, last, 0, first.size < last.size ? first.size : last.size);
  }
};

template <class Pairs> struct make_head {
  Pairs pairs;
  std::uint32_t shared;
  std::uint64_t* heads;
  WDX_HD void operator()(std::uint64_t i) const { heads[i] = word_at(pairs.key(i), shared); }
};

/// Whether a head is the first with its value.
struct is_first_head {
  std::uint64_t const* heads;
  WDX_HD bool operator()(std::uint64_t i) const { return i == 0 || heads[i - 1] != heads[i]; }
};

/// Describes a group of keys.
template <class Pairs> struct make_group {
  Pairs pairs;
  std::uint64_t const* heads;
  std::uint64_t const* first_keys;  ///< one more than groups
  std::uint64_t* words;
  head_group* groups;
  WDX_HD void operator()(std::uint64_t group) const {
    std::uint64_t const begin = first_keys[group];
    byte_key const a = pairs.key(begin);
    byte_key const b = pairs.key(first_keys[group + 1] - 1);
    words[group] = heads[begin];
    groups[group] = {begin, common_bytes(a, b, 0, a.size < b.size ? a.size : b.size)};
  }
};

/// Makes the head of a key of a group.
template <class Pairs> struct make_head_in_group {
  Pairs pairs;
  head_groups groups;
  selected_numbers firsts;  ///< the first keys of groups
  std::uint64_t* heads;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t const group = firsts.before(i + 1) - 1;
    heads[i] = groups.head_in(group, word_at(pairs.key(i), static_cast<std::uint32_t>(groups.groups[group].shared)));
  }
};

/// Whether offset `i`, of which there is one more than strings, is none that follows from the others and the bytes.
template <class Pairs> struct wrong_offset {
  Pairs pairs;
  std::uint64_t size;
  std::uint64_t bytes;
  WDX_HD bool operator()(std::uint64_t i) const {
    std::uint64_t const at = pairs.offset(i);
    if (i == size && at != bytes) return true;
    if (i == 0) return at != 0;
    std::uint64_t const before = pairs.offset(i - 1);
    return before > at || at > bytes || at - before > byte_key::longest;
  }
};

/// Whether entry `i` is out of order with the next one, or its row id is that of a miss.
template <class Pairs> struct strings_out_of_order {
  Pairs pairs;
  std::uint64_t size;
  WDX_HD bool operator()(std::uint64_t i) const {
    if (pairs.row(i) == no_row<std::uint64_t>) return true;
    if (i + 1 == size) return false;
    int const order = compare(pairs.key(i + 1), pairs.key(i));
    return order < 0 || (order == 0 && pairs.row(i + 1) < pairs.row(i));
  }
};

/// Copies entry `i`, with a reference to its key.
template <class Pairs> struct take_string {
  Pairs pairs;
  byte_key* keys;
  row_writer rows;
  WDX_HD void operator()(std::uint64_t i) const {
    keys[i] = pairs.key(i);
    rows.put(i, pairs.row(i));
  }
};

/// Writes row ids; keys stay as they are.
struct row_of_string_writer {
  row_writer rows;
  WDX_HD void put(std::uint64_t slot, byte_key const&, std::uint64_t row) const { rows.put(slot, row); }
};

template <class Pairs> struct take_string_at {
  Pairs pairs;
  std::uint64_t const* ranks;
  byte_key* keys;
  WDX_HD void operator()(std::uint64_t i) const { keys[i] = pairs.key(load_element<std::uint64_t>(ranks, i)); }
};

/// Cuts a string to the longest key that begins it, and to nothing if none does.
template <class Pairs> struct cut_to_key {
  Pairs pairs;
  std::uint64_t const* not_above;  ///< per string: how many keys are not above it
  byte_key* strings;
  std::uint32_t* lengths;
  WDX_HD void operator()(std::uint64_t i) const {
    strings[i].size = longest_beginning(pairs, not_above[i], strings[i]);
    store_element(lengths, i, strings[i].size);
  }
};

template <class View> struct find_beginning {
  View view;
  byte_key const* strings;
  void* rows;
  std::uint32_t* lengths;
  WDX_HD void operator()(std::uint64_t i) const {
    auto const found = view.longest_beginning(strings[i]);
    store_row(view, rows, i, found.slot == view.size ? no_row<std::uint64_t> : view.pairs.row(found.slot));
    store_element(lengths, i, found.length);
  }
};

}  // namespace detail

/// The guide of AO+BS over strings.
class byte_heads {
 public:
  template <class Engine, class View> void build(View& view, execution const& exec) {
    using Pairs = typename View::pairs_type;
    std::uint64_t const size = view.size;
    if (size == 0) return;
    buffer const shared(sizeof(std::uint32_t), exec);
    Engine::for_each(exec, 1, detail::find_shared<Pairs>{view.pairs, size, shared.as<std::uint32_t>()});
    backend_of(Engine::kind).copy(&view.shared, shared.data(), sizeof(view.shared), exec);
    backend_of(Engine::kind).synchronize(exec);
    buffer& heads = arrays_[0];
    heads = buffer(size * sizeof(std::uint64_t), exec);
    view.heads = heads.as<std::uint64_t>();
    Engine::for_each(exec, size, detail::make_head<Pairs>{view.pairs, view.shared, heads.as<std::uint64_t>()});
    group<Engine>(view, exec);
  }

  /// Makes the heads again.
  template <class Engine, class View> void verify(View const& view, execution const& exec) const {
    byte_heads again;
    View of_entries = view;
    of_entries.groups = {};
    again.build<Engine>(of_entries, exec);
    std::uint64_t different = of_entries.groups.count != view.groups.count ? 1 : 0;
    for (std::size_t a = 0; a < arrays_.size(); ++a)
      different += different_words<Engine>(arrays_[a], again.arrays_[a], exec);
    expect_none(different, "heads that differ from their keys");
  }

  std::uint64_t bytes() const noexcept {
    std::uint64_t total = 0;
    for (buffer const& array : arrays_) total += array.bytes();
    return total;
  }
  void outlive_stream() noexcept {
    for (buffer& array : arrays_) array.outlive_stream();
  }

 private:
  static constexpr std::uint64_t most_groups = 1 << 16;  ///< their words stay in the caches
  static constexpr std::uint64_t least_keys = 64;        ///< per group; fewer are told apart by reading them

  /// Groups the keys if their heads have few values.
  template <class Engine, class View> void group(View& view, execution const& exec) {
    using Pairs = typename View::pairs_type;
    std::uint64_t const size = view.size;
    auto* const heads = arrays_[0].as<std::uint64_t>();
    std::uint64_t const count = Engine::count_if(exec, size, detail::is_first_head{heads});
    if (count < 2 || count > most_groups || size / count < least_keys) return;
    selection const groups = select_if<Engine>(exec, size, detail::is_first_head{heads});
    buffer const first_keys((count + 1) * sizeof(std::uint64_t), exec);
    list<Engine>(exec, groups, first_keys.as<std::uint64_t>());
    backend_of(Engine::kind).copy(first_keys.as<std::uint64_t>() + count, &size, sizeof(size), exec);
    buffer& words = arrays_[1];
    buffer& beginnings = arrays_[2];
    words = buffer(count * sizeof(std::uint64_t), exec);
    beginnings = buffer(count * sizeof(head_group), exec);
    Engine::for_each(exec, count,
                     detail::make_group<Pairs>{view.pairs, heads, first_keys.as<std::uint64_t>(),
                                               words.as<std::uint64_t>(), beginnings.as<head_group>()});
    view.groups = {words.as<std::uint64_t>(), beginnings.as<head_group>(), static_cast<std::uint32_t>(count),
                   static_cast<int>(std::bit_width(count - 1))};
    Engine::for_each(exec, size, detail::make_head_in_group<Pairs>{view.pairs, view.groups, groups.view(), heads});
    backend_of(Engine::kind).synchronize(exec);  // `size` was copied from the stack
  }

  std::array<buffer, 3> arrays_;  ///< heads; words and beginnings of groups
};

/// @tparam Guide a `derived_guide`
template <class Engine, class View, derived_guide Guide>
class byte_structure final : public view_structure<Engine, View> {
  using base = view_structure<Engine, View>;
  using base::stored_;
  using base::view_;
  using typename base::Pairs;

 public:
  /// @param empty the view with its geometry set and its pointers null
  byte_structure(plan const& made_by, View const& empty, policy const& run, contents from, execution const& exec)
      : base(made_by, empty, run) {
    if (auto* pairs = std::get_if<sorted_pairs>(&from)) lay_out(std::move(*pairs), exec);
    else if (auto* file = std::get_if<stored_index>(&from)) load(*file, exec);
    else throw unsupported(this->spec_text() + " cannot search strings where they are");
    this->prepare(view_, exec);
  }

  memory_usage memory() const noexcept override {
    memory_usage usage = base::memory();
    usage.auxiliary += guide_.bytes();
    return usage;
  }

  /// @return references to the keys, valid while this structure lives
  sorted_pairs entries_to_merge(execution const& exec) const override {
    std::uint64_t const size = view_.size;
    sorted_pairs all{buffer(size * sizeof(byte_key), exec), buffer(size * this->row_bytes(), exec), size};
    Engine::for_each(
        exec, size,
        detail::take_string<Pairs>{view_.pairs, all.keys.template as<byte_key>(), this->writer_to(all.rows.data())});
    return all;
  }

  void keys_at(std::uint64_t const* ranks, std::uint64_t size, void* keys, execution const& exec) const override {
    Engine::for_each(exec, size, detail::take_string_at<Pairs>{view_.pairs, ranks, static_cast<byte_key*>(keys)});
  }

  void longest_prefix(byte_key* strings, std::uint64_t size, void* rows, std::uint32_t* lengths,
                      execution const& exec) const override {
    if constexpr (View::traits.finds_beginnings) {
      this->expect_whole();
      Engine::for_each(exec, size, detail::find_beginning<View>{view_, strings, rows, lengths});
    } else {
      auto const search = [&](search_op op, void* to) {
        this->point({op, codec_of(key_type::bytes), strings, size, to, nullptr}, exec);
      };
      buffer const ranks(size * sizeof(std::uint64_t), exec);
      search(search_op::upper_bound, ranks.data());
      Engine::for_each(exec, size,
                       detail::cut_to_key<Pairs>{view_.pairs, ranks.template as<std::uint64_t>(), strings, lengths});
      search(search_op::find, rows);
    }
  }

  bool assign(sorted_pairs const& batch, execution const& exec) override {
    auto* const rows = stored_.find("rows")->owned.data();
    return rows != nullptr &&
           assign_rows<Engine>(*this, view_, detail::row_of_string_writer{this->writer_to(rows)}, batch, exec);
  }

  void verify(execution const& exec) const override {
    check_offsets(exec);
    check_order(exec);
    guide_.template verify<Engine>(view_, exec);
  }

  void outlive_stream() noexcept override {
    base::outlive_stream();
    guide_.outlive_stream();
  }

 private:
  void lay_out(sorted_pairs&& sorted, execution const& exec) {
    auto packed = backend_of(Engine::kind).pack(sorted.keys.template as<byte_key>(), view_.size, 0, exec);
    stored_.add("offsets", stored_array(std::move(packed.offsets)));
    stored_.add("bytes", stored_array(std::move(packed.bytes)));
    stored_.add("rows", stored_array(std::move(sorted.rows)));
    point_view();
    guide_.template build<Engine>(view_, exec);
  }

  void load(stored_index const& from, execution const& exec) {
    std::uint64_t const size = view_.size;
    std::uint64_t const bytes = from.file.size("bytes");
    this->take(from, "offsets", (size + 1) * static_cast<unsigned>(offset_bytes_for(bytes)), exec);
    this->take(from, "bytes", bytes, exec);
    this->take(from, "rows", size * this->row_bytes(), exec);
    point_view();
    this->complete_load(from, [&] {
      if (!from.checks_structure()) return;
      check_offsets(exec);
      check_order(exec);  // the guide is made from the strings
    });
    guide_.template build<Engine>(view_, exec);
  }

  void point_view() {
    std::uint64_t const bytes = stored_.find("bytes")->bytes;
    view_.pairs = {static_cast<unsigned char const*>(stored_.find("bytes")->data), stored_.find("offsets")->data,
                   this->rows_in(stored_.find("rows")->data), offset_bytes_for(bytes) == 8};
  }

  /// Everything else reads keys, which takes valid offsets.
  void check_offsets(execution const& exec) const {
    std::uint64_t const bytes = stored_.find("bytes")->bytes;
    std::uint64_t const size = view_.size;
    expect_none(Engine::count_if(exec, size + 1, detail::wrong_offset<Pairs>{view_.pairs, size, bytes}),
                "offsets that descend or are outside of the bytes");
  }

  void check_order(execution const& exec) const {
    std::uint64_t const size = view_.size;
    expect_none(Engine::count_if(exec, size, detail::strings_out_of_order<Pairs>{view_.pairs, size}),
                "entries out of order, or row ids that are none");
  }

  Guide guide_;
};

}  // namespace warpdex
