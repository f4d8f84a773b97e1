// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

// `warpdex._core`: the C++ index over NumPy arrays. The package in plain Python prepares the arrays and allocates the
// answers; here nothing is converted or copied.
#include <warpdex/index.hpp>
#include <warpdex/join.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace nb = nanobind;

namespace {

using input = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using output = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>;

warpdex::key_type type_of(nb::dlpack::dtype type) {
  if (type == nb::dtype<std::uint32_t>()) return warpdex::key_type::u32;
  if (type == nb::dtype<std::uint64_t>()) return warpdex::key_type::u64;
  if (type == nb::dtype<std::int32_t>()) return warpdex::key_type::i32;
  if (type == nb::dtype<std::int64_t>()) return warpdex::key_type::i64;
  if (type == nb::dtype<float>()) return warpdex::key_type::f32;
  if (type == nb::dtype<double>()) return warpdex::key_type::f64;
  throw nb::type_error("a column holds integers or floats of 32 or 64 bits");
}

// A column is an array of numbers, or a pair (bytes, offsets) for strings. The caller holds the arrays.
warpdex::column column_of(nb::handle keys) {
  if (!nb::isinstance<nb::tuple>(keys)) {
    auto const numbers = nb::cast<input>(keys);
    return {numbers.data(), numbers.shape(0), type_of(numbers.dtype())};
  }
  auto const pair = nb::cast<nb::tuple>(keys);
  auto const bytes = nb::cast<input>(pair[0]);
  auto const offsets = nb::cast<input>(pair[1]);
  if (bytes.itemsize() != 1 || offsets.dtype() != nb::dtype<std::uint64_t>())
    throw nb::type_error("strings are a pair of uint8 bytes and uint64 offsets");
  return warpdex::column{std::span(static_cast<std::byte const*>(bytes.data()), bytes.shape(0)),
                         std::span(static_cast<std::uint64_t const*>(offsets.data()), offsets.shape(0))};
}

warpdex::row_type row_type_of(std::size_t bytes) {
  if (bytes == 4) return warpdex::row_type::u32;
  if (bytes == 8) return warpdex::row_type::u64;
  throw nb::type_error("row ids have 32 or 64 bits");
}

warpdex::row_column rows_of(input const& rows) { return {rows.data(), rows.shape(0), row_type_of(rows.itemsize())}; }
warpdex::row_output rows_of(output const& rows) { return {rows.data(), rows.shape(0), row_type_of(rows.itemsize())}; }

template <class T> std::span<T> span_of(output const& out) {
  if (out.itemsize() != sizeof(T)) throw nb::type_error("the array of answers has another type");
  return {static_cast<T*>(out.data()), out.shape(0)};
}

warpdex::execution on_host(int threads) { return warpdex::execution(warpdex::host_memory(), {}, threads); }

// A NumPy array that owns a buffer.
template <class T> nb::object array_of(warpdex::buffer buffer, std::uint64_t size) {
  auto held = std::make_unique<warpdex::buffer>(std::move(buffer));
  static T nothing{};
  T* const data = size == 0 ? &nothing : held->as<T>();
  nb::capsule owner(held.get(), [](void* p) noexcept { delete static_cast<warpdex::buffer*>(p); });
  held.release();
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {static_cast<std::size_t>(size)}, owner));
}

class shared_index {
 public:
  explicit shared_index(warpdex::index built) : index_(std::move(built)) {}

  // Lookups run at once; an update runs alone. Neither waits for the other, which could hang a caller.
  template <class F> auto look_up(F const& f) const {
    nb::gil_scoped_release const free;
    std::shared_lock const lock(mutex_, std::try_to_lock);
    if (!lock) throw warpdex::invalid_argument("an update of the index is running");
    return f(index_);
  }

  template <class F> nb::tuple update(F const& f) {
    warpdex::update_counts counts;
    {
      nb::gil_scoped_release const free;
      std::unique_lock const lock(mutex_, std::try_to_lock);
      if (!lock) throw warpdex::invalid_argument("a lookup or an update of the index is running");
      counts = f(index_);
    }
    return nb::make_tuple(counts.inserted, counts.erased, counts.cancelled);
  }

 private:
  warpdex::index index_;
  mutable std::shared_mutex mutex_;
};

nb::tuple tuple_of(warpdex::matches found, warpdex::row_type rows) {
  auto offsets = array_of<std::int64_t>(std::move(found.offsets), found.probes + 1);
  if (rows == warpdex::row_type::u32)
    return nb::make_tuple(offsets, array_of<std::int32_t>(std::move(found.rows), found.total));
  return nb::make_tuple(offsets, array_of<std::int64_t>(std::move(found.rows), found.total));
}

