// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/error.hpp>
#include <warpdex/index.hpp>
#include <warpdex/spec.hpp>

#include "support/backends.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace warpdex {
namespace {

/// The message that refuses a text: from the parser or, for the name, from the registry.
std::string failure(std::string const& text) {
  try {
    canonical(spec(text));
  } catch (spec_error const& e) {
    return e.what();
  }
  ADD_FAILURE() << "accepted: " << text;
  return {};
}

/// The character above the caret, or '\0' if the caret is after the text.
char pointed_at(std::string const& message) {
  auto const caret_line = message.rfind('\n') + 1;
  auto const text_line = message.rfind('\n', caret_line - 2) + 1;
  auto const column = message.find('^', caret_line) - caret_line;
  EXPECT_EQ(message.find_first_not_of(' ', caret_line), caret_line + column);
  auto const line = message.substr(text_line, caret_line - 1 - text_line);
  return column < line.size() ? line[column] : '\0';
}

void expect_failure(std::string const& text, char at, std::string const& part) {
  SCOPED_TRACE(text);
  auto const message = failure(text);
  EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_EQ(pointed_at(message), at) << message;
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 2) << message;
}

TEST(spec, parts) {
  spec const s("AO+PB+BS(levels=24)/layout=AoS/rows=u64");
  EXPECT_EQ(s.structure(), "AO+PB+BS");
  ASSERT_EQ(s.arguments().size(), 1u);
  EXPECT_EQ(s.arguments()[0].name, "levels");
  EXPECT_EQ(s.arguments()[0].value, "24");
  EXPECT_EQ(s.arguments()[0].position, 9u);
  ASSERT_EQ(s.options().size(), 2u);
  EXPECT_EQ(s.option("layout")->value, "AoS");
  EXPECT_EQ(s.option("rows")->value, "u64");
  EXPECT_EQ(s.option("rows")->position, 31u);
  EXPECT_EQ(s.option("pin"), nullptr);
  EXPECT_EQ(s.argument("LEVELS"), &s.arguments()[0]);
  EXPECT_EQ(s.argument("eps"), nullptr);
}

TEST(spec, several_arguments) {
  spec const s("EO+KS(9,deep=a+b,2^4)");
  ASSERT_EQ(s.arguments().size(), 3u);
  EXPECT_EQ(s.arguments()[0].name, "");
  EXPECT_EQ(s.arguments()[0].value, "9");
  EXPECT_EQ(s.arguments()[1].value, "a+b");
  EXPECT_EQ(s.arguments()[2].value, "2^4");
  EXPECT_EQ(s.arguments()[2].position, 17u);
}

TEST(spec, case_is_made_canonical) {
  spec const s = canonical("ao+pb+ks(LEVELS=3)/LayOut=AoS");
  EXPECT_EQ(s.text(), "AO+PB+KS(levels=3)/layout=AoS");
  EXPECT_EQ(s.structure(), "AO+PB+KS");
  EXPECT_EQ(s.arguments()[0].name, "levels");
  EXPECT_EQ(s.options()[0].name, "layout");
  EXPECT_EQ(canonical(s.text()).text(), s.text());
  EXPECT_EQ(canonical("sorted/rows=u64").text(), "AO+BS/rows=u64");
  EXPECT_EQ(canonical("Hash").text(), "HT(open)");
  EXPECT_EQ(canonical("hash(load=0.5)/rows=u64").text(), "HT(open,load=0.5)/rows=u64");
  EXPECT_EQ(canonical("btree(fill=0.7)").text(), "B+(16,fill=0.7)");
  EXPECT_EQ(resolve("ht(open,load=0.8)/LayOut=soa", key_type::u32, row_type::u32, 1000, backend_kind::cpu),
            "HT(open,load=0.8)/layout=SoA/rows=u32");
}

TEST(spec, parses_names_that_nobody_registered) {
  spec const s("No+Such(3)/rows=u64");
  EXPECT_EQ(s.structure(), "No+Such");
  EXPECT_EQ(s.text(), "No+Such(3)/rows=u64");
  EXPECT_THROW(resolve(s, key_type::u32, row_type::u32, 1000, backend_kind::cpu), spec_error);
}

TEST(spec, every_policy_option_is_known) {
  EXPECT_NO_THROW(
      spec("AO+BS/layout=AoS/rows=u64/lanes=1/threads=1024/probes=4/schedule=static/pin=full/reorder=block+restore"));
}

