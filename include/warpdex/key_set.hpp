// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/key_list.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/types.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Exact sets of keys, such as hashes of documents that were seen, at about the price of a Bloom filter; with a packed
/// row id of each key, if wanted.
namespace warpdex {

namespace io {
class mapping;
}
template <class Key> struct set_view;  // see src/clients/key_set/set_code.hpp
struct packed_rows;
struct keyed_rows;
class set_order;
namespace set_steps {
struct set_rule;
}
class key_set;

/// `key_set::save` with a note of the caller's, which the file keeps. @param note as in note.hpp
void save(key_set const& from, std::filesystem::path const& path, std::string_view note);
/// The same for the bytes of that file.
std::vector<std::byte> save(key_set const& from, std::string_view note);

/// How the keys of a set are in memory (docs/reference/sets.md).
enum class set_code : std::uint8_t {
  automatic,   ///< compressed from 2^16 keys on, else plain
  plain,       ///< a sorted array: 4, 8 or 16 bytes per key, and 7 percent
  compressed,  ///< of n random keys of b bits about b - log2 n + 3.1 bits per key, of others fewer; searches cost more
};

/// A set of distinct keys, in order. Keys are numbers of any type, dates and timestamps. NaN is one key, above
/// infinity, and -0.0 is 0.0.
///
///     key_set seen(hashes, exec);
///     std::vector<std::uint8_t> const known = seen.contains(more_hashes, exec);
///     seen.insert(more_hashes, exec);
///
/// A set may keep a row of each key, such as the number of the document that had it first, in as many bits as the
/// greatest one needs. Of several rows of a key it keeps the least.
///
/// Columns may be wherever those of an index may, of which they are those of probes. A null is in no set. All members
/// are `const` but `insert`, `erase` and assignments, and may be called by several threads.
///
/// **Errors.** All calls throw out_of_memory, device_error, and invalid_argument for arrays that are null pointers or
/// out of reach, for an execution of another backend, and for a set that was moved from; on the CPU `cancelled` after
/// a stop request (stop.hpp). A set over a mapped file throws io_error once the file has become shorter.
class key_set {
 public:
  /// Builds on the backend of `exec`. Synchronises. Cost: keys that do not ascend are sorted; then a pass over them,
  /// and for the compressed code two more. Scratch: up to 32 bytes per key of at most 8 bytes, 56 per one of 16.
  /// @param keys in any order, with repeats; nulls are left out
  /// @throws unsupported for strings
  key_set(nullable_column const& keys, execution const& exec, set_code code = set_code::automatic);
  /// The same with a row of each key. Cost: a sort of both. Scratch: 16 bytes per key more.
  /// @param rows one per key, where the keys are or on the host
  /// @throws invalid_argument also for another number of rows, and for a row that is `no_row`
  key_set(nullable_column const& keys, row_column rows, execution const& exec, set_code code = set_code::automatic);

  /// found[i] = whether probe i is in the set; false for a null. Synchronises if any array is on the host. Cost: a
  /// search of about log16 n nodes, in a compressed set of log16(n / 256) nodes and two reads of a block. Large batches
  /// run in windows, with about 30 bytes of scratch per probe, if there is memory for it.
  /// @param probes of any type that is comparable with the keys @param found one per probe
  /// @throws invalid_argument also for probes of another kind and arrays of other lengths
  void contains(nullable_column const& probes, std::span<bool> found, execution const& exec) const;

  /// @return the flags in a vector: 1 for probes in the set, else 0
  std::vector<std::uint8_t> contains(nullable_column const& probes, execution const& exec = {}) const;

  /// rows[i] = the row of probe i, or `no_row<std::uint64_t>` if it is not in the set or null. Synchronises, and costs,
  /// as `contains`, and one read more.
  /// @throws unsupported for a set without rows; else as `contains`
  void find(nullable_column const& probes, std::span<std::uint64_t> rows, execution const& exec) const;

  /// @return the rows in a vector
  std::vector<std::uint64_t> find(nullable_column const& probes, execution const& exec = {}) const;

  /// @return how many of the probes are in the set. Scratch: a byte per probe
  std::uint64_t count(nullable_column const& probes, execution const& exec = {}) const;

