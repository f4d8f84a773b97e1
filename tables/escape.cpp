// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace warpdex::tables {
namespace {

// Bytes of the UTF-8 sequence at the front of a text, or 0 if there is none. Overlong forms, surrogates and code points
// beyond U+10FFFF do not count.
std::size_t sequence_length(std::string_view text) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char const lead = byte(0);
  std::size_t const length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  bool const bad = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) ||
                   (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f);
  return bad ? 0 : length;
}

// C0, DEL, and C1, which some terminals obey like C0. Marks, embeddings, overrides and isolates of bidirectional text,
// by which it looks like another one, and the separators of lines and paragraphs.
bool is_control(std::string_view sequence) {
  constexpr std::string_view of_text[] = {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b",
                                          "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"};
  auto const lead = static_cast<unsigned char>(sequence[0]);
  return lead < 0x20 || lead == 0x7f || (lead == 0xc2 && static_cast<unsigned char>(sequence[1]) < 0xa0) ||
         std::find(std::begin(of_text), std::end(of_text), sequence) != std::end(of_text);
}

}  // namespace

std::string escaped(std::string_view text, std::string_view kept) {
  std::string out;
  while (!text.empty()) {
    std::size_t const length = sequence_length(text);
    std::string_view const sequence = text.substr(0, std::max<std::size_t>(1, length));
    if (length == 1 && kept.find(sequence[0]) != std::string_view::npos) out += sequence;
    else if (sequence == "\t") out += "\\t";
    else if (sequence == "\n") out += "\\n";
    else if (sequence == "\r") out += "\\r";
    else if (length != 0 && !is_control(sequence)) out += sequence;
    else
      for (char const c : sequence) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    text.remove_prefix(sequence.size());
  }
  return out;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t shown = 60;
  if (text.size() <= shown) return fmt::format("'{}'", escaped(text));
  std::size_t cut = shown;
  // Not in the middle of a UTF-8 sequence, which has four bytes or fewer.
  while (cut > shown - 4 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;
  return fmt::format("'{}...' ({} bytes)", escaped(text.substr(0, cut)), text.size());
}

}  // namespace warpdex::tables
