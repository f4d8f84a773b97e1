// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "request/staging.hpp"

#include <algorithm>

#include "request/expect.hpp"

namespace warpdex {
staging::staging(char const* call, backend_kind kind, int device, execution const& exec)
    : call_(call), kind_(kind), device_(device), exec_(exec) {
  if (exec.memory->backend() != kind)
    throw invalid_argument(std::string(call) + ": the call's memory belongs to the " +
                           (kind == backend_kind::cpu ? "CUDA" : "CPU") + " backend, the index to the other");
  if (kind != backend_kind::cuda) return;
  if (int const current = current_device(); device != current)
    throw invalid_argument(std::string(call) + ": the index is on device " + std::to_string(device) +
                           ", the current device is " + std::to_string(current));
}

staging::staging(char const* call, execution const& exec)
    : call_(call), kind_(exec.memory->backend()), device_(device_of_call(exec)), exec_(exec) {}

staging::~staging() {
  if (twins_.empty()) return;
  try {
    backend_of(kind_).synchronize(exec_);
  } catch (...) {  // the context is gone, and the copies with it
  }
}

void staging::fail(char const* what, std::string const& why) const {
  throw invalid_argument(std::string(call_) + ": " + what + " " + why);
}

bool staging::check(void const* data, std::uint64_t count, std::size_t width, char const* what) const {
  detail::expect_array(call_, what, data, count);
  location at;
  try {
    at = locate(data);
  } catch (error const&) {
    if (kind_ == backend_kind::cuda) throw;  // an index on the host does not need the device
  }
  if (!at.on_device) return kind_ == backend_kind::cuda;
  if (kind_ == backend_kind::cpu) fail(what, "is on device " + std::to_string(at.device) + ", the index on the host");
  if (at.device != device_)
    fail(what, "is on device " + std::to_string(at.device) + ", the current device is " + std::to_string(device_));
  std::size_t const alignment = width & (~width + 1);  // that of the numbers in an element of several
  if (auto const address = reinterpret_cast<std::uintptr_t>(data); address % alignment != 0)
    fail(what, "is a device pointer not aligned to its " + std::to_string(width) + "-byte elements: address " +
                   std::to_string(address));
  return false;
}

bool staging::use(void const* data, std::uint64_t count, std::size_t width, char const* what, bool written) {
  bool const needs_twin = check(data, count, width, what);
  auto const begin = reinterpret_cast<std::uintptr_t>(data);
  std::uint64_t const bytes = count * width;
  for (used_array const& other : used_) {
    auto const first = reinterpret_cast<std::uintptr_t>(other.data);
    if ((written || other.written) && begin < first + other.bytes && first < begin + bytes)
      fail(what, std::string("overlaps ") + other.what);
  }
  if (used_.empty()) used_.reserve(4);  // arrays of most calls
  used_.push_back({data, bytes, what, written});
  return needs_twin;
}

void* staging::make_twin(void const* data, std::size_t bytes, bool copied) {
  void* const twin = twins_.emplace_back(bytes, exec_).data();
  if (copied) backend_of(kind_).copy(twin, data, bytes, exec_);
  return twin;
}

void const* staging::input(void const* data, std::uint64_t count, std::size_t width, char const* what) {
  if (count == 0) return nullptr;
  return use(data, count, width, what, false) ? make_twin(data, count * width, true) : data;
}

void* staging::output(void* data, std::uint64_t count, std::size_t width, char const* what) {
  if (count != 0) use(data, count, width, what, true);
  return data;
}

batch_array staging::strings_of(column const& strings, char const* what) {
  auto const& layout = strings.strings;
  string_source const from{static_cast<unsigned char const*>(strings.data), layout, 0};
  auto const twin = [&](bool on_host) {
    auto const check = [this, from, on_host, what](std::uint64_t first, std::uint64_t count) {
      check_offsets(from, on_host, first, count, what);
    };
    return batch_array{nullptr, sizeof(byte_key), what, true, false, on_host, batch_strings{from, check}};
  };
  auto const text = [](auto number) { return std::to_string(number); };
  if (layout.offset_bytes == 0 && layout.stride == 0) fail(what, "has neither offsets nor a stride");
  if (layout.offset_bytes != 0 && layout.offset_bytes != 4 && layout.offset_bytes != 8)
    fail(what, "has offsets of " + text(layout.offset_bytes) + " bytes; 4 and 8 are possible");
  bool const has_bytes = layout.bytes != 0;
  bool const copies_bytes = has_bytes && use(strings.data, layout.bytes, 1, what, false);
  if (layout.offset_bytes == 0) {
    if (u128{strings.size} * layout.stride > layout.bytes)
      fail(what, "has " + text(strings.size) + " strings of " + text(layout.stride) + " bytes, but " +
                     text(layout.bytes) + " bytes");
    return twin(copies_bytes);
  }
  check(layout.offsets, strings.size + 1, layout.offset_bytes, (std::string(what) + " (its offsets)").c_str());
  bool const copies_offsets = use(layout.offsets, strings.size + 1, layout.offset_bytes, what, false);
  if (has_bytes && copies_bytes != copies_offsets)
    fail(what, std::string("has its bytes on the ") + (copies_bytes ? "host" : "device") + " and its offsets on the " +
                   (copies_bytes ? "device" : "host"));
  // If the ends are wrong, a string is.
  if (copies_offsets && (from.offset(0) > from.offset(strings.size) || from.offset(strings.size) > layout.bytes))
    check_offsets(from, true, 0, strings.size, what);
  return twin(copies_offsets);
}

void staging::check_offsets(string_source const& strings, bool on_host, std::uint64_t first, std::uint64_t count,
                            char const* what) const {
  if (strings.layout.offset_bytes == 0) return;
  backend const& backend = on_host ? cpu_backend() : backend_of(kind_);
  execution const exec = on_host ? execution(host_memory(), {}, exec_.threads) : exec_;
  auto const bad = backend.first_bad_string(strings.from(first), count, exec);
  if (bad)
    fail(what, "has offsets that descend, are outside of its " + std::to_string(strings.layout.bytes) +
                   " bytes or are more than 2^32 - 1 apart: those of string " + std::to_string(first + *bad));
}

string_source staging::reach(batch_array const& strings, std::uint64_t first, std::uint64_t count) {
  string_source source = strings.strings->from.from(first);
  if (!strings.on_host) return source;
  strings.strings->check(first, count);
  std::uint64_t const bytes = source.bytes_of(0, count);
  source.base = source.offset(0);
  source.bytes =
      bytes == 0 ? nullptr : static_cast<unsigned char const*>(make_twin(source.bytes + source.base, bytes, true));
  std::uint32_t const width = source.layout.offset_bytes;
  if (width != 0) source.layout.offsets = make_twin(source.layout.offsets, (count + 1) * width, true);
  return source;
}

string_source staging::reach_strings(column const& strings, char const* what, bool checks) {
  batch_array const found = strings_of(strings, what);
  if (kind_ == backend_kind::cpu || (checks && !found.on_host)) found.strings->check(0, strings.size);
  return reach(found, 0, strings.size);
}

column staging::input(column keys, char const* what, bool checks) {
  if (keys.type != key_type::bytes) {
    keys.data = input(keys.data, keys.size, size_of(keys.type), what);
    return keys;
  }
  expect_possible(call_, what, keys.size);
  if (keys.size == 0) return {nullptr, 0, key_type::bytes};
  string_source const source = reach_strings(keys, what, checks);
  buffer const& room = twins_.emplace_back(backend_of(kind_).references(source, keys.size, exec_));
  return {room.data(), keys.size, key_type::bytes};
}

batch_array staging::probes(column const& keys, char const* what) {
  if (keys.type != key_type::bytes) return {const_cast<void*>(keys.data), size_of(keys.type), what, true, false};
  expect_possible(call_, what, keys.size);
  batch_array found = strings_of(keys, what);
  if (kind_ == backend_kind::cpu) found.strings->check(0, keys.size);
  return found;
}

validity_bits staging::validity(nullable_column const& c, char const* what) {
  if (c.validity == nullptr || c.size == 0) return {};
  expect_possible(call_, what, c.size);
  expect_possible(call_, what, c.offset);
  std::uint64_t const skipped = c.offset / 8;
  std::uint64_t const offset = c.offset % 8;
  return {static_cast<std::uint8_t const*>(input(c.validity + skipped, (offset + c.size + 7) / 8, 1, what)), offset};
}

borrowed_keys staging::borrow(void const* data, std::uint64_t count, std::size_t width, char const* what) const {
  if (count == 0) return {};
  borrowed_keys keys{data, check(data, count, width, what)};
  constexpr std::uintptr_t alignment = 16;
  if (auto const address = reinterpret_cast<std::uintptr_t>(data); address % alignment != 0)
    fail(what, "is not aligned to 16 bytes: address " + std::to_string(address));
  if (!keys.remote) return keys;
  keys.data = locate(data).from_device;
  if (keys.data == nullptr)
    fail(what,
         "is in host memory that is not page-locked, which a device cannot read; use pinned_memory() or a "
         "mapped_column");
  return keys;
}

bool staging::use(std::uint64_t size, std::span<batch_array> arrays) {
  bool at_once = true;
  for (batch_array& a : arrays) {
    if (!a.strings) a.on_host = use(a.data, size, a.width, a.what, a.written);
    at_once = at_once && !a.on_host && !a.strings;
  }
  return at_once;
}

void staging::run_used(std::uint64_t size, std::span<batch_array const> arrays, std::uint64_t efficient_part,
                       batch_body const& body, bool body_waits) {
  backend const& backend = backend_of(kind_);
  auto const refer = [&](void* const* at, std::uint64_t count) {
    std::vector<void*> within(at, at + arrays.size());
    std::vector<buffer> references;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (!arrays[i].strings) continue;
      references.push_back(backend.references(*static_cast<string_source const*>(at[i]), count, exec_));
      within[i] = references.back().data();
    }
    body(within.data(), count);
  };
  bool const any_on_host = std::any_of(arrays.begin(), arrays.end(), [](batch_array const& a) { return a.on_host; });
  bool const any_strings =
      std::any_of(arrays.begin(), arrays.end(), [](batch_array const& a) { return a.strings.has_value(); });
  batch_body const& run_part = any_strings ? batch_body(refer) : body;
  stream_sizes sizes;
  sizes.chunk = std::clamp<std::uint64_t>(efficient_part, sizes.least_chunk, sizes.chunk);
  std::uint64_t const done = any_on_host ? stream_batch(size, arrays, run_part, exec_, sizes, body_waits) : 0;
  if (done == size) return;
  std::uint64_t const rest = size - done;
  auto const data_of = [&](batch_array const& a) { return static_cast<std::byte*>(a.data) + done * a.width; };
  std::vector<void*> at;
  std::vector<string_source> sources(arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    batch_array const& a = arrays[i];
    if (a.strings) sources[i] = reach(a, done, rest);
    at.push_back(a.strings   ? static_cast<void*>(&sources[i])
                 : a.on_host ? make_twin(data_of(a), rest * a.width, a.read)
                             : data_of(a));
  }
  run_part(at.data(), rest);
  if (twins_.empty()) return;
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (batch_array const& a = arrays[i]; a.on_host && a.written)
      backend.copy(data_of(a), at[i], rest * a.width, exec_);
  backend.synchronize(exec_);
  twins_.clear();
}

}  // namespace warpdex
