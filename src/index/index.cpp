// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/index.hpp>
#include <warpdex/mapped_column.hpp>
#include <warpdex/note.hpp>

#include "base/api_border.hpp"
#include "base/progress.hpp"
#include "base/stopwatch.hpp"
#include "base/type_name.hpp"
#include "index/column_sort.hpp"
#include "index/load.hpp"
#include "index/sorted.hpp"
#include "io/file.hpp"
#include "io/kind.hpp"
#include "io/layout.hpp"
#include "request/expect.hpp"
#include "request/staging.hpp"
#include "structures/structure.hpp"

namespace warpdex {
namespace {

/// The parts of an index.
struct built_structure {
  std::unique_ptr<structure> built;
  std::string request;
  build_times times;
};

built_structure build_structure(spec const& s, column keys, std::optional<row_column> rows, execution const& exec) {
  expect_known("build", "the key column", keys.type);
  if (rows) expect_known("build", "the row column", rows->type);
  if (rows) expect_size("build", "the row column", rows->size, keys.size);
  backend_kind const kind = exec.memory->backend();
  index_shape const shape{keys.type, choose_row_type("build", s, keys.size, rows), keys.size, kind,
                          device_of_call(exec)};
  auto const plan = make_plan(s, shape);

  build_times times;
  column_sort sort(keys, rows, *plan);
  auto [sorted, prepare_seconds, sort_seconds] = [&] {
    progress_step const step(0, .9);
    return sort.near_pairs(exec);
  }();
  tell_progress(.9);
  times.prepare = prepare_seconds;
  times.sort = sort_seconds;
  stopwatch watch;
  auto built = plan->make(std::move(sorted), exec);
  backend_of(kind).synchronize(exec);
  built->outlive_stream();
  times.layout = watch.lap();
  tell_progress(1);
  return {std::move(built), plan->request, times};
}

/// @param file that holds the keys, or null
built_structure build_over_sorted(spec const& s, column keys, std::shared_ptr<io::mapping const> const& file,
                                  execution const& exec) {
  constexpr char const* call = "over_sorted";
  expect_known(call, "the key column", keys.type);
  expect_numbers(call, "the key column", keys.type);
  backend_kind const kind = exec.memory->backend();
  index_shape const shape{keys.type, choose_row_type(call, s, keys.size, std::nullopt), keys.size, kind,
                          device_of_call(exec)};
  auto const plan = make_plan(s, shape);
  if (!plan->can_borrow())
    throw unsupported(
        std::string(call) + ": " + plan->spec_text() +
        " keeps its entries in an order or a layout of its own; these search a sorted column in place, in SoA: " +
        names_of_all_that(&structure_info::borrows));

  build_times times;
  stopwatch watch;
  auto const& backend = backend_of(kind);
  staging arrays(call, kind, shape.device, exec);
  buffer codes;
  if (codec_of(keys.type) != key_codec::identity) {
    codes = codes_of(arrays.input(keys, "the key column"), exec);
    keys.data = codes.data();
  }
  borrowed_keys const borrowed = arrays.borrow(keys.data, keys.size, size_of(keys.type), "the key column");
  key_order const order = backend.order_of(borrowed.data, keys.size, kind_of(keys.type), exec);
  if (order.first_descent)
    throw invalid_argument(std::string(call) + ": the key column is not sorted: key number " +
                           std::to_string(*order.first_descent) + " is less than the one before it");
  times.prepare = watch.lap();
  auto built = plan->make(borrowed, exec);
  built->note_repeats(order.repeats);
  if (codes.bytes() == 0) built->keep_file(file);
  codes.outlive_stream();
  built->keep_codes(std::move(codes));
  backend.synchronize(exec);
  built->outlive_stream();
  times.layout = watch.lap();
  return {std::move(built), plan->request, times};
}

struct loaded_structure {
  std::unique_ptr<structure> built;
  std::string request;
};

loaded_structure load_structure(stored_index from, execution const& exec) {
  if (static_cast<unsigned>(from.checks) > static_cast<unsigned>(check::none))
    throw invalid_argument("load: check number " + std::to_string(static_cast<int>(from.checks)) + " is unknown");
  io::expect_kind(from.file, io::file_kind::plain);
  if (!from.checks_entries()) from.file.trust_sections();
  from.in_place = from.in_place && is_aligned(from.file.memory());
  std::string const name = from.file.name();
  auto const head = from.file.head();
  if (head.rows == row_type::u32 && head.size >= no_row<std::uint32_t>)
    throw format_error(name + ": " + std::to_string(head.size) + " entries with 32-bit row ids");
  try {
    auto const plan = make_plan(spec_of_file(head.spec),
                                {head.keys, head.rows, head.size, exec.memory->backend(), device_of_call(exec)});
    auto result = plan->make(std::move(from), exec);
    backend_of(exec).synchronize(exec);
    result->outlive_stream();
    return {std::move(result), asked_for(*plan)};
  } catch (spec_error const& e) {
    throw format_error(name + ": the file's spec is not valid: " + e.what());
  }
}

/// The arrays of an index as sections in host memory, copied from a device if they are there.
class host_sections {
 public:
  /// @throws unsupported for an index that borrows its keys
  host_sections(structure const& from, char const* call)
      : head_{from.spec_text(), from.shape().keys, from.shape().rows, from.shape().size}, sections_(from.sections()) {
    from.expect_whole();
    if (from.borrows())
      throw unsupported(std::string(call) + ": " + from.spec_text() +
                        " borrows its key column (over_sorted); keep the column, and make the index over it again");
    if (from.shape().backend != backend_kind::cuda) return;
    for (auto& section : sections_) {
      copies_.emplace_back(section.bytes, execution(host_memory()));
      copy(copies_.back().data(), section.data, section.bytes, execution());
      section.data = copies_.back().data();
    }
  }

