// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "gzip.hpp"

#include <warpdex/error.hpp>

#include <fmt/format.h>

#if WARPDEX_ZLIB
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#endif

namespace warpdex::tables {

#if WARPDEX_ZLIB
namespace {

/// A zlib stream that is ended whatever happens.
class inflater {
 public:
  explicit inflater(std::string const& path) {
    constexpr int gzip_alone = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, gzip_alone) != Z_OK) throw out_of_memory(path + ": no memory to unpack it");
  }
  ~inflater() { inflateEnd(&stream_); }
  inflater(inflater const&) = delete;
  inflater& operator=(inflater const&) = delete;

  z_stream* operator->() noexcept { return &stream_; }
  z_stream* get() noexcept { return &stream_; }

 private:
  z_stream stream_ = {};
};

void grow(std::string const& path, unpacked_bytes& out, std::size_t& capacity) {
  try {
    auto larger = std::make_unique_for_overwrite<char[]>(2 * capacity);
    if (out.size != 0) std::memcpy(larger.get(), out.bytes.get(), out.size);
    out.bytes = std::move(larger);
    capacity *= 2;
  } catch (std::bad_alloc const&) {
    throw out_of_memory(fmt::format("{}: no memory for {} bytes of what it holds", path, 2 * capacity));
  }
}

}  // namespace

unpacked_bytes unpack_gzip(std::string const& path, std::string_view packed) {
  constexpr std::size_t most_at_a_time = std::numeric_limits<uInt>::max();
  auto const fail = [&](char const* why) { throw format_error(fmt::format("{}: cannot unpack it: {}", path, why)); };
  inflater stream(path);
  unpacked_bytes out;
  std::size_t capacity = std::max<std::size_t>(2 * packed.size(), 1 << 10);
  grow(path, out, capacity);
  std::size_t taken = 0;
  for (;;) {
    if (out.size == capacity) grow(path, out, capacity);
    std::size_t const given = std::min(packed.size() - taken, most_at_a_time);
    std::size_t const room = std::min(capacity - out.size, most_at_a_time);
    stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
    stream->avail_in = static_cast<uInt>(given);
    stream->next_out = reinterpret_cast<Bytef*>(out.bytes.get() + out.size);
    stream->avail_out = static_cast<uInt>(room);
    int const state = inflate(stream.get(), Z_NO_FLUSH);
    taken += given - stream->avail_in;
    out.size += room - stream->avail_out;
    if (state == Z_STREAM_END) {
      std::string_view const rest = packed.substr(taken);
      if (rest.find_first_not_of('\0') == std::string_view::npos) return out;  // zeros fill up blocks of tapes
      if (!is_gzip(rest)) fail("what follows a member is neither another one nor zeros");
      inflateReset(stream.get());
    } else if (state == Z_MEM_ERROR) {
      throw out_of_memory(path + ": no memory to unpack it");
    } else if (state != Z_OK && state != Z_BUF_ERROR) {
      fail(stream->msg != nullptr ? stream->msg : "the data are damaged");
    } else if (taken == packed.size() && stream->avail_out != 0) {
      fail("the file ends too early");
    }
  }
}
#else
unpacked_bytes unpack_gzip(std::string const& path, std::string_view) {
  throw format_error(
      fmt::format("{}: is packed by gzip, and this build has no zlib; unpack it first: gunzip -k {}", path, path));
}
#endif

}  // namespace warpdex::tables
