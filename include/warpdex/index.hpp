// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/any_index.hpp>
#include <warpdex/column.hpp>
#include <warpdex/device.hpp>
#include <warpdex/error.hpp>
#include <warpdex/key_list.hpp>
#include <warpdex/lookups.hpp>
#include <warpdex/matches.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/spec.hpp>
#include <warpdex/structures.hpp>
#include <warpdex/types.hpp>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <typeinfo>
#include <vector>

namespace warpdex {

namespace io {
class file;  // src/io/file.hpp
}

class mapped_column;
struct update_request;  // src/request/update_request.hpp
class structure;        // one built structure in one memory space; see src/structures/structure.hpp

/// Seconds spent in the parts of a build, measured on the host. The stream is drained after each part.
struct build_times {
  double prepare = 0;  ///< copy and encode the key column, number or check the rows
  double sort = 0;     ///< sort the pairs
  double layout = 0;   ///< write the sorted pairs to the structure's arrays
};

/// An index over one key column.
///
/// Keys may repeat. Entries are ordered by key, then by row id. `find`, `floor` and `ceil` return the smallest row id
/// of a key, and the rows of a key are always listed in ascending order. Floats are ordered as numbers. -0.0 and +0.0
/// are the same key, and all NaN are one key, which follows +infinity.
///
/// **Threads.** All lookups are `const`. Several threads may call them at once, on several streams.
///
/// **Arrays.** Probe and output arrays may be on the host. For an index on a CUDA device they may also be on that
/// device. The library checks each pointer. Arrays that a call writes must not overlap each other, nor the arrays that
/// it reads. `exec.memory` provides results and scratch, and must belong to the index's backend.
///
/// **Synchronisation.** A lookup on a device index only enqueues work on `exec.stream` if all its arrays are on the
/// device. It synchronises that stream if any array is on the host, or if it returns `matches`. A lookup on a CPU index
/// is complete when the call returns.
///
/// **Lifetimes.** An index may outlive the streams on which it was built and updated. Result buffers are freed on the
/// stream of their call. Enqueued lookups must be complete before their index is destroyed. The caller may free the
/// arrays of a lookup on its stream as soon as the call returns.
///
/// **Types of probes.** Probes and bounds of ranges may be of any key type that has a common order with the index's
/// keys: all numbers have one, and so have dates and timestamps, and strings among themselves. Comparisons are
/// exact. 2.5, -1 and 2^32 equal no u32 key, but floor, ceil, bounds and ranges give them their place in the order. NaN
/// is above all integers. Probes of another type than the keys cost one more pass over them and at most 17 bytes of
/// scratch per probe or range.
///
/// **Nulls.** Probes and bounds may have validity bits (`nullable_column`). A null equals no key and has no place in
/// the order: its answer is 0, `no_row`, an empty list, or all bits set for a rank. The key that stands at a null is
/// not looked at; the offsets of a null string must be as good as others. A pass over the answers writes them.
///
/// **Ranges.** Bounds are closed unless `key_ranges` says that they are open, or that there is none. Ranges with an
/// open bound cost one more pass over the bounds; those with one bound cost one search.
///
/// **Strings.** A call with columns of strings takes 16 bytes of scratch per string, and 32 per prefix. Offsets of host
/// columns, and of all columns of builds and updates, are checked. A large host column is checked in parts while others
/// are on their way to the device; if it is refused, outputs may have been written in part. A lookup on a device column
/// does not wait for such a check: it takes of each string the part that is inside the column's bytes.
///
/// **Errors.** Every lookup throws invalid_argument for an array of the wrong type, length or memory space, and also
/// out_of_memory and device_error. An index that was moved from can only be destroyed and assigned to; every other call
/// throws invalid_argument.
///
/// **Cost.** The docs of `any_index` state the cost of a lookup in searches. One search among n entries reads this
/// number of nodes:
///
///     AO+BS                      floor(log2 n) + 1           one key each; of strings the 8 bytes of a head, and an
///                                                            offset and the key where heads tie
///     AO+IS                      about log2(log2 n)          one key each, if keys are evenly spread;
///                                                            at most 3 times the visits of AO+BS
///     EO+BS (K = 2), EO+KS(K)    ceil(log_K(n + 1))          K-1 adjacent keys each
///     AO+PB+BS, AO+PB+KS(K)      ceil(log_K(n / (K-1))) + 1  K-1 keys each
///     PGM, RS                    about log2(2 eps / node)    32 bytes of adjacent keys each (64 on a CPU), besides the
///                                                            model, which is small
///     GRT                        at most one per byte of     a few sectors of 32 bytes each; then of a leaf about 3
///                                the key, and a leaf         keys, or for keys of more than 4 bytes one byte per
///                                                            entry and one key
///     B+, Harmonia               ceil(log_F(leaves)) + 1     at most F keys each, with F children per node
///     HT(open)                   expected constant           usually one bucket of 32 bytes
///     HT(buckets)                expected constant           1.6 quarters of 4 pairs at load 1
///
/// Large batches may be partitioned by key before they are searched, and their answers brought back to probe order
/// (docs/performance/window.md, docs/performance/cpu.md). That adds a few passes over probes and answers, and needs
/// scratch memory. On a GPU the cost of a range then does not depend on its length. Host arrays of a device index are
/// copied in chunks while other chunks are searched.
class index final : public any_index {
 public:
  /// Builds the index `s` over `keys`. The row id of a key is its position in the column. The backend is that of
  /// `exec.memory`. Synchronises.
  /// Cost: one sort of the pairs and one pass over them (paper 000, section 3.5). Hash tables sort by hash; they add a
  /// scan and, if a key repeats, passes that write the row lists.
  /// @throws spec_error, invalid_argument, unsupported, out_of_memory, device_error
  static index build(spec const& s, column keys, execution const& exec);

