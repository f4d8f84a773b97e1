// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "faces.hpp"

#include <warpdex/join.hpp>
#include <warpdex/key_encoder.hpp>
#include <warpdex/prefix_borders.hpp>
#include <warpdex/range_aggregates.hpp>
#include <warpdex/sorted.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "attended.hpp"
#include "columns.hpp"
#include "numpy.hpp"
#include "pieces.hpp"
#include "shared_index.hpp"
#include "stored.hpp"
#include "watched.hpp"

namespace warpdex::python {

std::span<std::uint64_t const> numbers_in(nb::handle from) {
  auto const found = array_in(from);
  if (found.itemsize() != 8) throw type_error("ranks are integers of 64 bits");
  return {static_cast<std::uint64_t const*>(found.data), found.size};
}

namespace {

/// The same as `at_place`, while Python runs other threads.
template <class F> auto on_place(int device, std::int64_t where, F const& f) {
  return watched([&] { return at_place(device, where, f); });
}

key_type type_called(std::string const& name) {
  for (auto const type : key_types)
    if (to_string(type) == name) return type;
  throw type_error("there is no type of keys '" + name + "'");
}

nb::object numbers_of(key_list from, results const& to) {
  return with_key_type(from.type, [&]<class Key>() -> nb::object {
    if constexpr (sizeof(Key) == 16) throw type_error("keys of this type are no numbers");
    else return to.array<key_number<Key>>(std::move(from.keys), from.size);
  });
}

/// Keys that follow keys to their parents.
nb::tuple ancestors(shared_index const& self, nb::handle probes, nb::handle parents, std::int64_t where) {
  part const query(probes, &self), of(parents, &self);
  results const to = self.results_of(nb::cast<column_part const&>(probes).column.get(), where);
  auto found = self.look_up([&](any_index const& i) {
    matches result = i.ancestors(query.whole().values, of.whole().values, self.on(where));
    to.fetch(result.offsets);
    to.fetch(result.rows);
    return result;
  });
  auto offsets = to.array<std::int64_t>(std::move(found.offsets), found.probes + 1);
  return nb::make_tuple(offsets, to.rows(std::move(found.rows), found.total, found.row_type));
}

nb::object keys_at(shared_index const& self, nb::handle ranks, std::int64_t where) {
  auto const wanted = numbers_in(ranks);
  results const to = self.results_of(ranks, where);
  return keys_as(self.look_up([&](any_index const& i) {
    key_list result = i.keys_at(wanted, self.on(where));
    to.fetch(result.keys);
    to.fetch(result.offsets);
    return result;
  }),
                 to);
}

nb::object rows_at(shared_index const& self, nb::handle ranks, std::int64_t where) {
  auto const wanted = numbers_in(ranks);
  results const to = self.results_of(ranks, where);
  auto found = self.look_up([&](any_index const& i) {
    matches result = i.rows_at(wanted, self.on(where));
    to.fetch(result.rows);
    return result;
  });
  return to.rows(std::move(found.rows), found.total, found.row_type);
}

std::unique_ptr<shared_index> over_sorted(nb::handle keys, std::string const& spec, int device, std::int64_t where) {
  auto const column = column_of(keys);
  return on_place(device, where, [&](execution const& exec) {
    return std::make_unique<shared_index>(index::over_sorted(spec, column, exec), device);
  });
}

/// @param by hash, merge, or any for what suits the columns
nb::tuple columns_joined(nb::handle left, nb::handle right, std::string const& how, std::string const& by, int device,
                         std::int64_t where) {
  auto const held = std::make_shared<std::pair<part, part> const>(part(left, nullptr), part(right, nullptr));
  auto const kind = kind_named(how);
  bool const is_long = held->first.size() + held->second.size() >= long_call;
  joined found = attended_if(is_long, nb::make_tuple(left, right), [=] {
    return at_place(device, where, [&](execution const& exec) {
      auto const first = held->first.whole().values, second = held->second.whole().values;
      if (by == "hash") return hash_join(first, second, kind, exec);
      if (by == "merge") return merge_join(first, second, kind, exec);
      return join(first, second, kind, exec);
    });
  });
  return pairs_as(std::move(found), {device, device >= 0, where});
}

/// The first value of `right` that equals each one of `left`, or -1.
nb::object matched_first(nb::handle left, nb::handle right, int device, std::int64_t where) {
  auto const held = std::make_shared<std::pair<part, part> const>(part(left, nullptr), part(right, nullptr));
  std::uint64_t const size = held->first.size(), others = held->second.size();
  row_type const type = others < std::uint64_t{1} << 31 ? row_type::u32 : row_type::u64;
  buffer found = attended_if(size + others >= long_call, nb::make_tuple(left, right), [=] {
    return at_place(device, where, [&](execution const& exec) {
      buffer result(size * size_of(type), exec);
      first_match(held->first.whole().values, held->second.whole().values, {result.data(), size, type}, exec);
      return result;
    });
  });
  return results{device, device >= 0, where}.rows(std::move(found), size, type);
}

/// Numbers of 128 bits as an array: of 64 bits if those hold them, else of Python's integers.
nb::object exact_numbers(std::vector<i128> const& from) {
  auto const as = [&]<class T>(T) {
    buffer result(from.size() * sizeof(T), on_host(0));
    std::transform(from.begin(), from.end(), result.as<T>(), [](i128 value) { return static_cast<T>(value); });
    return array_of<T>(std::move(result), from.size());
  };
  auto const all_are = [&]<class T>(T) {
    return std::all_of(from.begin(), from.end(), [](i128 value) { return static_cast<T>(value) == value; });
  };
  if (all_are(std::int64_t())) return as(std::int64_t());
  if (all_are(std::uint64_t())) return as(std::uint64_t());
  nb::object result = numpy::get().function("empty")(from.size(), "O");
  for (std::size_t i = 0; i < from.size(); ++i) {
    i128 const number = from[i];
    nb::object const high = nb::int_(static_cast<std::int64_t>(number >> 64)).attr("__lshift__")(64);
    result[i] = high.attr("__add__")(static_cast<std::uint64_t>(number));
  }
  return result;
}

template <class Number> nb::object numbers_as(std::vector<Number> const& from) {
  if constexpr (std::is_same_v<Number, i128>) {
    return exact_numbers(from);
  } else {
    buffer result(from.size() * sizeof(Number), on_host(0));
    std::copy(from.begin(), from.end(), result.as<Number>());
    return array_of<Number>(std::move(result), from.size());
  }
}

/// The aggregates of a call, as (sums, least, greatest, numbers of values, squares).
template <class Number> nb::tuple tuple_of(std::vector<aggregate<Number>> const& from) {
  auto const column = [&](Number aggregate<Number>::*which) {
    std::vector<Number> numbers(from.size());
    std::transform(from.begin(), from.end(), numbers.begin(), [&](auto const& item) { return item.*which; });
    return numbers_as(numbers);
  };
  auto const plain = [&]<class T, class Field>(T, Field aggregate<Number>::*which) {
    buffer held(from.size() * sizeof(T), on_host(0));
    std::transform(from.begin(), from.end(), held.as<T>(),
                   [&](auto const& item) { return static_cast<T>(item.*which); });
    return array_of<T>(std::move(held), from.size());
  };
  return nb::make_tuple(column(&aggregate<Number>::sum), column(&aggregate<Number>::min),
                        column(&aggregate<Number>::max), plain(std::int64_t(), &aggregate<Number>::count),
                        plain(double(), &aggregate<Number>::m2));
}

/// Aggregates as what stored.hpp loads.
struct stored_aggregates {
  static any_range_aggregates load(std::filesystem::path const& path, execution const& exec, bool map) {
    return load_range_aggregates(path, exec, map);
  }
  static any_range_aggregates load(std::span<std::byte const> bytes, execution const& exec) {
    return load_range_aggregates(bytes, exec);
  }
  static any_range_aggregates load(std::span<std::byte const> bytes, std::shared_ptr<void const> owner,
                                   execution const& exec, check) {
    return load_range_aggregates(bytes, std::move(owner), exec);
  }
};

/// Values in the order of an index's keys.
class values_of_index {
  static auto placed_on(int device) {
    return [device](any_range_aggregates loaded, execution const&) {
      return std::make_unique<values_of_index>(std::move(loaded), device);
    };
  }

