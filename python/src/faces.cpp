// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "faces.hpp"

#include <warpdex/join.hpp>
#include <warpdex/parallel.hpp>
#include <warpdex/range_aggregates.hpp>
#include <warpdex/sorted.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <atomic>
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

/// Numbers that a thread writes at a time.
constexpr std::uint64_t grain = std::uint64_t{1} << 14;

/// The numbers value(i) of all i below `size`, as an array.
template <class T, class Value> nb::object array_from(std::uint64_t size, int threads, Value const& value) {
  buffer result(size * sizeof(T), on_host(0));
  parallel_chunks(threads, size, grain, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) result.as<T>()[i] = static_cast<T>(value(i));
  });
  return array_of<T>(std::move(result), size);
}

/// The same of numbers of 128 bits: of 64 bits if those hold them, else of Python's integers.
template <class Value> nb::object exact_numbers(std::uint64_t size, int threads, Value const& value) {
  auto const all_are = [&]<class T>(T) {
    std::atomic<bool> all = true;
    parallel_chunks(threads, size, grain, [&](std::uint64_t begin, std::uint64_t end) {
      bool these = all;
      for (std::uint64_t i = begin; these && i < end; ++i) these = static_cast<T>(value(i)) == value(i);
      if (!these) all = false;
    });
    return all.load();
  };
  if (all_are(std::int64_t())) return array_from<std::int64_t>(size, threads, value);
  if (all_are(std::uint64_t())) return array_from<std::uint64_t>(size, threads, value);
  nb::object result = numpy::get().function("empty")(size, "O");
  for (std::size_t i = 0; i < size; ++i) {
    i128 const number = value(i);
    nb::object const high = nb::int_(static_cast<std::int64_t>(number >> 64)).attr("__lshift__")(64);
    result[i] = high.attr("__add__")(static_cast<std::uint64_t>(number));
  }
  return result;
}

template <class Number, class Value> nb::object numbers_from(std::uint64_t size, int threads, Value const& value) {
  if constexpr (std::is_same_v<Number, i128>) return exact_numbers(size, threads, value);
  else return array_from<Number>(size, threads, value);
}

/// The aggregates of a call.
template <class Number> struct found_aggregates {
  explicit found_aggregates(std::uint64_t count) : held(count * sizeof(aggregate<Number>), on_host(0)), size(count) {}

  std::span<aggregate<Number>> all() const { return {held.as<aggregate<Number>>(), size}; }

  /// @return (sums, least, greatest, numbers of values, squares)
  nb::tuple columns(int threads) const {
    auto const field = [&](auto aggregate<Number>::*which) {
      return [of = all().data(), which](std::uint64_t i) { return of[i].*which; };
    };
    auto const numbers = [&](Number aggregate<Number>::*which) {
      return numbers_from<Number>(size, threads, field(which));
    };
    return nb::make_tuple(numbers(&aggregate<Number>::sum), numbers(&aggregate<Number>::min),
                          numbers(&aggregate<Number>::max),
                          array_from<std::int64_t>(size, threads, field(&aggregate<Number>::count)),
                          array_from<double>(size, threads, field(&aggregate<Number>::m2)));
  }

  buffer held;
  std::uint64_t size;
};

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
    over.look_up([&](any_index const& i) {
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
    return ask(over, ranges.size(), where, [&](auto const& of, any_index const& i, auto out, execution const& exec) {
      of.in_ranges(i, ranges, out, exec);
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
      auto found = over.look_up([&](any_index const& i) {
        auto result =
            least ? values.bottom_k(i, ranges, k, over.on(where)) : values.top_k(i, ranges, k, over.on(where));
        for (buffer* const array : {&result.offsets, &result.rows, &result.values}) to.fetch(*array);
        numbers.assign(result.values.template as<Number>(), result.values.template as<Number>() + result.total);
        return result;
      });
      auto offsets = to.array<std::int64_t>(std::move(found.offsets), found.probes + 1);
      auto rows = to.rows(std::move(found.rows), found.total, found.row_type);
      auto const value = [&](std::uint64_t i) { return numbers[i]; };
      return nb::make_tuple(offsets, rows, numbers_from<Number>(numbers.size(), 1, value));
    });
  }

  nb::tuple of_keys(shared_index const& over, nb::handle keys, std::int64_t where) const {
    part const query(keys, &over);
    return ask(over, query.size(), where, [&](auto const& of, any_index const& i, auto out, execution const& exec) {
      of.of_keys(i, query.whole().values, out, exec);
    });
  }

  nb::tuple of_ranks(shared_index const& over, nb::handle first, nb::handle last, std::int64_t where) const {
    auto const from = numbers_in(first), to = numbers_in(last);
    return ask(over, from.size(), where, [&](auto const& of, any_index const&, auto out, execution const& exec) {
      of.of_ranks(from, to, out, exec);
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
  template <class F> nb::tuple ask(shared_index const& over, std::uint64_t size, std::int64_t where, F const& f) const {
    return with_aggregates([&]<class Number>(range_aggregates<Number> const& of) {
      found_aggregates<Number> const found(size);
      execution const exec = over.on(where);
      over.look_up([&](any_index const& i) { f(of, i, found.all(), exec); });
      return found.columns(exec.threads);
    });
  }

  std::variant<std::monostate, range_aggregates<i128>, range_aggregates<double>> aggregates_;
  int device_ = -1;
};

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
