// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/key_set.hpp>
#include <warpdex/stop.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/api_border.hpp"
#include "base/progress.hpp"
#include "base/reserved_row.hpp"
#include "base/types.hpp"
#include "clients/key_set/set_parts.hpp"
#include "io/in_place.hpp"
#include "io/scratch.hpp"

/// @file
/// Sets of keys that come in batches: runs of them in files, and their merge.
namespace warpdex {
namespace {

namespace fs = std::filesystem;

/// The arrays of sets, one after the other, in files. Words begin with those of the first set.
struct run_files {
  /// A run among them.
  struct run {
    std::uint64_t first_block;
    std::uint64_t first_key;
    std::uint64_t keys;
  };

  explicit run_files(fs::path const& folder) : bases(folder), heads(folder), words(folder), rows(folder) {}

  io::scratch_file bases;  ///< or all keys, of plain sets
  io::scratch_file heads;
  io::scratch_file words;
  io::scratch_file rows;  ///< 8 bytes per key, if there are any
  std::uint64_t base_count = 0;
  std::uint64_t word_count = 0;
  std::uint64_t keys = 0;
  std::vector<run> runs;
};

/// The blocks of a run that a merge has not read, or some of them.
template <class Key> struct run_rest {
  set_view<Key> blocks;
  std::uint64_t const* rows;  ///< of their keys; null if there are none

  /// @return how many blocks begin below a key
  std::uint64_t below(Key key) const {
    Key const* const first = blocks.levels[0];
    return static_cast<std::uint64_t>(std::lower_bound(first, first + blocks.sizes[0], key) - first);
  }
  set_view<Key> first(std::uint64_t count) const {
    set_view<Key> result = blocks;
    result.sizes[0] = count;
    result.size = std::min<std::uint64_t>(blocks.size, count * set_block);
    return result;
  }
  void skip(std::uint64_t count) {
    blocks.levels[0] += count;
    blocks.heads += count;
    blocks.sizes[0] -= count;
    std::uint64_t const keys = std::min<std::uint64_t>(blocks.size, count * set_block);
    blocks.size -= keys;
    if (rows != nullptr) rows += keys;
  }
};

/// @return a key below which the blocks of all runs have at most `most` keys, as great as it can be; none for all
/// @param from below which all keys were read
template <class Key>
std::optional<Key> end_of_piece(std::vector<run_rest<Key>> const& runs, Key from, std::uint64_t most) {
  std::uint64_t all = 0;
  for (auto const& run : runs) all += run.blocks.sizes[0];
  if (all * set_block <= most) return std::nullopt;
  Key fits = from, beyond = static_cast<Key>(~Key{0});
  while (beyond - fits > 1) {
    auto const middle = static_cast<Key>(fits + (beyond - fits) / 2);
    std::uint64_t blocks = 0;
    for (auto const& run : runs) blocks += run.below(middle);
    (blocks * set_block <= most ? fits : beyond) = middle;
  }
  return fits;
}

/// Codes in ascending order, each once, with a row each if there are any, and what holds them unless it is the caller.
template <class Key> struct ordered_codes {
  Key const* codes;
  std::uint64_t const* rows;
  std::uint64_t size;
  keyed_rows made;
};

/// @param rows one per code, or null
template <class Key>
ordered_codes<Key> order(Key const* codes, std::uint64_t const* rows, std::uint64_t size, execution const& exec) {
  ordered_codes<Key> result{codes, nullptr, size, {}};
  if (rows != nullptr) {
    result.made = in_order_with_rows(codes, size, {rows, size, row_type::u64}, exec);
    result.rows = result.made.rows.template as<std::uint64_t const>();
    result.size = result.made.size;
  } else {
    std::tie(result.made.codes, result.size) = in_order(codes, size, exec);
  }
  if (result.made.codes.data() != nullptr) result.codes = result.made.codes.template as<Key const>();
  return result;
}

template <class T> void move_to(T* to, T const* from, std::uint64_t size) {
  if (from != nullptr && from != to) std::memmove(to, from, size * sizeof(T));
}

/// @return bytes per key of a run while it is sorted: the key itself, and twice with a row id; with rows these three
/// times and those that are kept
std::uint64_t bytes_per_key(key_type type, bool rows) {
  std::uint64_t const key = size_of(type), row = sizeof(std::uint64_t);
  return rows ? 4 * (key + row) : 3 * key + 2 * row;
}

}  // namespace

struct key_set_builder::state {
  warpdex::key_type type;
  set_build_options options;
  std::uint64_t room;       ///< most keys in memory
  buffer held = {};         ///< their codes
  buffer held_rows = {};    ///< as many, of a set with rows
  std::uint64_t count = 0;  ///< of these
  std::optional<run_files> files = {};

