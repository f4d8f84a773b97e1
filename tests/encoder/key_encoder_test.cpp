// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "encoder/oracle.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/scarce_memory.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

#include <numeric>

/// @file
/// Keys of tuples against the order of the tuples.
namespace warpdex::test {
namespace {

std::string shown(fields const& of) {
  std::string text;
  for (key_field const& field : of)
    text += std::string(to_string(field.type)) + (field.descending ? " desc" : "") + (field.nullable ? " null" : "") +
            (field.nulls_last ? " last, " : ", ");
  return text;
}

class key_encoder_on : public testing::TestWithParam<backend_kind> {
 protected:
  test_stream const stream{GetParam()};
  execution const exec{memory_of(GetParam()), stream};
  tuple_maker make{test_seed() ^ name_hash("key_encoder")};

  place any_place() { return GetParam() == backend_kind::cpu || make.below(2) == 0 ? place::host : place::device; }

  key_list encode(key_encoder const& encoder, fields const& of, std::vector<tuple> const& tuples) {
    tuple_columns const columns(of, tuples, of.size(), any_place(), make, exec);
    return encoder.encode(columns.view(), exec);
  }

  /// The only key of one tuple, in hexadecimal digits.
  std::string key_of(fields const& of, tuple const& t) {
    std::string const key = read_keys(encode(key_encoder(of), of, {t}), exec)[0];
    std::string text;
    for (char const byte : key) {
      char digits[3];
      std::snprintf(digits, sizeof(digits), "%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
      text += digits;
    }
    return text;
  }
};

/// All lists of one field, and random lists of up to five.
std::vector<fields> field_lists(tuple_maker& make, std::size_t random_ones) {
  std::vector<fields> lists;
  for (key_type const type : key_types)
    for (int flags = 0; flags < 8; ++flags)
      lists.push_back({{type, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0}});
  for (std::size_t i = 0; i < random_ones; ++i) {
    fields list;
    for (std::size_t f = 2 + make.below(4); f != 0; --f) list.push_back(make.field());
    lists.push_back(list);
  }
  return lists;
}

std::vector<tuple> make_tuples(tuple_maker& make, fields const& of, std::size_t count) {
  std::vector<tuple> tuples;
  for (std::size_t i = 0; i < count; ++i) {
    tuples.push_back(make.make(of));
    // Tuples that begin alike, so that the later fields decide.
    if (i != 0)
      for (std::size_t f = 0, alike = make.below(of.size() + 1); f < alike; ++f)
        tuples[i][f] = tuples[make.below(i)][f];
  }
  return tuples;
}

/// The order of keys is that of their tuples.
void expect_order(std::vector<std::string> const& keys, fields const& of, std::vector<tuple> const& tuples) {
  for (std::size_t a = 0; a < tuples.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      int const order = keys[a].compare(keys[b]);
      int const expected = compare_tuples(of, tuples[a], tuples[b], of.size());
      ASSERT_EQ(order < 0, expected < 0) << "tuples " << a << " and " << b;
      ASSERT_EQ(order == 0, expected == 0) << "tuples " << a << " and " << b;
    }
}

TEST(key_encoder, keys_have_the_narrowest_type) {
  auto const type_of = [](fields const& of) { return key_encoder(of).type(); };
  EXPECT_EQ(type_of({{key_type::date}}), key_type::u32);
  EXPECT_EQ(type_of({{key_type::date, false, true}}), key_type::u64);
  EXPECT_EQ(type_of({{key_type::date}, {key_type::f32, true}}), key_type::u64);
  EXPECT_EQ(type_of({{key_type::date}, {key_type::f32, true, true}}), key_type::u128);
  EXPECT_EQ(type_of({{key_type::u64}, {key_type::i32}, {key_type::i32}}), key_type::u128);
  EXPECT_EQ(type_of({{key_type::u128}}), key_type::u128);
  EXPECT_EQ(type_of({{key_type::u128, false, true}}), key_type::bytes);
  EXPECT_EQ(type_of({{key_type::u64}, {key_type::u64}, {key_type::u32}}), key_type::bytes);
  EXPECT_EQ(type_of({{key_type::bytes}}), key_type::bytes);
}

// The examples of docs/guide/keys.md.
TEST_P(key_encoder_on, keys_are_as_documented) {
  key_field const name{key_type::bytes}, name_down{key_type::bytes, true}, day{key_type::date};
  key_field const maybe{key_type::bytes, false, true}, maybe_day{key_type::date, true, true, true};
  auto const text = [](std::string const& s) { return cell{false, 0, s}; };
  auto const number = [](std::int64_t n) { return cell{false, static_cast<std::uint32_t>(n), {}}; };
  cell const null{true, 0, {}};
  EXPECT_EQ(key_of({name}, {text("ab")}), "6162");
  EXPECT_EQ(key_of({name, day}, {text("ab"), number(1)}), "6162000080000001");
  EXPECT_EQ(key_of({name, name}, {text(std::string("a\0", 2)), text(std::string("\0", 1))}), "6100ff000000");
  EXPECT_EQ(key_of({name_down}, {text(std::string("a\0", 2))}), "9eff00ffff");
  EXPECT_EQ(key_of({day}, {number(-1)}), "7fffffff");
  EXPECT_EQ(key_of({maybe, name}, {null, text("a")}), "0061");
  EXPECT_EQ(key_of({maybe, name}, {text(""), text("a")}), "01000061");
  EXPECT_EQ(key_of({maybe_day}, {number(1)}), "000000007ffffffe");
  EXPECT_EQ(key_of({maybe_day}, {null}), "0000000100000000");
}

TEST_P(key_encoder_on, order_is_that_of_the_tuples) {
  for (fields const& of : field_lists(make, 150)) {
    SCOPED_TRACE(shown(of));
    key_encoder const encoder(of);
    auto const tuples = make_tuples(make, of, 120);
    auto const keys = read_keys(encode(encoder, of, tuples), exec);
    ASSERT_EQ(keys.size(), tuples.size());
    ASSERT_NO_FATAL_FAILURE(expect_order(keys, of, tuples));
  }
}

TEST_P(key_encoder_on, decode_gives_the_tuples_back) {
  for (fields const& of : field_lists(make, 150)) {
    SCOPED_TRACE(shown(of));
    key_encoder const encoder(of);
    auto const tuples = make_tuples(make, of, 1 + make.below(200));
    key_list const keys = encode(encoder, of, tuples);
    auto const decoded = encoder.decode(keys, exec);
    auto const back = read_tuples(decoded, exec);
    ASSERT_EQ(back.size(), tuples.size());
    for (std::size_t i = 0; i < back.size(); ++i)
      for (std::size_t f = 0; f < of.size(); ++f) {
        ASSERT_EQ(back[i][f].null, tuples[i][f].null);
        ASSERT_EQ(compare_cells(of[f], back[i][f], tuples[i][f]), 0) << "tuple " << i << ", field " << f;
        ASSERT_TRUE(!back[i][f].null || (back[i][f].bits == 0 && back[i][f].text.empty()));
      }
    std::vector<nullable_column> const again(decoded.begin(), decoded.end());
    std::vector<nullable_column> columns = again;
    for (std::size_t f = 0; f < of.size(); ++f)
      if (!of[f].nullable) columns[f].validity = nullptr;
    EXPECT_EQ(read_keys(encoder.encode(columns, exec), exec), read_keys(keys, exec));
  }
}

TEST_P(key_encoder_on, leading_finds_the_tuples_that_begin_so) {
  std::size_t inside = 0;
  for (fields const& of : field_lists(make, 200)) {
    SCOPED_TRACE(shown(of));
    key_encoder const encoder(of);
    auto const tuples = make_tuples(make, of, 80);
    auto const keys = read_keys(encode(encoder, of, tuples), exec);
    for (std::size_t count = 1; count <= of.size(); ++count)
      for (bool const open : {false, true}) {
        if (open ? of[count - 1].type != key_type::bytes : count == of.size()) continue;
        auto query = make_tuples(make, of, 10);
        for (tuple& t : query)
          if (make.below(2) == 0) t = tuples[make.below(tuples.size())];
        if (open)
          for (tuple& t : query)
            if (auto& text = t[count - 1].text; !text.empty()) text.resize(make.below(text.size()));
        tuple_columns const columns(of, query, count, any_place(), make, exec);
        key_bounds const bounds = encoder.leading(columns.view(), open, exec);
        auto const lower = read_keys(bounds.lower, exec);
        auto const upper = read_keys(bounds.upper, exec);
        ASSERT_EQ(bounds.lower.type, encoder.type());
        ASSERT_EQ(lower.size(), query.size());
        ASSERT_EQ(upper.size(), encoder.type() == key_type::bytes ? 0 : query.size());
        for (std::size_t j = 0; j < query.size(); ++j)
          for (std::size_t i = 0; i < tuples.size(); ++i) {
            bool const found =
                upper.empty() ? keys[i].starts_with(lower[j]) : lower[j] <= keys[i] && keys[i] <= upper[j];
            cell const& last = query[j][count - 1];
            cell const& field = tuples[i][count - 1];
            bool const last_fits = open && !last.null ? !field.null && field.text.starts_with(last.text)
                                                      : compare_cells(of[count - 1], last, field) == 0;
            ASSERT_EQ(found, last_fits && compare_tuples(of, query[j], tuples[i], count - 1) == 0)
                << count << " fields, " << (open ? "open" : "closed") << ", tuple " << i;
            inside += found ? 1 : 0;
          }
      }
  }
  EXPECT_GT(inside, 1000u);
}

// Either the bytes are no key, or they are the one key of the tuple that they decode to.
TEST_P(key_encoder_on, decode_takes_only_keys) {
  std::size_t refused = 0, taken = 0;
  for (fields const& of : field_lists(make, 60)) {
    SCOPED_TRACE(shown(of));
    key_encoder const encoder(of);
    for (int round = 0; round < 20; ++round) {
      std::string key = read_keys(encode(encoder, of, make_tuples(make, of, 1)), exec)[0];
      if (encoder.type() == key_type::bytes && make.below(3) == 0) key.resize(make.below(key.size() + 1));
      if (encoder.type() == key_type::bytes && make.below(4) == 0) key += static_cast<char>(make.below(2) * 255);
      if (!key.empty() && make.below(4) != 0) {
        static int const bytes[] = {0, 1, 2, 255, 254, 127, 128};
        key[make.below(key.size())] = static_cast<char>(bytes[make.below(7)]);
      }
      std::vector<unsigned char> memory(key.begin(), key.end());
      if (encoder.type() != key_type::bytes) std::reverse(memory.begin(), memory.end());
      place const where = any_place();
      input_array<unsigned char> const array(memory, where, 0, exec);
      input_array<std::uint64_t> const offsets({0, key.size()}, where, 0, exec);
      column keys(array.data(), 1, encoder.type());
      if (keys.type == key_type::bytes) keys.strings = {offsets.data(), 8, 0, key.size()};
      std::vector<decoded_column> decoded;
      try {
        decoded = encoder.decode(keys, exec);
      } catch (invalid_argument const& e) {
        EXPECT_NE(std::string(e.what()).find("key number 0"), std::string::npos) << e.what();
        ++refused;
        continue;
      }
      std::vector<nullable_column> columns(decoded.begin(), decoded.end());
      ASSERT_EQ(read_keys(encoder.encode(columns, exec), exec)[0], key);
      ++taken;
    }
  }
  EXPECT_GT(refused, 100u);
  EXPECT_GT(taken, 100u);
}

TEST_P(key_encoder_on, many_tuples) {
  fields const of = {{key_type::date}, {key_type::bytes, true}, {key_type::bytes, false, true}};
  key_encoder const encoder(of);
  auto const tuples = make_tuples(make, of, 40'000);
  key_list const keys = encode(encoder, of, tuples);
  auto const written = read_keys(keys, exec);
  auto const back = read_tuples(encoder.decode(keys, exec), exec);
  std::vector<std::size_t> order(tuples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return written[a] < written[b]; });
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    ASSERT_EQ(compare_tuples(of, tuples[i], back[i], of.size()), 0) << i;
    ASSERT_LE(compare_tuples(of, tuples[order[i == 0 ? 0 : i - 1]], tuples[order[i]], of.size()), 0) << i;
  }
  execution const on_host(host_memory());
  tuple_columns const columns(of, tuples, of.size(), place::host, make, on_host);
  EXPECT_EQ(read_keys(encoder.encode(columns.view(), on_host), on_host), written);  // the same bytes on both backends
}

TEST_P(key_encoder_on, no_tuples) {
  for (fields const& of : {fields{{key_type::bytes}, {key_type::bytes}}, fields{{key_type::u32, false, true}}}) {
    key_encoder const encoder(of);
    key_list const keys = encode(encoder, of, {});
    EXPECT_EQ(keys.size, 0u);
    auto const back = encoder.decode(keys, exec);
    ASSERT_EQ(back.size(), of.size());
    EXPECT_EQ(back[0].values.size, 0u);
  }
}

TEST_P(key_encoder_on, without_memory_nothing_is_left) {
  fields const of = {{key_type::bytes, false, true}, {key_type::date, true, true}, {key_type::bytes}};
  key_encoder const encoder(of);
  auto const tuples = make_tuples(make, of, 1000);
  scarce_memory scarce(memory_of(GetParam()));
  execution const poor(scarce, stream);
  tuple_columns const columns(of, tuples, of.size(), place::host, make, exec);
  key_list const keys = encoder.encode(columns.view(), exec);
  auto const expected = read_keys(keys, exec);
  auto const until_it_works = [&](auto const& call) {
    for (int nth = 0;; ++nth) {
      scarce.fail_at(nth);
      try {
        call();
        scarce.relax();
        EXPECT_GT(nth, 0);
        break;
      } catch (out_of_memory const&) {
        scarce.relax();
        ASSERT_EQ(scarce.live(), 0u);
      }
    }
    EXPECT_EQ(scarce.live(), 0u);
    EXPECT_TRUE(scarce.consistent());
  };
  until_it_works([&] { EXPECT_EQ(read_keys(encoder.encode(columns.view(), poor), poor), expected); });
  until_it_works([&] { EXPECT_EQ(read_tuples(encoder.decode(keys, poor), poor).size(), tuples.size()); });
  until_it_works([&] { EXPECT_EQ(encoder.leading(columns.view().first(2), false, poor).lower.size, tuples.size()); });
}

/// Lists of two to five fields that a narrow code takes.
std::vector<fields> narrow_lists(tuple_maker& make, std::size_t count) {
  std::vector<fields> lists;
  for (std::size_t i = 0; i < count; ++i) {
    fields list;
    for (std::size_t f = 1 + make.below(4); f != 0; --f)
      list.push_back(make.below(2) == 0 ? make.field() : key_field());
    list.push_back({.type = make.field().type});
    lists.push_back(list);
  }
  return lists;
}

/// The rows of a narrow encoder's tuples as strings in key order.
class narrow_on : public key_encoder_on {
 protected:
  key_encoder narrow(fields const& of, std::vector<tuple> const& tuples) {
    tuple_columns const columns(of, tuples, of.size(), any_place(), make, exec);
    return key_encoder::narrow(of, columns.view(), exec);
  }

