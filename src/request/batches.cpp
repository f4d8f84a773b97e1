// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <vector>

#include "backend/rounding_steps.hpp"
#include "request/batches.hpp"

/// @file
/// Batches of probes as their callers have them: of other types than the keys, null, with open and absent bounds.
namespace warpdex {
namespace {

/// The keys that replace the probes of a batch, and the probes that no key replaces.
class keyed_probes {
 public:
  keyed_probes(batch_answerer const& s, std::uint64_t size, execution const& exec)
      : backend_(backend_of(s.shape().backend)), keys_of_(s.shape().keys), size_(size), exec_(exec) {}

  /// @return keys in the place of probes or bounds; valid while this object lives
  void const* round(probe_array const& from, rounding side, rounding_steps::unkeyed noted) {
    bool const between = side == rounding::below || side == rounding::above;
    if (from.type == keys_of_ && !between) return from.keys;
    if (keys_of_ == key_type::bytes)
      return with_tail(from.keys, side == rounding::below ? byte_key::tail::open : byte_key::tail::zero);
    bool const first = notes_.data() == nullptr;
    if (first) notes_ = buffer(size_, exec_);
    buffer const& keys = rooms_.emplace_back(size_ * size_of(keys_of_), exec_);
    steps::run(rounding_steps::round_probe{from.type, keys_of_, side, noted, first, from.keys, keys.data(),
                                           notes_.as<std::uint8_t>()},
               size_, exec_);
    return keys.data();
  }

  /// @return the smallest or the largest key, once per range
  void const* extreme(bool largest) {
    u128 const key = extreme_key(keys_of_, largest);
    buffer const& keys = rooms_.emplace_back(size_ * size_of(keys_of_), exec_);
    steps::run(rounding_steps::fill_key{key, size_of(keys_of_), keys.data()}, size_, exec_);
    return keys.data();
  }

  void const* copy(void const* keys) {
    buffer const& room = rooms_.emplace_back(size_ * size_of(keys_of_), exec_);
    backend_.copy(room.data(), keys, room.bytes(), exec_);
    return room.data();
  }

  void const* with_tail(void const* strings, byte_key::tail tail) {
    return rooms_.emplace_back(backend_.with_tail(static_cast<byte_key const*>(strings), size_, tail, exec_)).data();
  }

  /// Writes answers, if there are probes without a key, or nulls among those in `to`.
  void answer_rest(rounding_steps::answer_unkeyed to) const {
    to.notes = notes_.as<std::uint8_t>();
    if (to.answers == nullptr) return;
    if (to.notes == nullptr && to.valid.bits == nullptr && to.also_valid.bits == nullptr) return;
    steps::run(to, size_, exec_);
  }

  bool all_have_keys() const { return notes_.data() == nullptr; }

 private:
  /// @return the bytes of a key; no number is beyond it
  static u128 extreme_key(key_type type, bool largest) {
    u128 bits = 0;
    if (type == key_type::bytes) {
      byte_key const end{nullptr, 0, largest ? byte_key::tail::ones : byte_key::tail::none};
      std::memcpy(&bits, &end, sizeof(end));
      return bits;
    }
    auto const of_width = [&]<class Bits>(Bits) -> u128 {
      key_codec const codec = codec_of(type);
      if constexpr (sizeof(Bits) < sizeof(u128))
        if (codec == key_codec::real && !largest)
          return static_cast<Bits>(detail::real_format<Bits>::infinity | detail::real_format<Bits>::sign);
      return decode(codec, largest ? static_cast<Bits>(-1) : Bits{0});
    };
    if (size_of(type) == 4) return of_width(std::uint32_t{});
    return size_of(type) == 8 ? of_width(std::uint64_t{}) : of_width(u128{});
  }

