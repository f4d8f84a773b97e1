// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/arrow_column.hpp>
#include <warpdex/error.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/parallel.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "arrow/arrays.hpp"
#include "arrow/nested.hpp"
#include "arrow/stored.hpp"

namespace warpdex {
namespace {

/// Values that a thread moves at a time; whole bytes of bits.
constexpr std::int64_t grain = std::int64_t{1} << 16;

using task = std::function<void()>;

/// A column whose chunks are put together, by tasks.
class joined_column {
 public:
  explicit joined_column(arrow_chunks from) : kept_(std::make_shared<kept>()) {
    kept_->from = std::make_shared<arrow_chunks const>(std::move(from));
    for (auto const& chunk : chunks()) {
      size_ += chunk.value.length;
      if (chunk.value.null_count != 0 && chunk.value.buffers[0] != nullptr) any_null_ = true;
    }
  }

  /// @return whether the chunks can be put together; if so, adds what does it
  bool plan(std::vector<task>& tasks, execution const& exec) {
    stored const how = stored_as(schema());
    if (!have_one_dictionary() || (how.is_nested && !join_parts(how, exec))) return false;
    if (how.offset_bytes == 4 && !plan_strings<std::int32_t>(tasks, !how.is_nested)) return false;
    if (how.offset_bytes == 8 && !plan_strings<std::int64_t>(tasks, !how.is_nested)) return false;
    if (how.is_view) plan_views(tasks);
    else if (how.bits == 1) plan_bits(tasks, 1);
    else if (how.bits != 0) plan_values(tasks, how.bits / 8);
    if (any_null_) plan_bits(tasks, 0);
    return true;
  }

  /// @return the column, once its tasks have run
  arrow_column whole() const {
    auto& pointers = kept_->pointers;
    pointers.insert(pointers.begin(), {kept_->buffers[0].data(), kept_->buffers[1].data()});
    if (kept_->buffers[2].data() != nullptr) pointers.push_back(kept_->buffers[2].data());
    if (stored_as(schema()).buffers() == 1) pointers.pop_back();
    if (!any_null_) pointers[0] = nullptr;
    ArrowArray array = chunks()[0].value;
    array.length = size_;
    array.offset = 0;
    array.null_count = any_null_ ? -1 : 0;
    array.n_buffers = static_cast<std::int64_t>(pointers.size());
    array.buffers = pointers.data();
    array.children = kept_->arrays_at.data();
    return {schema(), array, -1, kept_};
  }

 private:
  struct kept {
    std::shared_ptr<arrow_chunks const> from;
    std::array<buffer, 3> buffers;      ///< validity, values, and bytes of strings
    std::vector<void const*> pointers;  ///< of the array
    std::vector<std::int64_t> lengths;  ///< of the buffers of views
    std::vector<arrow_column> parts;    ///< of structs, maps and lists
    std::vector<ArrowArray> arrays;     ///< the same
    std::vector<ArrowArray*> arrays_at;
  };

  ArrowSchema const& schema() const { return kept_->from->schema.value; }
  std::vector<arrow_owner<ArrowArray>> const& chunks() const { return kept_->from->arrays; }
  ArrowArray const& chunk(std::size_t c) const { return chunks()[c].value; }

  template <class T> T* room(std::size_t number, std::int64_t count) {
    kept_->buffers[number] = buffer(static_cast<std::size_t>(count) * sizeof(T), execution());
    return kept_->buffers[number].as<T>();
  }

  bool have_one_dictionary() const {
    auto const* const first = chunks()[0].value.dictionary;
    return first == nullptr || std::all_of(chunks().begin(), chunks().end(), [&](auto const& item) {
             return are_same(*schema().dictionary, *first, *item.value.dictionary);
           });
  }

  /// Puts the parts of all chunks together. @return whether that can be done
  bool join_parts(stored const& how, execution const& exec) {
    std::vector<arrow_chunks> parts(static_cast<std::size_t>(schema().n_children));
    for (auto const& chunk : chunks()) {
      auto const columns = parts_of({schema(), chunk.value, -1, kept_->from});
      for (std::size_t k = 0; k < columns.size(); ++k) {
        auto const [begin, count] = how.items != 0
                                        ? std::pair<std::int64_t, std::int64_t>(0, columns[k].values().length)
                                    : how.offset_bytes == 4 ? items_in<std::int32_t>(chunk.value)
                                                            : items_in<std::int64_t>(chunk.value);
        if (begin < 0 || count < 0 || begin + count > columns[k].values().length)
          throw invalid_argument("the offsets of its lists do not ascend from 0 to " +
                                 std::to_string(columns[k].values().length));
        ArrowArray part = columns[k].slice(begin, count).array();
        parts[k].arrays.emplace_back(part);
        if (parts[k].arrays.size() > 1) continue;
        ArrowSchema type = columns[k].schema();
        parts[k].schema = arrow_owner<ArrowSchema>(type);
      }
    }
    for (auto& part : in_one_chunk(std::move(parts), exec)) {
      if (!part) return false;
      kept_->arrays.push_back(part->values());
      kept_->parts.push_back(*std::move(part));
    }
    for (ArrowArray& array : kept_->arrays) kept_->arrays_at.push_back(&array);
    return true;
  }

