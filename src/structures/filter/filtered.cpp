// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/filter/filtered.hpp"

#include <algorithm>
#include <cstring>

#include "base/limits.hpp"
#include "base/tuning.hpp"
#include "structures/filter/filter_steps.hpp"
#include "structures/key_parts.hpp"
#include "structures/view_structure.hpp"

namespace warpdex {
namespace {

/// The section `filter` of files.
struct filter_numbers {
  std::uint64_t made_for = 0;  ///< keys; the number of blocks follows from it
  std::uint64_t keys = 0;      ///< that were added
};

/// The probes of a batch that may be keys.
struct passed_probes {
  std::uint64_t size;
  buffer keys;
  buffer numbers;
};

class filtered_structure final : public structure {
 public:
  filtered_structure(plan const& made_by, std::unique_ptr<structure> behind, std::uint64_t bits_per_key,
                     execution const& exec)
      : structure(made_by.resolved, made_by.shape), behind_(std::move(behind)),
        bits_per_key_(bits_per_key), numbers_{made_by.shape.size, made_by.shape.size}, blocks_(block_bytes(), exec) {
    ours().fill_zero(blocks_.owned.data(), blocks_.bytes, exec);
    for_each_part_of_keys(*behind_, exec,
                          [&](void const* keys, std::uint64_t size) { add(hashes_of(keys), size, exec); });
  }

  filtered_structure(plan const& made_by, std::unique_ptr<structure> behind, std::uint64_t bits_per_key,
                     stored_index const& from, execution const& exec)
      : structure(made_by.resolved, made_by.shape), behind_(std::move(behind)), bits_per_key_(bits_per_key) {
    auto const read = load_array(from.file, "filter", sizeof(numbers_), false, execution(host_memory()));
    std::memcpy(&numbers_, read.data, sizeof(numbers_));
    if (numbers_.made_for >= element_limit)
      from.file.fail("filter", "is made for " + std::to_string(numbers_.made_for) + " keys");
    bool const in_place = from.in_place && shape().backend == backend_kind::cpu;
    blocks_ = load_array(from.file, "filter_blocks", block_bytes(), in_place, exec);
    if (in_place) storage_ = from.file.storage();
    expect_known_sections(from.file, sections(), spec_text());
    if (behind_->has_doubtful_entries()) doubt_entries();
    try {
      if (from.checks_entries()) verify_filter(exec);
    } catch (format_error const& e) {
      from.file.fail("filter_blocks", e.what());
    }
  }

  bool ordered() const noexcept override { return behind_->ordered(); }
  std::uint64_t efficient_batch() const noexcept override { return behind_->efficient_batch(); }
  bool borrows() const noexcept override { return behind_->borrows(); }
  void keep_file(std::shared_ptr<io::mapping const> const& file) noexcept override { behind_->keep_file(file); }
  void keep_codes(buffer codes) noexcept override { behind_->keep_codes(std::move(codes)); }
  void expect_whole() const override { behind_->expect_whole(); }
  std::optional<sorted_view> entries_in_place() const noexcept override { return behind_->entries_in_place(); }
  sorted_pairs entries_to_merge(execution const& exec) const override { return behind_->entries_to_merge(exec); }
  void const* view(std::type_info const& type) const noexcept override { return behind_->view(type); }
  std::type_info const& view_type() const noexcept override { return behind_->view_type(); }
  void fill(fill_batch const& batch, execution const& exec) const override { behind_->fill(batch, exec); }
  void keys_at(std::uint64_t const* ranks, std::uint64_t size, void* keys, execution const& exec) const override {
    behind_->keys_at(ranks, size, keys, exec);
  }
  void longest_prefix(byte_key* strings, std::uint64_t size, void* rows, std::uint32_t* lengths,
                      execution const& exec) const override {
    behind_->longest_prefix(strings, size, rows, lengths, exec);
  }

  void point(point_batch const& batch, execution const& exec) const override;
  void range(range_batch const& batch, execution const& exec) const override;

  memory_usage memory() const noexcept override {
    memory_usage usage = behind_->memory();
    usage.auxiliary += blocks_.bytes;
    return usage;
  }

  std::vector<io::section> sections() const override {
    auto all = behind_->sections();
    all.push_back({"filter", &numbers_, sizeof(numbers_)});
    all.push_back({"filter_blocks", blocks_.data, blocks_.bytes});
    return all;
  }

  void verify(execution const& exec) const override {
    behind_->verify(exec);
    verify_filter(exec);
  }