TEST(spec, policies) {
  auto const resolved = [](std::string const& text) {
    return resolve(spec(text), key_type::u32, row_type::u32, 1000, backend_kind::cpu);
  };
  for (auto const* name : {"lanes", "threads", "probes", "schedule", "pin", "reorder", "scan"})
    EXPECT_EQ(resolved(std::string("AO+BS/") + name + "=auto"), resolved("AO+BS"));
  for (auto const* options :
       {"/lanes=1", "/threads=160", "/probes=16", "/schedule=static", "/schedule=dynamic", "/pin=none", "/pin=steps",
        "/pin=full", "/reorder=none", "/reorder=block", "/reorder=block+restore", "/reorder=window", "/reorder=tile",
        "/scan=group", "/scan=warp", "/reorder=window/scan=group",
        "/lanes=1/threads=128/probes=2/schedule=static/pin=full/reorder=block"}) {
    std::string const text = std::string("AO+BS") + options;
    // Work of blocks is an experiment; a build without it refuses it by the option that brings it.
    if (test::is_compiled(text)) {
      EXPECT_EQ(resolved(text), resolved("AO+BS") + options);
    }
  }

  struct refusal {
    std::string text, part;
    char at;
  };
  for (auto const& [text, part, at] : {refusal{"AO+BS/lanes=2", "1 lane, not on 2", 'l'},
                                       {"AO+BS/threads=130", "multiple of 32", 't'},
                                       {"AO+BS/threads=96", "128 to 1024", '9'},
                                       {"AO+BS/probes=17", "1 to 16", '1'},
                                       {"AO+BS/schedule=fast", "expected auto, dynamic or static", 's'},
                                       {"AO+BS/pin=most", "expected auto, none, steps or full", 'p'},
                                       {"AO+BS/reorder=batch", "block+restore, window or tile", 'r'},
                                       {"AO+BS/scan=block", "expected auto, group or warp", 's'},
                                       {"AO+BS/pin=steps/reorder=window", "pin=steps exclude each other", 'p'},
                                       {"AO+BS/probes=2/reorder=window", "probes=2 exclude each other", 'p'},
                                       {"AO+BS/schedule=static/reorder=window", "exclude each other", 's'},
                                       {"AO+BS/pin=full/reorder=tile", "reorder=tile and pin=full exclude", 'p'}}) {
    try {
      resolved(text);
      ADD_FAILURE() << text;
    } catch (spec_error const& e) {
      EXPECT_EQ(pointed_at(e.what()), at) << e.what();
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  }
}

TEST(spec, every_sample_of_every_structure_parses) {
  for (auto const& info : structures()) {
    EXPECT_EQ(canonical(info.name).structure(), info.name);
    for (auto const& sample : info.samples) EXPECT_EQ(canonical(sample).structure(), info.name) << sample;
  }
}

TEST(spec, unknown_structure_points_where_it_goes_wrong) {
  expect_failure("AO+PX+KS(9)", 'X', "did you mean AO+PB+KS?");
  expect_failure("eo+kz", 'z', "did you mean EO+KS?");
  expect_failure("OA+BS", 'O', "did you mean AO+BS?");
  expect_failure("AO+B", 'B', "did you mean AO+BS?");
  expect_failure("zebra", 'z', "known are");
  EXPECT_EQ(failure("zebra").find("did you mean"), std::string::npos);
}

TEST(spec, nothing_where_a_structure_belongs) {
  expect_failure("", '\0', "empty text");
  expect_failure("(9)", '(', "expected the name of a structure");
  expect_failure("/layout=AoS", '/', "expected the name of a structure");
  expect_failure("AO+BS)", ')', "unexpected ')'");
  expect_failure("AO+BS,EO+BS", ',', "unexpected ','");
  expect_failure("AO=BS", '=', "unexpected '='");
}

TEST(spec, brackets) {
  expect_failure("EO+KS(9", '\0', "missing ')' for the '(' at character 6");
  expect_failure("EO+KS(9/layout=AoS", '/', "missing ')'");
  expect_failure("EO+KS()", ')', "empty argument");
  expect_failure("EO+KS(", '\0', "missing ')'");
  expect_failure("EO+KS(9,)", ')', "empty argument");
  expect_failure("EO+KS(,9)", ',', "empty argument");
  expect_failure("EO+KS((9))", '(', "unexpected '('");
  expect_failure("EO+KS(9)x", 'x', "unexpected 'x' after the bracket");
  expect_failure("EO+KS(9)(9)", '(', "unexpected '('");
}

TEST(spec, arguments_with_names) {
  expect_failure("AO+PB+BS(levels=)", ')', "levels has no value");
  expect_failure("AO+PB+BS(=3)", '=', "expected the name of an argument");
  expect_failure("AO+PB+BS(le-vels=3)", '-', "unexpected '-'");
  expect_failure("AO+PB+BS(levels=3=4)", '=', "unexpected '='");
  expect_failure("AO+PB+BS(levels=3,Levels=4)", 'L', "second argument levels; the first is at character 10");
}

TEST(spec, options) {
  expect_failure("AO+BS/", '\0', "expected an option");
  expect_failure("AO+BS//layout=AoS", '/', "expected an option");
  expect_failure("AO+BS/layuot=AoS", 'l', "did you mean layout?");
  expect_failure("AO+BS/colour=red", 'c', "known are layout, rows");
  expect_failure("AO+BS/layout", '\0', "layout has no value");
  expect_failure("AO+BS/layout=", '\0', "layout has no value");
  expect_failure("AO+BS/layout/rows=u64", '/', "layout has no value");
  expect_failure("AO+BS/layout=AoS=SoA", '=', "unexpected '='");
  expect_failure("AO+BS/layout=AoS)", ')', "unexpected ')'");
  expect_failure("AO+BS/rows=u32/layout=AoS/ROWS=u64", 'R', "second option rows; the first is at character 7");
}

TEST(spec, bytes_that_no_spec_holds_are_shown_escaped) {
  expect_failure("AO+BS /layout=AoS", ' ', "a blank");
  expect_failure("AO+BS\n", '\\', "'\\x0a'");
  expect_failure(std::string("AO\0BS", 5), '\\', "'\\x00'");
  expect_failure("\xc3\x84O+BS", '\\', "'\\xc3'");
  expect_failure("AO+BS\x7f", '\\', "'\\x7f'");
  // Escapes before the caret are wider than the characters that they replace.
  auto const message = failure("AO+BS\x1b[31m");
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
}

TEST(spec, long_texts_are_shortened) {
  auto const message = failure("AO+BS/" + std::string(900, 'x'));
  EXPECT_LT(message.size(), 400u);
  EXPECT_NE(message.find("..."), std::string::npos);
  auto const late = failure("AO+BS/layout=" + std::string(500, 'x') + "=");
  EXPECT_EQ(pointed_at(late), '=') << late;
  EXPECT_LT(late.size(), 400u);
  auto const longer = failure(std::string(1u << 20, 'A'));
  EXPECT_LT(longer.size(), 400u);
  EXPECT_NE(longer.find("1048576 characters"), std::string::npos) << longer;
}

TEST(spec, numbers) {
  spec const s("EO+KS(9,deep=12)/threads=nine/lanes=99999999999999999999999/pin=0x10");
  EXPECT_EQ(s.number(s.arguments()[0], 2, 33), 9u);
  EXPECT_EQ(s.number(*s.argument("deep"), 12, 12), 12u);
  auto const expect = [&](spec::word const& w, std::uint64_t lowest, std::uint64_t highest, char at,
                          std::string const& part) {
    try {
      s.number(w, lowest, highest);
      ADD_FAILURE() << w.value;
    } catch (spec_error const& e) {
      EXPECT_EQ(pointed_at(e.what()), at) << e.what();
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  expect(s.arguments()[0], 10, 33, '9', "expected a number from 10 to 33");
  expect(s.arguments()[0], 2, 8, '9', "expected a number from 2 to 8");
  expect(*s.option("threads"), 0, 9, 'n', "threads is 'nine'");
  expect(*s.option("lanes"), 0, ~std::uint64_t{0}, '9', "lanes is '9999");
  expect(*s.option("pin"), 0, 100, 'x', "no number");
}

TEST(spec, fail_points_at_the_canonical_text) {
  spec const s = canonical("eo+ks(9)");
  try {
    s.fail(6, "no such K");
    FAIL();
  } catch (spec_error const& e) {
    EXPECT_STREQ(e.what(), "spec: no such K\n  EO+KS(9)\n        ^");
  }
}

}  // namespace
}  // namespace warpdex