  io::header const& head() const { return head_; }
  std::span<io::section const> all() const { return sections_; }

 private:
  io::header head_;
  std::vector<io::section> sections_;
  std::vector<buffer> copies_;
};

}  // namespace

index::index(std::unique_ptr<structure> built, std::string request, build_times times)
    : structure_(std::move(built)), request_(std::move(request)), times_(times) {}
index::index(index&&) noexcept = default;
index& index::operator=(index&&) noexcept = default;
index::~index() = default;

index index::build(spec const& s, column keys, execution const& exec) {
  return run_call("build", exec, [&] {
    auto [built, request, times] = build_structure(s, keys, std::nullopt, exec);
    return index(std::move(built), std::move(request), times);
  });
}

index index::build(spec const& s, column keys, row_column rows, execution const& exec) {
  return run_call("build", exec, [&] {
    auto [built, request, times] = build_structure(s, keys, rows, exec);
    return index(std::move(built), std::move(request), times);
  });
}

index index::over_sorted(spec const& s, column keys, execution const& exec) {
  return run_call("over_sorted", exec, [&] {
    auto [built, request, times] = build_over_sorted(s, keys, nullptr, exec);
    return index(std::move(built), std::move(request), times);
  });
}

index index::over_sorted(spec const& s, mapped_column const& keys, execution const& exec) {
  return run_call("over_sorted", exec, [&] {
    auto [built, request, times] = build_over_sorted(s, keys.keys(), keys.file_, exec);
    return index(std::move(built), std::move(request), times);
  });
}

index index::load(std::filesystem::path const& path, execution const& exec, bool map, check checks) {
  return run_call("load", exec, [&] {
    auto [built, request] = load_structure({io::file::open(path, map), map, checks}, exec);
    return index(std::move(built), std::move(request), {});
  });
}

index index::load(std::span<std::byte const> bytes, execution const& exec, check checks) {
  return run_call("load", exec, [&] {
    detail::expect_array("load", "the span of bytes", bytes.data(), bytes.size());
    auto [built, request] = load_structure({io::file::parse(bytes), false, checks}, exec);
    return index(std::move(built), std::move(request), {});
  });
}

index index::load(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, execution const& exec,
                  check checks) {
  return run_call("load", exec, [&] {
    detail::expect_array("load", "the span of bytes", bytes.data(), bytes.size());
    auto [built, request] = load_structure({io::file::parse(bytes, "memory", std::move(owner)), true, checks}, exec);
    return index(std::move(built), std::move(request), {});
  });
}

std::unique_ptr<structure> load_structure_part(io::file const& from, std::string const& section, bool in_place,
                                               check checks, execution const& exec) {
  return load_structure({from.part(section), in_place, checks}, exec).built;
}

index load_part(io::file const& from, std::string const& section, bool in_place, check checks, execution const& exec) {
  auto [built, request] = load_structure({from.part(section), in_place, checks}, exec);
  return index(std::move(built), std::move(request), {});
}

static_assert(max_note_bytes == io::max_note_bytes);

void index::save(std::filesystem::path const& path) const { warpdex::save(*this, path, {}); }

std::vector<std::byte> index::save() const { return warpdex::save(*this, std::string_view()); }

void save(index const& from, std::filesystem::path const& path, std::string_view note) {
  structure const& s = structure_of(from, "save");
  run_call("save", [&] {
    host_sections const sections(s, "save");
    io::write(path, sections.head(), sections.all(), note);
  });
}

std::vector<std::byte> save(index const& from, std::string_view note) {
  structure const& s = structure_of(from, "save");
  return run_call("save", [&] { return image_of(s, note); });
}

std::vector<std::byte> image_of(structure const& from, std::string_view note) {
  host_sections const sections(from, "save");
  return io::image(sections.head(), sections.all(), note);
}

std::string note_of(std::filesystem::path const& path) {
  return run_call("note_of", [&] { return io::file::open(path, false).note(); });
}

std::string note_of(std::span<std::byte const> bytes) {
  return run_call("note_of", [&] {
    detail::expect_array("note_of", "the span of bytes", bytes.data(), bytes.size());
    return io::file::parse(bytes).note();
  });
}

index index::clone(execution const& exec) const {
  structure const& s = built("clone");
  return run_call("clone", exec, [&] {
    std::vector<std::byte> bytes;
    {
      host_sections const from(s, "clone");
      bytes = io::image(from.head(), from.all());
    }
    auto loaded = load_structure({io::file::parse(bytes), false, check::none}, exec);
    if (s.has_doubtful_entries()) loaded.built->doubt_entries();
    return index(std::move(loaded.built), request_, times_);
  });
}

structure const& index::built(char const* call) const {
  if (structure_ == nullptr)
    run_call(call, [&] { throw invalid_argument(std::string(call) + ": the index was moved from"); });
  return *structure_;
}

std::uint64_t index::size() const { return built("size").shape().size; }
warpdex::key_type index::key_type() const { return built("key_type").shape().keys; }
warpdex::row_type index::row_type() const { return built("row_type").shape().rows; }
backend_kind index::backend() const { return built("backend").shape().backend; }
std::string const& index::spec_text() const { return built("spec_text").spec_text(); }
memory_usage index::memory() const { return built("memory").memory(); }
build_times const& index::times() const noexcept { return times_; }
bool index::ordered() const { return built("ordered").ordered(); }

std::string index::view_type() const {
  structure const& s = built("view_type");
  return run_call("view_type", [&] { return type_name(s.view_type()); });
}

void index::verify(execution const& exec) const {
  structure const& s = built("verify");
  run_call("verify", exec, [&] {
    s.expect_whole();
    s.verify(exec);
  });
}

void const* index::view(std::type_info const& type) const {
  structure const& s = built("view");
  return run_call("view", [&] {
    void const* const found = s.view(type);
    if (found == nullptr)
      throw invalid_argument("view: that of " + s.spec_text() + " over keys of type " +
                             std::string(to_string(s.shape().keys)) + " is " + type_name(s.view_type()) + ", not " +
                             type_name(type));
    return found;
  });
}

}  // namespace warpdex
