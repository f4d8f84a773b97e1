// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "attack/forgery.hpp"

#include "base/types.hpp"
#include "support/backends.hpp"
#include "support/forge.hpp"

#include <warpdex/search/mix.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace warpdex::attack {
namespace {

using test::below;
using test::generator;
using test::pick;

/// Numbers at which lengths overflow, codes that no key has, and their neighbours.
template <class Word> Word extreme(generator& random) {
  Word const high = Word{1} << (sizeof(Word) * 8 - 1);
  Word value = 0;
  switch (below(random, 5)) {
    case 0: break;
    case 1: value = high; break;
    case 2: value = static_cast<Word>(Word{1} << below(random, sizeof(Word) * 8)); break;
    case 3: value = static_cast<Word>(sizeof(Word) == 4 ? 0xff800000ull : 0xfff0000000000000ull); break;  // infinity
    default: return static_cast<Word>(test::any_value<Word>(random));
  }
  return static_cast<Word>(value + static_cast<Word>(below(random, 7)) - 3);
}

template <class Word> Word load_word(std::uint8_t const* from) {
  Word w;
  std::memcpy(&w, from, sizeof w);
  return w;
}

/// Changes one word, or two, of `bytes`.
template <class Word> void change_words(std::vector<std::uint8_t>& bytes, generator& random) {
  std::size_t const words = bytes.size() / sizeof(Word);
  if (words == 0) return;
  auto* const at = bytes.data() + below(random, words) * sizeof(Word);
  auto* const other = bytes.data() + below(random, words) * sizeof(Word);
  Word w = load_word<Word>(at);
  switch (below(random, 7)) {
    case 0: w ^= Word{1} << below(random, sizeof(Word) * 8); break;
    case 1: w = extreme<Word>(random); break;
    case 2: w = static_cast<Word>(w + static_cast<Word>(below(random, 7)) - 3); break;
    case 3: w = load_word<Word>(other); break;
    case 4:
      std::memcpy(at, other, sizeof w);
      std::memcpy(other, &w, sizeof w);
      return;
    case 5: w = mix(extreme<Word>(random), 0); break;
    default: w = mix(static_cast<Word>(unmix(w, 0) + static_cast<Word>(below(random, 7)) - 3), 0); break;
  }
  std::memcpy(at, &w, sizeof w);
}

constexpr key_kind words[] = {key_kind::u32, key_kind::u64, key_kind::u128};

}  // namespace

forgery::forgery(io::file const& from)
    : spec(from.head().spec), keys(static_cast<std::uint8_t>(from.head().keys)),
      rows(static_cast<std::uint8_t>(from.head().rows)), size(from.head().size) {
  for (auto const& name : from.names()) {
    auto const content = from.bytes(name);
    auto const* const first = reinterpret_cast<std::uint8_t const*>(content.data());
    sections.push_back({name, {first, first + content.size()}});
  }
}

std::string forgery::change(generator& random) {
  std::uint64_t const kind = below(random, 16);
  if (kind < 10 && !sections.empty()) {
    change_word(sections[below(random, sections.size())], random);
    return "numbers of sections";
  }
  switch (kind) {
    case 10:
      if (!sections.empty()) change_length(sections[below(random, sections.size())], random);
      return "lengths of sections";
    case 11: change_sections(random); return "sections swapped, doubled, renamed or lost";
    case 12: change_entries(random); return "entries more or less";
    case 13: change_spec(random); return "specs";
    case 14:
      if (below(random, 2) == 0) keys = static_cast<std::uint8_t>(below(random, key_types.size() + 1));
      else rows ^= 1;
      return "types";
    default:
      size = below(random, 2) == 0 ? extreme<std::uint64_t>(random) : size + below(random, 5) - 2;
      return "numbers of entries";
  }
}

std::string forgery::change_part(generator& random) {
  std::vector<section*> parts;
  for (section& one : sections)
    if (one.bytes.size() > sizeof io::magic && std::memcmp(one.bytes.data(), io::magic, sizeof io::magic) == 0)
      parts.push_back(&one);
  if (parts.empty()) return change(random);
  section& one = *pick(random, parts);
  forgery inner(io::file::parse(std::as_bytes(std::span(one.bytes))));
  std::string const what = inner.change(random);
  one.bytes = inner.bytes();
  return "in " + one.name + ": " + what;
}

void forgery::change_word(section& of, generator& random) {
  with_kind(words[below(random, 3)], [&]<class Word>() {
    if constexpr (!is_bytes<Word>) change_words<Word>(of.bytes, random);
  });
}

