// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "joins.hpp"

#include <warpdex/join.hpp>
#include <warpdex/key_encoder.hpp>
#include <warpdex/parallel.hpp>
#include <warpdex/sorted.hpp>

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "asof_how.hpp"
#include "attended.hpp"
#include "columns.hpp"
#include "faces.hpp"
#include "narrow.hpp"
#include "pieces.hpp"
#include "values.hpp"
#include "watched.hpp"

namespace warpdex::python {
namespace {

/// @param left, right keys of both sides, or groups and keys
bool merge(nb::tuple const& left, nb::tuple const& right, nb::handle out, nb::handle how, int device,
           std::int64_t where) {
  auto const options = options_of(how);
  auto const rows = rows_out(out);
  std::size_t const last = left.size() - 1;
  auto const lefts = column_of(left[last]), rights = column_of(right[last]);
  auto const held = nb::make_tuple(left, right, out);
  bool const is_long = lefts.size + rights.size >= long_call;
  column const none;
  auto const left_groups = last == 0 ? none : column_of(left[0]), right_groups = last == 0 ? none : column_of(right[0]);
  return attended_if(is_long, held, [=] {
    return at_place(device, where, [&](execution const& exec) {
      if (last == 0) return asof_merge(lefts, rights, rows, exec, options);
      return asof_merge(left_groups, lefts, right_groups, rights, rows, exec, options);
    });
  });
}

/// @param probes Python's `Values`, which are compared as they are
void bounds_in(nb::handle sorted, nb::handle probes, nb::handle out, bool upper, int device, std::int64_t where) {
  auto const keys = column_of(sorted);
  auto const answers = span_out<std::uint64_t>(out);
  auto const most = device < 0 ? long_call : std::max<std::uint64_t>(answers.size(), 1);
  probe_columns const columns(nb::make_tuple(probes), nullptr);
  if (columns.size() != answers.size()) throw invalid_argument("there are not as many answers as probes");
  columns.each(most, nb::none(), [&](std::vector<piece> const& pieces, std::uint64_t at) {
    auto wanted = pieces[0].values;
    wanted.validity = nullptr;  // misses have answers, which the caller corrects
    auto const to = answers.subspan(at, wanted.size);
    watched([&] {
      at_place(device, where, [&](execution const& exec) {
        if (upper) upper_bound_in(keys, wanted, to, exec);
        else lower_bound_in(keys, wanted, to, exec);
      });
    });
  });
}

/// How a column of both sides of a join goes into keys of tuples.
struct pair_type {
  key_type type = key_type::u32;
  bool is_mixed = false;  ///< whether the sides have other types than that
  bool is_split = false;  ///< integers of 64 bits of both kinds: whether they are negative, and their bits
};

/// @return the types of the parts of a column
std::vector<key_type> types_of(column_values const& of) {
  std::vector<key_type> types;
  for (nb::handle const one : of.parts) {
    nb::object const column = nb::cast<column_part const&>(one).column.get();
    types.push_back(column_of(nb::handle(column)).type);
  }
  return types;
}

/// @return whether a column has numbers that are too large for a sign
bool is_large(column_values const& of) {
  for (nb::handle const one : of.parts) {
    nb::object const numbers = nb::cast<column_part const&>(one).column.get();
    auto const values = column_of(nb::handle(numbers));
    if (values.type != key_type::u64) continue;
    std::span const all(static_cast<std::uint64_t const*>(values.data), values.size);
    if (std::any_of(all.begin(), all.end(), [](auto value) { return value >> 63 != 0; })) return true;
  }
  return false;
}

bool has_floats(column_values const& of) {
  auto const types = types_of(of);
  return types[0] == key_type::f32 || types[0] == key_type::f64;
}

/// @return floats as integers of 64 bits; those that equal none are misses
column_part whole_numbers(column_part const& from, bool has_sign) {
  column const floats = column_of(nb::handle(from.column.get()));
  double const low = has_sign ? -0x1p63 : 0, high = has_sign ? 0x1p63 : 0x1p64;
  buffer made(from.size * sizeof(std::int64_t), on_host(0)), odd(from.size, on_host(0));
  auto const* const nulls =
      from.nulls.is_none() ? nullptr : static_cast<std::uint8_t const*>(array_in(from.nulls).data);
  bool any_odd = false;
  auto const read = [&](auto const* numbers) {
    for (std::uint64_t i = 0; i < from.size; ++i) {
      auto const number = static_cast<double>(numbers[i]);
      bool const is_whole = number >= low && number < high && std::floor(number) == number;
      made.as<std::uint64_t>()[i] = !is_whole  ? 0
                                    : has_sign ? static_cast<std::uint64_t>(static_cast<std::int64_t>(number))
                                               : static_cast<std::uint64_t>(number);
      odd.as<bool>()[i] = !is_whole && (nulls == nullptr || nulls[i] == 0);
      any_odd |= odd.as<bool>()[i];
    }
  };
  if (floats.type == key_type::f32) read(static_cast<float const*>(floats.data));
  else read(static_cast<double const*>(floats.data));
  nb::object misses = nb::none();
  if (any_odd) misses = array_of<bool>(std::move(odd), from.size);
  return {has_sign ? array_of<std::int64_t>(std::move(made), from.size)
                   : array_of<std::uint64_t>(std::move(made), from.size),
          from.size, from.nulls, std::move(misses)};
}

/// Makes floats integers, if the other side has integers.
void make_whole(column_values& floats, column_values const& numbers) {
  auto const types = types_of(numbers);
  bool const has_sign =
      std::any_of(types.begin(), types.end(), [](auto type) { return type == key_type::i32 || type == key_type::i64; });
  floats = plain_values(floats);
  nb::list parts;
  for (nb::handle const one : floats.parts)
    parts.append(nb::cast(whole_numbers(nb::cast<column_part const&>(one), has_sign)));
  floats.parts = parts;
}

pair_type type_of_pair(column_values const& left, column_values const& right) {
  auto types = types_of(left);
  for (auto const type : types_of(right)) types.push_back(type);
  auto const has = [&](key_type type) { return std::find(types.begin(), types.end(), type) != types.end(); };
  pair_type made{types[0]};
  made.is_mixed = std::any_of(types.begin(), types.end(), [&](auto type) { return type != types[0]; });
  if (!made.is_mixed) return made;
  bool const has_sign = has(key_type::i32) || has(key_type::i64);
  made.is_split = has_sign && has(key_type::u64) && (is_large(left) || is_large(right));
  made.type = has(key_type::f64) || has(key_type::f32)             ? key_type::f64
              : made.is_split || (!has_sign && has(key_type::u64)) ? key_type::u64
                                                                   : key_type::i64;
  return made;
}

/// @return numbers in another type, or whether they are negative
template <class To, class F> buffer numbers_as(column const& from, F const& make) {
  buffer made(from.size * sizeof(To), on_host(0));
  with_key_type(from.type, [&]<class Key>() {
    if constexpr (sizeof(Key) != 16) {
      auto const* const numbers = static_cast<key_number<Key> const*>(from.data);
      std::transform(numbers, numbers + from.size, made.as<To>(), make);
    }
  });
  return made;
}

/// Columns of one piece in the types of keys, and the numbers that were made for them.
struct typed_piece {
  std::vector<piece> held;
  std::vector<nullable_column> columns = {};
  std::vector<buffer> made = {};

