// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/search/pairs.hpp>
#include <warpdex/spec.hpp>
#include <warpdex/structures.hpp>
#include <warpdex/types.hpp>

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
/// What a structure is to the rest of the library. A structure registers one `structure_record`; a record
/// turns a spec into a `plan`, and a plan turns sorted pairs, or the sections of a file, into a
/// `structure`.
namespace warpdex {

/// What is known about an index before it is built.
struct index_shape {
  warpdex::key_type keys = key_type::u32;
  warpdex::row_type rows = row_type::u32;
  std::uint64_t size = 0;
  backend_kind backend = backend_kind::cpu;
  int device = -1;  ///< ordinal, for the CUDA backend
};

/// What an update asks of a structure: first erase, then insert. Sorted as its `entries`: by key, or by hash under
/// its seed, then by row.
struct changes {
  sorted_pairs insert;  ///< may repeat keys
  sorted_keys erase;    ///< all entries of each go, but for those of `insert`
};

/// One built structure in one memory space. All const functions may run at once from many threads.
class structure {
 public:
  structure(std::string spec_text, index_shape const& shape) : spec_text_(std::move(spec_text)), shape_(shape) {}
  virtual ~structure() = default;
  structure(structure const&) = delete;
  structure& operator=(structure const&) = delete;

  std::string const& spec_text() const noexcept { return spec_text_; }
  index_shape const& shape() const noexcept { return shape_; }

  /// Whether entries have ranks: without, only contains, find, count and retrieve are offered.
  virtual bool ordered() const noexcept = 0;

  virtual void point(point_batch const& batch, execution const& exec) const = 0;
  virtual void range(range_batch const& batch, execution const& exec) const = 0;
  virtual void fill(fill_batch const& batch, execution const& exec) const = 0;

  /// From how many probes on a batch costs as much a probe as a larger one, as far as that depends on the index.
  virtual std::uint64_t efficient_batch() const noexcept = 0;

  virtual memory_usage memory() const noexcept = 0;

  /// Throws format_error unless all entries are in order and all auxiliary arrays agree with them.
  virtual void verify(execution const& exec) const = 0;

  /// The arrays that make up the structure, in the memory of its backend, ready for a file.
  virtual std::vector<io::section> sections() const = 0;

  /// Its entries in the order in which its plan takes them: by key; by hash if there is a `hash_seed`.
  /// @throws out_of_memory, device_error
  virtual sorted_pairs entries(execution const& exec) const = 0;

  /// The same without a copy, if that is how they lie.
  virtual std::optional<sorted_view> entries_in_place() const noexcept { return std::nullopt; }

  /// The seed under which its entries are in order, if that is an order of hashes (search/mix.hpp).
  virtual std::optional<std::uint64_t> hash_seed() const noexcept { return std::nullopt; }

  /// Applies `changes` in place and sets the new size, if that is cheaper than making the structure anew from all
  /// entries. If it throws, the structure is unchanged: all memory is taken before the first write.
  /// @return false, with nothing done, if it is not cheaper
  virtual bool apply(changes const&, execution const&) { return false; }

  /// To be called when the work on a stream that made or changed the structure is done: the stream may go first.
  virtual void outlive_stream() noexcept = 0;

  /// The typed view, or null if it is not of this type.
  virtual void const* view(std::type_info const& type) const noexcept = 0;
  virtual std::type_info const& view_type() const noexcept = 0;

 protected:
  /// For `apply`.
  void set_size(std::uint64_t size) noexcept { shape_.size = size; }

 private:
  std::string spec_text_;
  index_shape shape_;
};

/// An opened index file. `in_place` asks for its arrays to be used where they are, if the backend can.
struct stored_index {
  io::file file;
  bool in_place = false;
};

/// What a structure is made from.
using contents = std::variant<sorted_pairs, stored_index>;

/// A spec with everything decided.
class plan {
 public:
  plan(std::string spec_text, index_shape const& shape) : spec_text(std::move(spec_text)), shape(shape) {}
  virtual ~plan() = default;

  /// @throws out_of_memory, device_error; from a file also format_error
  virtual std::unique_ptr<structure> make(contents from, execution const& exec) const = 0;

  /// The slots in which `make` can take pairs over as they are, if not those by rank, which it always takes.
  virtual slot_order order() const { return {}; }

  /// The seed, if the pairs are wanted in the order of hashes (search/mix.hpp) and not of keys.
  virtual std::optional<std::uint64_t> hash_seed() const { return std::nullopt; }

  std::string const spec_text;
  index_shape const shape;
  std::string asked;  ///< the spec that was resolved, to be resolved again for another size
};

struct structure_record {
  structure_info info;

  /// Fills in what the spec leaves open. @throws spec_error
  std::unique_ptr<plan> (*resolve)(spec const& s, index_shape const& shape) = nullptr;
};

/// All records, in the order of registration (src/structures/CMakeLists.txt).
std::vector<structure_record> const& registry();

/// @return the first structure that takes such keys, with an order if that is asked for; null if there is none
structure_info const* first_that_takes(key_type keys, bool ordered);

/// @return the end of a message that refuses something: which ordered structure `does` it; nothing where none takes
/// such keys
std::string ordered_instead(key_type keys, std::string const& does);

/// @throws spec_error if `given` cannot be built for this shape
std::unique_ptr<plan> make_plan(spec const& given, index_shape const& shape);

/// What was asked for when a resolved spec was made, as far as one can tell: the spec without the arguments that
/// are the same if they are left open.
std::string asked_for(plan const& resolved);

}  // namespace warpdex