  backend const& backend_;
  key_type const keys_of_;
  std::uint64_t const size_;
  execution const& exec_;
  buffer notes_;  ///< one byte per probe (`rounding_steps::round_probe`); null until one may be without a key
  std::vector<buffer> rooms_;
};

/// @return the answer to a null probe
std::uint64_t null_answer(answer_kind kind) {
  return kind == answer_kind::row || kind == answer_kind::rank ? no_row<std::uint64_t> : 0;
}

}  // namespace

void run_points(batch_answerer const& s, lookup const& what, probe_array const& probes, std::uint64_t size,
                point_answers const& to, execution const& exec, std::optional<rounding> side) {
  if (size == 0) return;
  index_shape const& shape = s.shape();
  point_batch batch{what.op, codec_of(shape.keys), probes.keys, size, to.out, to.keys, to.positions, to.first_position};
  keyed_probes keyed(s, size, exec);
  batch.probes = keyed.round(probes, side.value_or(rounding_of(what.op)), rounding_steps::unkeyed_probe);
  bool const all_answered = keyed.all_have_keys() && probes.valid.bits == nullptr;
  if (all_answered) return s.point(batch, exec);
  std::size_t const key_width = size_of(shape.keys);
  std::size_t const width = width_of(what.writes[0], shape);
  buffer const found(to.keys == nullptr ? 0 : size * key_width, exec);
  batch.keys = found.data();
  s.point(batch, exec);
  keyed.answer_rest({.valid = probes.valid,
                     .answers = to.out,
                     .width = width,
                     .answer = answer_without_key(what.op, shape.size),
                     .of_nulls = null_answer(what.writes[0]),
                     .positions = to.positions,
                     .first_position = to.first_position});
  if (to.keys != nullptr)
    steps::run(rounding_steps::take_found_key{to.out, width, found.data(), to.keys, key_width}, size, exec);
}

namespace {

/// Counts the entries of ranges that have one bound: those before its rank, or those from it on.
void run_half_open(batch_answerer const& s, range_array const& ranges, std::uint64_t size, range_answers const& to,
                   execution const& exec) {
  bool const has_lower = ranges.has_lower;
  probe_array const& bound = has_lower ? ranges.lower : ranges.upper;
  bool const closed = has_lower ? detail::is_left_closed(ranges.closed) : detail::is_right_closed(ranges.closed);
  bool const before_equals = has_lower == closed;
  buffer const scratch(to.first == nullptr ? size * sizeof(std::uint64_t) : 0, exec);
  auto* const ranks = to.first != nullptr ? to.first : scratch.as<std::uint64_t>();
  run_points(s, before_equals ? lookups::lower_bound : lookups::upper_bound, {bound.keys, bound.type}, size, {ranks},
             exec);
  steps::run(rounding_steps::count_from_rank{ranks, bound.valid, has_lower, s.shape().size, to.counts, to.first}, size,
             exec);
}

}  // namespace

void run_ranges(batch_answerer const& s, range_array const& ranges, std::uint64_t size, range_answers const& to,
                execution const& exec) {
  if (size == 0) return;
  auto const& [form, lower, upper, closed, has_lower, has_upper] = ranges;
  bool const half_open = form == probe_form::ranges && has_lower != has_upper;
  if (half_open && to.sums == nullptr) return run_half_open(s, ranges, size, to, exec);
  keyed_probes keyed(s, size, exec);
  range_batch batch{codec_of(s.shape().keys), nullptr, nullptr, size, to.counts, to.first, to.sums};
  if (form != probe_form::ranges) {
    batch.lower = keyed.round(lower, rounding::equal, rounding_steps::unkeyed_probe);
    batch.upper = form == probe_form::keys ? batch.lower : keyed.with_tail(batch.lower, byte_key::tail::ones);
  } else {
    rounding const up = detail::is_left_closed(closed) ? rounding::up : rounding::above;
    rounding const down = detail::is_right_closed(closed) ? rounding::down : rounding::below;
    batch.lower = has_lower ? keyed.round(lower, up, rounding_steps::unkeyed_lower) : keyed.extreme(false);
    batch.upper = has_upper ? keyed.round(upper, down, rounding_steps::unkeyed_upper) : keyed.extreme(true);
    // One array as both bounds means keys, and a missing key has no rank then. With two arrays it has one.
    if (batch.lower == batch.upper && batch.first != nullptr) batch.upper = keyed.copy(batch.upper);
  }
  s.range(batch, exec);
  validity_bits const also_valid = form == probe_form::ranges ? upper.valid : validity_bits{};
  for (auto* const answers : {to.counts, to.sums})
    keyed.answer_rest({.valid = lower.valid, .also_valid = also_valid, .answers = answers});
  keyed.answer_rest({.noted = rounding_steps::unkeyed_lower, .answers = to.first, .answer = s.shape().size});
}

void answer_nulls(validity_bits valid, std::uint64_t size, void* answers, std::size_t width, std::uint64_t answer,
                  execution const& exec) {
  if (valid.bits == nullptr) return;
  steps::run(rounding_steps::answer_unkeyed{.valid = valid, .answers = answers, .width = width, .of_nulls = answer},
             size, exec);
}

void run_batch(batch_answerer const& s, lookup const& what, range_array const& part, std::uint64_t size,
               std::uint64_t first, void* const (&to)[2], execution const& exec) {
  if (what.op != search_op::count) {
    point_answers answers{to[0]};
    if (what.writes[1] == answer_kind::key) answers.keys = to[1];
    if (what.writes[1] == answer_kind::position) {
      answers.positions = static_cast<std::uint32_t*>(to[1]);
      answers.first_position = static_cast<std::uint32_t>(first);
    }
    return run_points(s, what, part.lower, size, answers, exec);
  }
  range_answers answers;
  for (int i = 0; i < 2; ++i) {
    auto* const numbers = static_cast<std::uint64_t*>(to[i]);
    if (what.writes[i] == answer_kind::count) answers.counts = numbers;
    if (what.writes[i] == answer_kind::rank) answers.first = numbers;
    if (what.writes[i] == answer_kind::sum) answers.sums = numbers;
  }
  run_ranges(s, part, size, answers, exec);
  if (answers.first == nullptr) return;
  for (probe_array const& bound : {part.lower, part.upper})
    answer_nulls(bound.valid, size, answers.first, sizeof(std::uint64_t), no_row<std::uint64_t>, exec);
}

void run_longest(structure const& s, probe_array const& probes, std::uint64_t size, void* rows, std::uint32_t* lengths,
                 execution const& exec) {
  s.longest_prefix(static_cast<byte_key*>(const_cast<void*>(probes.keys)), size, rows, lengths, exec);
  answer_nulls(probes.valid, size, rows, size_of(s.shape().rows), no_row<std::uint64_t>, exec);
  answer_nulls(probes.valid, size, lengths, sizeof(std::uint32_t), 0, exec);
}

}  // namespace warpdex