 public:
  /// @param values an array of numbers, and flags of NumPy, bits of a device, or None
  values_of_index(shared_index const& over, nb::handle values, bool squares, bool extremes, std::int64_t where)
      : device_(over.device()) {
    nb::object const column = nb::cast<column_part const&>(values).column.get();
    part const held(values, nullptr);
    any_array const array = array_in(column);
    value_column source;
    source.data = array.data;
    source.size = array.size;
    source.width = static_cast<std::uint32_t>(array.itemsize());
    auto const code = static_cast<nb::dlpack::dtype_code>(array.type.code);
    source.kind = code == nb::dlpack::dtype_code::Float ? number_kind::floating
                  : code == nb::dlpack::dtype_code::Int ? number_kind::signed_integer
                                                        : number_kind::unsigned_integer;
    source.validity = held.whole().validity;
    source.offset = held.whole().offset;
    over.look_up([&](index const& i) {
      moments const known = squares ? moments::second : extremes ? moments::first : moments::sums;
      if (source.kind == number_kind::floating)
        aggregates_.emplace<range_aggregates<double>>(i, source, over.on(where), known);
      else aggregates_.emplace<range_aggregates<i128>>(i, source, over.on(where), known);
    });
  }

  /// @param device of the index
  values_of_index(any_range_aggregates aggregates, int device) : device_(device) {
    std::visit([&](auto& of) { aggregates_ = std::move(of); }, aggregates);
  }

