// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/layout.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

/// @file
/// Makes changed bytes of index files pass the checks of the container.
namespace warpdex::test {

/// Recomputes all checksums for the present header and section table, and leaves the rest.
inline void repair_checksums(std::vector<std::uint8_t>& bytes) {
  io::file_header head;
  if (bytes.size() < sizeof head) return;
  std::memcpy(&head, bytes.data(), sizeof head);
  std::uint64_t const entries = std::uint64_t{head.sections} * sizeof(io::section_entry);
  if (head.header_bytes > bytes.size() || head.header_bytes < sizeof head + entries) return;
  for (std::uint64_t i = 0; i < head.sections; ++i) {
    auto* const at = bytes.data() + head.header_bytes - entries + i * sizeof(io::section_entry);
    io::section_entry e;
    std::memcpy(&e, at, sizeof e);
    if (e.offset > bytes.size() || e.bytes > bytes.size() - e.offset) continue;
    e.checksum = XXH3_64bits(bytes.data() + e.offset, e.bytes);
    std::memcpy(at, &e, sizeof e);
  }
  head.checksum = 0;
  std::memcpy(bytes.data(), &head, sizeof head);
  head.checksum = XXH3_64bits(bytes.data(), head.header_bytes);
  std::memcpy(bytes.data(), &head, sizeof head);
}

/// Repairs everything that a careful forger would: the beginning, the padding, lengths and offsets that follow from
/// others, and the checksums. Leaves the rest.
inline void repair(std::vector<std::uint8_t>& bytes) {
  io::file_header head;
  if (bytes.size() < sizeof head) return;
  std::memcpy(&head, bytes.data(), sizeof head);
  std::memcpy(head.magic, io::magic, sizeof head.magic);
  head.version = io::format_version;
  std::fill(std::begin(head.note), std::end(head.note), 0);
  head.spec_bytes = std::clamp(head.spec_bytes, 1u, io::max_spec_bytes);
  head.sections = static_cast<std::uint16_t>(std::min<std::uint32_t>(head.sections, io::max_sections));
  head.header_bytes = static_cast<std::uint32_t>(io::header_bytes_for(head.spec_bytes, head.sections));
  if (head.header_bytes > bytes.size()) return;

  std::uint64_t const table = head.header_bytes - head.sections * sizeof(io::section_entry);
  auto const clear = [&](std::uint64_t begin, std::uint64_t end) {
    if (begin < end) std::memset(bytes.data() + begin, 0, end - begin);
  };
  clear(sizeof head + head.spec_bytes, table);
  std::uint64_t end = head.header_bytes;
  for (std::uint64_t i = 0; i < head.sections; ++i) {
    io::section_entry e;
    std::memcpy(&e, bytes.data() + table + i * sizeof e, sizeof e);
    e.offset = io::round_up(end, io::section_alignment);
    if (e.offset > bytes.size()) break;
    clear(end, e.offset);
    e.bytes = std::min(e.bytes, bytes.size() - e.offset);
    e.reserved = 0;
    end = e.offset + e.bytes;
    std::memcpy(bytes.data() + table + i * sizeof e, &e, sizeof e);
  }
  bytes.resize(end);
  head.file_bytes = end;
  std::memcpy(bytes.data(), &head, sizeof head);
  repair_checksums(bytes);
}

}  // namespace warpdex::test