  typed_piece(std::vector<piece> const& from, std::vector<pair_type> const& types) : held(from) {
    for (std::size_t c = 0; c < from.size(); ++c) {
      auto const& values = from[c].values;
      auto const type = types[c].type;
      if (types[c].is_split)
        add(values, key_type::u32, numbers_as<std::uint32_t>(values, [](auto value) { return value < 0; }));
      if (type == values.type) columns.push_back(values);
      else if (type == key_type::f64)
        add(values, type, numbers_as<double>(values, [](auto value) { return static_cast<double>(value); }));
      else
        add(values, type,
            numbers_as<std::int64_t>(values, [](auto value) { return static_cast<std::int64_t>(value); }));
    }
  }

  void add(nullable_column of, key_type type, buffer from) {
    made.push_back(std::move(from));
    of.data = made.back().data();
    of.type = type;
    columns.push_back(of);
  }
};

/// @return a column without what a field of keys does not know: misses, and nulls if they are not a field
nb::object bare(column_values const& from, bool nullable) {
  auto made = plain_values(from);
  nb::list parts;
  for (nb::handle const one : made.parts) {
    auto const& part = nb::cast<column_part const&>(one);
    parts.append(nb::cast(column_part{part.column, part.size, nullable ? part.nulls : nb::object(nb::none())}));
  }
  made.parts = parts;
  return nb::cast(std::move(made));
}

/// One side of a join as keys of tuples, in parts.
nb::list encoded_side(std::vector<column_values> const& columns, std::vector<pair_type> const& types, bool nullable,
                      int threads, std::uint64_t most) {
  nb::object nulls = nb::none(), misses = nb::none();
  nb::list fields_of;
  for (auto const& column : columns) {
    if (!nullable) nulls = either(nulls, flags_of(column.parts, &column_part::nulls));
    misses = either(misses, flags_of(column.parts, &column_part::misses));
    fields_of.append(bare(column, nullable));
  }
  std::vector<key_field> fields;
  for (auto const& one : types) {
    if (one.is_split) fields.push_back({.type = key_type::u32, .nullable = nullable});
    fields.push_back({.type = one.type, .nullable = nullable});
  }
  nb::tuple const held(fields_of);
  nb::list made;
  probe_columns(held, nullptr).each(most, nb::none(), [&](std::vector<piece> const& pieces, std::uint64_t at) {
    std::uint64_t const size = pieces[0].size;
    auto const typed = std::make_shared<typed_piece const>(pieces, types);
    key_list keys = attended_if(size >= long_call, held, [fields, typed, threads] {
      return key_encoder(fields).encode(typed->columns, on_host(threads));
    });
    auto const here = [&](nb::object const& flags) {
      return flags.is_none() ? flags : flags[nb::slice(at, at + size)];
    };
    bool const wide = keys.type == key_type::u128;  // which as strings of one width are quicker to join
    nb::object column =
        wide ? nb::make_tuple(array_of<std::uint8_t>(std::move(keys.keys), size * sizeof(u128)), sizeof(u128), size)
             : keys_as(std::move(keys), {});
    made.append(nb::cast(column_part{std::move(column), size, here(nulls), here(misses)}));
  });
  return made;
}

/// @return whether the keys of a join may become other numbers: several columns, or strings, without nulls that count
bool may_be_narrow(std::vector<column_values> const& left, std::vector<column_values> const& right, bool nullable) {
  auto const has_nulls = [](column_values const& of) { return !flags_of(of.parts, &column_part::nulls).is_none(); };
  bool const is_text = nb::cast<column_part const&>(right[0].parts[0]).column.are_strings();
  if (left.size() == 1 && !is_text) return false;
  for (std::size_t c = 0; c < left.size(); ++c)
    if (left[c].family != right[c].family || (nullable && (has_nulls(left[c]) || has_nulls(right[c])))) return false;
  return true;
}

/// @param found per word its number, or -1 @param begins the number of the first word of each part
/// @param none the number of what has none, and of nulls @return the number of each value
nb::object numbers_of_words(column_values const& values, std::vector<std::uint64_t> const& begins, nb::handle found,
                            std::int64_t none, int threads) {
  constexpr std::uint64_t grain = std::uint64_t{1} << 16;
  auto const words = array_in(found);
  auto const spread = [&]<class Number>(Number const* of) {
    buffer made(values.size * sizeof(Number), on_host(0));
    auto* to = made.as<Number>();
    std::size_t part = 0;
    for (nb::handle const one : values.parts) {
      auto const& from = nb::cast<column_part const&>(one);
      auto const *const nulls = flags_in(from.nulls, from.size), *const misses = flags_in(from.misses, from.size);
      Number const* const own = of + begins[part++];
      auto const end = words.size - static_cast<std::uint64_t>(own - of);
      auto const put = [&](auto const& word) {
        watched([&] {
          parallel_chunks(threads, from.size, grain, [&](std::uint64_t begin, std::uint64_t last) {
            for (std::uint64_t i = begin; i < last; ++i) {
              bool const absent = (nulls != nullptr && nulls[i] != 0) || (misses != nullptr && misses[i] != 0);
              Number const number = absent || word(i) >= end ? Number{-1} : own[word(i)];
              to[i] = number < 0 ? static_cast<Number>(none) : number;
            }
          });
        });
      };
      if (from.codes.is_none()) put([](std::uint64_t i) { return i; });
      else
        with_integers(array_in(from.codes), [&](auto const* codes) {
          put([codes](std::uint64_t i) { return static_cast<std::uint64_t>(codes[i]); });
        });
      to += from.size;
    }
    return array_of<Number>(std::move(made), values.size);
  };
  return words.itemsize() == 4 ? spread(static_cast<std::int32_t const*>(words.data))
                               : spread(static_cast<std::int64_t const*>(words.data));
}

/// Keys of both sides of a join that are equal where their columns are.
/// @param pairs of columns, as Python's `Values`
/// @param nullable whether nulls equal each other; else a key with one is null
/// @param one_type whether both sides need keys of one type; else a single column may be such a key as it is
/// @return the left side in pieces, and the right one as a part
nb::tuple encode(nb::list const& pairs, bool nullable, bool one_type, int threads, std::uint64_t most) {
  std::vector<column_values> left, right;
  for (nb::handle const pair : pairs) {
    left.push_back(nb::cast<column_values const&>(pair[0]));
    right.push_back(nb::cast<column_values const&>(pair[1]));
  }
  if (may_be_narrow(left, right, nullable))
    if (auto narrow = narrowed(left, right, threads)) {
      column_values keys{"", nb::list(), left[0].size};
      keys.parts.append(nb::cast(std::move(narrow->first)));
      return nb::make_tuple(std::move(keys), std::move(narrow->second));
    }
  std::vector<pair_type> types;
  bool is_plain = pairs.size() == 1;
  for (std::size_t c = 0; c < left.size(); ++c) {
    auto &one = left[c], &two = right[c];
    bool const numbers_differ = one.family != two.family && has_floats(one) != has_floats(two);
    if (numbers_differ && has_floats(one)) make_whole(one, two);
    else if (numbers_differ) make_whole(two, one);
    types.push_back(type_of_pair(one, two));
    bool const with_nulls = nullable && !(flags_of(one.parts, &column_part::nulls).is_none() &&
                                          flags_of(two.parts, &column_part::nulls).is_none());
    is_plain &= !types[0].is_split && !with_nulls && !(one_type && (types[0].is_mixed || numbers_differ));
  }
  if (is_plain) {
    column_values whole = nb::cast<column_values const&>(pairs[0][0]);
    if (whole.parts.size() > 1) {
      nb::list one;
      one.append(gathered(whole.parts));
      whole.parts = one;
    }
    return nb::make_tuple(std::move(whole), gathered(nb::cast<column_values const&>(pairs[0][1]).parts));
  }
  column_values const keys{"", encoded_side(left, types, nullable, threads, most), left[0].size};
  return nb::make_tuple(keys, gathered(encoded_side(right, types, nullable, threads, right[0].size + 1)));
}

}  // namespace

void bind_joins(nb::module_& m, nb::class_<shared_index>& index_class) {
  index_class.def("keys_repeat", [](shared_index const& self) {
    return self.look_up([&](index const& i) { return keys_repeat(i, self.on(0)); });
  });
  m.def("asof_merge", merge, nb::arg("left"), nb::arg("right"), nb::arg("out"), nb::arg("how"), nb::arg("device"),
        nb::arg("where"));
  m.def("bounds_in", bounds_in, nb::arg("keys"), nb::arg("probes"), nb::arg("out"), nb::arg("upper"), nb::arg("device"),
        nb::arg("where"));
  m.def("numbers_of_words", numbers_of_words, nb::arg("values"), nb::arg("begins"), nb::arg("found"), nb::arg("none"),
        nb::arg("threads"));
  m.def("encode", encode, nb::arg("pairs"), nb::arg("nullable"), nb::arg("one_type"), nb::arg("threads"),
        nb::arg("most"));
}

}  // namespace warpdex::python