  static std::unique_ptr<values_of_index> load(nb::bytes const& name, bool map, int device) {
    return load_stored<stored_aggregates>(name, map, device, placed_on(device));
  }
  static std::unique_ptr<values_of_index> from_bytes(nb::object const& stored, int device, bool share) {
    return stored_from<stored_aggregates>(stored, device, share, false, placed_on(device));
  }

  void save(nb::bytes const& name) const {
    on_place(device_, 0,
             [&, path = path_of(name)](execution const&) { with_aggregates([&](auto const& of) { of.save(path); }); });
  }
  nb::bytes to_bytes() const {
    return bytes_of([&] {
      return at_place(device_, 0,
                      [&](execution const&) { return with_aggregates([](auto const& of) { return of.save(); }); });
    });
  }
  std::uint64_t size() const {
    return with_aggregates([](auto const& of) { return of.size(); });
  }
  std::uint64_t bytes() const {
    return with_aggregates([](auto const& of) { return of.bytes(); });
  }

  nb::tuple in_ranges(shared_index const& over, nb::handle lower, nb::handle upper, bool lower_open, bool upper_open,
                      std::int64_t where) const {
    part const low(lower, &over), high(upper, &over);
    auto const ranges = ranges_of(low, high, lower_open, upper_open);
    return ask([&](auto const& of) {
      return over.look_up([&](index const& i) { return of.in_ranges(i, ranges, over.on(where)); });
    });
  }

  /// The first values of each range, as (offsets, row ids, values) on the host.
  nb::tuple top_k(shared_index const& over, nb::handle lower, nb::handle upper, bool lower_open, bool upper_open,
                  std::uint64_t k, bool least, std::int64_t where) const {
    part const low(lower, &over), high(upper, &over);
    auto const ranges = ranges_of(low, high, lower_open, upper_open);
    results const to{over.device(), false, where};
    return with_aggregates([&]<class Number>(range_aggregates<Number> const& values) {
      std::vector<Number> numbers;
      auto found = over.look_up([&](index const& i) {
        auto result =
            least ? values.bottom_k(i, ranges, k, over.on(where)) : values.top_k(i, ranges, k, over.on(where));
        for (buffer* const array : {&result.offsets, &result.rows, &result.values}) to.fetch(*array);
        numbers.assign(result.values.template as<Number>(), result.values.template as<Number>() + result.total);
        return result;
      });
      auto offsets = to.array<std::int64_t>(std::move(found.offsets), found.probes + 1);
      auto rows = to.rows(std::move(found.rows), found.total, found.row_type);
      return nb::make_tuple(offsets, rows, numbers_as(numbers));
    });
  }

  nb::tuple of_keys(shared_index const& over, nb::handle keys, std::int64_t where) const {
    part const query(keys, &over);
    return ask([&](auto const& of) {
      return over.look_up([&](index const& i) { return of.of_keys(i, query.whole().values, over.on(where)); });
    });
  }

  nb::tuple of_ranks(shared_index const& over, nb::handle first, nb::handle last, std::int64_t where) const {
    auto const from = numbers_in(first), to = numbers_in(last);
    return ask([&]<class Number>(range_aggregates<Number> const& of) {
      std::vector<aggregate<Number>> out(from.size());
      over.look_up([&](index const&) { of.of_ranks(from, to, out, over.on(where)); });
      return out;
    });
  }

