// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "structures/hash_buckets/chain_update.hpp"

/// @file
/// How HT(buckets) is built from pairs in hash order, checked, and updated.
namespace warpdex {

namespace detail {

/// Whether a chain is wrong. The hashes of a right chain ascend and belong to its bucket, and every search for one of
/// them finds it. If all chains are right, no node occurs twice.
template <class View> struct wrong_chain {
  View view;
  is_of_no_key<View> is_wrong_key;
  WDX_HD bool operator()(std::uint64_t bucket) const {
    std::uint64_t unit = bucket * View::quarters;
    std::uint64_t full_from = unit;  // all units from here up to the current one are full
    std::uint64_t entries = 0;
    typename View::key_type last{};
    for (;;) {
      bool const in_base = unit < view.base_units();
      int const room = view.ends_node(unit) ? View::slots - 1 : View::slots;
      int taken = 0;
      for (int j = 0; j < room; ++j) {
        auto const key = view.pairs.key(unit * View::slots + static_cast<unsigned>(j));
        if (view.pairs.row(unit * View::slots + static_cast<unsigned>(j)) == View::none) {
          if (key != View::empty_key) return true;
          continue;
        }
        if (taken++ != j || (entries++ != 0 && !(last < key)) || is_wrong_key(view, key)) return true;
        std::uint64_t const home = view.home_of(key);
        if (home / View::quarters != bucket || (home != unit && (home < full_from || (in_base && home > unit))))
          return true;
        last = key;
      }
      if (!in_base && taken == 0) return true;
      if (taken != room) full_from = unit + 1;
      if (!view.ends_node(unit)) {
        ++unit;
        continue;
      }
      if (view.pairs.key(unit * View::slots + View::slots - 1) != 0) return true;
      unit = view.next_node(unit);
      if (unit == 0) return false;
      if (unit < view.base_units() || unit >= view.units) return true;
    }
  }
};

/// Whether a node, numbered from 0, is neither empty nor in the chain of its first hash. All chains must be right.
template <class View> struct wrong_node {
  View view;
  WDX_HD bool operator()(std::uint64_t node) const {
    std::uint64_t const unit = view.base_units() + node;
    std::uint64_t const first = unit * View::slots;
    if (!view.is_taken(first)) {
      for (unsigned j = 0; j < View::chain_pairs; ++j)
        if (view.pairs.row(first + j) != View::none || view.pairs.key(first + j) != View::empty_key) return true;
      return view.pairs.row(first + View::chain_pairs) != 0 || view.pairs.key(first + View::chain_pairs) != 0;
    }
    std::uint64_t at = (view.bucket_of(view.pairs.key(first)) + 1) * View::quarters - 1;
    while (at != 0 && at != unit) at = view.next_node(at);
    return at != unit;
  }
};

}  // namespace detail

template <class Engine, class View> class chained_table final : public hash_structure<Engine, View> {
  using base = hash_structure<Engine, View>;
  using base::stored_;
  using base::table_;
  using base::view_;
  using typename base::general_view;
  using typename base::Key;
  using typename base::Row;

 public:
  chained_table(plan const& made_by, hash_choice const& choice, contents from, execution const& exec)
      : base(made_by, choice, View{}),
        most_(64 + std::uint64_t{4} * View::node_pairs * choice.load / hash_choice::full_load), load_(choice.load) {
    if (auto* pairs = std::get_if<sorted_pairs>(&from))
      this->build(std::move(*pairs), choice, View::node_pairs, exec,
                  [&](auto const& entries, bool takes_any) { return try_build(entries, takes_any, exec); });
    else this->load(std::get<stored_index>(from), View::quarters, exec);
    used_nodes_ = view_.units - view_.base_units();
    this->prepare(view_, exec);
  }

  /// Updates in place if there are no more changes than buckets, keys stay distinct, and the new load is between 1/2
  /// and 5/4 of the planned load.
  bool apply(changes const& batch, execution const& exec) override {
    auto const& backend = backend_of(Engine::kind);
    detail::chain_changes<general_view> changes{this->typed(batch), most_};
    std::uint64_t const count = changes.count();
    if (this->has_lists() || base::writer_of(stored_).keys_or_pairs == nullptr || count > table_.homes) return false;
    std::uint64_t const keys = this->keys_after(batch, exec);
    std::uint64_t const planned = table_.homes * View::node_pairs * load_;
    if (keys * hash_choice::full_load * 4 > planned * 5 || keys * hash_choice::full_load * 2 < planned) return false;

    buffer entry_memory((count + 1) * sizeof(std::uint64_t), exec);
    buffer node_memory((count + 1) * sizeof(std::uint64_t), exec);
    auto* const entries = entry_memory.as<std::uint64_t>();
    auto* const nodes = node_memory.as<std::uint64_t>();
    if (Engine::count_if(exec, count, detail::measure_chain<general_view>{changes, entries, nodes}) != 0) return false;
    std::uint64_t const in_scratch = backend.exclusive_scan(entries, count, exec);
    buffer key_memory(in_scratch * sizeof(Key), exec);
    buffer row_memory(in_scratch * sizeof(Row), exec);
    auto* const scratch_keys = key_memory.as<Key>();
    auto* const scratch_rows = row_memory.as<Row>();
    Engine::for_each(exec, count, detail::merge_chain<general_view>{changes, entries, scratch_keys, scratch_rows});
    auto const further = take_nodes(backend.exclusive_scan(nodes, count, exec), exec);
    if (!further) return false;
    changes.view = this->general();  // its arrays may have moved
    Engine::for_each(exec, count,
                     detail::rewrite_chain<general_view>{changes,
                                                         writer(),
                                                         {scratch_keys, scratch_rows, nullptr, nullptr},
                                                         entries,
                                                         nodes,
                                                         further->list.template as<std::uint64_t>(),
                                                         further->first});
    this->set_keys(keys);
    return true;
  }

 private:
  /// Empty nodes, numbered from 0: the nodes in `list` or, if it is empty, all nodes from `first` on.
  struct empty_nodes {
    buffer list;
    std::uint64_t first = 0;
  };

  /// Finds `needed` empty nodes: after all nodes ever used, else anywhere in the table. Enlarges the table if neither
  /// suffices.
  /// @return nothing if the row type cannot number the nodes
  std::optional<empty_nodes> take_nodes(std::uint64_t needed, execution const& exec) {
    std::uint64_t const nodes = view_.units - view_.base_units();
    if (needed > nodes - used_nodes_) {
      auto const empty = select_if<Engine>(exec, nodes, detail::is_empty_node<general_view>{this->general()});
      if (needed <= empty.size) {
        empty_nodes found{buffer(empty.size * sizeof(std::uint64_t), exec)};
        list<Engine>(exec, empty, found.list.template as<std::uint64_t>());
        used_nodes_ = nodes;
        return found;
      }
      std::uint64_t const added = needed + view_.units / units_an_added_node;
      if (nodes + added >= View::none) return std::nullopt;
      add_nodes(added, exec);
      used_nodes_ = nodes;
    }
    empty_nodes found{{}, used_nodes_};
    used_nodes_ += needed;
    return found;
  }

  void add_nodes(std::uint64_t added, execution const& exec) {
    auto const& backend = backend_of(Engine::kind);
    std::uint64_t const units = table_.units;
    stored_arrays larger;
    for (auto const& [name, array] : stored_.arrays) {
      auto const& to = larger.add(name, stored_array(array.bytes / units * (units + added), exec));
      backend.copy(to.owned.data(), array.data, array.bytes, exec);
    }
    detail::chain_writer<general_view> const to{this->general(), base::writer_of(larger)};
    Engine::for_each(exec, added, detail::clear_node<general_view>{to, units - view_.base_units()});
    backend.synchronize(exec);  // before the old arrays go
    stored_ = std::move(larger);
    table_.units = units + added;
    this->point_view_at_arrays();
  }

  void check_slots(execution const& exec) const override {
    expect_none(Engine::count_if(exec, view_.homes,
                                 detail::wrong_chain<general_view>{this->general(), {codec_of(this->shape().keys)}}),
                "wrong chains");
    expect_none(
        Engine::count_if(exec, view_.units - view_.base_units(), detail::wrong_node<general_view>{this->general()}),
        "nodes in no chain");
  }

  void list_slots(std::uint64_t* places, execution const& exec) const override {
    buffer counts((view_.homes + 1) * sizeof(std::uint64_t), exec);
    auto* const before = counts.as<std::uint64_t>();
    Engine::for_each(exec, view_.homes, detail::count_bucket<general_view>{this->general(), before});
    backend_of(Engine::kind).exclusive_scan(before, view_.homes, exec);
    Engine::for_each(exec, view_.homes, detail::list_bucket<general_view>{this->general(), before, places});
  }

  /// @return the flags of the slots; nothing, with nothing kept, if a bucket gets too many entries
  std::optional<buffer> try_build(detail::distinct_keys<general_view> entries, bool takes_any, execution const& exec) {
    auto const& backend = backend_of(Engine::kind);
    std::uint64_t const keys = table_.keys;
    std::uint64_t const homes = table_.homes;
    buffer ends((homes + 1) * sizeof(std::uint64_t), exec);
    auto* const starts = ends.as<std::uint64_t>();
    backend.fill_zero(starts, ends.bytes(), exec);
    Engine::for_each(exec, keys, detail::mark_end<general_view>{this->general(), entries, keys, starts});
    backend.running_maximum(starts, homes + 1, exec);
    if (!takes_any && Engine::count_if(exec, homes, detail::is_too_full{starts, most_}) != 0) return std::nullopt;

    buffer counts((homes + 1) * sizeof(std::uint64_t), exec);
    auto* const nodes = counts.as<std::uint64_t>();
    Engine::for_each(exec, homes, detail::count_nodes<general_view>{this->general(), entries, starts, nodes});
    table_.units = homes * View::quarters + backend.exclusive_scan(nodes, homes, exec);

    std::uint64_t const slots = table_.units * View::slots;
    buffer flags = base::flags_for(entries, slots, exec);
    entries.flags = flags.as<std::uint8_t>();
    this->add_pairs(slots, exec);
    Engine::for_each(exec, homes, detail::write_chain<general_view>{writer(), entries, starts, nodes});
    return flags;
  }

  detail::chain_writer<general_view> writer() { return {this->general(), base::writer_of(stored_)}; }

  /// Most entries of a bucket, unless keys were chosen to collide. With 2^28 random keys the fullest bucket had less
  /// than half of this.
  std::uint64_t most_;
  unsigned load_;  ///< planned load, in thousandths

  /// Number of nodes that may have been in a chain since the table was built or enlarged. All nodes after them are
  /// empty. After a build it counts all nodes.
  std::uint64_t used_nodes_ = 0;

  /// A table that grows gets the nodes that it needs, and one more per this number of units.
  static constexpr std::uint64_t units_an_added_node = 16;
};

}  // namespace warpdex