void forgery::change_length(section& of, generator& random) {
  std::size_t const unit = std::size_t{1} << below(random, 8);
  if (below(random, 2) == 0) {
    of.bytes.resize(of.bytes.size() - std::min(of.bytes.size(), unit));
    return;
  }
  std::size_t const before = of.bytes.size();
  of.bytes.resize(before + unit, below(random, 2) == 0 ? 0 : 0xff);
  if (before >= unit && below(random, 2) == 0)
    std::memcpy(of.bytes.data() + before, of.bytes.data() + before - unit, unit);
}

/// Each section gets longer or shorter in proportion to the number of entries.
void forgery::change_entries(generator& random) {
  std::uint64_t const before = size;
  size = before + below(random, 5) - 2;
  if (before == 0 || size > before + 2) return;
  for (section& s : sections) {
    std::size_t const entry = s.bytes.size() / before;
    auto const last = s.bytes.end() - static_cast<std::ptrdiff_t>(entry);
    std::vector<std::uint8_t> const copy(last, s.bytes.end());
    for (std::uint64_t i = before; i < size; ++i) s.bytes.insert(s.bytes.end(), copy.begin(), copy.end());
    if (size < before) s.bytes.resize(s.bytes.size() - (before - size) * entry);
  }
}

void forgery::change_sections(generator& random) {
  if (sections.empty()) return;
  section& first = sections[below(random, sections.size())];
  section& other = sections[below(random, sections.size())];
  switch (below(random, 5)) {
    case 0: std::swap(first.bytes, other.bytes); break;
    case 1: std::swap(first, other); break;
    case 2: {
      std::vector<std::string> const names = {
          "keys",   "rows",       "pairs",       "pivots",    "children", "leaves", "base", "table", "leaf_of",
          "groups", "list_marks", "list_starts", "list_rows", "offsets",  "bytes",  "Keys", ""};
      first.name = pick(random, names);
      break;
    }
    case 3: sections.push_back(section(first)); break;
    default: sections.erase(sections.begin() + (&first - sections.data())); break;
  }
}

void forgery::change_spec(generator& random) {
  std::uint64_t const kind = below(random, 4);
  std::size_t const at = below(random, spec.size());
  if (kind == 0) {
    try {
      spec = resolve(pick(random, test::all_samples()), static_cast<key_type>(keys % key_types.size()),
                     static_cast<row_type>(rows), size, backend_kind::cpu);
    } catch (error const&) {  // the structure does not exist for such keys; the spec stays
    }
  } else if (kind == 1) {
    spec[at] = static_cast<char>(below(random, 256));
  } else if (kind == 2) {  // a number becomes another
    auto const digit = std::find_if(spec.begin() + static_cast<std::ptrdiff_t>(at), spec.end(),
                                    [](char c) { return c >= '0' && c <= '9'; });
    if (digit != spec.end()) *digit = static_cast<char>('0' + below(random, 10));
  } else {
    spec.resize(at + 1);
  }
}

std::vector<std::uint8_t> forgery::bytes() const {
  io::file_header head{};
  head.size = size;
  head.keys = keys;
  head.rows = rows;
  head.sections = static_cast<std::uint16_t>(sections.size());
  head.spec_bytes = static_cast<std::uint32_t>(spec.size());
  std::uint64_t const table = sizeof head + io::round_up(spec.size(), 8);
  std::vector<std::uint8_t> all(io::header_bytes_for(head.spec_bytes, head.sections));
  std::memcpy(all.data(), &head, sizeof head);
  std::memcpy(all.data() + sizeof head, spec.data(), spec.size());
  for (std::size_t i = 0; i < sections.size(); ++i) {
    io::section_entry e{};
    std::memcpy(e.name, sections[i].name.data(), sections[i].name.size());
    e.bytes = sections[i].bytes.size();
    std::memcpy(all.data() + table + i * sizeof e, &e, sizeof e);
    all.resize(io::round_up(all.size(), io::section_alignment));
    all.insert(all.end(), sections[i].bytes.begin(), sections[i].bytes.end());
  }
  test::repair(all);
  return all;
}

std::string change_header(std::vector<std::uint8_t>& bytes, generator& random) {
  std::uint64_t const kind = below(random, 8);
  if (kind < 2) {
    bytes.resize(kind == 0 ? below(random, bytes.size() + 1) : bytes.size() + below(random, 5000));
    return "files cut or extended";
  }
  std::size_t const near = std::min<std::size_t>(bytes.size(), kind < 6 ? 512 : bytes.size());
  std::vector<std::uint8_t> beginning(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(near));
  with_kind(words[below(random, 2)], [&]<class Word>() {
    if constexpr (!is_bytes<Word>) change_words<Word>(beginning, random);
  });
  std::copy(beginning.begin(), beginning.end(), bytes.begin());
  return "bytes of headers";
}

}  // namespace warpdex::attack
