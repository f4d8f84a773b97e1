// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/search/pairs.hpp>
#include <warpdex/spec.hpp>
#include <warpdex/structures.hpp>
#include <warpdex/types.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <variant>
#include <vector>

#include "backend/backend.hpp"
#include "batch/batch.hpp"
#include "io/file.hpp"

/// @file
/// The interface between structures and the rest of the library. Each structure registers a `structure_record`. The
/// record turns a spec into a `plan`. The plan turns sorted pairs, or the sections of a file, into a `structure`.
namespace warpdex {

/// The properties of an index that are known before it is built.
struct index_shape {
  warpdex::key_type keys = key_type::u32;
  warpdex::row_type rows = row_type::u32;
  std::uint64_t size = 0;
  backend_kind backend = backend_kind::cpu;
  int device = -1;  ///< ordinal of the device, for the CUDA backend
};

/// The batch of an update: erase first, then insert. It has the order of `entries_to_merge`: by key, or by hash under
/// the structure's seed, then by row.
struct changes {
  sorted_pairs insert;  ///< may repeat keys
  sorted_keys erase;    ///< all entries of these keys go, except for those in `insert`
};

/// What answers batches. Many threads may call const functions at once.
class batch_answerer {
 public:
  explicit batch_answerer(index_shape const& shape) : shape_(shape) {}
  virtual ~batch_answerer() = default;
  batch_answerer(batch_answerer const&) = delete;
  batch_answerer& operator=(batch_answerer const&) = delete;

  index_shape const& shape() const noexcept { return shape_; }
  std::size_t row_bytes() const noexcept { return size_of(shape_.rows); }
  bool wide_rows() const noexcept { return shape_.rows == row_type::u64; }

  /// @return row ids of the structure's type
  row_ids rows_in(void const* rows) const noexcept { return {rows, wide_rows()}; }

  virtual void point(point_batch const& batch, execution const& exec) const = 0;
  virtual void range(range_batch const& batch, execution const& exec) const = 0;

 protected:
  index_shape shape_;
};

/// A built structure in one memory space.
class structure : public batch_answerer {
 public:
  structure(spec resolved, index_shape const& shape) : batch_answerer(shape), resolved_(std::move(resolved)) {}

  /// @return the spec with all choices made
  spec const& resolved() const noexcept { return resolved_; }
  std::string const& spec_text() const noexcept { return resolved_.text(); }

  /// @return whether entries have ranks. Without ranks only contains, find, count and retrieve are offered.
  virtual bool ordered() const noexcept = 0;

  virtual void fill(fill_batch const& batch, execution const& exec) const = 0;

  /// @return the size of the smallest batch whose cost per probe is no higher than that of larger batches, as far as
  /// this depends on the index
  virtual std::uint64_t efficient_batch() const noexcept = 0;

  virtual memory_usage memory() const noexcept = 0;

  /// @return whether the keys are the caller's column, so that the structure can be neither updated nor saved
  virtual bool borrows() const noexcept { return false; }

  /// Keeps the mapped file that holds borrowed keys.
  virtual void keep_file(std::shared_ptr<io::mapping const> const&) noexcept {}

  /// Keeps the array that holds borrowed keys, which then count as keys of the structure.
  virtual void keep_codes(buffer) noexcept {}

  /// To be called before arrays are read; batches do it themselves.
  /// @throws io_error if arrays are in a mapped file that has become shorter
  virtual void expect_whole() const {}

  /// Writes the keys of some ranks; only for structures with an order. Strings are written as references, which are
  /// valid while this structure lives.
  /// @param ranks numbers below the size @param keys one key per rank, decoded
  virtual void keys_at(std::uint64_t const* ranks, std::uint64_t size, void* keys, execution const& exec) const;

  /// Finds the longest keys that begin strings; only for structures over strings with an order.
  /// @param strings may be changed
  /// @param rows one row id per string, as in the shape; `no_row` if no key begins it
  /// @param lengths the bytes of each key; 0 if no key begins the string
  virtual void longest_prefix(byte_key* strings, std::uint64_t size, void* rows, std::uint32_t* lengths,
                              execution const& exec) const;

  /// Checks that all entries are in order and all auxiliary arrays agree with them. @throws format_error
  virtual void verify(execution const& exec) const = 0;

  /// @return whether nobody has checked the order of all entries: they come from a file of which only the structure was
  /// checked (`check::structure`)
  bool has_doubtful_entries() const noexcept { return doubtful_entries_; }
  void doubt_entries() noexcept { doubtful_entries_ = true; }

  /// To be called before anything is made from the entries: updates, which merge them and fit arrays to them, rely on
  /// their order. @throws as `verify`, but only for doubtful entries
  void expect_entries_in_order(execution const& exec) {
    if (!doubtful_entries_) return;
    verify(exec);
    doubtful_entries_ = false;
  }

  /// @return all arrays of the structure, in the memory of its backend, in file order
  virtual std::vector<io::section> sections() const = 0;

  /// @return a copy of all entries in the order in which updates merge them and which its plan takes: by key, or by
  /// hash if there is a `hash_seed`. Then hashes are in the place of the keys; only `entries` has these in any case
  /// @throws out_of_memory, device_error
  virtual sorted_pairs entries_to_merge(execution const& exec) const = 0;

  /// @return a copy of all entries with their keys, as codes; in key order if they have ranks
  /// @throws out_of_memory, device_error
  virtual sorted_pairs entries(execution const& exec) const { return entries_to_merge(exec); }

  /// @return the entries of `entries_to_merge` without a copy, if they are in this order
  virtual std::optional<sorted_view> entries_in_place() const noexcept { return std::nullopt; }