  /// @return the first item of the lists of a chunk, and the number of their items
  template <class Offset> static std::pair<std::int64_t, std::int64_t> items_in(ArrowArray const& chunk) {
    if (chunk.length == 0) return {0, 0};
    auto const* const offsets = static_cast<Offset const*>(chunk.buffers[1]) + chunk.offset;
    return {offsets[0], std::int64_t{offsets[chunk.length]} - offsets[0]};
  }

  /// Adds tasks f(c, begin, end, row): values [begin, end) of chunk c, whose first one is that row of the column.
  template <class F> void each_part(std::vector<task>& tasks, F const& f) const {
    std::int64_t row = 0;
    for (std::size_t c = 0; c < chunks().size(); ++c) {
      std::int64_t const length = chunk(c).length;
      for (std::int64_t begin = 0; begin < length; begin += grain) {
        std::int64_t const end = std::min(begin + grain, length);
        tasks.push_back([f, c, begin, end, at = row + begin] { f(c, begin, end, at); });
      }
      row += length;
    }
  }

  void plan_values(std::vector<task>& tasks, std::size_t width) {
    auto* const to = room<std::byte>(1, size_ * static_cast<std::int64_t>(width));
    each_part(tasks, [=, this](std::size_t c, std::int64_t begin, std::int64_t end, std::int64_t row) {
      auto const* const from = static_cast<std::byte const*>(chunk(c).buffers[1]);
      std::memcpy(to + static_cast<std::size_t>(row) * width,
                  from + static_cast<std::size_t>(chunk(c).offset + begin) * width,
                  static_cast<std::size_t>(end - begin) * width);
    });
  }

  /// Bits of all chunks, which need not begin at whole bytes. @param number of the buffer: 0 is the validity
  void plan_bits(std::vector<task>& tasks, std::size_t number) {
    auto* const to = room<std::uint8_t>(number, (size_ + 7) / 8);
    for (std::int64_t begin = 0; begin < size_; begin += grain)
      tasks.push_back([this, to, number, begin] { join_bits(to, number, begin, std::min(begin + grain, size_)); });
  }

  void join_bits(std::uint8_t* to, std::size_t number, std::int64_t begin, std::int64_t end) const {
    std::int64_t first = 0;
    std::memset(to + begin / 8, 0, static_cast<std::size_t>((end - begin + 7) / 8));
    for (auto const& item : chunks()) {
      ArrowArray const& chunk = item.value;
      auto const* const bits = static_cast<std::uint8_t const*>(chunk.buffers[number]);
      bool const all = number == 0 && (bits == nullptr || chunk.null_count == 0);
      std::int64_t const last = std::min(end, first + chunk.length);
      for (std::int64_t i = std::max(begin, first); i < last; ++i) {
        std::int64_t const at = chunk.offset + i - first;
        if (all || (bits[at / 8] >> (at % 8) & 1) != 0)
          to[i / 8] = static_cast<std::uint8_t>(to[i / 8] | 1u << (i % 8));
      }
      first += chunk.length;
    }
  }

  /// Offsets of strings and their bytes, or offsets of lists alone.
  template <class Offset> bool plan_strings(std::vector<task>& tasks, bool has_bytes) {
    std::vector<std::int64_t> before;  // bytes before each chunk
    std::int64_t bytes = 0;
    for (auto const& chunk : chunks()) {
      before.push_back(bytes);
      if (chunk.value.length == 0) continue;
      auto const* const offsets = static_cast<Offset const*>(chunk.value.buffers[1]) + chunk.value.offset;
      Offset const first = offsets[0], last = offsets[chunk.value.length];
      if (first < 0 || last < first) throw invalid_argument("its offsets do not ascend from 0");
      bytes += last - first;
    }
    if (bytes > std::int64_t{std::numeric_limits<Offset>::max()}) return false;
    auto* const ends = room<Offset>(1, size_ + 1);
    ends[0] = 0;
    auto* const to = has_bytes ? room<std::byte>(2, std::max<std::int64_t>(bytes, 1)) : nullptr;
    each_part(tasks, [=, this](std::size_t c, std::int64_t begin, std::int64_t end, std::int64_t row) {
      ArrowArray const& from = chunk(c);
      auto const* const offsets = static_cast<Offset const*>(from.buffers[1]) + from.offset;
      auto const shift = static_cast<Offset>(before[c] - offsets[0]);
      std::transform(offsets + begin + 1, offsets + end + 1, ends + row + 1,
                     [shift](Offset offset) { return static_cast<Offset>(offset + shift); });
      Offset const low = offsets[begin], high = offsets[end];
      if (low < offsets[0] || high < low || high > offsets[from.length])
        throw invalid_argument("its offsets do not ascend from 0");
      if (!has_bytes) return;
      std::memcpy(to + low + shift, static_cast<std::byte const*>(from.buffers[2]) + low,
                  static_cast<std::size_t>(high - low));
    });
    return true;
  }

