// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

#include "batch/policy.hpp"
#include "io/mapping.hpp"
#include "structures/any_pairs.hpp"
#include "structures/entries.hpp"
#include "structures/structure.hpp"

/// @file
/// What all structures share that a view and its arrays describe. Batches go to the engine, arrays go to files.
namespace warpdex {

/// An array, owned or mapped from a file.
struct stored_array {
  buffer owned;
  void const* data = nullptr;
  std::uint64_t bytes = 0;

  stored_array() = default;
  stored_array(std::uint64_t bytes, execution const& exec) : owned(bytes, exec), data(owned.data()), bytes(bytes) {}
  explicit stored_array(buffer&& from) : owned(std::move(from)), data(owned.data()), bytes(owned.bytes()) {}
};

/// The arrays of a structure in file order, pairs first.
struct stored_arrays {
  std::vector<std::pair<std::string, stored_array>> arrays;
  std::shared_ptr<void const> storage;        ///< keeps arrays alive that are in a file or in bytes of the caller
  std::shared_ptr<io::mapping const> mapped;  ///< the mapped file that holds arrays, or borrowed keys

  stored_array& add(std::string name, stored_array array) {
    return arrays.emplace_back(std::move(name), std::move(array)).second;
  }

  /// @return the array of that name; null if there is none
  stored_array const* find(std::string_view name) const noexcept {
    for (auto const& [other, array] : arrays)
      if (other == name) return &array;
    return nullptr;
  }
};

/// Takes an array from a file.
/// @param in_place whether the array stays where it is in a mapped file; otherwise it is copied
/// @throws format_error if the checksum is wrong, or if the length is not `bytes`, which is checked before any byte is
/// read; io_error, out_of_memory, device_error
stored_array load_array(io::file const& from, std::string const& name, std::uint64_t bytes, bool in_place,
                        execution const& exec);

/// @param known the sections of the structure
/// @throws format_error naming a section of the file that is none of them
void expect_known_sections(io::file const& from, std::vector<io::section> const& known, std::string const& spec_text);

/// Reports damage that a check has found, if any.
/// @throws format_error unless `found` is 0
inline void expect_none(std::uint64_t found, char const* what) {
  if (found != 0) throw format_error("damaged index: " + std::to_string(found) + " " + what);
}

/// Whether the width of rows is known at run time.
template <class Pairs> inline constexpr bool has_row_ids = requires(Pairs pairs) {
  { pairs.rows } -> std::same_as<row_ids&>;
};

template <class Engine, index_view View> class view_structure : public structure {
 public:
  bool ordered() const noexcept final { return View::traits.ranked; }

  void keep_file(std::shared_ptr<io::mapping const> const& file) noexcept final { stored_.mapped = file; }
  void expect_whole() const final {
    if (stored_.mapped != nullptr) stored_.mapped->expect_whole();
  }

  void point(point_batch const& batch, execution const& exec) const final {
    expect_whole();
    Engine::point(view_, state_, batch, policy_, exec);
  }
  void range(range_batch const& batch, execution const& exec) const override {
    expect_whole();
    Engine::range(view_, state_, batch, policy_, exec);
  }
  void fill(fill_batch const& batch, execution const& exec) const final {
    expect_whole();
    Engine::fill(view_, batch, policy_, exec);
  }

  std::uint64_t efficient_batch() const noexcept final { return Engine::efficient_batch(view_, state_); }

  memory_usage memory() const noexcept override {
    memory_usage usage;
    for (auto const& [name, array] : stored_.arrays) (is_of_pairs(name) ? usage.pairs : usage.auxiliary) += array.bytes;
    usage.auxiliary += state_.bytes();
    usage.remote = remote_;
    return usage;
  }

  std::vector<io::section> sections() const override {
    std::vector<io::section> result;
    for (auto const& [name, array] : stored_.arrays) result.push_back({name, array.data, array.bytes});
    return result;
  }

  void outlive_stream() noexcept override {
    for (auto& [name, array] : stored_.arrays) array.owned.outlive_stream();
    state_.outlive_stream();
  }

  void const* view(std::type_info const& type) const noexcept override {
    return type == typeid(View) ? &view_ : nullptr;
  }
  std::type_info const& view_type() const noexcept final { return typeid(View); }

 protected:
  using Pairs = typename View::pairs_type;
  using Key = typename View::key_type;
  using Row = typename View::row_type;
  static constexpr bool soa = Pairs::kind == layout::soa;

  view_structure(plan const& made_by, View const& empty, policy const& run)
      : structure(made_by.resolved, made_by.shape), view_(empty), policy_(run), remote_(made_by.pairs_on_host()) {}

  /// Prepares the engine. To be called when the view is complete.
  /// @param entries the entries by rank; the view itself if it has no ranks
  template <class Entries> void prepare(Entries const& entries, execution const& exec) {
    state_ = Engine::prepare(view_, entries, policy_, resolved(), exec, remote_);
  }

  /// @return `exec` with the memory of the arrays of pairs
  execution for_pairs(execution const& exec) const { return remote_ ? exec.with_memory(pinned_memory()) : exec; }

  /// @return an array of pairs as it was made, or a copy in the memory of the pairs
  stored_array place(buffer&& from, execution const& exec) const {
    if (!remote_) return stored_array(std::move(from));
    stored_array placed(from.bytes(), for_pairs(exec));
    backend_of(Engine::kind).copy(placed.owned.data(), from.data(), from.bytes(), exec);
    return placed;
  }

  /// Allocates the arrays of pairs: `pairs`, or `keys` and `rows`.
  void add_pairs(std::uint64_t slots, execution const& exec) {
    stored_.add(soa ? "keys" : "pairs", stored_array(slots * first_bytes, for_pairs(exec)));
    if (soa) stored_.add("rows", stored_array(slots * this->row_bytes(), for_pairs(exec)));
  }

  /// Takes the arrays of pairs from a file.
  void take_pairs(stored_index const& from, std::uint64_t slots, execution const& exec) {
    take(from, soa ? "keys" : "pairs", slots * first_bytes, exec);
    if (soa) take(from, "rows", slots * this->row_bytes(), exec);
  }

  /// Takes an array from a file, in place if the backend can use it there.
  stored_array& take(stored_index const& from, char const* name, std::uint64_t bytes, execution const& exec) {
    return stored_.add(name,
                       load_array(from.file, name, bytes, in_place(from), is_of_pairs(name) ? for_pairs(exec) : exec));
  }

  /// Completes a structure that was loaded, whose arrays are those of the file. To be called when the view is complete.
  /// @param check checks them as `from` asks for @throws format_error as check() does, but naming the file
  template <class Check> void complete_load(stored_index const& from, Check const& check) {
    if (!from.is_part) expect_known_sections(from.file, this->sections(), this->spec_text());
    if (in_place(from)) {
      stored_.storage = from.file.storage();
      stored_.mapped = from.file.mapped();
    }
    check_in_file(from, check);
  }

  /// @throws format_error as check() does, but naming the file
  template <class Check> void check_in_file(stored_index const& from, Check const& check) const {
    try {
      check();
    } catch (format_error const& e) {
      from.file.fail(stored_.arrays[0].first, e.what());
    }
  }

  /// Points the view at its pairs. `lead` unused slots precede the first slot.
  void point_view_at_pairs(std::uint64_t lead) { view_.pairs = pairs_at(stored_, lead); }

  Pairs pairs_at(stored_arrays const& stored, std::uint64_t lead) const {
    void const* const first = stored.arrays[0].second.data;
    if constexpr (has_row_ids<Pairs>)
      return {static_cast<Key const*>(first) + lead,
              {this->rows_in(stored.arrays[1].second.data).address(lead), this->wide_rows()}};
    else if constexpr (soa)
      return {static_cast<Key const*>(first) + lead, static_cast<Row const*>(stored.arrays[1].second.data) + lead};
    else if constexpr (Pairs::kind == layout::aos) return {static_cast<typename Pairs::pair const*>(first) + lead};
    else return {static_cast<std::uint32_t const*>(first) + Pairs::words_per_pair * lead};
  }

  row_writer writer_to(void* rows) const noexcept { return {rows, this->wide_rows()}; }

  /// @return a writer of the pairs; its pointers are null if the pairs are in a file
  /// @param lead as above
  pair_writer<Key> writer_of(stored_arrays const& stored, std::uint64_t lead = 0) const {
    auto const after_lead = [&](std::size_t array, std::uint64_t bytes) -> void* {
      auto* const data = stored.arrays[array].second.owned.template as<std::byte>();
      return data == nullptr ? nullptr : data + lead * bytes;
    };
    return {
        Pairs::kind, after_lead(0, first_bytes), {soa ? after_lead(1, this->row_bytes()) : nullptr, this->wide_rows()}};
  }

  /// Bytes per slot of the array of keys, or of pairs.
  static constexpr std::uint64_t first_bytes = [] {
    if constexpr (soa) return sizeof(Key);
    else return std::uint64_t{Pairs::key_stride};
  }();

  View view_;
  stored_arrays stored_;
  policy const policy_;
  bool remote_;  ///< whether the keys are in host memory and the structure on a device
  typename Engine::template index_state<View> state_;

 private:
  static bool in_place(stored_index const& from) { return Engine::kind == backend_kind::cpu && from.in_place; }

  static bool is_of_pairs(std::string const& name) {
    return name == "keys" || name == "rows" || name == "pairs" || name == "list_rows" || name == "bytes" ||
           name == "offsets" || name == "records";
  }
};

}  // namespace warpdex