 private:
  static key_ranges ranges_of(part const& low, part const& high, bool lower_open, bool upper_open) {
    return {low.whole().values, high.whole().values, closed_at(!lower_open, !upper_open)};
  }

  template <class F>
  auto with_aggregates(F const& f) const -> decltype(f(std::declval<range_aggregates<i128> const&>())) {
    if (auto const* const whole = std::get_if<range_aggregates<i128>>(&aggregates_)) return f(*whole);
    return f(std::get<range_aggregates<double>>(aggregates_));
  }
  template <class F> nb::tuple ask(F const& f) const {
    return with_aggregates([&](auto const& of) { return tuple_of(f(of)); });
  }

  std::variant<std::monostate, range_aggregates<i128>, range_aggregates<double>> aggregates_;
  int device_ = -1;
};

template <class Key>
nb::tuple borders_of(any_array const& addresses, std::span<std::uint8_t const> bits,
                     std::span<std::uint64_t const> rows, std::uint64_t none) {
  std::span const keys(static_cast<Key const*>(addresses.data), addresses.size);
  auto const borders = prefix_borders<Key, std::uint64_t>(keys, bits, rows, none);
  auto const array = [&]<class T>(std::vector<T> const& from, auto as) {
    buffer held(from.size() * sizeof(T), on_host(0));
    std::copy(from.begin(), from.end(), held.as<T>());
    return array_of<decltype(as)>(std::move(held), from.size() * sizeof(T) / sizeof(as));
  };
  if constexpr (sizeof(Key) == 16)
    return nb::make_tuple(array(borders.keys, std::uint64_t()), array(borders.rows, std::int64_t()));
  else return nb::make_tuple(array(borders.keys, Key()), array(borders.rows, std::int64_t()));
}

nb::tuple borders(nb::handle addresses, nb::handle bits, nb::handle rows, std::uint64_t none) {
  halves wide;
  auto const of_bits = array_in(bits);
  std::span const counts(static_cast<std::uint8_t const*>(of_bits.data), of_bits.size);
  if (nb::try_cast(addresses, wide, false))
    return borders_of<u128>({const_cast<std::uint64_t*>(wide.data()), wide.shape(0), wide.dtype()}, counts,
                            numbers_in(rows), none);
  auto const source = array_in(addresses);
  return source.itemsize() == 4 ? borders_of<std::uint32_t>(source, counts, numbers_in(rows), none)
                                : borders_of<std::uint64_t>(source, counts, numbers_in(rows), none);
}

using key_parts = std::vector<part>;

key_parts parts_of(nb::handle columns) {
  key_parts result;
  for (nb::handle const column : columns) result.emplace_back(column, nullptr);
  return result;
}

/// @return the columns of the first fields; numbers as wide as times are such times
std::vector<nullable_column> columns_in(key_parts const& parts, std::span<key_field const> fields) {
  std::vector<nullable_column> result;
  for (auto const& part : parts) {
    auto& column = result.emplace_back(part.whole().values);
    auto const type = result.size() <= fields.size() ? fields[result.size() - 1].type : column.type;
    if ((type == key_type::date && column.type == key_type::i32) ||
        (type == key_type::timestamp && column.type == key_type::i64))
      column.type = type;
  }
  return result;
}

/// @param fields (type, descending, nullable, nulls_last) of each
key_encoder encoder_of(nb::handle fields) {
  std::vector<key_field> plan;
  for (nb::handle const field : fields)
    plan.push_back({type_called(nb::cast<std::string>(field[0])), nb::cast<bool>(field[1]), nb::cast<bool>(field[2]),
                    nb::cast<bool>(field[3])});
  return key_encoder(std::move(plan));
}

nb::list fields_of(key_encoder const& from) {
  nb::list items;
  for (auto const& [type, descending, nullable, nulls_last] : from.fields())
    items.append(nb::make_tuple(std::string(to_string(type)), descending, nullable, nulls_last));
  return items;
}

nb::list decoded(key_encoder const& self, nb::handle keys, int device, std::int64_t where) {
  part const source(keys, nullptr);
  results const to{device, device >= 0, where};
  auto columns =
      on_place(device, where, [&](execution const& exec) { return self.decode(source.whole().values, exec); });
  nb::list result;
  for (auto& column : columns) {
    nb::object valid = nb::none();
    if (std::uint64_t const bytes = column.validity.bytes(); bytes != 0)
      valid = to.array<std::uint8_t>(std::move(column.validity), bytes);
    result.append(nb::make_tuple(keys_as(std::move(column.values), to), valid));
  }
  return result;
}

join_plan plan(nb::handle given_rates, nb::handle given_question) {
  auto const rates = nb::cast<std::vector<double>>(given_rates);
  auto const question = nb::cast<nb::dict>(given_question);
  if (rates.size() != 8) throw invalid_argument("rates are eight numbers");
  join_question request;
  auto const take = [&]<class T>(char const* name, T& to) {
    if (question.contains(name)) to = nb::cast<T>(question[name]);
  };
  take("left", request.left);
  take("right", request.right);
  take("key_bytes", request.key_bytes);
  take("matches", request.matches);
  take("joins", request.joins);
  take("existing", request.existing);
  take("existing_on_host", request.existing_on_host);
  take("left_on_host", request.left_on_host);
  take("right_on_host", request.right_on_host);
  take("right_sorted", request.right_sorted);
  take("left_sorted", request.left_sorted);
  take("room", request.room);
  take("wants_order", request.wants_order);
  if (question.contains("kind")) request.kind = kind_named(nb::cast<std::string>(question["kind"]));
  return plan_join(request, {rates[0], rates[1], rates[2], rates[3], rates[4], rates[5], rates[6], rates[7]});
}

}  // namespace

nb::tuple pairs_as(joined from, results to) {
  if (from.on_host) to.device = -1;
  std::uint64_t const pairs = from.right.bytes() == 0 ? 0 : from.size;
  auto first = to.rows(std::move(from.left), from.size, from.left_type);
  return nb::make_tuple(first, to.rows(std::move(from.right), pairs, from.right_type));
}

join_kind kind_named(std::string const& how) {
  return named<join_kind>("how", how,
                          {{"inner", join_kind::inner},
                           {"left", join_kind::left},
                           {"semi", join_kind::semi},
                           {"anti", join_kind::anti},
                           {"full", join_kind::full}});
}

nb::object keys_as(key_list from, results const& to) {
  std::uint64_t const size = from.size, bytes = from.bytes;
  if (from.type == key_type::bytes) {
    auto all = to.array<std::uint8_t>(std::move(from.keys), bytes);
    return nb::make_tuple(all, to.array<std::int64_t>(std::move(from.offsets), size + 1));
  }
  if (from.type == key_type::u128) {
    auto all = to.array<std::uint64_t>(std::move(from.keys), 2 * size);
    return to.to_device ? all : all.attr("reshape")(size, 2);
  }
  return numbers_of(std::move(from), to);
}

void bind_faces(nb::module_& m, nb::class_<shared_index>& index_class) {
  index_class.def("ancestors", ancestors, nb::arg("probes"), nb::arg("parents"), nb::arg("where"))
      .def("keys_at", keys_at, nb::arg("ranks"), nb::arg("where"))
      .def("rows_at", rows_at, nb::arg("ranks"), nb::arg("where"));
  m.def("over_sorted", over_sorted, nb::arg("keys"), nb::arg("spec"), nb::arg("device"), nb::arg("where"));
  m.def(
      "ascends",
      [](nb::handle keys, int device, std::int64_t where) {
        auto const column = column_of(keys);
        return on_place(device, where, [&](execution const& exec) { return ascends(column, exec); });
      },
      nb::arg("keys"), nb::arg("device"), nb::arg("where"));
  m.def("join_columns", columns_joined, nb::arg("left"), nb::arg("right"), nb::arg("how"), nb::arg("by"),
        nb::arg("device"), nb::arg("where"));
  m.def("first_match", matched_first, nb::arg("left"), nb::arg("right"), nb::arg("device"), nb::arg("where"));
  nb::class_<values_of_index>(m, "RangeAggregates")
      .def(nb::init<shared_index const&, nb::handle, bool, bool, std::int64_t>(), nb::arg("over"), nb::arg("values"),
           nb::arg("squares"), nb::arg("extremes"), nb::arg("where"))
      .def_static("load", &values_of_index::load, nb::arg("path"), nb::arg("map"), nb::arg("device"))
      .def_static("from_bytes", &values_of_index::from_bytes, nb::arg("stored"), nb::arg("device"), nb::arg("share"))
      .def("save", &values_of_index::save, nb::arg("path"))
      .def("to_bytes", &values_of_index::to_bytes)
      .def_prop_ro("size", &values_of_index::size)
      .def_prop_ro("nbytes", &values_of_index::bytes)
      .def("in_ranges", &values_of_index::in_ranges, nb::arg("over"), nb::arg("lower"), nb::arg("upper"),
           nb::arg("lower_open"), nb::arg("upper_open"), nb::arg("where"))
      .def("top_k", &values_of_index::top_k, nb::arg("over"), nb::arg("lower"), nb::arg("upper"), nb::arg("lower_open"),
           nb::arg("upper_open"), nb::arg("k"), nb::arg("least"), nb::arg("where"))
      .def("of_keys", &values_of_index::of_keys, nb::arg("over"), nb::arg("keys"), nb::arg("where"))
      .def("of_ranks", &values_of_index::of_ranks, nb::arg("over"), nb::arg("first"), nb::arg("last"),
           nb::arg("where"));
  m.def("prefix_borders", borders, nb::arg("addresses"), nb::arg("bits"), nb::arg("rows"), nb::arg("none"));
  nb::class_<key_encoder>(m, "KeyEncoder")
      .def("__init__", [](key_encoder* self, nb::handle fields) { new (self) key_encoder(encoder_of(fields)); })
      .def_static(
          "load", [](nb::bytes const& path) { return key_encoder::load(path_of(path)); }, nb::arg("path"))
      .def_static(
          "from_bytes",
          [](nb::handle stored) {
            auto const array = nb::cast<input>(stored, false);
            return key_encoder::load({static_cast<std::byte const*>(array.data()), array.nbytes()});
          },
          nb::arg("stored"))
      .def(
          "save",
          [](key_encoder const& self, nb::bytes const& name) {
            watched([&, path = path_of(name)] { self.save(path); });
          },
          nb::arg("path"))
      .def("to_bytes", [](key_encoder const& self) { return bytes_of([&] { return self.save(); }); })
      .def_prop_ro("fields", fields_of)
      .def_prop_ro("type", [](key_encoder const& self) { return std::string(to_string(self.type())); })
      .def(
          "encode",
          [](key_encoder const& self, nb::handle columns, int device, std::int64_t where) {
            auto const parts = parts_of(columns);
            return keys_as(
                on_place(device, where,
                         [&](execution const& exec) { return self.encode(columns_in(parts, self.fields()), exec); }),
                {device, device >= 0, where});
          },
          nb::arg("columns"), nb::arg("device"), nb::arg("where"))
      .def("decode", decoded, nb::arg("keys"), nb::arg("device"), nb::arg("where"))
      .def(
          "leading",
          [](key_encoder const& self, nb::handle columns, bool last_open, int device, std::int64_t where) {
            auto const parts = parts_of(columns);
            auto result = on_place(device, where, [&](execution const& exec) {
              return self.leading(columns_in(parts, self.fields()), last_open, exec);
            });
            results const to{device, device >= 0, where};
            auto lower = keys_as(std::move(result.lower), to);
            if (self.type() == key_type::bytes) return nb::make_tuple(lower, nb::none());
            return nb::make_tuple(lower, keys_as(std::move(result.upper), to));
          },
          nb::arg("columns"), nb::arg("last_open"), nb::arg("device"), nb::arg("where"));
  m.def(
      "plan_join",
      [](nb::handle rates, nb::handle question) {
        auto const result = plan(rates, question);
        constexpr std::array names{"existing", "build", "borrow", "copy", "hash", "merge"};
        return nb::make_tuple(names.at(static_cast<std::size_t>(result.by)), result.spec, result.seconds,
                              result.reasons);
      },
      nb::arg("rates"), nb::arg("question"));
  m.def(
      "measured_rates",
      [](int device) {
        auto const found = on_place(device, 0, [](execution const& exec) { return measured_rates(exec); });
        return nb::make_tuple(found.built_ordered, found.built_hashed, found.probed_ordered, found.probed_hashed,
                              found.pairs, found.bytes, found.lines, found.merged);
      },
      nb::arg("device"));
}

}  // namespace warpdex::python
