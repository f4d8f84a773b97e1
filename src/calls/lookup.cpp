// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "calls/lookup.hpp"

#include <limits>

#include "backend/rounding_steps.hpp"
#include "base/call.hpp"
#include "calls/expect.hpp"
#include "calls/staging.hpp"

namespace warpdex {

structure const& structure_of(index const& from, char const* call) { return from.built(call); }

void expect_ordered(structure const& s, char const* call) {
  if (!s.ordered())
    throw unsupported(std::string(call) + ": " + s.spec_text() + " finds keys but has no order of them" +
                      ordered_instead(s.shape().keys, "answers bounds and ranges"));
}

void expect_prefixes(structure const& s, char const* call) {
  expect_ordered(s, call);
  if (s.shape().keys != key_type::bytes)
    throw unsupported(std::string(call) + ": keys of type " + std::string(to_string(s.shape().keys)) +
                      " have no prefixes of bytes; prefix_range gives the ends of a range for numbers");
}

namespace {

/// The probes of a batch, or of a part of it, rounded to keys of the index's type (backend/rounding.hpp).
class rounded_probes {
 public:
  rounded_probes(index_shape const& shape, std::uint64_t size, execution const& exec)
      : to_(shape.keys), size_(size), exec_(exec), misses_(size, exec) {}

  /// @return the keys that stand for the probes; valid while this object lives
  void const* round(void const* probes, key_type from, rounding side) {
    auto& keys = keys_.emplace_back(size_ * size_of(to_), exec_);
    bool const first = keys_.size() == 1;
    steps::run(rounding_steps::round_probe{from, to_, side, first, probes, keys.data(), misses()}, size_, exec_);
    return keys.data();
  }

  /// Writes the answers of the probes that have no key.
  void answer_misses(void* answers, std::size_t width, std::uint64_t answer, std::uint32_t const* positions = nullptr,
                     std::uint32_t first_position = 0) const {
    steps::run(rounding_steps::answer_miss{misses(), answers, width, answer, positions, first_position}, size_, exec_);
  }

 private:
  std::uint8_t* misses() const { return misses_.as<std::uint8_t>(); }

  key_type const to_;
  std::uint64_t const size_;
  execution const& exec_;
  buffer misses_;  ///< one byte per probe: 1 if no key stands for it
  std::vector<buffer> keys_;
};

rounding rounding_of(point_op op) {
  switch (op) {
    case point_op::lower_bound:
    case point_op::ceil: return rounding::up;
    case point_op::upper_bound:
    case point_op::floor: return rounding::down;
    default: return rounding::equal;
  }
}

/// @return the answer to a probe for which no key stands
/// @param size entries of the index
std::uint64_t answer_without_key(point_op op, std::uint64_t size) {
  switch (op) {
    case point_op::find:
    case point_op::floor:
    case point_op::ceil: return no_row<std::uint64_t>;
    case point_op::lower_bound: return size;  // the probe lies above all keys
    default: return 0;
  }
}

}  // namespace

void run_points(structure const& s, point_batch batch, key_type from, rounding side, std::size_t width,
                execution const& exec) {
  index_shape const& shape = s.shape();
  if (from == shape.keys && side != rounding::below && side != rounding::above) return s.point(batch, exec);
  std::size_t const key_width = size_of(shape.keys);
  rounded_probes probes(shape, batch.size, exec);
  batch.probes = probes.round(batch.probes, from, side);
  void* const keys = batch.keys;
  buffer const found(keys == nullptr ? 0 : batch.size * key_width, exec);
  batch.keys = found.data();
  s.point(batch, exec);
  probes.answer_misses(batch.out, width, answer_without_key(batch.op, shape.size), batch.positions,
                       batch.first_position);
  if (keys != nullptr)
    steps::run(rounding_steps::take_found_key{batch.out, width, found.data(), keys, key_width}, batch.size, exec);
}

namespace {

/// Runs one point operation: checks the arrays, brings them within reach, searches.
/// @param keys output for the keys of a floor or a ceil, or empty
/// @param positions output for the positions of answers in any order, or null
void run_point(structure const& s, char const* call, point_op op, column probes, void* out, std::uint64_t out_size,
               std::size_t out_width, key_output keys, std::uint32_t* positions, execution const& exec) {
  key_type const key = s.shape().keys;
  expect_comparable(call, "the probe column", probes.type, key);
  expect_size(call, "the output", out_size, probes.size);
  staging stage(call, s.shape().backend, s.shape().device, exec);
  bool const with_keys = keys.data != nullptr || keys.size != 0;
  if (with_keys) {
    if (key == key_type::bytes)
      throw unsupported(std::string(call) + ": keys of type bytes have no fixed length; ask for rows alone, and " +
                        "`keys_at` for keys");
    expect_type(call, "the key output", keys.type, key);
    expect_size(call, "the key output", keys.size, probes.size);
  }
  if (probes.size == 0) return;
  std::vector<batch_array> arrays = {stage.probes(probes, "the probe column"),
                                     {out, out_width, "the output", false, true}};
  if (with_keys)
    arrays.push_back({keys.data, size_of(keys.type), "the key output", true, true});  // a miss writes no key
  if (positions != nullptr) arrays.push_back({positions, sizeof(std::uint32_t), "the position output", false, true});
  std::uint64_t done = 0;  // probes of earlier parts: a long batch comes in consecutive parts
  stage.run(probes.size, std::move(arrays), s.efficient_batch(), [&](void* const* at, std::uint64_t size) {
    point_batch part{op, codec_of(key), at[0], size, at[1], with_keys ? at[2] : nullptr};
    if (positions != nullptr) {
      part.positions = static_cast<std::uint32_t*>(at[2]);
      part.first_position = static_cast<std::uint32_t>(done);
    }
    run_points(s, part, probes.type, rounding_of(op), out_width, exec);
    done += size;
  });
}

/// The bounds of ranges, two per range. A point operation on all rows of a key uses the same column for both.
struct range_columns {
  column lower;
  column upper;