  /// Builds the index `s` over `keys` with the given row ids. Row ids may come in any order and repeat.
  /// Synchronises. Cost: as above.
  /// @param rows one row id per key
  /// @throws as above; invalid_argument also if the lengths differ, a row id equals `no_row`, or the spec's option
  /// `rows` names another type than that of `rows`
  static index build(spec const& s, column keys, row_column rows, execution const& exec);

  /// Makes the index `s` over keys that are sorted already, which it borrows: it searches them in place, without a copy
  /// and without a sort. The row id of a key is its position, so no row ids are stored either. Only what leads to the
  /// keys, such as pivots or a model, is made and held in the memory of `exec`. A device thus indexes columns that are
  /// larger than its memory (paper 002, section 3). Synchronises.
  ///
  /// For the CPU backend the column is in any host memory. For a device it is in that device's memory or in page-locked
  /// host memory (`pinned_memory`, `mapped_column`), which searches read over the link: one node of K-1 keys in
  /// AO+PB+KS(K); large batches wait for parts of it. The column must not move or change.
  ///
  /// All lookups and `verify` work. Updates and `save` throw unsupported. `memory` says what is borrowed.
  /// Cost: one pass over the keys that checks their order, then reads of a pivot in K keys, or one pass that fits the
  /// model. `range_sum` needs no scan. Keys with a sign, floats and times are compared by codes, which are copied to
  /// the memory of `exec` in one more pass; the column may change then.
  /// @param s AO+BS, AO+IS, AO+PB+BS, AO+PB+KS(K), PGM, RS, GRT, cgRX or RX, in SoA
  /// @param keys numbers of at most 8 bytes, ascending; u32 and u64 aligned to 16 bytes, and best to 128
  /// @throws invalid_argument also for a column that is not sorted, and names the first position that is not;
  /// unsupported for other structures, layouts and key types; spec_error, out_of_memory, device_error
  static index over_sorted(spec const& s, column keys, execution const& exec);

  /// The same over a mapped file. All calls throw io_error once the file has become shorter; without the file, as
  /// above, a read of what it has lost ends the process. The column must live as long as the index.
  static index over_sorted(spec const& s, mapped_column const& keys, execution const& exec);

  /// Reads a file that `save` wrote (docs/reference/format.md). By default checks everything, as `verify` does, so any
  /// file gives an error or a valid index. Synchronises. Cost: reads the file once, and then the cost of `verify`. With
  /// less checked no more is read than the arrays that are checked or copied: of a mapped file without checks nearly
  /// nothing, however large it is. For a device, each array passes through host memory of its size.
  /// @param map the CPU backend maps the file and uses it in place; it must not change while the index lives
  /// @param checks what to check (`check`, types.hpp): less only of files that you have written yourself
  /// @throws io_error, format_error, unsupported, out_of_memory, device_error
  static index load(std::filesystem::path const& path, execution const& exec, bool map = false,
                    check checks = check::all);

