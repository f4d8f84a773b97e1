// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// libFuzzer target: a column of Arrow's C interface that contradicts itself gives a clear error. The input says how a
/// column is made and then which of its fields and pointers are false. Its buffers are as long as type, length and
/// offset say before that, since the interface cannot tell otherwise; what they hold is the rest of the input.
#include <warpdex/arrow_chunk.hpp>
#include <warpdex/error.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <list>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace warpdex;

void require(bool condition) {
  if (!condition) std::abort();
}

/// The input, and zeros after it.
class source {
 public:
  source(std::uint8_t const* data, std::size_t size) : data_(data), left_(size) {}

  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  void fill(void* to, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) static_cast<std::uint8_t*>(to)[i] = byte();
  }
  template <class T> T number() {
    T value;
    fill(&value, sizeof value);
    return value;
  }

 private:
  std::uint8_t const* data_;
  std::size_t left_;
};

constexpr char const* formats[] = {
    "n",    "b",      "c",    "C",   "s",       "S",        "e",         "i",          "I",    "l",
    "L",    "f",      "g",    "u",   "z",       "U",        "Z",         "vu",         "vz",   "w:0",
    "w:3",  "tdD",    "tdm",  "tts", "ttu",     "tDn",      "tss:",      "tsn:UTC",    "w:16", "w:999",
    "w:-1", "w:x",    "w:",   "ts",  "tsx",     "tsq:",     "t",         "",           "+s",   "+r",
    "+l",   "d:38,3", "\xff", "tDx", "unknown", "d:9,2,32", "d:18,2,64", "d:60,2,256", "d:",   "_pli128"};

/// A column in its own memory. What it refers to stays in its place.
struct made_column {
  ArrowSchema schema{};
  ArrowArray array{};
  std::int64_t length = 0, offset = 0;  // for which there are buffers
  bool views = false;
  std::string metadata;
  std::vector<std::vector<std::uint64_t>> buffers;  // whose memory is aligned
  std::vector<void const*> pointers;
};

std::int64_t odd_number(source& from) {
  constexpr std::int64_t odd[] = {-1,
                                  std::numeric_limits<std::int64_t>::min(),
                                  std::numeric_limits<std::int64_t>::max(),
                                  std::numeric_limits<std::int64_t>::max() / 2,
                                  0,
                                  1,
                                  2,
                                  -3};
  std::uint8_t const which = from.byte();
  return which < 200 ? odd[which % std::size(odd)] : from.number<std::int64_t>();
}

/// Bytes of a buffer of a type of this format.
std::size_t bytes_of(std::string_view format, std::size_t number, std::size_t values, std::size_t data) {
  if (number == 0) return (values + 7) / 8;
  if (number == 2) return data;
  if (format == "u" || format == "z") return 4 * (values + 1);
  if (format == "U" || format == "Z") return 8 * (values + 1);
  if (format == "vu" || format == "vz" || format == "w:16" || format == "d:38,3" || format == "_pli128")
    return 16 * values;
  if (format == "w:0") return 0;
  if (format == "w:3") return 3 * values;
  if (format == "w:999") return 999 * values;
  return 8 * values;
}

/// Places of strings in some bytes: ascending ones, or any, but none beyond the bytes, whose number nobody knows.
template <class Offset> void limit_offsets(Offset* offsets, std::size_t count, std::size_t bytes, bool ascend) {
  for (std::size_t k = 0; k < count; ++k)
    offsets[k] = ascend ? static_cast<Offset>(std::min(k, bytes)) : offsets[k] % static_cast<Offset>(bytes + 1);
}

/// A column that is as it says, but for the contents of its buffers.
made_column& make(std::list<made_column>& all, source& from, bool with_dictionary) {
  made_column& result = all.emplace_back();
  result.schema.format = formats[from.byte() % std::size(formats)];
  std::string_view const format = result.schema.format;
  bool const views = result.views = format.starts_with("v");
  bool const narrow = format == "u" || format == "z";
  bool const strings = narrow || format == "U" || format == "Z";
  std::size_t const length = from.byte() % 40, offset = from.byte() % 20;
  std::size_t const data = from.byte() % 64, more = views ? from.byte() % 3 : 0;
  std::size_t const count = format == "n" ? 0 : views || strings ? 3 + more : 2;
  for (std::size_t i = 0; i < count; ++i) {
    bool const lengths = views && i == count - 1;
    std::size_t const bytes = lengths ? 8 * more : bytes_of(format, std::min<std::size_t>(i, 2), length + offset, data);
    auto& buffer = result.buffers.emplace_back((bytes + 7) / 8);
    if (bytes > 0) from.fill(buffer.data(), bytes);
    if (lengths) buffer.assign(more, data);
    bool const odd = (from.byte() & 1) != 0;
    if (strings && i == 1 && narrow)
      limit_offsets(reinterpret_cast<std::int32_t*>(buffer.data()), length + offset + 1, data, odd);
    else if (strings && i == 1)
      limit_offsets(reinterpret_cast<std::int64_t*>(buffer.data()), length + offset + 1, data, odd);
    result.pointers.push_back(buffer.data());
  }
  result.array.length = result.length = static_cast<std::int64_t>(length);
  result.array.offset = result.offset = static_cast<std::int64_t>(offset);
  result.array.null_count = -1;
  result.array.n_buffers = static_cast<std::int64_t>(count);
  result.array.buffers = result.pointers.data();
  if (with_dictionary && (from.byte() & 1) != 0) {
    made_column& words = make(all, from, false);
    result.schema.dictionary = &words.schema;
    result.array.dictionary = &words.array;
  }
  return result;
}

