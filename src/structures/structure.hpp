// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>
#include <warpdex/search/pairs.hpp>

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

/// One built structure in one memory space. Immutable; all functions may run at once from many threads.
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

  virtual memory_usage memory() const noexcept = 0;

  /// Throws format_error unless all entries are in order and all auxiliary arrays agree with them.
  virtual void verify(execution const& exec) const = 0;

  /// The arrays that make up the structure, in the memory of its backend, ready for a file.
  virtual std::vector<io::section> sections() const = 0;

  /// The typed view, or null if it is not of this type.
  virtual void const* view(std::type_info const& type) const noexcept = 0;
  virtual std::type_info const& view_type() const noexcept = 0;

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

  /// The seed, if the pairs are wanted in the order of hashes (search/mix.hpp) and not of keys.
  virtual std::optional<std::uint64_t> hash_seed() const { return std::nullopt; }

  std::string const spec_text;
  index_shape const shape;
};

struct structure_record {
  structure_info info;

  /// Fills in what the spec leaves open. @throws spec_error
  std::unique_ptr<plan> (*resolve)(spec const& s, index_shape const& shape);
};

/// All records, in the order of registration (src/structures/CMakeLists.txt).
std::vector<structure_record> const& registry();

/// @throws spec_error if `s` cannot be built for this shape
std::unique_ptr<plan> make_plan(spec const& s, index_shape const& shape);

}  // namespace warpdex