  /// Returns the keys that are in this set or in the other one, in the code that this one was asked for. Synchronises.
  /// If this set keeps rows so does the result: of a key in both sets the lesser one. Cost: two passes over the keys of
  /// both; compressed ones are decoded to scratch first.
  /// @throws invalid_argument also for a set of another key type, for one that is elsewhere, and for one without rows
  /// if this set keeps them
  key_set merge(key_set const& other, execution const& exec = {}) const;
  /// The same of the keys that are in both.
  key_set intersection(key_set const& other, execution const& exec = {}) const;
  /// The same of the keys that are in this set alone.
  key_set difference(key_set const& other, execution const& exec = {}) const;

  /// Adds keys. All or nothing: a call that throws has changed nothing. Synchronises. Cost: that of a set of them, and
  /// of a `merge`. Waits for no calls of other threads, so none may run.
  /// @param keys of the type of the set @return how many are new
  /// @throws unsupported for a set that keeps rows
  std::uint64_t insert(nullable_column const& keys, execution const& exec = {});
  /// The same with a row of each key. @throws unsupported for a set that keeps no rows; as the constructor
  std::uint64_t insert(nullable_column const& keys, row_column rows, execution const& exec = {});
  /// The same, but takes keys out. @return how many there were
  std::uint64_t erase(nullable_column const& keys, execution const& exec = {});

  /// @return all keys, in ascending order, in the memory of `exec`. Synchronises
  key_list keys(execution const& exec = {}) const;

  /// Reads a file that `save` wrote, and checks it; see `index::load`. Synchronises. Cost: reads the file once, and
  /// decodes all blocks; without checks, what leads to the blocks alone is read of a mapped file.
  /// @param map whether the set uses the file in place, on the CPU; it must not change meanwhile
  /// @throws io_error, format_error, out_of_memory, device_error
  static key_set load(std::filesystem::path const& path, execution const& exec, bool map = false,
                      check checks = check::all);
  /// The same from the bytes of such a file, which are copied.
  static key_set load(std::span<std::byte const> bytes, execution const& exec, check checks = check::all);
  /// The same from bytes that the set uses in place, as those of a mapped file, if they begin at a multiple of 64.
  /// @param owner keeps the bytes alive, for as long as the set lives
  static key_set load(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, execution const& exec,
                      check checks = check::all);

  /// Writes the set to a file, which replaces a previous one only when it is complete. Synchronises.
  /// @throws io_error, out_of_memory, device_error
  void save(std::filesystem::path const& path) const { warpdex::save(*this, path, {}); }
  std::vector<std::byte> save() const { return warpdex::save(*this, {}); }  ///< @return the bytes of that file

  std::string const& note() const noexcept { return note_; }     ///< of the file that it was loaded from
  std::uint64_t size() const noexcept { return size_; }          ///< number of keys
  warpdex::key_type key_type() const noexcept { return type_; }  ///< of the keys
  set_code code() const noexcept { return code_; }               ///< `plain` or `compressed`
  int row_bits() const noexcept { return row_bits_; }            ///< bits per row; 0 if it keeps none
  backend_kind backend() const noexcept { return backend_; }     ///< where it is
  std::uint64_t bytes() const noexcept;                          ///< of all arrays, also of those in a mapped file

 private:
  friend class key_set_builder;
  friend class sharded_set;
  friend void save(key_set const& from, std::filesystem::path const& path, std::string_view note);
  friend std::vector<std::byte> save(key_set const& from, std::string_view note);
  struct filer;
  key_set(warpdex::key_type type, set_code wanted, execution const& exec);

  template <class Key> set_view<Key> view() const;
  set_code code_for(std::uint64_t size) const;
  template <class Key> void take(buffer codes, std::uint64_t size, execution const& exec);
  template <class Key> void take_each(keyed_rows from, execution const& exec);
  template <class Key> void compress(Key const* codes, execution const& exec);
  template <class Key> void make_levels(execution const& exec);
  template <class Key> buffer read(bool decoded, execution const& exec, std::uint64_t first_block = 0) const;
  key_list ends(execution const& exec) const;
  void take_rows(std::uint64_t const* rows, execution const& exec);
  packed_rows rows() const;
  void fill(char const* call, nullable_column const& keys, execution const& exec);
  void fill(char const* call, nullable_column const& keys, row_column rows, execution const& exec);
  void ask(char const* call, nullable_column const& probes, void* answers, std::size_t width,
           execution const& exec) const;
  key_set combined(char const* call, key_set const& other, set_steps::set_rule rule, execution const& exec) const;
  std::uint64_t change(char const* call, nullable_column const& keys, row_column const* rows, set_steps::set_rule rule,
                       execution const& exec);
  void expect_whole(char const* call) const;

