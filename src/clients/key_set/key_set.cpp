// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/key_set.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/api_border.hpp"
#include "base/types.hpp"
#include "clients/key_set/set_parts.hpp"
#include "clients/key_set/set_windows.hpp"
#include "index/row_steps.hpp"
#include "io/mapping.hpp"
#include "request/expect.hpp"
#include "request/staging.hpp"

namespace warpdex {
namespace {

constexpr set_steps::set_rule in_any{true, true, true}, in_both{false, false, true}, in_left{true, false, false};

/// Looks for many probes: in windows, if they pay and there is memory for them.
/// @param order on a device; may be null
template <class Key, class Answer>
void look_up(set_steps::look_up<Key, Answer> const& search, set_order const* order, std::uint64_t size,
             execution const& exec) {
  if (order != nullptr && static_cast<set_order_of<Key> const*>(order)->look_up(search, size, exec)) return;
  using windows = set_windows<Key, Answer>;
  std::optional<windows> in_windows;
  if (exec.memory->backend() == backend_kind::cpu && windows::pay(search.set, size)) {
    try {
      in_windows.emplace(search, size, exec);
    } catch (out_of_memory const&) {
    }
  }
  if (in_windows) in_windows->run();
  else steps::run(search, size, exec);
}

}  // namespace

key_set::key_set(warpdex::key_type type, set_code wanted, execution const& exec)
    : type_(type), wanted_(wanted), backend_(exec.memory->backend()), device_(device_of_call(exec)) {}

key_set::key_set(nullable_column const& keys, execution const& exec, set_code code) {
  constexpr char const* call = "key_set";
  run_call(call, exec, [&] {
    expect_code(call, code);
    key_set made(keys.type, code, exec);
    made.fill(call, keys, exec);
    *this = std::move(made);
  });
}

void key_set::fill(char const* call, nullable_column const& keys, execution const& exec) {
  with_valid_keys(call, keys, backend_, device_, exec, [&]<class Key>(column const& valid) {
    auto [codes, size] = distinct_codes<Key>(valid, exec);
    take<Key>(std::move(codes), size, exec);
  });
}

key_set::key_set(nullable_column const& keys, row_column rows, execution const& exec, set_code code) {
  constexpr char const* call = "key_set";
  run_call(call, exec, [&] {
    expect_code(call, code);
    key_set made(keys.type, code, exec);
    made.fill(call, keys, rows, exec);
    *this = std::move(made);
  });
}

void key_set::fill(char const* call, nullable_column const& keys, row_column rows, execution const& exec) {
  valid_keys const present(call, keys, &rows, exec);
  staging stage(call, backend_, device_, exec);
  column const numbers = stage.input(present.rows, "the row column");
  with_valid_keys(call, present.keys, backend_, device_, exec, [&]<class Key>(column const& valid) {
    buffer codes(valid.size * sizeof(Key), exec);
    steps::run(set_steps::encode_key<Key>{valid.data, codec_of(valid.type), codes.as<Key>()}, valid.size, exec);
    auto first = in_order_with_rows(codes.as<Key>(), valid.size, {numbers.data, numbers.size, rows.type}, exec);
    take_each<Key>(std::move(first), exec);
  });
}

void key_set::take_rows(std::uint64_t const* rows, execution const& exec) {
  row_bits_ = bits_of_rows(rows, size_, exec);
  std::uint64_t const groups = groups_of_rows(size_);
  rows_ = buffer((groups * static_cast<unsigned>(row_bits_) + 1) * sizeof(std::uint64_t), exec);
  auto const& backend = backend_of(backend_);
  backend.fill_zero(rows_.data(), rows_.bytes(), exec);
  steps::run_long(set_steps::pack_rows{rows, size_, row_bits_, rows_.as<std::uint64_t>()}, groups, exec);
  backend.synchronize(exec);
  rows_.outlive_stream();
}

/// @return the keys from a block on; of a plain set as many are left out
template <class Key> buffer key_set::read(bool decoded, execution const& exec, std::uint64_t first_block) const {
  std::uint64_t const first = first_block * set_block, size = size_ - first;
  buffer result(size * sizeof(Key), exec);
  key_codec const codec = decoded ? codec_of(type_) : key_codec::identity;
  if (code_ == set_code::plain) {
    steps::run(set_steps::read_key<Key>{keys_.as<Key>() + first, codec, result.as<Key>()}, size, exec);
  } else {
    set_view<Key> from = view<Key>();
    from.levels[0] += first_block;
    from.heads += first_block;
    from.size = size;
    steps::run_long(set_steps::read_block<Key>{from, codec, result.as<Key>()}, blocks_of(size), exec);
  }
  return result;
}

/// @return the least and the greatest key of a set that has some
key_list key_set::ends(execution const& exec) const {
  std::size_t const width = size_of(type_);
  key_list result{buffer(2 * width, exec), {}, 2, 2 * width, type_};
  std::uint64_t const last_block = blocks_of(size_) - 1;
  with_codes_of(type_, [&]<class Key>() {
    auto* const to = result.keys.as<Key>();
    steps::run(set_steps::read_key<Key>{keys_.as<Key>(), codec_of(type_), to}, 1, exec);
    buffer const last = read<Key>(true, exec, last_block);
    backend_of(exec).copy(to + 1, last.template as<Key>() + (size_ - 1 - last_block * set_block), width, exec);
    backend_of(exec).synchronize(exec);
  });
  return result;
}

std::uint64_t key_set::bytes() const noexcept {
  return keys_.bytes() + levels_.bytes() + heads_.bytes() + words_.bytes() + rows_.bytes() +
         (order_ == nullptr ? 0 : order_->bytes());
}

void key_set::expect_whole(char const* call) const {
  if (size_ != 0 && keys_.data() == nullptr) throw invalid_argument(fmt::format("{}: this set was moved from", call));
  if (file_ != nullptr) file_->expect_whole();
}

void key_set::ask(char const* call, nullable_column const& probes, void* answers, std::size_t width,
                  execution const& exec) const {
  constexpr char const* name = "the column of probes";
  staging stage(call, backend_, device_, exec);
  if (probes.size == 0) return;
  std::uint64_t done = 0;
  validity_bits const valid = stage.validity(probes, "the validity of probes");
  auto const run_part = [&](void* const* at, std::uint64_t size) {
    set_steps::set_probes const part{at[0], probes.type, type_, valid.from(done)};
    with_codes_of(type_, [&]<class Key>() {
      auto const answer = [&]<class Answer>(Answer const& to) {
        look_up<Key, Answer>({view<Key>(), part, to}, order_.get(), size, exec);
      };
      if (width == sizeof(bool)) answer(set_steps::flag_answer{static_cast<std::uint8_t*>(at[1])});
      else answer(set_steps::row_answer{rows(), static_cast<std::uint64_t*>(at[1])});
    });
    done += size;
  };
  stage.run(probes.size, {stage.probes(probes, name), {answers, width, "the output", false, true}}, 0, run_part);
}

void key_set::contains(nullable_column const& probes, std::span<bool> found, execution const& exec) const {
  constexpr char const* call = "contains";
  run_call(call, exec, [&] {
    expect_whole(call);
    expect_comparable(call, "the column of probes", probes.type, type_);
    expect_size(call, "the output", found.size(), probes.size);
    ask(call, probes, found.data(), sizeof(bool), exec);
  });
}

void key_set::find(nullable_column const& probes, std::span<std::uint64_t> rows, execution const& exec) const {
  constexpr char const* call = "find";
  run_call(call, exec, [&] {
    expect_whole(call);
    expect_rows_of_set(call, row_bits_);
    expect_comparable(call, "the column of probes", probes.type, type_);
    expect_size(call, "the output", rows.size(), probes.size);
    ask(call, probes, rows.data(), sizeof(std::uint64_t), exec);
  });
}

std::vector<std::uint64_t> key_set::find(nullable_column const& probes, execution const& exec) const {
  auto rows = detail::answers<std::uint64_t>("find", probes.size);
  find(probes, rows, exec);
  return rows;
}

std::vector<std::uint8_t> key_set::contains(nullable_column const& probes, execution const& exec) const {
  auto found = detail::answers<std::uint8_t>("contains", probes.size);
  contains(probes, {reinterpret_cast<bool*>(found.data()), found.size()}, exec);
  return found;
}

std::uint64_t key_set::count(nullable_column const& probes, execution const& exec) const {
  constexpr char const* call = "count";
  return run_call(call, exec, [&] {
    expect_whole(call);
    expect_comparable(call, "the column of probes", probes.type, type_);
    expect_possible(call, "the column of probes", probes.size);
    buffer const flags(probes.size, exec);
    ask(call, probes, flags.data(), sizeof(bool), exec);
    return count_flags(flags, exec);
  });
}

key_set key_set::combined(char const* call, key_set const& other, set_steps::set_rule rule,
                          execution const& exec) const {
  expect_whole(call);
  other.expect_whole(call);
  expect_one_type(call, type_, other.type_);
  if (backend_ != other.backend_ || device_ != other.device_)
    throw invalid_argument(fmt::format("{}: the sets are not on the same device", call));
  if (row_bits_ != 0 && other.row_bits_ == 0 && rule.right_alone)
    throw invalid_argument(fmt::format("{}: this set keeps rows, but the other one has none", call));
  staging const stage(call, backend_, device_, exec);
  key_set result(type_, wanted_, exec);
  with_codes_of(type_, [&]<class Key>() {
    bool const left_is_plain = code_ == set_code::plain, right_is_plain = other.code_ == set_code::plain;
    buffer const left = left_is_plain ? buffer() : read<Key>(false, exec);
    buffer const right = right_is_plain ? buffer() : other.template read<Key>(false, exec);
    set_steps::set_pair<Key> const pair{(left_is_plain ? keys_ : left).as<Key>(), size_,
                                        (right_is_plain ? other.keys_ : right).as<Key>(), other.size_, rule};
    std::uint64_t const tiles = pair.tiles();
    buffer const counts((tiles + 1) * sizeof(std::uint64_t), exec);
    auto* const places = counts.as<std::uint64_t>();
    steps::run_long(set_steps::count_tile<Key>{pair, places}, tiles, exec);
    std::uint64_t const kept = tiles == 0 ? 0 : backend_of(backend_).exclusive_scan(places, tiles, exec);
    buffer codes(kept * sizeof(Key), exec);
    buffer const of_keys(row_bits_ == 0 ? 0 : (kept + 1) * sizeof(std::uint64_t), exec);
    auto* const kept_rows = of_keys.as<std::uint64_t>();
    steps::run_long(set_steps::write_tile<Key>{pair, places, codes.as<Key>(), rows(), other.rows(), kept_rows}, tiles,
                    exec);
    result.take<Key>(std::move(codes), kept, exec);
    if (row_bits_ != 0) result.take_rows(kept_rows, exec);
  });
  return result;
}

key_set key_set::merge(key_set const& other, execution const& exec) const {
  return run_call("merge", exec, [&] { return combined("merge", other, in_any, exec); });
}

key_set key_set::intersection(key_set const& other, execution const& exec) const {
  return run_call("intersection", exec, [&] { return combined("intersection", other, in_both, exec); });
}

key_set key_set::difference(key_set const& other, execution const& exec) const {
  return run_call("difference", exec, [&] { return combined("difference", other, in_left, exec); });
}

std::uint64_t key_set::change(char const* call, nullable_column const& keys, row_column const* rows,
                              set_steps::set_rule rule, execution const& exec) {
  return run_call(call, exec, [&] {
    expect_whole(call);
    expect_change_of_set(call, keys.type, type_, rule.right_alone, rows != nullptr, row_bits_);
    key_set given(type_, set_code::plain, exec);
    if (rows != nullptr) given.fill(call, keys, *rows, exec);
    else given.fill(call, keys, exec);
    key_set changed = combined(call, given, rule, exec);
    std::uint64_t const before = size_, now = changed.size_;
    *this = std::move(changed);
    return now > before ? now - before : before - now;
  });
}

std::uint64_t key_set::insert(nullable_column const& keys, execution const& exec) {
  return change("insert", keys, nullptr, in_any, exec);
}

std::uint64_t key_set::insert(nullable_column const& keys, row_column rows, execution const& exec) {
  return change("insert", keys, &rows, in_any, exec);
}

std::uint64_t key_set::erase(nullable_column const& keys, execution const& exec) {
  return change("erase", keys, nullptr, in_left, exec);
}

key_list key_set::keys(execution const& exec) const {
  constexpr char const* call = "keys";
  return run_call(call, exec, [&] {
    expect_whole(call);
    staging const stage(call, backend_, device_, exec);
    key_list result;
    result.size = size_;
    result.type = type_;
    with_codes_of(type_, [&]<class Key>() { result.keys = read<Key>(true, exec); });
    result.bytes = result.keys.bytes();
    backend_of(backend_).synchronize(exec);
    return result;
  });
}

}  // namespace warpdex