  static range_columns of_points(column probes) { return {probes, probes}; }
  bool points() const noexcept {
    return lower.data == upper.data && lower.type == upper.type && lower.strings.offsets == upper.strings.offsets &&
           lower.strings.stride == upper.strings.stride;
  }
};

void expect_bounds(structure const& s, char const* call, range_columns const& bounds) {
  expect_comparable(call, "the column of lower bounds", bounds.lower.type, s.shape().keys);
  expect_comparable(call, "the column of upper bounds", bounds.upper.type, s.shape().keys);
  expect_size(call, "the column of upper bounds", bounds.upper.size, bounds.lower.size);
}

/// Runs a range batch whose bounds have the types of the columns `from`. Bounds of another type than the keys are
/// rounded.
void run_rounded(structure const& s, range_batch batch, range_columns const& from, execution const& exec) {
  key_type const key = s.shape().keys;
  if (from.lower.type == key && from.upper.type == key) return s.range(batch, exec);
  rounded_probes bounds(s.shape(), batch.size, exec);
  bool const points = from.points();
  batch.lower = bounds.round(batch.lower, from.lower.type, points ? rounding::equal : rounding::up);
  batch.upper = points ? batch.lower : bounds.round(batch.upper, from.upper.type, rounding::down);
  s.range(batch, exec);
  for (auto* const answers : {batch.counts, batch.sums})
    if (answers != nullptr) bounds.answer_misses(answers, sizeof(std::uint64_t), 0);
}

/// @return the ends of the ranges of prefixes, of which `prefixes` are references
buffer prefix_ends(structure const& s, void const* prefixes, std::uint64_t size, execution const& exec) {
  return backend_of(s.shape().backend)
      .with_tail(static_cast<byte_key const*>(prefixes), size, byte_key::tail::ones, exec);
}

/// Counts the entries of ranges, or sums their row ids.
/// @param prefixes whether the ranges are those of prefixes, given as points
void run_range(structure const& s, char const* call, range_columns const& bounds, bool prefixes,
               std::span<std::uint64_t> out, bool sums, execution const& exec) {
  expect_bounds(s, call, bounds);
  expect_size(call, "the output", out.size(), bounds.lower.size);
  staging stage(call, s.shape().backend, s.shape().device, exec);
  if (bounds.lower.size == 0) return;
  std::vector<batch_array> arrays = {stage.probes(bounds.lower, "the column of lower bounds")};
  if (!bounds.points()) arrays.push_back(stage.probes(bounds.upper, "the column of upper bounds"));
  std::size_t const last_bound = arrays.size() - 1;
  arrays.push_back({out.data(), sizeof(std::uint64_t), "the output", false, true});
  stage.run(out.size(), std::move(arrays), 1, [&](void* const* at, std::uint64_t size) {
    auto* const results = static_cast<std::uint64_t*>(at[last_bound + 1]);
    range_batch batch{codec_of(s.shape().keys), at[0], at[last_bound], size, nullptr, nullptr, nullptr};
    (sums ? batch.sums : batch.counts) = results;
    buffer const ends = prefixes ? prefix_ends(s, at[0], size, exec) : buffer();
    if (prefixes) batch.upper = ends.data();
    run_rounded(s, batch, bounds, exec);
  });
}

/// Retrieves the row ids of ranges: counts the entries per range, scans the counts to offsets, and writes the row ids.
/// @param prefixes whether the ranges are those of prefixes, given as points
matches run_retrieve(structure const& s, char const* call, range_columns const& bounds, bool prefixes,
                     execution const& exec) {
  expect_bounds(s, call, bounds);
  backend const& platform = backend_of(s.shape().backend);
  staging arrays(call, s.shape().backend, s.shape().device, exec);
  auto const& [lower, upper] = bounds;
  range_batch batch{codec_of(s.shape().keys), nullptr, nullptr, lower.size, nullptr, nullptr, nullptr};
  batch.lower = arrays.input(lower, "the column of lower bounds").data;
  batch.upper = bounds.points() ? batch.lower : arrays.input(upper, "the column of upper bounds").data;
  buffer const ends = prefixes ? prefix_ends(s, batch.lower, lower.size, exec) : buffer();
  if (prefixes) batch.upper = ends.data();
  matches found;
  found.probes = lower.size;
  found.row_type = s.shape().rows;
  found.offsets = buffer((lower.size + 1) * sizeof(std::uint64_t), exec);
  if (lower.size == 0) {
    platform.fill_zero(found.offsets.data(), sizeof(std::uint64_t), exec);
    platform.synchronize(exec);
    return found;
  }
  buffer first(lower.size * sizeof(std::uint64_t), exec);
  batch.counts = found.offsets.as<std::uint64_t>();
  batch.first = first.as<std::uint64_t>();
  run_rounded(s, batch, bounds, exec);
  found.total = platform.exclusive_scan(batch.counts, lower.size, exec);
  std::size_t const width = size_of(s.shape().rows);
  if (found.total > std::numeric_limits<std::size_t>::max() / width)
    throw out_of_memory(std::string(call) + ": " + std::to_string(found.total) + " matches exceed the address space");
  found.rows = buffer(found.total * width, exec);
  if (found.total != 0) s.fill({batch.first, batch.counts, lower.size, found.rows.data()}, exec);
  platform.synchronize(exec);
  return found;
}

/// Runs the body of a lookup that needs an order of the keys.
/// @throws unsupported if the structure has none
template <class Body>
decltype(auto) run_ordered(char const* call, structure const& s, execution const& exec, Body const& body) {
  return run_call(call, exec, [&]() -> decltype(auto) {
    expect_ordered(s, call);
    return body();
  });
}

/// `floor` and `ceil`.
void run_nearest(structure const& s, char const* call, point_op op, column probes, key_output keys, row_output rows,
                 execution const& exec) {
  run_ordered(call, s, exec, [&] {
    expect_type(call, "the row output", rows.type, s.shape().rows);
    run_point(s, call, op, probes, rows.data, rows.size, size_of(rows.type), keys, nullptr, exec);
  });
}

}  // namespace

void locate_points(structure const& s, void const* probes, key_type from, std::uint64_t size, std::uint64_t* counts,
                   std::uint64_t* first, execution const& exec) {
  range_batch const batch{codec_of(s.shape().keys), probes, probes, size, counts, first, nullptr};
  run_rounded(s, batch, range_columns::of_points({probes, size, from}), exec);
}

void index::contains(column probes, std::span<std::uint8_t> out, execution const& exec) const {
  constexpr char const* call = "contains";
  structure const& s = built(call);
  run_call(call, exec,
           [&] { run_point(s, call, point_op::contains, probes, out.data(), out.size(), 1, {}, nullptr, exec); });
}

void index::find(column probes, row_output out, execution const& exec) const {
  constexpr char const* call = "find";
  structure const& s = built(call);
  run_call(call, exec, [&] {
    expect_type(call, "the output", out.type, s.shape().rows);
    run_point(s, call, point_op::find, probes, out.data, out.size, size_of(out.type), {}, nullptr, exec);
  });
}

void index::find_any_order(column probes, std::span<std::uint32_t> positions, row_output rows,
                           execution const& exec) const {
  constexpr char const* call = "find_any_order";
  structure const& s = built(call);
  run_call(call, exec, [&] {
    expect_type(call, "the row output", rows.type, s.shape().rows);
    expect_size(call, "the position output", positions.size(), probes.size);
    if (probes.size > std::numeric_limits<std::uint32_t>::max())
      throw invalid_argument(std::string(call) + ": " + std::to_string(probes.size) +
                             " probes, but positions have 32 bits; split the batch");
    if (probes.size != 0 && positions.data() == nullptr)
      throw invalid_argument(std::string(call) + ": the position output is a null pointer with " +
                             std::to_string(probes.size) + " elements");
    run_point(s, call, point_op::find, probes, rows.data, rows.size, size_of(rows.type), {}, positions.data(), exec);
  });
}

void index::lower_bound(column probes, std::span<std::uint64_t> out, execution const& exec) const {
  constexpr char const* call = "lower_bound";
  structure const& s = built(call);
  run_ordered(call, s, exec,
              [&] { run_point(s, call, point_op::lower_bound, probes, out.data(), out.size(), 8, {}, nullptr, exec); });
}

void index::upper_bound(column probes, std::span<std::uint64_t> out, execution const& exec) const {
  constexpr char const* call = "upper_bound";
  structure const& s = built(call);
  run_ordered(call, s, exec,
              [&] { run_point(s, call, point_op::upper_bound, probes, out.data(), out.size(), 8, {}, nullptr, exec); });
}

void index::floor(column probes, key_output keys, row_output rows, execution const& exec) const {
  constexpr char const* call = "floor";
  run_nearest(built(call), call, point_op::floor, probes, keys, rows, exec);
}

void index::ceil(column probes, key_output keys, row_output rows, execution const& exec) const {
  constexpr char const* call = "ceil";
  run_nearest(built(call), call, point_op::ceil, probes, keys, rows, exec);
}

void index::count(column probes, std::span<std::uint64_t> out, execution const& exec) const {
  constexpr char const* call = "count";
  structure const& s = built(call);
  run_call(call, exec, [&] { run_range(s, call, range_columns::of_points(probes), false, out, false, exec); });
}

matches index::retrieve(column probes, execution const& exec) const {
  constexpr char const* call = "retrieve";
  structure const& s = built(call);
  return run_call(call, exec, [&] { return run_retrieve(s, call, range_columns::of_points(probes), false, exec); });
}

void index::range_count(column lower, column upper, std::span<std::uint64_t> out, execution const& exec) const {
  constexpr char const* call = "range_count";
  structure const& s = built(call);
  run_ordered(call, s, exec, [&] { run_range(s, call, {lower, upper}, false, out, false, exec); });
}

void index::range_sum(column lower, column upper, std::span<std::uint64_t> out, execution const& exec) const {
  constexpr char const* call = "range_sum";
  structure const& s = built(call);
  run_ordered(call, s, exec, [&] { run_range(s, call, {lower, upper}, false, out, true, exec); });
}

matches index::range_retrieve(column lower, column upper, execution const& exec) const {
  constexpr char const* call = "range_retrieve";
  structure const& s = built(call);
  return run_ordered(call, s, exec, [&] { return run_retrieve(s, call, {lower, upper}, false, exec); });
}

namespace {

/// Runs the body of a lookup of prefixes.
template <class Body>
decltype(auto) run_prefixes(char const* call, structure const& s, execution const& exec, Body const& body) {
  return run_call(call, exec, [&]() -> decltype(auto) {
    expect_prefixes(s, call);
    return body();
  });
}

}  // namespace

void index::prefix_count(column prefixes, std::span<std::uint64_t> out, execution const& exec) const {
  constexpr char const* call = "prefix_count";
  structure const& s = built(call);
  run_prefixes(call, s, exec, [&] { run_range(s, call, range_columns::of_points(prefixes), true, out, false, exec); });
}

void index::prefix_sum(column prefixes, std::span<std::uint64_t> out, execution const& exec) const {
  constexpr char const* call = "prefix_sum";
  structure const& s = built(call);
  run_prefixes(call, s, exec, [&] { run_range(s, call, range_columns::of_points(prefixes), true, out, true, exec); });
}

matches index::prefix_retrieve(column prefixes, execution const& exec) const {
  constexpr char const* call = "prefix_retrieve";
  structure const& s = built(call);
  return run_prefixes(call, s, exec,
                      [&] { return run_retrieve(s, call, range_columns::of_points(prefixes), true, exec); });
}

}  // namespace warpdex