  /// @return new tuples, and some of others
  std::vector<tuple> some(fields const& of, std::vector<tuple> const& others) {
    auto result = make_tuples(make, of, 30);
    for (tuple& t : result)
      if (make.below(3) != 0) t = others[make.below(others.size())];
    return result;
  }

  /// Equality, and ranges of the last field within the others.
  void expect_probes(key_encoder const& encoder, fields const& of, std::vector<tuple> const& tuples) {
    auto const keys = read_keys(encode(encoder, of, tuples), exec);
    auto const query = some(of, tuples);
    tuple_columns const columns(of, query, of.size(), any_place(), make, exec);
    placed_points const points = encoder.points(columns.view(), exec);
    auto const found = read_keys(numbers(points.places, query.size()), exec);
    auto const valid = read_buffer<std::uint8_t>(points.validity, points.validity.bytes(), exec);
    auto const leading = columns.view().first(of.size() - 1);
    nullable_column const last = columns.view().back();
    auto const from = encoder.ranges(leading, {last, {}, closed_ends::right}, exec);
    auto const below = encoder.ranges(leading, {{}, last}, exec);
    key_bounds const all = encoder.leading(leading, false, exec);
    for (std::size_t i = 0; i < query.size(); ++i) {
      auto const holds = [&](auto const& lower, auto const& upper, std::string const& key) {
        return read_keys(lower, exec)[i] <= key && key <= read_keys(upper, exec)[i];
      };
      bool const has = (valid[i / 8] >> (i % 8) & 1) != 0;
      for (std::size_t j = 0; j < tuples.size(); j += 7) {
        bool const group = compare_tuples(of, query[i], tuples[j], of.size() - 1) == 0;
        int const order = compare_cells(of.back(), query[i].back(), tuples[j].back());
        ASSERT_EQ(has && found[i] == keys[j], group && order == 0);
        ASSERT_EQ(holds(numbers(from.lower, from.size), numbers(from.upper, from.size), keys[j]), group && order < 0);
        ASSERT_EQ(holds(numbers(below.lower, below.size), numbers(below.upper, below.size), keys[j]),
                  group && order >= 0);
        ASSERT_EQ(holds(all.lower, all.upper, keys[j]), group);
      }
    }
  }