  warpdex::key_type type_ = warpdex::key_type::u64;
  set_code wanted_ = set_code::automatic;
  set_code code_ = set_code::plain;
  backend_kind backend_ = backend_kind::cpu;
  int device_ = -1;
  std::uint64_t size_ = 0;
  std::string note_;
  std::shared_ptr<io::mapping const> file_;  ///< that has the arrays in place, or null
  buffer keys_;                              ///< codes of all keys, or of the first one of each block
  buffer levels_;                            ///< every 16th of these, every 16th of those, and so on
  buffer heads_;                             ///< of a compressed set
  buffer words_;
  int row_bits_ = 0;
  buffer rows_;                             ///< packed
  std::shared_ptr<set_order const> order_;  ///< of probes on a device, or null
};

/// How a set is built of batches.
struct set_build_options {
  set_code code = set_code::automatic;            ///< of the set
  std::uint64_t memory = std::uint64_t{1} << 30;  ///< most bytes of keys and scratch, without those of the finished set
  std::filesystem::path folder = {};              ///< of files; empty: the system's folder for temporary files
  bool map = false;   ///< whether a set of keys that were written to files uses one in place, instead of memory
  bool rows = false;  ///< whether keys come with rows, and the set keeps one of each
};

/// Makes a set of keys that come in batches, on the CPU, also of more than memory has room for.
///
///     key_set_builder builder(key_type::u64, {.memory = 4ull << 30, .folder = "/scratch"});
///     while (next(hashes)) builder.add(hashes);
///     builder.finish().save("seen.wdx");
///
/// Keys are held as numbers. When they take as much memory as they may, they are sorted, and unless half of them were
/// repeats they are compressed and written to a file, as a run. At the end all runs are merged, piece by piece, to
/// another file, from which the set is read. Files have no names, and end with the builder or with the set that maps
/// them, also where the process is killed. They take about the bytes of compressed sets, twice, and 16 bytes per row.
///
/// **Errors.** All calls throw out_of_memory, io_error with the folder, such as one on a disk that is full, and
/// `cancelled` after a stop request (stop.hpp). An `add` that throws may have added some of its keys; as keys are in a
/// set once, it may be called again. Only one thread may use a builder at a time.
class key_set_builder {
 public:
  /// @param type of the keys of all batches
  /// @throws unsupported for strings; invalid_argument for less memory than the merge of two runs takes, which it
  /// names, and for an unknown code; io_error for a folder where no file can be made
  explicit key_set_builder(warpdex::key_type type, set_build_options options = {});
  ~key_set_builder();
  /// Takes over all batches. The builder that was moved from can be assigned to and destroyed.
  /// @{
  key_set_builder(key_set_builder&&) noexcept;
  key_set_builder& operator=(key_set_builder&&) noexcept;
  /// @}

  /// Adds a batch of keys. Cost: a pass over them; those of a run are sorted, compressed and written. When there are as
  /// many runs as one merge takes, they are merged to one: with 64 MiB of memory each 2.7 * 10^9 keys, and with more of
  /// it by its square.
  /// @param keys of the type of the builder, on the host, in any order, with repeats; nulls are left out
  /// @throws invalid_argument also for another type, and for an execution of a device
  void add(nullable_column const& keys, execution const& exec = {});
  /// The same with a row of each key, of a builder of a set with rows.
  /// @param rows one per key, on the host @throws unsupported for another builder; invalid_argument also for another
  /// number of rows, and for a row that is `no_row`
  void add(nullable_column const& keys, row_column rows, execution const& exec = {});

  /// @return the set of all keys. The builder is empty then. Cost: a set of the keys in memory, or a pass over all runs
  /// and a sort of each piece, and of its file. Tells its progress (build_progress.hpp)
  /// @throws invalid_argument for an execution of a device
  key_set finish(execution const& exec = {});

 private:
  struct state;
  void add(nullable_column const& keys, row_column const* rows, execution const& exec);
  std::unique_ptr<state> state_;
};

}  // namespace warpdex