std::unique_ptr<shared_index> build(nb::handle keys, std::string const& spec, nb::handle rows, int threads) {
  auto const column = column_of(keys);
  auto const given = rows.is_none() ? warpdex::row_column() : rows_of(nb::cast<input>(rows));
  bool const numbered = rows.is_none();
  nb::gil_scoped_release const free;
  auto const exec = on_host(threads);
  return std::make_unique<shared_index>(numbered ? warpdex::index::build(spec, column, exec)
                                                 : warpdex::index::build(spec, column, given, exec));
}

std::unique_ptr<shared_index> load(std::string const& path, bool map) {
  nb::gil_scoped_release const free;
  return std::make_unique<shared_index>(warpdex::index::load(path, on_host(0), map));
}

using lookup = void (warpdex::index::*)(warpdex::column, std::span<std::uint64_t>, warpdex::execution const&) const;
using range_lookup = void (warpdex::index::*)(warpdex::column, warpdex::column, std::span<std::uint64_t>,
                                              warpdex::execution const&) const;
using row_lookup = void (warpdex::index::*)(warpdex::column, warpdex::key_output, warpdex::row_output,
                                            warpdex::execution const&) const;

std::unique_ptr<shared_index> from_bytes(nb::bytes stored) {
  std::span const bytes(static_cast<std::byte const*>(stored.data()), stored.size());
  nb::gil_scoped_release const free;
  return std::make_unique<shared_index>(warpdex::index::load(bytes, on_host(0)));
}

// @return the value whose name it is
template <class T>
T named(char const* what, std::string const& name, std::initializer_list<std::pair<char const*, T>> all) {
  for (auto const& [known, value] : all)
    if (name == known) return value;
  std::string known;
  for (auto const& one : all) known += (known.empty() ? "'" : ", '") + std::string(one.first) + "'";
  throw warpdex::invalid_argument(std::string(what) + " is '" + name + "'; it must be one of " + known);
}

nb::tuple join(shared_index const& self, nb::handle probes, std::string const& how, int threads) {
  using warpdex::join_kind;
  auto const kind = named<join_kind>(
      "how", how,
      {{"inner", join_kind::inner}, {"left", join_kind::left}, {"semi", join_kind::semi}, {"anti", join_kind::anti}});
  auto const column = column_of(probes);
  auto found = self.look_up([&](warpdex::index const& i) { return warpdex::join(i, column, kind, on_host(threads)); });
  auto const rows = [](warpdex::buffer from, std::uint64_t size, warpdex::row_type type) {
    return type == warpdex::row_type::u32 ? array_of<std::int32_t>(std::move(from), size)
                                          : array_of<std::int64_t>(std::move(from), size);
  };
  std::uint64_t const pairs = found.right.bytes() == 0 ? 0 : found.size;
  auto left = rows(std::move(found.left), found.size, found.left_type);
  return nb::make_tuple(left, rows(std::move(found.right), pairs, found.right_type));
}

void join_asof(shared_index const& self, nb::handle probes, output const& out, std::string const& direction, bool exact,
               nb::handle tolerance, bool later, int threads) {
  using warpdex::asof_direction;
  warpdex::asof_options how;
  how.direction = named<asof_direction>("direction", direction,
                                        {{"backward", asof_direction::backward},
                                         {"forward", asof_direction::forward},
                                         {"nearest", asof_direction::nearest}});
  how.exact = exact;
  how.later = later;
  if (nb::isinstance<nb::float_>(tolerance)) how.tolerance = nb::cast<double>(tolerance);
  else if (!tolerance.is_none()) how.tolerance = nb::cast<std::int64_t>(tolerance);
  auto const column = column_of(probes);
  auto const rows = rows_of(out);
  self.look_up([&](warpdex::index const& i) { warpdex::asof_join(i, column, rows, on_host(threads), how); });
}

// One function per lookup that writes 64-bit numbers.
template <lookup Lookup> void numbers(shared_index const& self, nb::handle probes, output const& out, int threads) {
  auto const column = column_of(probes);
  auto const answers = span_of<std::uint64_t>(out);
  self.look_up([&](warpdex::index const& index) { (index.*Lookup)(column, answers, on_host(threads)); });
}

template <range_lookup Lookup>
void range_numbers(shared_index const& self, nb::handle lower, nb::handle upper, output const& out, int threads) {
  auto const from = column_of(lower), to = column_of(upper);
  auto const answers = span_of<std::uint64_t>(out);
  self.look_up([&](warpdex::index const& index) { (index.*Lookup)(from, to, answers, on_host(threads)); });
}

template <row_lookup Lookup> void nearest(shared_index const& self, nb::handle probes, output const& out, int threads) {
  auto const column = column_of(probes);
  auto const rows = rows_of(out);
  self.look_up(
      [&](warpdex::index const& index) { (index.*Lookup)(column, warpdex::key_output(), rows, on_host(threads)); });
}

template <auto Lookup> nb::tuple all_rows(shared_index const& self, nb::handle probes, int threads) {
  auto const column = column_of(probes);
  auto found = self.look_up([&](warpdex::index const& index) {
    return std::pair((index.*Lookup)(column, on_host(threads)), index.row_type());
  });
  return tuple_of(std::move(found.first), found.second);
}

