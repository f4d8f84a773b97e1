// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include <warpdex/error.hpp>
#include <warpdex/parallel.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrow.hpp"
#include "numpy.hpp"
#include "pieces.hpp"
#include "plain.hpp"
#include "watched.hpp"

namespace warpdex::python {
namespace {

bool are_strings(nb::handle column) { return nb::isinstance<nb::tuple>(column); }

std::uint64_t size_of_column(nb::handle column) {
  return are_strings(column) ? column_of(column).size : nb::cast<std::uint64_t>(column.attr("shape")[0]);
}

/// Strings that are copied one after the other.
class string_copy {
 public:
  explicit string_copy(std::uint64_t size)
      : offsets_((size + 1) * sizeof(std::int64_t), on_host(0)), end_(offsets_.as<std::int64_t>()) {
    *end_ = 0;
  }

  /// @param places of the strings; those outside are taken for the nearest one
  template <class Places> void add(column const& from, std::uint64_t size, Places const& places) {
    all_.push_back({from, {}});
    auto& spans = all_.back().spans;
    for (std::uint64_t i = 0; i < size; ++i) {
      auto const [begin, end] = span_of(from, places(i));
      if (!spans.empty() && spans.back().first + spans.back().second == begin) spans.back().second += end - begin;
      else spans.emplace_back(begin, end - begin);
      end_[1] = end_[0] + static_cast<std::int64_t>(end - begin);
      ++end_;
    }
  }

  void add_empty(std::uint64_t size) { end_ = std::fill_n(end_ + 1, size, *end_) - 1; }

  /// @return a pair (bytes, offsets)
  nb::object pair() {
    auto const bytes = static_cast<std::uint64_t>(*end_);
    buffer letters(bytes, on_host(0));
    auto* to = letters.as<char>();
    for (auto const& item : all_)
      for (auto const& [begin, length] : item.spans) {
        if (length != 0) std::memcpy(to, static_cast<char const*>(item.from.data) + begin, length);
        to += length;
      }
    auto const strings = static_cast<std::uint64_t>(end_ - offsets_.as<std::int64_t>());
    nb::object const text = array_of<std::uint8_t>(std::move(letters), bytes);
    return nb::make_tuple(text, array_of<std::int64_t>(std::move(offsets_), strings + 1));
  }

 private:
  struct source {
    column from;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  };