  /// Adds keys to the filter before it changes the structure: if that fails, more bits change no answer. Erased keys
  /// keep theirs. When it would hold twice the keys that it was made for, it is made anew, with the structure.
  bool apply(changes const& batch, execution const& exec) override {
    std::uint64_t const keys = numbers_.keys + batch.insert.size;
    if (keys / 2 > numbers_.made_for) return false;
    own_blocks(exec);
    add({batch.insert.keys.data(), kind_of(shape().keys), key_codec::identity}, batch.insert.size, exec);
    if (!behind_->apply(batch, exec)) return false;
    numbers_.keys = keys;
    set_size(behind_->shape().size);
    return true;
  }

  bool assign(sorted_pairs const& batch, execution const& exec) override { return behind_->assign(batch, exec); }

  void outlive_stream() noexcept override {
    behind_->outlive_stream();
    blocks_.owned.outlive_stream();
  }

 private:
  warpdex::backend const& ours() const { return backend_of(shape().backend); }

  std::uint64_t block_bytes() const {
    return (numbers_.made_for * bits_per_key_ / (8 * sizeof(filter_block)) + 1) * sizeof(filter_block);
  }

  key_filter filter() const {
    return {static_cast<filter_block const*>(blocks_.data), blocks_.bytes / sizeof(filter_block)};
  }

  key_hashes hashes_of(void const* keys) const { return {keys, kind_of(shape().keys), codec_of(shape().keys)}; }

  void add(key_hashes const& hashes, std::uint64_t size, execution const& exec) {
    steps::run(filter_steps::add_key{hashes, filter(), blocks_.owned.as<filter_block>()}, size, exec);
  }

  void verify_filter(execution const& exec) const {
    for_each_part_of_keys(*behind_, exec, [&](void const* keys, std::uint64_t size) {
      if (steps::find_first(filter_steps::lacks_key{hashes_of(keys), filter()}, size, exec))
        throw format_error("damaged index: the filter lacks a key");
    });
  }

  /// Copies the blocks, if they are in a file.
  void own_blocks(execution const& exec) {
    if (blocks_.owned.data() != nullptr) return;
    stored_array copied(blocks_.bytes, exec);
    ours().copy(copied.owned.data(), blocks_.data, blocks_.bytes, exec);
    ours().synchronize(exec);
    blocks_ = std::move(copied);
    storage_ = nullptr;
  }

  /// @return whether a batch asks the filter. While a graph records its stream, the number of probes that pass cannot
  /// be waited for
  bool filters(std::uint64_t size, execution const& exec) const {
    bool const on_gpu = shape().backend == backend_kind::cuda;
    return size >= (on_gpu ? tuning::filter_from_probes_on_gpu : tuning::filter_from_probes) && !ours().records(exec);
  }

  std::optional<passed_probes> ask(void const* probes, std::uint64_t size, filter_steps::answer_arrays const& to,
                                   std::uint64_t answer, execution const& exec) const;