void translate(std::exception_ptr const& thrown, void*) {
  auto const raise = [](char const* type, std::exception const& e) {
    PyErr_SetString(nb::module_::import_("warpdex._errors").attr(type).ptr(), e.what());
  };
  try {
    std::rethrow_exception(thrown);
  } catch (warpdex::spec_error const& e) {
    raise("SpecError", e);
  } catch (warpdex::invalid_argument const& e) {
    raise("InvalidArgument", e);
  } catch (warpdex::unsupported const& e) {
    raise("Unsupported", e);
  } catch (warpdex::out_of_memory const& e) {
    raise("OutOfMemory", e);
  } catch (warpdex::io_error const& e) {
    raise("FileError", e);
  } catch (warpdex::format_error const& e) {
    raise("FormatError", e);
  } catch (warpdex::device_error const& e) {
    raise("DeviceError", e);
  } catch (warpdex::error const& e) {
    raise("Error", e);
  }
}

}  // namespace

NB_MODULE(_core, m) {
  using warpdex::index;
  nb::register_exception_translator(translate);
  nb::set_leak_warnings(false);
  m.def("build", build, nb::arg("keys"), nb::arg("spec"), nb::arg("rows").none(), nb::arg("threads"));
  m.def("load", load);
  m.def("from_bytes", from_bytes);

  nb::class_<shared_index>(m, "Index")
      .def("find",
           [](shared_index const& self, nb::handle probes, output const& out, int threads) {
             auto const column = column_of(probes);
             auto const rows = rows_of(out);
             self.look_up([&](index const& i) { i.find(column, rows, on_host(threads)); });
           })
      .def("contains",
           [](shared_index const& self, nb::handle probes, output const& out, int threads) {
             auto const column = column_of(probes);
             auto const answers = span_of<std::uint8_t>(out);
             self.look_up([&](index const& i) { i.contains(column, answers, on_host(threads)); });
           })
      .def("count", numbers<&index::count>)
      .def("lower_bound", numbers<&index::lower_bound>)
      .def("upper_bound", numbers<&index::upper_bound>)
      .def("prefix_count", numbers<&index::prefix_count>)
      .def("floor", nearest<&index::floor>)
      .def("ceil", nearest<&index::ceil>)
      .def("range_count", range_numbers<&index::range_count>)
      .def("range_sum", range_numbers<&index::range_sum>)
      .def("retrieve", all_rows<&index::retrieve>)
      .def("range_retrieve",
           [](shared_index const& self, nb::handle lower, nb::handle upper, int threads) {
             auto const from = column_of(lower), to = column_of(upper);
             auto found = self.look_up(
                 [&](index const& i) { return std::pair(i.range_retrieve(from, to, on_host(threads)), i.row_type()); });
             return tuple_of(std::move(found.first), found.second);
           })
      .def("insert",
           [](shared_index& self, nb::handle keys, input const& rows, int threads) {
             auto const column = column_of(keys);
             auto const ids = rows_of(rows);
             return self.update([&](index& i) { return i.insert(column, ids, on_host(threads)); });
           })
      .def("insert_or_assign",
           [](shared_index& self, nb::handle keys, input const& rows, int threads) {
             auto const column = column_of(keys);
             auto const ids = rows_of(rows);
             return self.update([&](index& i) { return i.insert_or_assign(column, ids, on_host(threads)); });
           })
      .def("erase",
           [](shared_index& self, nb::handle keys, int threads) {
             auto const column = column_of(keys);
             return self.update([&](index& i) { return i.erase(column, on_host(threads)); });
           })
      .def("join", join)
      .def("join_asof", join_asof, nb::arg("probes"), nb::arg("out"), nb::arg("direction"), nb::arg("exact"),
           nb::arg("tolerance").none(), nb::arg("later"), nb::arg("threads"))
      .def("match_longest",
           [](shared_index const& self, nb::handle probes, output const& out, output const& lengths, int threads) {
             auto const column = column_of(probes);
             auto const rows = rows_of(out);
             auto const sizes = span_of<std::uint32_t>(lengths);
             self.look_up([&](index const& i) { i.match_longest(column, rows, sizes, on_host(threads)); });
           })
      .def("to_bytes",
           [](shared_index const& self) {
             auto const bytes = self.look_up([](index const& i) { return i.save(); });
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("save", [](shared_index const& self,
                      std::string const& path) { self.look_up([&](index const& i) { i.save(path); }); })
      .def("describe", [](shared_index const& self) {
        auto const [spec, keys, rows, size, bytes] = self.look_up([](index const& i) {
          return std::tuple(i.spec_text(), std::string(to_string(i.key_type())), size_of(i.row_type()), i.size(),
                            i.memory().total());
        });
        return nb::make_tuple(spec, keys, rows, size, bytes);
      });
}