  buffer offsets_;
  std::int64_t* end_;
  std::vector<source> all_;
};

/// Calls `f` with a function that says which of a column's values each one is.
template <class F> void with_places(nb::handle places, std::uint64_t of, F const& f) {
  if (places.is_none()) return f([](std::uint64_t i) { return i; });
  with_integers(array_in(places), [&](auto const* numbers) {
    f([numbers, of](std::uint64_t i) {
      auto const number = numbers[i];
      return number < 0 ? 0 : std::min<std::uint64_t>(static_cast<std::uint64_t>(number), of - 1);
    });
  });
}

/// @return the values of a column at some places
nb::object taken(nb::handle column, nb::handle places, std::uint64_t size) {
  if (size_of_column(column) == 0) {  // a dictionary without words, where all are null
    if (!are_strings(column)) {
      bool const wide = nb::cast<int>(column.attr("ndim")) == 2;
      return numpy::get().function("zeros")(wide ? nb::make_tuple(size, 2) : nb::make_tuple(size),
                                            column.attr("dtype"));
    }
    string_copy none(size);
    none.add_empty(size);
    return none.pair();
  }
  if (!are_strings(column)) return column.attr("take")(places, nb::arg("axis") = 0, nb::arg("mode") = "clip");
  auto const strings = column_of(column);
  string_copy result(size);
  with_places(places, strings.size, [&](auto const& place) { result.add(strings, size, place); });
  return result.pair();
}

nb::object taken_flags(nb::object const& flags, nb::handle places) {
  return flags.is_none() ? flags : nb::object(flags.attr("take")(places));
}

/// The values of a part at some places, of which the codes are if it has a dictionary.
column_part take(column_part const& from, nb::object const& places) {
  auto const size = nb::cast<std::uint64_t>(places.attr("size"));
  column_part result{from.column, size, taken_flags(from.nulls, places), taken_flags(from.misses, places)};
  if (from.codes.is_none()) result.column = taken(from.column.get(), places, size);
  else result.codes = from.codes.attr("take")(places);
  return result;
}

/// A part without a dictionary.
nb::object plain(nb::object self) {
  auto const& from = nb::cast<column_part const&>(self);
  if (from.codes.is_none()) return self;
  return nb::cast(column_part{taken(from.column.get(), from.codes, from.size), from.size, from.nulls, from.misses});
}

column_part const& part_in(nb::handle from) { return nb::cast<column_part const&>(from); }

/// @return arrays one after the other, copied on all threads if they are numbers of one type
nb::object in_one_array(nb::list const& arrays) {
  std::uint64_t size = 0;
  std::vector<any_array> all;
  std::vector<std::uint64_t> before;  // numbers before each array
  for (nb::handle const item : arrays) {
    if (input array; !nb::try_cast(item, array, false)) return numpy::get().function("concatenate")(arrays);
    all.push_back(array_in(item));
    if (all.back().type != all[0].type) return numpy::get().function("concatenate")(arrays);
    before.push_back(size);
    size += all.back().size;
  }
  nb::object const result = numpy::get().function("empty")(size, arrays[0].attr("dtype"));
  auto* const to = static_cast<char*>(array_out(result).data);
  watched([&] {
    parallel_chunks(0, all.size(), 1, [&](std::uint64_t i, std::uint64_t) {
      any_array const& item = all[i];
      copy(to + before[i] * item.itemsize(), item.data, item.size * item.itemsize(), on_host(0));
    });
  });
  return result;
}

/// Numbers of all parts.
nb::object numbers_of(nb::list const& parts) {
  nb::list columns;
  bool is_signed = false, is_unsigned = false;
  for (nb::handle const part : parts) {
    nb::object const column = part_in(plain(nb::borrow(part))).column.get();
    auto const kind = nb::cast<std::string>(column.attr("dtype").attr("kind"));
    is_signed |= kind == "i";
    is_unsigned |= kind == "u";
    columns.append(column);
  }
  if (is_signed && is_unsigned) {
    auto const end = [&](char const* name) {
      nb::list ends;
      for (nb::handle const column : columns) ends.append(nb::int_(column.attr(name)()));
      return std::string(nb::str(nb::module_::import_("builtins").attr(name)(ends)).c_str());
    };
    throw invalid_argument("keys reach from " + end("min") + " to " + end("max") + "; no type of 64 bits holds both");
  }
  return in_one_array(columns);
}

/// Which answers are null, of a kind of columns that has nulls: of rows those that are none, of others those to nulls.
/// A position says which probe has the answer, so that none is null.
nb::object nulls_among(nb::tuple const& columns, nb::handle answers, std::string_view kind) {
  if (kind == "position") return nb::none();
  if (kind == "row") {
    nb::object const none = answers.attr("__eq__")(-1);
    return PyObject_IsTrue(none.attr("any")().ptr()) == 1 ? none : nb::object(nb::none());
  }
  nb::object all = nb::none();
  for (nb::handle const column : columns) {
    nb::object const nulls = flags_of(nb::cast<column_values const&>(column).parts, &column_part::nulls);
    all = either(all, nulls);
  }
  return all;
}

/// Answers as their caller gets them: in the kind of the first column.
/// @param kind that of the answers, as lookups name it
nb::object answers_for(nb::tuple const& columns, nb::object const& answers, std::string const& kind) {
  auto const& first = nb::cast<column_values const&>(columns[0]);
  if (first.give.is_none()) return answers;
  return first.give(answers, first.nulls_are_known ? nulls_among(columns, answers, kind) : nb::object(nb::none()));
}

/// Whether values of two families are compared with each other as they are.
bool are_compared(std::string const& family, std::string const& other) {
  auto const is_number = [](std::string const& type) { return type == "integer" || type == "float"; };
  return family == other || (is_number(family) && is_number(other));
}

/// Reads an array of NumPy or a column of Arrow that needs no conversion.
/// @param family that of the values with which it is compared, if that is known
/// @return `Values`; the chunks of another column of Arrow, which may be read once only; None for all others
nb::object read_plain(nb::handle values, std::string const& name, std::optional<std::string> const& family,
                      nb::object const& give) {
  auto const result = [&](std::string found, nb::list parts, std::uint64_t size, bool is_numpy) {
    column_values column{std::move(found), std::move(parts), size, is_numpy ? nb::none() : give, !is_numpy, name};
    return nb::cast(std::move(column));
  };
  auto const fits = [&](std::string const& found) { return !family || are_compared(found, *family); };
  if (plain_array const array(values); array) {
    bool const is_float = array.type() == key_type::f32 || array.type() == key_type::f64;
    std::string const found = is_float ? "float" : "integer";
    if (!fits(found)) return nb::none();
    nb::list parts;
    parts.append(nb::cast(column_part{nb::borrow(values), array.size()}));
    return result(found, parts, array.size(), true);
  }
  if (!nb::hasattr(values, "__arrow_c_array__") && !nb::hasattr(values, "__arrow_c_stream__")) return nb::none();
  auto const chunks = chunks_of(values);
  std::string const found = plain_family(*chunks[0]);
  bool const is_plain =
      !found.empty() && fits(found) &&
      std::all_of(chunks.begin(), chunks.end(), [](auto const& item) { return *plain_family(*item) != '\0'; });
  if (!is_plain) return chunk_tuples(chunks);
  std::uint64_t size = 0;
  for (auto const& chunk : chunks) size += static_cast<std::uint64_t>(chunk->length);
  return result(found, plain_parts(chunks), size, false);
}

/// @return the types of objects, in the order of the first object of each, and which of them each object has: None if
/// all have one
nb::tuple types_in(nb::list const& values) {
  auto const size = nb::len(values);
  std::unordered_map<PyTypeObject*, std::int32_t> seen;
  std::vector<PyTypeObject*> order;
  std::optional<buffer> result;  // as soon as there are two types
  PyTypeObject* last = nullptr;
  std::int32_t number = 0;
  for (std::size_t i = 0; i < size; ++i) {
    PyTypeObject* const type = Py_TYPE(PyList_GetItem(values.ptr(), static_cast<Py_ssize_t>(i)));
    if (type != last) {
      auto const [found, is_new] = seen.try_emplace(type, static_cast<std::int32_t>(order.size()));
      if (is_new) order.push_back(type);
      if (last != nullptr && !result) {
        result.emplace(size * sizeof(std::int32_t), on_host(0));
        std::fill_n(result->as<std::int32_t>(), i, 0);
      }
      last = type;
      number = found->second;
    }
    if (result) result->as<std::int32_t>()[i] = number;
  }
  nb::list types;
  for (auto* const item : order) types.append(nb::handle(reinterpret_cast<PyObject*>(item)));
  nb::object const numbers = result ? array_of<std::int32_t>(std::move(*result), size) : nb::object(nb::none());
  return nb::make_tuple(types, numbers);
}

column_values changed(column_values const& from, nb::kwargs const& fields) {
  nb::object const result = nb::cast(column_values(from));
  for (auto const& [name, value] : fields) result.attr(name) = value;
  return nb::cast<column_values>(result);
}

}  // namespace

nb::object flags_of(nb::list const& parts, nb::object column_part::*which) {
  if (parts.size() == 1) return part_in(parts[0]).*which;
  if (std::all_of(parts.begin(), parts.end(), [&](nb::handle item) { return (part_in(item).*which).is_none(); }))
    return nb::none();
  nb::list all;
  for (nb::handle const part : parts) {
    auto const& flags = part_in(part).*which;
    all.append(flags.is_none() ? numpy::get().function("zeros")(part_in(part).size, nb::handle(numpy::get().flag))
                               : flags);
  }
  return numpy::get().function("concatenate")(all);
}

nb::object gathered(nb::list const& parts) {
  if (parts.size() == 1) return plain(nb::borrow(parts[0]));
  std::uint64_t size = 0;
  for (nb::handle const part : parts) size += part_in(part).size;
  column_part result{nb::none(), size, flags_of(parts, &column_part::nulls), flags_of(parts, &column_part::misses)};
  if (!part_in(parts[0]).column.are_strings()) {
    result.column = numbers_of(parts);
    return nb::cast(std::move(result));
  }
  string_copy all(size);
  for (nb::handle const item : parts) {
    auto const& part = part_in(item);
    auto const strings = column_of(part.column.get());
    if (strings.size == 0) all.add_empty(part.size);
    else with_places(part.codes, strings.size, [&](auto const& place) { all.add(strings, part.size, place); });
  }
  result.column = all.pair();
  return nb::cast(std::move(result));
}

nb::object either(nb::object const& left, nb::object const& right) {
  return left.is_none() ? right : right.is_none() ? left : nb::object(left.attr("__or__")(right));
}

column_values plain_values(column_values const& from) {
  column_values result = from;
  result.parts = nb::list();
  for (nb::handle const part : from.parts) result.parts.append(plain(nb::borrow(part)));
  result.give = nb::none();
  return result;
}

void call_options::tell(double done) const {
  if (progress.is(nb::bool_(true))) {
    char line[32];
    std::snprintf(line, sizeof line, "\rwarpdex: %3.0f%%%s", 100 * done, done >= 1 ? "\n" : "");
    nb::object const to = nb::module_::import_("sys").attr("stderr");
    to.attr("write")(line);
    to.attr("flush")();
    return;
  }
  try {
    progress(done);
  } catch (nb::python_error& why) {
    why.value().attr("of_caller") = true;
    throw;
  }
}

namespace {

void bind_parts(nb::module_& m) {
  nb::class_<column_part>(m, "Part", "A stretch of a column.")
      .def(
          "__init__",
          [](column_part* self, nb::object column, std::uint64_t size, nb::object nulls, nb::object misses,
             nb::object codes) {
            new (self) column_part{std::move(column), size, std::move(nulls), std::move(misses), std::move(codes)};
          },
          nb::arg("column"), nb::arg("size"), nb::arg("nulls").none() = nb::none(),
          nb::arg("misses").none() = nb::none(), nb::arg("codes").none() = nb::none())
      .def_prop_rw(
          "column", [](column_part const& self) { return self.column.get(); },
          [](column_part& self, nb::object column) { self.column = part_column(std::move(column)); },
          nb::for_getter(nb::sig("def column(self) -> typing.Any")))
      .def_prop_ro("are_strings", [](column_part const& self) { return self.column.are_strings(); })
      .def_rw("size", &column_part::size)
      .def_rw("nulls", &column_part::nulls, nb::arg().none())
      .def_rw("misses", &column_part::misses, nb::arg().none())
      .def_rw("codes", &column_part::codes, nb::arg().none())
      .def("take", take, nb::arg("places"), "The values at some places.")
      .def("plain", plain, "The same without a dictionary.");
}

void bind_columns(nb::module_& m) {
  nb::class_<column_values>(m, "Values", "A column of a caller.")
      .def(
          "__init__",
          [](column_values* self, std::string family, nb::list parts, std::uint64_t size, nb::object give,
             bool nulls_are_known, std::string name, nb::object place, nb::object holds) {
            new (self) column_values{std::move(family), std::move(parts), size,
                                     std::move(give),   nulls_are_known,  std::move(name),
                                     std::move(place),  std::move(holds)};
          },
          nb::arg("family"), nb::arg("parts"), nb::arg("size"), nb::arg("give").none() = nb::none(),
          nb::arg("nulls_are_known") = false, nb::arg("name") = "probes", nb::arg("place").none() = nb::none(),
          nb::arg("holds").none() = nb::none())
      .def_rw("family", &column_values::family)
      .def_rw("parts", &column_values::parts)
      .def_rw("size", &column_values::size)
      .def_rw("give", &column_values::give, nb::arg().none())
      .def_rw("nulls_are_known", &column_values::nulls_are_known)
      .def_rw("name", &column_values::name)
      .def_rw("place", &column_values::place, nb::arg().none())
      .def_rw("holds", &column_values::holds, nb::arg().none())
      .def("changed", changed, "The same with other fields.")
      .def(
          "nulls", [](column_values const& self) { return flags_of(self.parts, &column_part::nulls); },
          "Which values are null; None if none is.")
      .def(
          "misses", [](column_values const& self) { return flags_of(self.parts, &column_part::misses); },
          "Which values equal no key, whatever the keys are; None if none does.")
      .def("plain", plain_values, "The same without dictionaries, as an array of NumPy.")
      .def(
          "whole", [](column_values const& self) { return gathered(self.parts); }, "All values as one part.");
}

void bind_calls(nb::module_& m) {
  nb::class_<call_options>(m, "Call", "What callers say of a call, besides its columns.")
      .def(
          "__init__",
          [](call_options* self, nb::object out, nb::object stream, int threads, nb::object progress) {
            new (self) call_options{std::move(out), std::move(stream), threads, std::move(progress)};
          },
          nb::arg("out").none() = nb::none(), nb::arg("stream").none() = nb::none(), nb::arg("threads") = 0,
          nb::arg("progress").none() = false)
      .def_ro("out", &call_options::out)
      .def_ro("stream", &call_options::stream)
      .def_ro("threads", &call_options::threads)
      .def_ro("progress", &call_options::progress)
      .def("__call__", &call_options::tell, nb::arg("done"))
      .def_prop_ro(
          "told",
          [](nb::object self) {
            nb::object const progress = nb::cast<call_options const&>(self).progress;
            int const is_told = PyObject_IsTrue(progress.ptr());
            if (is_told < 0) throw nb::python_error();
            return is_told == 1 ? self : nb::object(nb::none());
          },
          "What is called with the part that is done, or None.");
}

}  // namespace

void bind_values(nb::module_& m) {
  bind_parts(m);
  bind_columns(m);
  bind_calls(m);
  m.def("read_plain", read_plain, nb::arg("values").none(), nb::arg("name"), nb::arg("family").none(),
        nb::arg("give").none());
  m.def("types_in", types_in, nb::arg("values"),
        "The types of objects, in the order of the first object of each, and which of them each object has: None if "
        "all have one.");
  m.def("given", answers_for, nb::arg("columns"), nb::arg("answers"), nb::arg("kind"));
}

}  // namespace warpdex::python
