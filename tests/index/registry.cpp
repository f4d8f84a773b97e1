// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/forge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

namespace warpdex::test {
namespace {

std::string resolved(std::string const& text, key_type keys, row_type rows) {
  return resolve(text, keys, rows, 1000, backend_kind::cpu);
}

TEST(registry, every_structure_introduces_itself) {
  std::set<std::string> names;
  for (structure_info const& info : structures()) {
    SCOPED_TRACE(info.name + info.kind);
    EXPECT_TRUE(names.insert(info.name + info.kind).second) << "registered twice";
    for (std::string const& text : {info.summary, info.extra_bytes, info.use, info.source}) EXPECT_FALSE(text.empty());
    EXPECT_FALSE(info.forms.empty());
    EXPECT_EQ(info.drawing.empty(), info.chooses);
    EXPECT_FALSE(info.samples.empty()) << "would not be tested";
    for (std::string const& sample : info.samples) EXPECT_EQ(spec(sample).structure(), info.name) << sample;
    for (std::string const& form : info.forms) EXPECT_TRUE(form.starts_with(info.name)) << form;
  }
  EXPECT_GT(names.size(), 1u);
}

/// The specs in `tuned` belong to the structure that lists them, and can be run.
TEST(registry, specs_of_lists_resolve) {
  auto const expect_of = [](structure_info const& info, std::string const& text, std::string const& options) {
    EXPECT_EQ(spec(text).structure(), info.name);
    EXPECT_NO_THROW(resolve(text + options, key_type::u32, row_type::u32, 1000, backend_kind::cuda)) << text << options;
    EXPECT_NO_THROW(resolve(text + options, key_type::u64, row_type::u32, 1000, backend_kind::cuda)) << text << options;
  };
  std::set<std::string> tuned;
  for (structure_info const& info : structures()) {
    for (auto const& t : info.tuned) {
      expect_of(info, t.spec, "/lanes=" + std::to_string(t.lanes));
      EXPECT_TRUE(tuned.insert(t.spec).second) << t.spec;
    }
  }
  EXPECT_FALSE(tuned.empty());
}

/// Each compiled fan-out has a sample, and no other fan-out is accepted.
TEST(registry, fanouts_are_those_that_are_compiled) {
  bool any = false;
  for (structure_info const& info : structures()) {
    if (info.fanouts.empty()) continue;
    any = true;
    for (int k = 2; k <= 33; ++k) {
      std::string const text = info.name + "(" + std::to_string(k) + ")";
      bool const compiled = std::find(info.fanouts.begin(), info.fanouts.end(), k) != info.fanouts.end();
      EXPECT_EQ(std::count(info.samples.begin(), info.samples.end(), text), compiled ? 1 : 0) << text;
      std::vector<std::uint32_t> const keys = {3, 1, 2};
      if (compiled) EXPECT_EQ(index::build(text, std::span(keys), execution()).size(), 3u) << text;
      else EXPECT_TRUE(throws<spec_error>([&] { resolved(text, key_type::u32, row_type::u32); }, "K must be one of 2"));
    }
  }
  EXPECT_TRUE(any);
}

TEST(registry, test_names_are_unique) {
  std::set<std::string> names;
  for (std::string const& sample : all_samples()) EXPECT_TRUE(names.insert(test_name(sample)).second) << sample;
}

/// A resolved spec is complete: resolving it again changes nothing.
TEST(registry, resolved_specs_are_complete) {
  for (std::string const& sample : all_samples()) {
    for (key_type const keys : {key_type::u32, key_type::f64}) {
      for (row_type const rows : {row_type::u32, row_type::u64}) {
        for (std::uint64_t const size : {0ull, 1ull, 1000ull, 1ull << 31}) {
          std::string const once = resolve(spec(sample), keys, rows, size, backend_kind::cpu);
          EXPECT_EQ(resolve(spec(once), keys, rows, size, backend_kind::cpu), once) << sample;
        }
      }
    }
  }
}

/// If a structure refuses a key type, the message names one that takes it. Among those that take 16-byte numbers this
/// is one without an order, which is quicker; strings have only structures with one.
TEST(registry, tells_who_takes_wide_keys) {
  int refuse_numbers = 0;
  int refuse_strings = 0;
  for (structure_info const& info : structures()) {
    EXPECT_GE(info.widest_key, 8u) << info.name;
    for (std::string const& sample : info.samples) {
      EXPECT_EQ(takes(sample, key_type::u128), info.widest_key == 16) << sample;
      EXPECT_EQ(takes(sample, key_type::bytes), info.takes_bytes) << sample;
    }
    std::string const& sample = info.samples.front();
    if (info.widest_key < 16) {
      ++refuse_numbers;
      EXPECT_TRUE(throws<spec_error>([&] { resolved(sample, key_type::u128, row_type::u32); }, info.name,
                                     "; HT(open) takes u128"));
    }
    if (!info.takes_bytes) {
      ++refuse_strings;
      EXPECT_TRUE(
          throws<spec_error>([&] { resolved(sample, key_type::bytes, row_type::u32); }, info.name, "takes bytes"));
    }
  }
  EXPECT_GT(refuse_numbers, 0);
  EXPECT_GT(refuse_strings, 0);
}

/// What strings exclude is refused at its place in the spec.
TEST(registry, options_that_strings_exclude) {
  for (char const* const taken : {"AO+BS", "AO+BS/layout=SoA", "AO+BS/rows=u64", "AO+BS/reorder=window",
                                  "AO+BS/pin=steps", "AO+BS/pin=full", "auto"})
    EXPECT_TRUE(takes(taken, key_type::bytes)) << taken;
  for (std::string const refused :
       {"AO+BS/layout=AoS", "AO+BS/layout=packed", "GRT/probes=2", "GRT/schedule=static", "GRT/reorder=block"})
    EXPECT_TRUE(throws<spec_error>([&] { resolved(refused, key_type::bytes, row_type::u32); }, "bytes",
                                   "\n  " + refused + "\n", "^"))
        << refused;
}

/// Positions of 64 bits are compiled for few structures; the others say which one takes as many entries.
TEST(registry, takes_two_to_the_32_entries_or_names_what_does) {
  auto const resolved = [](std::string const& text, std::uint64_t size) {
    return resolve(spec(text), key_type::u64, row_type::u64, size, backend_kind::cpu);
  };
  constexpr std::uint64_t most = (std::uint64_t{1} << 32) - 2;
  for (structure_info const& info : structures()) {
    std::string const& sample = info.samples.front();
    EXPECT_NO_THROW(resolved(sample, most)) << sample;
    if (info.large) {
      EXPECT_NO_THROW(resolved(sample, most + 1)) << sample;
    } else {
      EXPECT_TRUE(throws<spec_error>([&] { resolved(sample, most + 1); }, info.name, "4294967295", "AO+BS")) << sample;
    }
  }
  for (char const* const text : {"auto", "auto(points)", "auto(batch=1)", "auto(ranges)", "auto(least_memory)"})
    EXPECT_NO_THROW(resolved(text, most + 1)) << text;
}

/// Every sample of a structure either pins or refuses to, for all keys that it takes, at the option's place.
TEST(registry, pins_or_refuses_every_value_of_pin) {
  int refused = 0;
  for (structure_info const& info : structures()) {
    if (info.chooses) continue;
    for (std::string const& sample : info.samples)
      for (key_type const keys : {key_type::u32, key_type::u64, key_type::u128, key_type::bytes}) {
        if (!takes(sample, keys)) continue;
        for (std::string const value : {"none", "auto"})
          EXPECT_NO_THROW(resolved(sample + "/pin=" + value, keys, row_type::u32)) << sample << value;
        for (std::string const value : {"steps", "full"}) {
          std::string const text = sample + "/pin=" + value;
          if (info.pins) {
            EXPECT_NO_THROW(resolved(text, keys, row_type::u32)) << text;
            continue;
          }
          ++refused;
          std::string const caret = "\n  " + text + "\n  " + std::string(text.find("pin="), ' ') + "^";
          EXPECT_TRUE(throws<spec_error>([&] { resolved(text, keys, row_type::u32); },
                                         info.name + " has no top levels to copy", "not pin=" + value, caret))
              << text;
        }
      }
  }
  EXPECT_GT(refused, 0);
}

/// Files whose specs name a `pin` that did nothing load as if it was not there.
TEST(registry, files_with_an_idle_pin_load) {
  std::vector<std::uint32_t> const keys = {7, 3, 9, 3};
  int loaded = 0;
  for (structure_info const& info : structures()) {
    if (info.chooses) continue;
    std::string const& sample = info.samples.front();
    auto const saved = index::build(sample + "/pin=none", keys, execution()).save();
    std::vector<std::uint8_t> bytes(saved.size());
    std::memcpy(bytes.data(), saved.data(), saved.size());
    std::string_view const none = "pin=none";
    auto const at = std::search(bytes.begin(), bytes.end(), none.begin(), none.end());
    ASSERT_NE(at, bytes.end()) << sample;
    std::copy_n("pin=full", none.size(), at);
    repair_checksums(bytes);
    auto again = index::load(std::as_bytes(std::span(bytes)), execution());
    EXPECT_EQ(again.spec_text().find("pin=full") != std::string::npos, info.pins) << again.spec_text();
    EXPECT_EQ(again.find(std::vector<std::uint32_t>{3, 4}), (std::vector<std::uint32_t>{1, ~0u})) << sample;
    again.insert(std::vector<std::uint32_t>{4}, std::vector<std::uint32_t>{5}, execution());
    EXPECT_EQ(again.find(std::vector<std::uint32_t>{4}), (std::vector<std::uint32_t>{5})) << sample;
    loaded += !info.pins;
  }
  EXPECT_GT(loaded, 0);
}

/// The bytes beyond keys and 32-bit row ids that the table of docs/reference/structures.md names, in percent, of even
/// keys.
TEST(registry, bytes_beyond_the_pairs_are_those_of_the_table) {
  struct {
    char const* spec;
    double narrow;  ///< of u32 keys
    double wide;    ///< of u64 keys
  } const all[] = {{"AO+BS", 0, 0},
                   {"EO+BS", 0, 0},
                   {"AO+PB+BS", 3, 4},
                   {"AO+PB+KS(9)", 6, 8},
                   {"AO+PB+KS(17)", 3, 4},
                   {"AO+PB+KS(3)", 25, 33},
                   {"B+(16)", 3, 4},
                   {"B+(page=4096)", 0, 0},
                   {"Harmonia(32)", 2, 2},
                   {"HT(open)", 25, 67},
                   {"HT(buckets)", 28, 70},
                   {"HT(open)/layout=SoA", 25, 25},
                   {"HT(buckets)/layout=SoA", 28, 28}};
  auto const percents = [](char const* spec, auto const& keys) {
    auto const pairs = static_cast<double>(keys.size() * (sizeof keys[0] + 4));
    return 100 * (static_cast<double>(index::build(spec, keys, execution()).memory().total()) / pairs - 1);
  };
  std::vector<std::uint32_t> narrow(1 << 18);
  for (std::size_t i = 0; i < narrow.size(); ++i) narrow[i] = static_cast<std::uint32_t>(i * 2654435761u);
  std::vector<std::uint64_t> wide(narrow.size());
  for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = i * 0x9e3779b97f4a7c15ull;
  for (auto const& [spec, of_narrow, of_wide] : all) {
    if (!takes(spec, key_type::u32)) continue;  // K is not compiled
    EXPECT_NEAR(percents(spec, narrow), of_narrow, .7) << spec;
    EXPECT_NEAR(percents(spec, wide), of_wide, .7) << spec;
  }
}

/// Lane groups that were never the best are compiled for 4-byte keys and rows alone. Every spec runs as written or is
/// refused, on a CPU too.
TEST(registry, groups_of_lanes_that_are_not_compiled_are_refused) {
  struct {
    char const* spec;
    int usual;
  } const all[] = {{"B+(16)", 8}, {"B+(page=4096)", 32}, {"Harmonia(32)", 8}, {"HT(open)", 1}, {"HT(buckets)", 1}};
  for (auto const& [text, usual] : all) {
    for (int const lanes : {1, 2, 4, 8, 16, 32}) {
      std::string const spec_text = text + std::string("/layout=SoA/lanes=") + std::to_string(lanes);
      if (!is_compiled(spec_text)) {
        EXPECT_TRUE(throws<spec_error>([&] { resolved(spec_text, key_type::u32, row_type::u32); },
                                       "groups of " + std::to_string(lanes) + " lanes", "WARPDEX_RESEARCH=lanes"));
        continue;
      }
      for (key_type const narrow : {key_type::u32, key_type::i32, key_type::f32})
        EXPECT_NO_THROW(resolved(spec_text, narrow, row_type::u32)) << spec_text;
      for (auto const& [keys, rows] : {std::pair(key_type::u64, row_type::u32), std::pair(key_type::u32, row_type::u64),
                                       std::pair(key_type::f64, row_type::u64)}) {
        auto const resolve_given = [&, keys = keys, rows = rows] { resolved(spec_text, keys, rows); };
        if (lanes == 1 || lanes == usual) {
          EXPECT_NO_THROW(resolve_given()) << spec_text;
          continue;
        }
        std::string const caret = "\n  " + spec_text + "\n  " + std::string(spec_text.find("lanes"), ' ') + "^";
        EXPECT_TRUE(throws<spec_error>(resolve_given,
                                       "groups of " + std::to_string(lanes) + " lanes take keys and rows",
                                       usual == 1 ? "on 1 lane" : "on 1 lane or " + std::to_string(usual), caret))
            << spec_text;
      }
    }
  }
}

/// The resolved spec holds policies as they were given, and none where the engine is to choose. Both backends read
/// them alike.
TEST(registry, policies_are_part_of_the_resolved_spec) {
  for (structure_info const& info : structures()) {
    if (info.chooses) continue;
    for (std::string const& sample : info.samples) {
      for (backend_kind const backend : {backend_kind::cpu, backend_kind::cuda}) {
        auto const resolved = [&](std::string const& options) {
          return resolve(spec(sample + options), key_type::u32, row_type::u32, 1000, backend);
        };
        std::string const plain = resolved("");
        EXPECT_EQ(resolved("/lanes=auto/threads=auto/pin=auto"), plain);
        for (char const* const options : {"/lanes=1", "/threads=128", "/threads=1024", "/pin=steps", "/pin=none",
                                          "/lanes=1/threads=160/pin=steps"}) {
          if (!info.pins && std::string_view(options).ends_with("/pin=steps")) continue;
          EXPECT_EQ(resolved(options), plain + options);
        }
        EXPECT_EQ(resolved("/pin=none/rows=u32/threads=256"), plain + "/threads=256/pin=none");
      }
    }
  }
}

/// On the CPU policies change neither the bytes of an index nor its answers.
TEST(registry, policies_change_nothing_on_the_cpu) {
  std::vector<std::uint32_t> keys(1000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i * 7919 % 601);
  std::vector<std::uint32_t> probes;
  for (std::uint32_t p = 0; p < 700; p += 9) probes.push_back(p);
  execution const exec(host_memory(), {}, 1);
  for (std::string const& sample : all_samples()) {
    index const plain = index::build(sample, std::span(keys), exec);
    auto const questions = all_questions(probes, plain.ordered());
    auto const answers = ask_all(questions, plain, exec);
    for (char const* const options : {"/lanes=1", "/threads=128", "/threads=1024", "/pin=steps", "/pin=none"}) {
      SCOPED_TRACE(sample + options);
      if (!takes(sample + options, key_type::u32)) continue;  // refused: there is nothing to pin
      index const other = index::build(sample + options, std::span(keys), exec);
      EXPECT_EQ(other.memory().pairs, plain.memory().pairs);
      EXPECT_EQ(other.memory().auxiliary, plain.memory().auxiliary);
      EXPECT_EQ(ask_all(questions, other, exec), answers);
    }
  }
}

TEST(registry, an_index_carries_its_resolved_spec) {
  std::vector<double> const keys = {3, 1, 2};
  for (std::string const& sample : all_samples()) {
    index const i = index::build(sample, std::span(keys), execution());
    EXPECT_EQ(i.spec_text(), resolve(spec(sample), key_type::f64, row_type::u32, 3, backend_kind::cpu));
  }
}

}  // namespace
}  // namespace warpdex::test