 private:
  key_list numbers(buffer const& from, std::uint64_t size) {
    buffer copied(size * sizeof(std::uint64_t), exec);
    copy(copied.data(), from.data(), copied.bytes(), exec);
    return {std::move(copied), {}, size, size * sizeof(std::uint64_t), key_type::u64};
  }
};

TEST_P(narrow_on, order_is_that_of_the_tuples) {
  std::size_t by_rank = 0;
  for (fields const& of : narrow_lists(make, 60)) {
    SCOPED_TRACE(shown(of));
    auto const tuples = make_tuples(make, of, 90);
    key_encoder const encoder = narrow(of, tuples);
    ASSERT_TRUE(encoder.is_narrow());
    ASSERT_EQ(encoder.type(), key_type::u64);
    by_rank += encoder.explain().find("ranks") != std::string::npos ? 1 : 0;
    auto const keys = read_keys(encode(encoder, of, tuples), exec);
    ASSERT_NO_FATAL_FAILURE(expect_order(keys, of, tuples));
  }
  EXPECT_GT(by_rank, 5u);
  EXPECT_LT(by_rank, 60u);
}

TEST_P(narrow_on, decode_gives_the_tuples_back) {
  for (fields const& of : narrow_lists(make, 60)) {
    SCOPED_TRACE(shown(of));
    auto const tuples = make_tuples(make, of, 1 + make.below(90));
    key_encoder const encoder = narrow(of, tuples);
    auto const back = read_tuples(encoder.decode(encode(encoder, of, tuples), exec), exec);
    ASSERT_EQ(back.size(), tuples.size());
    for (std::size_t i = 0; i < back.size(); ++i)
      ASSERT_EQ(compare_tuples(of, back[i], tuples[i], of.size()), 0) << "tuple " << i;
  }
}

TEST_P(narrow_on, probes_are_those_of_the_tuples) {
  for (fields const& of : narrow_lists(make, 25)) {
    SCOPED_TRACE(shown(of));
    auto const tuples = make_tuples(make, of, 90);
    expect_probes(narrow(of, tuples), of, tuples);
  }
}

TEST_P(narrow_on, a_file_has_the_same_numbers) {
  for (fields const& of : narrow_lists(make, 12)) {
    SCOPED_TRACE(shown(of));
    auto const tuples = make_tuples(make, of, 50);
    key_encoder const encoder = narrow(of, tuples);
    auto const bytes = encoder.save();
    key_encoder const loaded = key_encoder::load(bytes);
    EXPECT_EQ(loaded.save(), bytes);
    EXPECT_EQ(loaded.explain(), encoder.explain());
    EXPECT_EQ(read_keys(encode(loaded, of, tuples), exec), read_keys(encode(encoder, of, tuples), exec));
    expect_probes(loaded, of, tuples);
  }
}

TEST_P(narrow_on, bad_calls) {
  fields const of = {{.type = key_type::u32}, {.type = key_type::u64}};
  std::vector<tuple> const tuples = {{cell{false, 1, {}}, cell{false, 5, {}}},
                                     {cell{false, 2, {}}, cell{false, 9, {}}}};
  key_encoder const encoder = narrow(of, tuples);
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        encode(encoder, of, {{cell{false, 7, {}}, cell{false, 5, {}}}});
      },
      "encode", "row 0", "no number"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        narrow({{.type = key_type::u32}}, {{cell{false, 1, {}}}});
      },
      "one field"));
  fields const down = {{.type = key_type::u32}, {.type = key_type::u64, .descending = true}};
  EXPECT_TRUE(throws<invalid_argument>([&] { narrow(down, tuples); }, "the last field is descending"));
  tuple_columns const columns(of, tuples, 2, any_place(), make, exec);
  EXPECT_TRUE(throws<invalid_argument>([&] { encoder.points(columns.view().first(1), exec); }, "points", "1 columns"));
  EXPECT_TRUE(throws<invalid_argument>([&] { encoder.ranges(columns.view(), {}, exec); }, "ranges", "2 columns"));
  EXPECT_TRUE(throws<unsupported>([&] { key_encoder(of).points(columns.view(), exec); }, "points", "a wide encoder"));
  std::vector<std::uint64_t> const beyond = {~std::uint64_t{0}};
  EXPECT_TRUE(throws<invalid_argument>([&] { encoder.decode(column(beyond), exec); }, "decode", "key 0"));
}

INSTANTIATE_TEST_SUITE_P(, key_encoder_on, testing::ValuesIn(present_backends()), backend_name);
INSTANTIATE_TEST_SUITE_P(, narrow_on, testing::ValuesIn(present_backends()), backend_name);

}  // namespace
}  // namespace warpdex::test