  void plan_views(std::vector<task>& tasks) {
    auto* const to = room<string_view_16>(1, size_);
    std::vector<std::int32_t> before;  // buffers before each chunk
    for (auto const& chunk : chunks()) {
      before.push_back(static_cast<std::int32_t>(kept_->pointers.size()));
      std::int64_t const count = chunk.value.n_buffers - 3;
      auto const* const lengths = static_cast<std::int64_t const*>(chunk.value.buffers[chunk.value.n_buffers - 1]);
      for (std::int64_t i = 0; i < count; ++i) {
        kept_->pointers.push_back(chunk.value.buffers[2 + i]);
        kept_->lengths.push_back(lengths[i]);
      }
    }
    kept_->lengths.push_back(0);  // so that there is memory for them
    kept_->pointers.push_back(kept_->lengths.data());
    each_part(tasks, [=, this](std::size_t c, std::int64_t begin, std::int64_t end, std::int64_t row) {
      auto const* const from = static_cast<string_view_16 const*>(chunk(c).buffers[1]) + chunk(c).offset;
      std::transform(from + begin, from + end, to + row, [shift = before[c]](string_view_16 view) {
        if (view.length > view.longest_inline) view.buffer += shift;
        return view;
      });
    });
  }

  std::shared_ptr<kept> kept_;
  std::int64_t size_ = 0;
  bool any_null_ = false;
};

/// Checks the fields and pointers of a chunk, of which nothing is read.
void check_chunk(stored const& how, ArrowSchema const& schema, ArrowArray const& array) {
  check_fields(array, {how.buffers(), how.width(), how.is_view});
  if (how.is_view && array.length != 0 && array.n_buffers > 3 && array.buffers[array.n_buffers - 1] == nullptr)
    throw invalid_argument("the lengths of its buffers are null");
  if ((schema.dictionary == nullptr) != (array.dictionary == nullptr))
    throw invalid_argument("a dictionary is in its schema or its array alone");
}

}  // namespace

arrow_chunks arrow_chunks::read(ArrowArrayStream& from, std::function<void(ArrowSchema const&)> const& expect) {
  arrow_owner<ArrowArrayStream> stream(from);
  if (stream.value.get_schema == nullptr || stream.value.get_next == nullptr)
    throw invalid_argument("its stream has no functions");
  auto const checked = [&](int failed) {
    if (failed == 0) return;
    auto* const last_error = stream.value.get_last_error;
    char const* const why = last_error == nullptr ? nullptr : last_error(&stream.value);
    std::string const text = std::string("an Arrow stream failed: ") + (why == nullptr ? std::strerror(failed) : why);
    if (failed == ENOMEM) throw out_of_memory(text);
    if (failed == EINVAL) throw invalid_argument(text);
    if (failed == ENOSYS) throw unsupported(text);
    throw io_error(text);
  };
  arrow_chunks result;
  checked(stream.value.get_schema(&stream.value, &result.schema.value));
  if (result.schema.value.format == nullptr) throw invalid_argument("its schema has no format");
  if (expect) expect(result.schema.value);
  while (true) {
    arrow_owner<ArrowArray> array;
    checked(stream.value.get_next(&stream.value, &array.value));
    if (array.value.release == nullptr) return result;
    result.arrays.push_back(std::move(array));
  }
}

std::vector<std::optional<arrow_column>> in_one_chunk(std::vector<arrow_chunks> columns, execution const& exec) {
  std::vector<std::optional<arrow_column>> result(columns.size());
  std::vector<std::optional<joined_column>> joined(columns.size());
  std::vector<task> tasks;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    auto& [schema, arrays] = columns[c];
    stored const how = stored_as(schema.value);
    if (!is_gathered(schema.value) || arrays.empty()) continue;
    for (auto const& array : arrays) check_chunk(how, schema.value, array.value);
    if (arrays.size() == 1) {
      auto const kept = std::make_shared<arrow_chunks const>(std::move(columns[c]));
      result[c] = arrow_column(kept->schema.value, kept->arrays[0].value, -1, kept);
    } else if (!joined[c].emplace(std::move(columns[c])).plan(tasks, exec)) {
      joined[c].reset();
    }
  }
  parallel_chunks(exec.threads, tasks.size(), 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) tasks[i]();
  });
  for (std::size_t c = 0; c < joined.size(); ++c)
    if (joined[c]) result[c] = joined[c]->whole();
  return result;
}

}  // namespace warpdex