  /// Writes the index to a temporary file in the folder of `path`, flushes it to the disk, and renames it.
  /// Synchronises.
  /// Cost: writes every array once. An index on a device is first copied to the host as a whole, which needs as much
  /// host memory as the index takes on the device.
  /// @throws unsupported for an index `over_sorted`; io_error, out_of_memory, device_error; a previous file at `path`
  /// is then unchanged
  void save(std::filesystem::path const& path) const override;

  /// @return the bytes of the file that `save` to a path writes. Synchronises. Cost: as there.
  /// @throws as there, but for io_error
  std::vector<std::byte> save() const;

  /// Reads an index from bytes that are those of an index file, and copies what it needs. Checks and cost: as for a
  /// file.
  /// @throws format_error, unsupported, out_of_memory, device_error
  static index load(std::span<std::byte const> bytes, execution const& exec, check checks = check::all);

  /// The same, but the CPU backend uses the bytes in place, as with a mapped file; they must not change while the index
  /// lives. Bytes that do not begin at a multiple of 64, such as those of a `std::vector`, are copied, and so are all
  /// for a device.
  /// @param owner kept for as long as the bytes are used
  static index load(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, execution const& exec,
                    check checks = check::all);

  /// @return a copy of the index in the memory of `exec`, which may belong to the other backend. Synchronises.
  ///
  /// Cost: that of `save` and `load` in memory, without checks.
  /// @throws unsupported for an index `over_sorted`; out_of_memory, device_error
  index clone(execution const& exec) const;

  /// Takes over all arrays. The index that was moved from can be assigned to and destroyed; its calls throw
  /// invalid_argument.
  /// @{
  index(index&&) noexcept;
  index& operator=(index&&) noexcept;
  /// @}
  ~index() override;

  std::uint64_t size() const override;
  warpdex::key_type key_type() const override;  ///< type of the keys, as given to `build`
  warpdex::row_type row_type() const override;  ///< type of the row ids, which answers have
  backend_kind backend() const;                 ///< that of the execution of `build` or `load`, which runs all calls
  std::string const& spec_text() const override;
  bool ordered() const override;
  memory_usage memory() const override;
  build_times const& times() const noexcept;  ///< of `build`; zeros after `load`
  void verify(execution const& exec) const override;
  std::uint64_t greatest_row(execution const& exec) const override;
  void widen_rows(execution const& exec) override;

  /// @name Updates and lookups, as `any_index` describes them
  /// @{
  update_counts insert(column keys, row_column rows, execution const& exec) override;
  update_counts erase(column keys, execution const& exec) override;
  update_counts update(column insert_keys, row_column insert_rows, column erase_keys, execution const& exec) override;
  update_counts insert_or_assign(column keys, row_column rows, execution const& exec) override;
  matches ancestors(nullable_column const& probes, column parents, execution const& exec) const override;
  key_list keys_at(std::span<std::uint64_t const> ranks, execution const& exec) const override;
  matches rows_at(std::span<std::uint64_t const> ranks, execution const& exec) const override;
  void look_up(lookup const& what, key_ranges const& probes, std::initializer_list<lookup_output> outputs,
               execution const& exec) const override;
  matches list(lookup const& what, key_ranges const& probes, execution const& exec) const override;
  /// @}

  /// Returns the typed view of this index, for use inside a kernel or a loop of the caller's own (search/*.hpp). The
  /// view owns nothing. It is valid until the index is updated, assigned to or destroyed. Views know the width of their
  /// keys but not the type, so searches take the numbers that `encode` gives (search/codec.hpp), for example
  /// find(view, encode(-2.5)).
  /// @throws invalid_argument if the index has another view type; the message names both
  template <class View> View view() const { return *static_cast<View const*>(view(typeid(View))); }

  /// @return the C++ name of the type that `view` takes for this index
  std::string view_type() const;

 private:
  friend structure const& structure_of(index const& from, char const* call);
  friend std::optional<index> updated(index& from, update_request const& request, bool in_place, update_counts& counts,
                                      execution const& exec);
  friend index load_part(io::file const& from, std::string const& section, bool in_place, check checks,
                         execution const& exec);
  friend std::optional<index> with_wide_rows(index& from, char const* call, execution const& exec);
  friend class grouped_index;

  index(std::unique_ptr<structure> built, std::string request, build_times times);
  void const* view(std::type_info const& type) const;

  /// @throws invalid_argument if the index was moved from
  structure const& built(char const* call) const;

  std::unique_ptr<structure> structure_;
  std::string request_;  ///< the spec as given; resolved again when the size changes
  build_times times_;
};

}  // namespace warpdex