  /// @return the seed of the hashes by which its entries are ordered (search/mix.hpp); none if the order is by key
  virtual std::optional<std::uint64_t> hash_seed() const noexcept { return std::nullopt; }

  /// @return whether a key has several entries, if that has been found out (`note_repeats`)
  std::optional<bool> known_repeats() const noexcept {
    auto const known = repeats_.load(std::memory_order_relaxed);
    return known == repeats::unknown ? std::nullopt : std::optional(known == repeats::yes);
  }
  /// Remembers it until an update in place. All threads that find it out find out the same.
  void note_repeats(bool repeat) const noexcept {
    repeats_.store(repeat ? repeats::yes : repeats::no, std::memory_order_relaxed);
  }

  /// Applies `changes` in place and sets the new size, if this is cheaper than rebuilding the structure from all
  /// entries. If it throws, the structure is unchanged, because all memory is allocated before the first write.
  /// @return whether the changes were applied; if not, the structure is unchanged
  virtual bool apply(changes const&, execution const&) { return false; }

  /// Writes the row ids of a batch to entries with the same keys, in place, if each key of the batch has one entry.
  /// @param batch distinct keys, in the order of `entries_to_merge`
  /// @return whether the rows were written; if not, or if it throws, the structure is unchanged
  virtual bool assign(sorted_pairs const&, execution const&) { return false; }

  /// While one lives, the structure must not change.
  class hold {
   public:
    explicit hold(structure const& held) : holds_(held.holds_) { ++holds_; }
    ~hold() { --holds_; }
    hold(hold const&) = delete;
    hold& operator=(hold const&) = delete;

   private:
    std::atomic<int>& holds_;
  };
  bool held() const noexcept { return holds_ != 0; }

  /// Allows the stream that made or changed the structure to be destroyed first. To be called when its work is done.
  virtual void outlive_stream() noexcept = 0;

  /// @return the typed view; null if it is not of this type
  virtual void const* view(std::type_info const& type) const noexcept = 0;
  virtual std::type_info const& view_type() const noexcept = 0;

 protected:
  /// For `apply`.
  void set_size(std::uint64_t size) noexcept {
    shape_.size = size;
    repeats_ = repeats::unknown;
  }

 private:
  enum class repeats : std::uint8_t { unknown, no, yes };

  spec resolved_;
  mutable std::atomic<repeats> repeats_{repeats::unknown};
  mutable std::atomic<int> holds_{0};
  bool doubtful_entries_ = false;
};

/// An opened index file.
struct stored_index {
  io::file file;
  bool in_place = false;  ///< whether arrays may stay in the mapped file, if the backend can use them there
  check checks = check::all;
  bool is_part = false;  ///< whether other arrays of the file belong to another structure

  bool checks_entries() const noexcept { return checks == check::all; }
  bool checks_structure() const noexcept { return checks != check::none; }

  /// @return whether an order of the entries that was not checked is to be checked before an update
  bool doubts_entries() const noexcept { return checks == check::structure; }
};

/// The source of a structure. Only a plan that `can_borrow` takes borrowed keys.
using contents = std::variant<sorted_pairs, stored_index, borrowed_keys>;

/// A spec with all choices made.
class plan {
 public:
  plan(spec resolved, index_shape const& shape) : resolved(std::move(resolved)), shape(shape) {}
  virtual ~plan() = default;

  /// @return the structure
  /// @throws out_of_memory, device_error; from a file also format_error and io_error
  virtual std::unique_ptr<structure> make(contents from, execution const& exec) const = 0;

  /// @return an order of slots in which `make` can adopt pairs without moving them. It always accepts pairs in rank
  /// order as well.
  virtual slot_order order() const { return {}; }

  /// @return the seed of the hashes by which `make` wants the pairs sorted (search/mix.hpp); none if by key
  virtual std::optional<std::uint64_t> hash_seed() const { return std::nullopt; }

  /// @return whether the pairs go to page-locked host memory, where a device reads them over the link, while all else
  /// is on the device (paper 002, section 3)
  virtual bool pairs_on_host() const { return false; }

  /// @return whether `make` takes borrowed keys
  virtual bool can_borrow() const { return false; }

  std::string const& spec_text() const noexcept { return resolved.text(); }

  spec const resolved;
  index_shape const shape;
  std::string request;  ///< the spec as given; resolved again if the size changes
};

struct structure_record {
  structure_info info;

  /// Makes all choices that the spec leaves open. @throws spec_error
  std::unique_ptr<plan> (*resolve)(spec const& s, index_shape const& shape) = nullptr;
};

/// All records, in the order of registration (src/structures/CMakeLists.txt).
std::vector<structure_record> const& registry();

/// @param ordered whether it must have an order
/// @return the first registered structure that takes such keys, without an order if none is needed and there is one;
/// null if there is none
structure_info const* first_that_takes(key_type keys, bool ordered);

/// @return the end of a message of refusal, which names an ordered structure that `does` it; empty if none takes such
/// keys
std::string ordered_instead(key_type keys, std::string const& does);

/// @param fact of a structure
/// @return the names of the structures of which it is true, with commas between them
std::string names_of_all_that(bool structure_info::*fact);

/// @throws spec_error if `request` cannot be built for this shape
std::unique_ptr<plan> make_plan(spec const& request, index_shape const& shape);

/// @return the spec of an index file, without the `pin` that earlier versions wrote for structures that pin nothing
/// @throws spec_error
spec spec_of_file(std::string const& text);

/// @return the spec that a resolved spec probably came from: the resolved spec without the arguments that resolving
/// would fill in again
std::string asked_for(plan const& resolved);

}  // namespace warpdex