  std::unique_ptr<structure> behind_;
  std::uint64_t bits_per_key_;
  filter_numbers numbers_;
  stored_array blocks_;
  std::shared_ptr<void const> storage_;  ///< of the blocks, if they are in a file
};

/// Answers the probes that are no keys.
/// @param answer to them
/// @return the others; none if most have passed, so that all may as well be searched
std::optional<passed_probes> filtered_structure::ask(void const* probes, std::uint64_t size,
                                                     filter_steps::answer_arrays const& to, std::uint64_t answer,
                                                     execution const& exec) const {
  std::size_t const width = size_of(shape().keys);
  buffer const passes(size, exec);
  steps::run(filter_steps::test_probe{hashes_of(probes), filter(), passes.as<std::uint8_t>(), to, answer}, size, exec);
  passed_probes passed{0, buffer(size * width, exec), buffer(size * sizeof(std::uint32_t), exec)};
  filter_steps::keep_probe const keep{passes.as<std::uint8_t>(), probes, width, passed.keys.data(),
                                      passed.numbers.as<std::uint32_t>()};
  passed.size = steps::select(keep, size, exec);
  if (static_cast<double>(passed.size) > tuning::filter_most_passed * static_cast<double>(size)) return std::nullopt;
  return passed;
}

/// Calls run(first, size) for consecutive parts of a batch.
template <class Run> void for_each_part(std::uint64_t size, Run const& run) {
  for (std::uint64_t first = 0; first < size; first += tuning::filter_probes)
    run(first, std::min<std::uint64_t>(size - first, tuning::filter_probes));
}

void* from(void* array, std::uint64_t element, std::size_t width) {
  return array == nullptr ? nullptr : static_cast<std::byte*>(array) + element * width;
}
void const* from(void const* array, std::uint64_t element, std::size_t width) {
  return static_cast<std::byte const*>(array) + element * width;
}

void filtered_structure::point(point_batch const& batch, execution const& exec) const {
  bool const is_flag = batch.op == search_op::contains;
  if ((!is_flag && batch.op != search_op::find) || !filters(batch.size, exec)) return behind_->point(batch, exec);
  expect_whole();
  std::size_t const width = is_flag ? 1 : size_of(shape().rows);
  for_each_part(batch.size, [&](std::uint64_t first, std::uint64_t size) {
    point_batch part = batch;
    part.size = size;
    part.probes = from(batch.probes, first, size_of(shape().keys));
    part.out = from(batch.out, first, width);
    if (part.positions != nullptr) part.positions += first;
    part.first_position += static_cast<std::uint32_t>(first);
    filter_steps::answer_arrays const to{{part.out}, width};
    auto const passed = ask(part.probes, size, to, answer_without_key(batch.op, 0), exec);
    if (!passed) return behind_->point(part, exec);
    if (part.positions != nullptr)
      steps::run(filter_steps::count_up<std::uint32_t>{part.positions, part.first_position}, size, exec);
    if (passed->size == 0) return;
    buffer const answers(passed->size * width, exec);
    part.probes = passed->keys.data();
    part.size = passed->size;
    part.out = answers.data();
    part.positions = nullptr;
    behind_->point(part, exec);
    steps::run(filter_steps::put_answers{{{answers.data()}, width}, passed->numbers.as<std::uint32_t>(), to},
               passed->size, exec);
  });
}

/// Ranges with one array of bounds are keys (run_ranges in request/batches.cpp).
void filtered_structure::range(range_batch const& batch, execution const& exec) const {
  if (batch.lower != batch.upper || !filters(batch.size, exec)) return behind_->range(batch, exec);
  expect_whole();
  constexpr std::size_t width = sizeof(std::uint64_t);
  for_each_part(batch.size, [&](std::uint64_t first, std::uint64_t size) {
    range_batch part = batch;
    part.size = size;
    part.lower = part.upper = from(batch.lower, first, size_of(shape().keys));
    filter_steps::answer_arrays to{{}, width};
    filter_steps::answer_arrays found{{}, width};
    std::uint64_t** const outputs[] = {&part.counts, &part.first, &part.sums};
    for (int i = 0; i < filter_steps::answer_arrays::most; ++i) {
      to.at[i] = from(*outputs[i], first, width);
      *outputs[i] = static_cast<std::uint64_t*>(to.at[i]);
    }
    auto const passed = ask(part.lower, size, to, 0, exec);
    if (!passed) return behind_->range(part, exec);
    if (passed->size == 0) return;
    std::vector<buffer> answers;
    for (int i = 0; i < filter_steps::answer_arrays::most; ++i) {
      if (to.at[i] == nullptr) continue;
      found.at[i] = answers.emplace_back(passed->size * width, exec).data();
      *outputs[i] = static_cast<std::uint64_t*>(found.at[i]);
    }
    part.lower = part.upper = passed->keys.data();
    part.size = passed->size;
    behind_->range(part, exec);
    steps::run(filter_steps::put_answers{found, passed->numbers.as<std::uint32_t>(), to}, passed->size, exec);
  });
}

class filtered_plan final : public plan {
 public:
  filtered_plan(std::unique_ptr<plan> behind, std::uint64_t bits_per_key)
      : plan(with_option(behind->resolved, bits_per_key), behind->shape), behind_(std::move(behind)),
        bits_per_key_(bits_per_key) {}

  std::unique_ptr<structure> make(contents from, execution const& exec) const override {
    auto* const stored = std::get_if<stored_index>(&from);
    if (stored == nullptr)
      return std::make_unique<filtered_structure>(*this, behind_->make(std::move(from), exec), bits_per_key_, exec);
    stored_index const whole = *stored;
    stored->is_part = true;
    return std::make_unique<filtered_structure>(*this, behind_->make(std::move(from), exec), bits_per_key_, whole,
                                                exec);
  }

  slot_order order() const override { return behind_->order(); }
  bool pairs_on_host() const override { return behind_->pairs_on_host(); }
  bool can_borrow() const override { return behind_->can_borrow(); }

 private:
  static spec with_option(spec const& of, std::uint64_t bits_per_key) {
    auto options = of.options();
    options.push_back({"filter", std::to_string(bits_per_key)});
    return {of.structure(), of.arguments(), std::move(options)};
  }

  std::unique_ptr<plan> const behind_;
  std::uint64_t const bits_per_key_;
};

}  // namespace

std::unique_ptr<plan> with_filter(std::unique_ptr<plan> behind, spec const& request, spec::word const& filter) {
  return std::make_unique<filtered_plan>(std::move(behind), request.number(filter, 4, 32));
}

}  // namespace warpdex
