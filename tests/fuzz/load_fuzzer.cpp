// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// libFuzzer target: any bytes given to index::load are an error or a valid index.
///
/// The first byte of an input chooses a mode, the rest are the file:
///   bit 0   make the checksums, the padding, and the lengths that follow from others right before loading,
///           so that mutations reach the checks after them
///   bit 1   map the file instead of reading it
#include "support/forge.hpp"

#include <warpdex/index.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace {

using namespace warpdex;

void require(bool condition) {
  if (!condition) std::abort();
}

/// What any index answers, whatever it holds.
/// @param first, last one key each, as bounds of a range
void look_up(warpdex::index const& x, column keys, column first, column last) {
  execution const exec(host_memory(), {}, 1);
  std::vector<std::uint64_t> lower(keys.size), upper(keys.size), counts(keys.size);
  std::vector<std::uint64_t> rows(keys.size);
  row_output const found(rows.data(), rows.size(), x.row_type());
  x.find(keys, found, exec);
  x.count(keys, counts, exec);
  auto const matches = x.retrieve(keys, exec);
  std::uint64_t total = 0;
  for (auto const c : counts) total += c;
  require(matches.total == total);
  if (!x.ordered()) return;

  x.lower_bound(keys, lower, exec);
  x.upper_bound(keys, upper, exec);
  for (std::size_t i = 0; i < keys.size; ++i) {
    require(upper[i] <= x.size() && lower[i] <= upper[i]);
    require(upper[i] - lower[i] == counts[i]);
  }
  x.floor(keys, {}, found, exec);
  x.range_sum({first, last}, std::span(counts).first(1), exec);
  auto const all = x.range_retrieve({first, last}, exec);
  require(all.total <= x.size());
  if (x.size() == 0) return;
  std::uint64_t const ranks[] = {0, x.size() - 1, x.size() / 2};
  require(x.keys_at(ranks, exec).size == 3);
}

template <class Key> void look_up_numbers(warpdex::index const& x) {
  std::vector<Key> const probes = {
      Key{0}, Key{1}, Key{2}, Key{1000}, static_cast<Key>(-1), static_cast<Key>(Key{1} << (sizeof(Key) * 8 - 1))};
  look_up(x, column(probes.data(), probes.size(), x.key_type()), column(&probes[0], 1, x.key_type()),
          column(&probes[4], 1, x.key_type()));
}

void look_up_strings(warpdex::index const& x) {
  byte_strings probes;
  for (std::string_view const text : {"", "0", "100", "\xff\xff\xff\xff\xff\xff\xff\xff\xff"}) probes.push_back(text);
  probes.push_back(std::string(9, '\0'));
  byte_strings empty;
  empty.push_back("");
  byte_strings last;
  last.push_back(std::string(300, '\xff'));
  look_up(x, probes, empty, last);
  std::vector<std::uint64_t> all(1);
  x.prefix_count(empty, all, execution(host_memory(), {}, 1));
  require(all[0] == x.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::uint8_t const mode = data[0];
  std::vector<std::uint8_t> bytes(data + 1, data + size);
  if (mode & 1) test::repair(bytes);

  int const memory = ::memfd_create("load_fuzzer", MFD_CLOEXEC);
  require(memory >= 0);
  require(::write(memory, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  try {
    execution const exec(host_memory(), {}, 1);
    auto const x = warpdex::index::load("/proc/self/fd/" + std::to_string(memory), exec, (mode & 2) != 0);
    x.verify(exec);
    with_kind(kind_of(x.key_type()), [&]<class Key>() {
      if constexpr (is_bytes<Key>) look_up_strings(x);
      else look_up_numbers<Key>(x);
    });
  } catch (error const&) {
    // The library's own exceptions are the clear errors; anything else ends the process.
  }
  ::close(memory);
  return 0;
}
