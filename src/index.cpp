// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/index.hpp>

#include <limits>

#include "base/stopwatch.hpp"
#include "batch/expect.hpp"
#include "batch/staging.hpp"
#include "structures/structure.hpp"

namespace warpdex {
namespace {

/// The row type of a new index: what the spec says, else that of the given rows, else as wide as needed.
row_type choose_row_type(spec const& s, std::uint64_t size, std::optional<row_column> const& rows) {
  row_type chosen = rows ? rows->type : size < no_row<std::uint32_t> ? row_type::u32 : row_type::u64;
  if (auto const* word = s.option("rows")) {
    if (word->value != "u32" && word->value != "u64")
      s.fail(word->position, "unknown row type '" + word->value + "'; expected u32 or u64");
    chosen = word->value == "u32" ? row_type::u32 : row_type::u64;
  }
  if (chosen == row_type::u32 && size >= no_row<std::uint32_t>)
    throw invalid_argument("build: " + std::to_string(size) + " entries do not fit 32-bit row ids; use rows=u64");
  if (rows && rows->type != chosen)
    throw invalid_argument("build: the spec asks for row ids of type " + std::string(to_string(chosen)) +
                           ", the given ones are of type " + std::string(to_string(rows->type)));
  return chosen;
}

/// What an index consists of.
struct built_structure {
  std::unique_ptr<structure> made;
  std::string asked;
  build_times times;
};

built_structure build_structure(spec const& s, column keys, std::optional<row_column> rows, execution const& exec) {
  if (rows) expect_size("build", "the row column", rows->size, keys.size);
  backend_kind const kind = exec.memory->backend();
  index_shape const shape{keys.type, choose_row_type(s, keys.size, rows), keys.size, kind,
                          kind == backend_kind::cuda ? current_device() : -1};
  auto const plan = make_plan(s, shape);

  build_times times;
  stopwatch watch;
  staging arrays("build", kind, shape.device, exec);
  keys.data = arrays.input(keys.data, keys.size, size_of(keys.type), "the key column");
  if (rows) rows->data = arrays.input(rows->data, rows->size, size_of(rows->type), "the row column");
  backend_of(kind).synchronize(exec);
  double const staged = watch.lap();

  auto sorted = backend_of(kind).sort(keys, rows, shape.rows, plan->hash_seed(), exec, times.prepare, times.sort);
  times.prepare += staged;
  watch.lap();
  auto built = plan->make(std::move(sorted), exec);
  backend_of(kind).synchronize(exec);
  times.layout = watch.lap();
  return {std::move(built), plan->asked, times};
}

}  // namespace

backend const& backend_of(backend_kind kind) { return kind == backend_kind::cpu ? cpu_backend() : cuda_backend(); }

void copy(void* destination, void const* source, std::size_t bytes, execution const& exec) {
  bool const device = locate(destination).on_device || locate(source).on_device;
  backend const& by = backend_of(device ? backend_kind::cuda : backend_kind::cpu);
  by.copy(destination, source, bytes, exec);
  by.synchronize(exec);
}

index::index(std::unique_ptr<structure> built, std::string asked, build_times times)
    : structure_(std::move(built)), asked_(std::move(asked)), times_(times) {}
index::index(index&&) noexcept = default;
index& index::operator=(index&&) noexcept = default;
index::~index() = default;

index index::build(spec const& s, column keys, execution const& exec) {
  auto [made, asked, times] = build_structure(s, keys, std::nullopt, exec);
  return index(std::move(made), std::move(asked), times);
}

index index::build(spec const& s, column keys, row_column rows, execution const& exec) {
  auto [made, asked, times] = build_structure(s, keys, rows, exec);
  return index(std::move(made), std::move(asked), times);
}

index index::load(std::filesystem::path const& path, execution const& exec, bool map) {
  stored_index from{io::file::open(path, map), map};
  auto const head = from.file.head();
  if (head.rows == row_type::u32 && head.size >= no_row<std::uint32_t>)
    throw format_error(path.string() + ": " + std::to_string(head.size) + " entries with 32-bit row ids");
  try {
    auto const plan =
        make_plan(spec(head.spec), {head.keys, head.rows, head.size, exec.memory->backend(),
                                    exec.memory->backend() == backend_kind::cuda ? current_device() : -1});
    auto built = plan->make(std::move(from), exec);
    backend_of(exec.memory->backend()).synchronize(exec);
    return index(std::move(built), asked_for(*plan), {});
  } catch (spec_error const& e) {
    throw format_error(path.string() + ": the file's spec is not valid: " + e.what());
  }
}

void index::save(std::filesystem::path const& path) const {
  auto const& shape = structure_->shape();
  auto sections = structure_->sections();
  std::vector<buffer> copies;
  if (shape.backend == backend_kind::cuda) {
    for (auto& section : sections) {
      copies.emplace_back(section.bytes, execution(host_memory()));
      copy(copies.back().data(), section.data, section.bytes, execution());
      section.data = copies.back().data();
    }
  }
  io::write(path, {spec_text(), shape.keys, shape.rows, shape.size}, sections);
}

std::uint64_t index::size() const noexcept { return structure_->shape().size; }
warpdex::key_type index::key_type() const noexcept { return structure_->shape().keys; }
warpdex::row_type index::row_type() const noexcept { return structure_->shape().rows; }
backend_kind index::backend() const noexcept { return structure_->shape().backend; }
std::string const& index::spec_text() const noexcept { return structure_->spec_text(); }
memory_usage index::memory() const noexcept { return structure_->memory(); }
build_times const& index::times() const noexcept { return times_; }
void index::verify(execution const& exec) const { structure_->verify(exec); }

bool index::ordered() const noexcept { return structure_->ordered(); }

void const* index::view(std::type_info const& type) const {
  if (void const* const found = structure_->view(type)) return found;
  throw invalid_argument(std::string("view: the index is a ") + structure_->view_type().name() + ", not a " +
                         type.name());
}

namespace {

void expect_ordered(structure const& s, char const* call) {
  if (!s.ordered())
    throw unsupported(std::string(call) + ": " + s.spec_text() + " finds keys but has no order of them" +
                      ordered_instead(s.shape().keys, "answers bounds and ranges"));
}

/// An array that a batch reads.
batch_array input_array(column c, char const* what) {
  return {const_cast<void*>(c.data), size_of(c.type), what, true, false};
}

/// One point operation: checks the arrays, brings them within reach, runs.
/// @param keys of a floor, or none @param positions of answers in any order, or null
void run_point(structure const& s, char const* call, point_op op, column probes, void* out, std::uint64_t out_size,
               std::size_t out_width, key_output keys, std::uint32_t* positions, execution const& exec) {
  expect_type(call, "the probe column", probes.type, s.shape().keys);
  expect_size(call, "the output", out_size, probes.size);
  staging stage(call, s.shape().backend, s.shape().device, exec);
  if (probes.size == 0) return;
  std::vector<batch_array> arrays = {input_array(probes, "the probe column"),
                                     {out, out_width, "the output", false, true}};
  bool const with_keys = keys.data != nullptr || keys.size != 0;
  if (with_keys) {
    expect_type(call, "the key output", keys.type, s.shape().keys);
    expect_size(call, "the key output", keys.size, probes.size);
    arrays.push_back({keys.data, size_of(keys.type), "the key output", true, true});  // misses keep what it holds
  }
  if (positions != nullptr) arrays.push_back({positions, sizeof(std::uint32_t), "the position output", false, true});
  std::uint64_t done = 0;  // a long batch comes in parts, one after the other
  stage.run(probes.size, std::move(arrays), s.efficient_batch(), [&](void* const* at, std::uint64_t size) {
    point_batch part{op, codec_of(probes.type), at[0], size, at[1], with_keys ? at[2] : nullptr};
    if (positions != nullptr) {
      part.positions = static_cast<std::uint32_t*>(at[2]);
      part.first_position = static_cast<std::uint32_t>(done);
    }
    s.point(part, exec);
    done += size;
  });
}

/// Counts or sums of ranges.
void run_range(structure const& s, char const* call, column lower, column upper, std::span<std::uint64_t> out,
               bool sums, execution const& exec) {
  expect_type(call, "the column of lower bounds", lower.type, s.shape().keys);
  expect_type(call, "the column of upper bounds", upper.type, s.shape().keys);
  expect_size(call, "the column of upper bounds", upper.size, lower.size);
  expect_size(call, "the output", out.size(), lower.size);
  staging stage(call, s.shape().backend, s.shape().device, exec);
  if (lower.size == 0) return;
  std::vector<batch_array> arrays = {input_array(lower, "the column of lower bounds")};
  if (upper.data != lower.data) arrays.push_back(input_array(upper, "the column of upper bounds"));
  std::size_t const last_bound = arrays.size() - 1;
  arrays.push_back({out.data(), sizeof(std::uint64_t), "the output", false, true});
  stage.run(lower.size, std::move(arrays), 1, [&](void* const* at, std::uint64_t size) {
    auto* const results = static_cast<std::uint64_t*>(at[last_bound + 1]);
    range_batch batch{codec_of(lower.type), at[0], at[last_bound], size, nullptr, nullptr, nullptr};
    (sums ? batch.sums : batch.counts) = results;
    s.range(batch, exec);
  });
}

/// Counts, scans, fills.
matches run_retrieve(structure const& s, char const* call, column lower, column upper, execution const& exec) {
  expect_type(call, "the column of lower bounds", lower.type, s.shape().keys);
  expect_type(call, "the column of upper bounds", upper.type, s.shape().keys);
  expect_size(call, "the column of upper bounds", upper.size, lower.size);
  backend const& by = backend_of(s.shape().backend);
  staging arrays(call, s.shape().backend, s.shape().device, exec);
  matches found;
  found.probes = lower.size;
  found.offsets = buffer((lower.size + 1) * sizeof(std::uint64_t), exec);
  if (lower.size == 0) {
    by.fill_zero(found.offsets.data(), sizeof(std::uint64_t), exec);
    by.synchronize(exec);
    return found;
  }
  range_batch batch{codec_of(lower.type), nullptr, nullptr, lower.size, nullptr, nullptr, nullptr};
  batch.lower = arrays.input(lower.data, lower.size, size_of(lower.type), "the column of lower bounds");
  batch.upper = upper.data == lower.data
                    ? batch.lower
                    : arrays.input(upper.data, upper.size, size_of(upper.type), "the column of upper bounds");
  buffer first(lower.size * sizeof(std::uint64_t), exec);
  batch.counts = found.offsets.as<std::uint64_t>();
  batch.first = first.as<std::uint64_t>();
  s.range(batch, exec);
  found.total = by.exclusive_scan(batch.counts, lower.size, exec);
  std::size_t const width = size_of(s.shape().rows);
  if (found.total > std::numeric_limits<std::size_t>::max() / width)
    throw out_of_memory(std::string(call) + ": " + std::to_string(found.total) + " matches exceed the address space");
  found.rows = buffer(found.total * width, exec);
  if (found.total != 0) s.fill({batch.first, batch.counts, lower.size, found.rows.data()}, exec);
  by.synchronize(exec);
  return found;
}

}  // namespace

void index::contains(column probes, std::span<std::uint8_t> out, execution const& exec) const {
  run_point(*structure_, "contains", point_op::contains, probes, out.data(), out.size(), 1, {}, nullptr, exec);
}

void index::find(column probes, row_output out, execution const& exec) const {
  expect_type("find", "the output", out.type, row_type());
  run_point(*structure_, "find", point_op::find, probes, out.data, out.size, size_of(out.type), {}, nullptr, exec);
}

void index::find_any_order(column probes, std::span<std::uint32_t> positions, row_output rows,
                           execution const& exec) const {
  constexpr char const* call = "find_any_order";
  expect_type(call, "the row output", rows.type, row_type());
  expect_size(call, "the position output", positions.size(), probes.size);
  if (probes.size > std::numeric_limits<std::uint32_t>::max())
    throw invalid_argument(std::string(call) + ": " + std::to_string(probes.size) +
                           " probes, but positions have 32 bits; split the batch");
  if (probes.size != 0 && positions.data() == nullptr)
    throw invalid_argument(std::string(call) + ": the position output is a null pointer with " +
                           std::to_string(probes.size) + " elements");
  run_point(*structure_, call, point_op::find, probes, rows.data, rows.size, size_of(rows.type), {}, positions.data(),
            exec);
}

void index::lower_bound(column probes, std::span<std::uint64_t> out, execution const& exec) const {
  expect_ordered(*structure_, "lower_bound");
  run_point(*structure_, "lower_bound", point_op::lower_bound, probes, out.data(), out.size(), 8, {}, nullptr, exec);
}

void index::upper_bound(column probes, std::span<std::uint64_t> out, execution const& exec) const {
  expect_ordered(*structure_, "upper_bound");
  run_point(*structure_, "upper_bound", point_op::upper_bound, probes, out.data(), out.size(), 8, {}, nullptr, exec);
}

void index::floor(column probes, key_output keys, row_output rows, execution const& exec) const {
  expect_ordered(*structure_, "floor");
  expect_type("floor", "the row output", rows.type, row_type());
  run_point(*structure_, "floor", point_op::floor, probes, rows.data, rows.size, size_of(rows.type), keys, nullptr,
            exec);
}

void index::count(column probes, std::span<std::uint64_t> out, execution const& exec) const {
  run_range(*structure_, "count", probes, probes, out, false, exec);
}

matches index::retrieve(column probes, execution const& exec) const {
  return run_retrieve(*structure_, "retrieve", probes, probes, exec);
}

void index::range_count(column lower, column upper, std::span<std::uint64_t> out, execution const& exec) const {
  expect_ordered(*structure_, "range_count");
  run_range(*structure_, "range_count", lower, upper, out, false, exec);
}

void index::range_sum(column lower, column upper, std::span<std::uint64_t> out, execution const& exec) const {
  expect_ordered(*structure_, "range_sum");
  run_range(*structure_, "range_sum", lower, upper, out, true, exec);
}

matches index::range_retrieve(column lower, column upper, execution const& exec) const {
  expect_ordered(*structure_, "range_retrieve");
  return run_retrieve(*structure_, "range_retrieve", lower, upper, exec);
}

}  // namespace warpdex