/// False claims that can be found without the lengths of buffers.
void lie(made_column& about, source& from) {
  ArrowArray& array = about.array;
  switch (from.byte() % 12) {
    case 0: array.length = std::min(about.length, odd_number(from)); break;
    case 1: array.length = std::numeric_limits<std::int64_t>::max() - from.byte(); break;
    case 2: array.offset = std::min(about.offset, odd_number(from)); break;
    case 3: array.offset = std::numeric_limits<std::int64_t>::max() - from.byte(); break;
    case 4: array.null_count = odd_number(from); break;
    // That there are more buffers of views cannot be told.
    case 5: array.n_buffers = about.views ? std::min<std::int64_t>(odd_number(from), 3) : odd_number(from); break;
    case 6: array.buffers = nullptr; break;
    case 7:
      if (!about.pointers.empty()) about.pointers[from.byte() % about.pointers.size()] = nullptr;
      break;
    case 8: about.schema.dictionary = (from.byte() & 1) != 0 ? &about.schema : nullptr; break;
    case 9: array.dictionary = (from.byte() & 1) != 0 ? &array : nullptr; break;
    case 10: about.schema.format = nullptr; break;
    default: {
      auto const add = [&](std::string_view text, bool falsely) {
        auto const size = falsely ? -7 : static_cast<std::int32_t>(text.size());
        about.metadata.append(reinterpret_cast<char const*>(&size), sizeof size).append(text);
      };
      constexpr std::string_view names[] = {"arrow.uuid", "arrow.bool8", "arrow.json", "arrow.opaque", "other", ""};
      std::string json = R"({"vendor_name":"DuckDB","type_name":"uhugeint"})";
      for (std::size_t cut = from.byte() % 4; cut > 0; --cut) json.erase(from.byte() % json.size(), from.byte() % 8);
      std::int32_t const pairs = 2;
      about.metadata.assign(reinterpret_cast<char const*>(&pairs), sizeof pairs);
      add("ARROW:extension:metadata", (from.byte() & 7) == 1);
      add(json, false);
      add("ARROW:extension:name", false);
      add(names[from.byte() % std::size(names)], (from.byte() & 7) == 1);
      about.schema.metadata = about.metadata.data();
    }
  }
}

/// Reads all that a chunk says it has, and checks what it promises.
void check(arrow_chunk const& chunk) {
  if (chunk.viewed != nullptr) return check(with_strings(chunk));
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i<chunk.bytes; i += chunk.bytes> 100000 ? 4096 : 1)
    sum += static_cast<std::uint8_t const*>(chunk.values)[i];
  require(chunk.nulls.empty() || chunk.nulls.size() == static_cast<std::size_t>(chunk.length));
  bool const narrow = chunk.type.layout == arrow_layout::strings && chunk.type.width == 4;
  auto const offset = [&](std::int64_t i) {
    return narrow ? static_cast<std::int32_t const*>(chunk.offsets)[i]
                  : static_cast<std::int64_t const*>(chunk.offsets)[i];
  };
  if (chunk.type.layout == arrow_layout::strings || chunk.type.layout == arrow_layout::views) {
    require(offset(0) >= 0 && offset(chunk.length) <= chunk.bytes);
    for (std::int64_t i = 0; i < chunk.length; ++i) require(offset(i) <= offset(i + 1));
  } else {
    require(chunk.offsets == nullptr);
  }
  require(sum <= 255 * static_cast<std::uint64_t>(chunk.bytes));  // so that all is read
  if (chunk.dictionary != nullptr) check(*chunk.dictionary);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  source from(data, size);
  std::list<made_column> all;
  made_column& column = make(all, from, true);
  for (int lies = from.byte() % 3; lies > 0; --lies) lie((from.byte() & 1) != 0 ? all.back() : column, from);
  try {
    check(read_chunk(column.schema, column.array));
    check(empty_chunk(column.schema));
  } catch (warpdex::error const& e) {
    require(*e.what() != '\0');
  }
  return 0;
}