  state(warpdex::key_type of, set_build_options with);
  void expect_host(char const* call, execution const& exec) const;
  void reserve(std::uint64_t size, execution const& exec);
  template <class Key> void add(column const& keys, row_array rows, execution const& exec);
  template <class Key> void sort_held(execution const& exec);
  template <class Key>
  void append(run_files& to, Key const* codes, std::uint64_t const* rows, std::uint64_t size, bool plain,
              execution const& exec) const;
  template <class Key> void add_run(ordered_codes<Key> const& from, execution const& exec);
  template <class Key> ordered_codes<Key> order_held(execution const& exec) const {
    return order(held.as<Key const>(), rows(), count, exec);
  }
  template <class Key> run_files merge(bool plain, execution const& exec);
  template <class Key> key_set over(run_files const& from, bool plain, execution const& exec) const;
  void take_rows(key_set& to, run_files const& from, execution const& exec) const;
  template <class Key> key_set finish(execution const& exec);
  /// @return whether there are as many runs as one merge takes, and no keys in its room
  bool is_full() const { return count == 0 && files && files->runs.size() >= room / tuning::run_keys_per_piece; }
  std::uint64_t* rows() const { return options.rows ? held_rows.as<std::uint64_t>() : nullptr; }
  void clear() {
    held = {};
    held_rows = {};
    count = 0;
    files.reset();
  }
};

key_set_builder::state::state(warpdex::key_type of, set_build_options with)
    : type(of), options(std::move(with)), room(options.memory / bytes_per_key(of, options.rows)) {
  constexpr char const* call = "key_set_builder";
  if (options.code > set_code::compressed)
    throw invalid_argument(fmt::format("{}: code number {} is unknown", call, static_cast<int>(options.code)));
  if (room < tuning::least_run)
    throw invalid_argument(fmt::format("{}: memory is {} bytes; {} keys need at least {}", call, options.memory,
                                       to_string(type), tuning::least_run * bytes_per_key(type, options.rows)));
  if (options.folder.empty()) options.folder = fs::temp_directory_path();
  else files.emplace(options.folder);
}

void key_set_builder::state::expect_host(char const* call, execution const& exec) const {
  if (exec.memory->backend() != backend_kind::cpu)
    throw invalid_argument(fmt::format("{}: sets of batches are built on the CPU", call));
}

void key_set_builder::state::reserve(std::uint64_t size, execution const& exec) {
  std::size_t const width = size_of(type);
  std::uint64_t const has = held.bytes() / width;
  if (size <= has) return;
  std::uint64_t const most = std::min(room, std::max<std::uint64_t>({size, 2 * has, tuning::least_run}));
  auto const grow = [&](buffer& array, std::size_t bytes) {
    buffer more(most * bytes, exec);
    if (count != 0) std::memcpy(more.data(), array.data(), count * bytes);
    array = std::move(more);
  };
  if (options.rows) grow(held_rows, sizeof(std::uint64_t));
  grow(held, width);
}

/// @param given one per key, if the set keeps rows
template <class Key> void key_set_builder::state::add(column const& keys, row_array given, execution const& exec) {
  for (std::uint64_t done = 0; done < keys.size;) {
    stop_scope::look();
    if (is_full()) files = merge<Key>(false, exec);  // after a merge that was stopped
    std::uint64_t const part = std::min(keys.size - done, room - count);
    reserve(count + part, exec);
    void const* const from = static_cast<Key const*>(keys.data) + done;
    steps::run(set_steps::encode_key<Key>{from, codec_of(type), held.as<Key>() + count}, part, exec);
    if (options.rows) {
      row_array const part_rows{static_cast<char*>(given.data) + done * given.width, given.width};
      steps::run(join_steps::copy_row{part_rows, {rows() + count, sizeof(std::uint64_t)}}, part, exec);
    }
    count += part;
    done += part;
    if (count == room) sort_held<Key>(exec);
  }
}

/// Makes room: by leaving repeats out, or by a run.
template <class Key> void key_set_builder::state::sort_held(execution const& exec) {
  auto const ordered = order_held<Key>(exec);
  if (ordered.size > room / 2) return add_run(ordered, exec);
  move_to(held.as<Key>(), ordered.codes, ordered.size);
  move_to(rows(), ordered.rows, ordered.size);
  count = ordered.size;
}

/// Writes ascending codes after those that are there. @param with their rows, or null @param plain whether they are not
/// compressed
template <class Key>
void key_set_builder::state::append(run_files& to, Key const* codes, std::uint64_t const* with, std::uint64_t size,
                                    bool plain, execution const& exec) const {
  if (with != nullptr) to.rows.write(with, size * sizeof(*with), to.keys * sizeof(*with));
  if (plain) {
    to.bases.write(codes, size * sizeof(Key), to.base_count * sizeof(Key));
    to.base_count += size;
  } else {
    key_set part(type, set_code::compressed, exec);
    part.size_ = size;
    part.compress<Key>(codes, exec);
    std::uint64_t const blocks = blocks_of(size);
    for (set_head& head : std::span(part.heads_.as<set_head>(), blocks)) head.bits += to.word_count;  // its place
    to.bases.write(part.keys_.data(), part.keys_.bytes(), to.base_count * sizeof(Key));
    to.heads.write(part.heads_.data(), part.heads_.bytes(), to.base_count * sizeof(set_head));
    to.words.write(part.words_.data(), part.words_.bytes(), to.word_count * sizeof(std::uint64_t));
    to.base_count += blocks;
    to.word_count += part.words_.bytes() / sizeof(std::uint64_t) - set_padding;  // which the next words replace
  }
  to.keys += size;
}

template <class Key> void key_set_builder::state::add_run(ordered_codes<Key> const& from, execution const& exec) {
  if (!files) files.emplace(options.folder);
  run_files::run const run{files->base_count, files->keys, from.size};
  append(*files, from.codes, from.rows, from.size, false, exec);
  files->runs.push_back(run);
  count = 0;
  if (is_full()) files = merge<Key>(false, exec);
}

/// Merges all runs to one. A piece of each has the keys up to some key, and is sorted as a whole. Blocks are written
/// when they are full, and the keys after the last one belong to the next piece.
template <class Key> run_files key_set_builder::state::merge(bool plain, execution const& exec) {
  reserve(room, exec);
  auto const bases = files->bases.map(files->base_count * sizeof(Key));
  auto const heads = files->heads.map(files->base_count * sizeof(set_head));
  auto const words = files->words.map((files->word_count + set_padding) * sizeof(std::uint64_t));
  auto const all_rows = options.rows ? files->rows.map(files->keys * sizeof(std::uint64_t)) : nullptr;
  std::vector<run_rest<Key>> rests;
  for (run_files::run const& run : files->runs) {
    set_view<Key> blocks;
    blocks.levels[0] = reinterpret_cast<Key const*>(bases->data()) + run.first_block;
    blocks.sizes[0] = blocks_of(run.keys);
    blocks.depth = 1;
    blocks.heads = reinterpret_cast<set_head const*>(heads->data()) + run.first_block;
    blocks.words = reinterpret_cast<std::uint64_t const*>(words->data());
    blocks.size = run.keys;
    auto const* const of_run = options.rows ? reinterpret_cast<std::uint64_t const*>(all_rows->data()) : nullptr;
    rests.push_back({blocks, options.rows ? of_run + run.first_key : nullptr});
  }
  run_files result(options.folder);
  Key* const piece = held.as<Key>();
  Key from = 0;
  std::uint64_t kept = 0;  // keys after the last whole block
  for (bool is_last = false; !is_last;) {
    stop_scope::look();
    auto const end = end_of_piece(rests, from, room - set_block);
    is_last = !end;
    std::uint64_t size = kept, left = 0;
    for (run_rest<Key>& rest : rests) {
      std::uint64_t const blocks = end ? rest.below(*end) : rest.blocks.sizes[0];
      if (blocks == 0) continue;
      set_view<Key> const read = rest.first(blocks);
      Key* const begin = piece + size;
      steps::run_long(set_steps::read_block<Key>{read, key_codec::identity, begin}, blocks, exec);
      Key const* const all = begin + read.size;
      Key const* const first = std::lower_bound(static_cast<Key const*>(begin), all, from);
      Key const* const last = end ? std::lower_bound(first, all, *end) : all;
      auto const taken = static_cast<std::uint64_t>(last - first);
      move_to(begin, first, taken);
      if (options.rows) move_to(rows() + size, rest.rows + (first - begin), taken);
      size += taken;
      rest.skip(end ? blocks - 1 : blocks);
      left += rest.blocks.size;
    }
    auto const ordered = order<Key>(piece, rows(), size, exec);
    std::uint64_t const whole = is_last ? ordered.size : ordered.size / set_block * set_block;
    if (whole != 0) append(result, ordered.codes, ordered.rows, whole, plain, exec);
    kept = ordered.size - whole;
    move_to(piece, ordered.codes + whole, kept);
    if (options.rows) move_to(rows(), ordered.rows + whole, kept);
    if (end) from = *end;
    tell_progress(1 - static_cast<double>(left) / static_cast<double>(files->keys));
  }
  result.runs.push_back({0, 0, result.keys});
  return result;
}

/// @return the set that files have
template <class Key>
key_set key_set_builder::state::over(run_files const& from, bool plain, execution const& exec) const {
  key_set result(type, options.code, exec);
  result.size_ = from.keys;
  result.code_ = plain ? set_code::plain : set_code::compressed;
  auto const array = [&](io::scratch_file const& file, std::uint64_t bytes) {
    auto const mapped = file.map(bytes);
    if (options.map) return io::memory_in_place::of({mapped->data(), bytes}, mapped);
    buffer copied(bytes, exec);
    std::memcpy(copied.data(), mapped->data(), bytes);
    return copied;
  };
  result.keys_ = array(from.bases, from.base_count * sizeof(Key));
  if (!plain) {
    result.heads_ = array(from.heads, from.base_count * sizeof(set_head));
    result.words_ = array(from.words, (from.word_count + set_padding) * sizeof(std::uint64_t));
  }
  result.make_levels<Key>(exec);
  if (options.rows) take_rows(result, from, exec);
  return result;
}

/// Packs the rows of a set; in pieces to a file of their own, if the set is to be in one.
void key_set_builder::state::take_rows(key_set& to, run_files const& from, execution const& exec) const {
  auto const mapped = from.rows.map(from.keys * sizeof(std::uint64_t));
  auto const* const given = reinterpret_cast<std::uint64_t const*>(mapped->data());
  if (!options.map) return to.take_rows(given, exec);
  to.row_bits_ = bits_of_rows(given, from.keys, exec);
  auto const group_bytes = static_cast<unsigned>(to.row_bits_) * sizeof(std::uint64_t);
  std::uint64_t const groups = groups_of_rows(from.keys), most = tuning::least_run / packed_rows::group;
  io::scratch_file packed(options.folder);
  buffer const piece(most * group_bytes, exec);
  for (std::uint64_t done = 0; done < groups; done += most) {
    stop_scope::look();
    std::uint64_t const first = done * packed_rows::group, size = std::min(groups - done, most);
    steps::run_long(set_steps::pack_rows{given + first, from.keys - first, to.row_bits_, piece.as<std::uint64_t>()},
                    size, exec);
    packed.write(piece.data(), size * group_bytes, done * group_bytes);
  }
  std::uint64_t const padding = 0, bytes = groups * group_bytes;
  packed.write(&padding, sizeof(padding), bytes);
  auto const in_file = packed.map(bytes + sizeof(padding));
  to.rows_ = io::memory_in_place::of({in_file->data(), bytes + sizeof(padding)}, in_file);
}

template <class Key> key_set key_set_builder::state::finish(execution const& exec) {
  if (!files || files->runs.empty()) {
    auto ordered = order_held<Key>(exec);
    key_set result(type, options.code, exec);
    if (options.rows) {
      ordered.made.size = ordered.size;
      result.take_each<Key>(std::move(ordered.made), exec);
      return result;
    }
    buffer codes = std::move(ordered.made.codes);
    if (codes.data() == nullptr && ordered.size != 0) {
      codes = buffer(ordered.size * sizeof(Key), exec);
      move_to(codes.as<Key>(), ordered.codes, ordered.size);
    }
    result.take<Key>(std::move(codes), ordered.size, exec);
    return result;
  }
  if (count != 0) add_run(order_held<Key>(exec), exec);
  bool const plain = options.code == set_code::plain;
  run_files const merged = merge<Key>(plain, exec);
  key_set result = over<Key>(merged, plain, exec);
  if (options.code != set_code::automatic || result.size() >= tuning::compressed_set_from) return result;
  buffer codes = result.read<Key>(false, exec);
  key_set small(type, options.code, exec);
  small.take<Key>(std::move(codes), result.size(), exec);
  small.rows_ = std::move(result.rows_);
  small.row_bits_ = result.row_bits_;
  return small;
}

key_set_builder::key_set_builder(warpdex::key_type type, set_build_options options) {
  run_call("key_set_builder", [&] {
    expect_type_of_set("key_set_builder", "the set", type);
    state_ = std::make_unique<state>(type, std::move(options));
  });
}

key_set_builder::~key_set_builder() = default;
key_set_builder::key_set_builder(key_set_builder&&) noexcept = default;
key_set_builder& key_set_builder::operator=(key_set_builder&&) noexcept = default;

void key_set_builder::add(nullable_column const& keys, execution const& exec) { add(keys, nullptr, exec); }

void key_set_builder::add(nullable_column const& keys, row_column rows, execution const& exec) {
  add(keys, &rows, exec);
}

void key_set_builder::add(nullable_column const& keys, row_column const* rows, execution const& exec) {
  constexpr char const* call = "key_set_builder::add";
  run_call(call, exec, [&] {
    if (state_ == nullptr) throw invalid_argument(fmt::format("{}: this builder was moved from", call));
    state_->expect_host(call, exec);
    expect_change_of_set(call, keys.type, state_->type, true, rows != nullptr, state_->options.rows ? 1 : 0);
    valid_keys const present(call, keys, rows, exec);
    staging stage(call, backend_kind::cpu, -1, exec);
    column const valid = stage.input(present.keys, valid_keys::name);
    row_array given;
    if (rows != nullptr) {
      given = {const_cast<void*>(stage.input(present.rows, "the row column").data), size_of(rows->type)};
      if (steps::find_first(set_steps::is_no_row{given}, valid.size, exec))
        with_row(rows->type, []<class Row>() { refuse_reserved_row<Row>(); });
    }
    with_codes_of(keys.type, [&]<class Key>() { state_->add<Key>(valid, given, exec); });
  });
}

key_set key_set_builder::finish(execution const& exec) {
  constexpr char const* call = "key_set_builder::finish";
  return run_call(call, exec, [&] {
    if (state_ == nullptr) throw invalid_argument(fmt::format("{}: this builder was moved from", call));
    state_->expect_host(call, exec);
    std::optional<key_set> made;
    with_codes_of(state_->type, [&]<class Key>() { made = state_->finish<Key>(exec); });
    state_->clear();
    return std::move(*made);
  });
}

}  // namespace warpdex
