// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

// `warpdex._core`: the C++ index over arrays of NumPy and on devices. The package in plain Python prepares the arrays
// and allocates the answers; here nothing is converted or copied. The last argument of lookups says where they run: it
// is the most threads for an index on the host, and a stream for one on a device.
#include <warpdex/advise.hpp>
#include <warpdex/arrow.hpp>
#include <warpdex/index.hpp>
#include <warpdex/join.hpp>
#include <warpdex/note.hpp>
#include <warpdex/sharded.hpp>
#include <warpdex/version.hpp>

#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "arrow.hpp"
#include "asking.hpp"
#include "attended.hpp"
#include "columns.hpp"
#include "device_array.hpp"
#include "distinct.hpp"
#include "encoder.hpp"
#include "faces.hpp"
#include "fingerprint.hpp"
#include "grouped.hpp"
#include "intervals.hpp"
#include "joins.hpp"
#include "key_sets.hpp"
#include "networks.hpp"
#include "pieces.hpp"
#include "plain.hpp"
#include "quantiles.hpp"
#include "shared_index.hpp"
#include "tables.hpp"
#include "times.hpp"
#include "uuids.hpp"
#include "values.hpp"

using namespace warpdex::python;

namespace {

/// Makes an index on a device, or with -1 on the host.
template <class F> std::unique_ptr<shared_index> index_on(int device, std::int64_t where, F const& make) {
  return at_place(device, where,
                  [&](warpdex::execution const& exec) { return std::make_unique<shared_index>(make(exec), device); });
}

/// @param keys a column, whose nulls `valid` tells, or one of Python's parts of a column
/// @param rows their ids, or None for their positions, which have 32 bits if those are enough and the spec says nothing
std::unique_ptr<shared_index> build(nb::object keys, nb::object valid, std::string spec, nb::object rows, int device,
                                    std::int64_t where, nb::object const& on_progress) {
  std::shared_ptr<part const> made_part;
  warpdex::nullable_column column;
  if (nb::isinstance<column_part>(keys)) {
    made_part = std::make_shared<part const>(keys, nullptr);
    column = made_part->whole().values;
  } else {
    column = column_of(keys, valid);
  }
  if (rows.is_none()) spec = wide_enough(spec, column.size);
  auto const ids = rows.is_none() ? warpdex::row_column() : rows_in(rows);
  auto const make = [spec, column, made_part, ids, numbered = rows.is_none(), device, where] {
    return index_on(device, where, [&](warpdex::execution const& exec) {
      if (column.validity != nullptr) return warpdex::build_valid(spec, column, exec);
      return numbered ? warpdex::index::build(spec, column, exec) : warpdex::index::build(spec, column, ids, exec);
    });
  };
  return attended_if(column.size >= long_call, nb::make_tuple(keys, valid, rows), make, on_progress);
}

/// @param keys one of Python's parts of a column, without nulls @param shards 0 for one per device
std::unique_ptr<shared_index> build_shards(nb::object keys, std::string spec, nb::object rows,
                                           std::vector<int> const& devices, std::string const& placed,
                                           std::uint32_t shards, int threads) {
  auto const held = std::make_shared<part const>(keys, nullptr);
  warpdex::column const column = held->whole().values;
  if (rows.is_none()) spec = wide_enough(spec, column.size);
  auto const ids = rows.is_none() ? warpdex::row_column() : rows_in(rows);
  auto const make = [=, numbered = rows.is_none(), how = warpdex::parse_placement(placed)] {
    auto const places = places_on(devices, threads);
    complete(column);
    return std::make_unique<shared_index>(numbered
                                              ? warpdex::sharded_index::build(spec, column, how, places, shards)
                                              : warpdex::sharded_index::build(spec, column, ids, how, places, shards));
  };
  return attended_if(column.size >= long_call, nb::make_tuple(keys, rows), make);
}

/// @param keys parts of a column, each on the host or on one of the devices, without nulls
std::unique_ptr<shared_index> build_spread(nb::list const& keys, std::string spec, std::vector<int> const& devices,
                                           std::string const& placed, std::uint32_t shards, int threads) {
  auto const held = std::make_shared<std::vector<part>>();
  std::vector<warpdex::column> columns;
  std::uint64_t size = 0;
  for (nb::handle const key : keys) {
    columns.push_back(held->emplace_back(key, nullptr).whole().values);
    size += columns.back().size;
  }
  spec = wide_enough(spec, size);
  auto const make = [=, how = warpdex::parse_placement(placed)] {
    auto const places = places_on(devices, threads);
    for (auto const& column : columns) complete(column);
    return std::make_unique<shared_index>(warpdex::sharded_index::build_spread(spec, columns, how, places, shards));
  };
  return attended_if(size >= long_call, keys, make);
}

std::unique_ptr<shared_index> load_shards(nb::bytes const& name, bool map, std::vector<int> const& devices) {
  return attended<std::unique_ptr<shared_index>>(nb::none(), [path = path_of(name), map, devices] {
    auto loaded = warpdex::sharded_index::load(path, places_on(devices, 0), map);
    make_signed(loaded, {});
    return std::make_unique<shared_index>(std::move(loaded));
  });
}

/// @return a tuple per pair of devices, with the fields of Python's `DeviceLink`
nb::list measured_links(std::uint64_t bytes) {
  auto const links = [bytes] {
    without_gil const free;
    return warpdex::measured_links(bytes);
  }();
  nb::list result;
  for (auto const& link : links)
    result.append(nb::make_tuple(link.from, link.to, link.peers, link.one_way, link.both_ways, link.through_host));
  return result;
}

std::unique_ptr<shared_index> load(nb::bytes const& name, bool map, int device) {
  return attended<std::unique_ptr<shared_index>>(nb::none(), [path = path_of(name), map, device] {
    return index_on(device, 0, [&](warpdex::execution const& exec) {
      auto loaded = warpdex::index::load(path, exec, map);
      make_signed(loaded, exec);
      return loaded;
    });
  });
}

/// @param share whether an index on the host may use the bytes in place, for as long as it lives
/// @param trust whether bytes that are used in place are not checked, as those that this process made
std::unique_ptr<shared_index> from_bytes(nb::object stored, int device, bool share, bool trust) {
  auto const array = nb::cast<input>(stored, false);
  std::span const bytes(static_cast<std::byte const*>(array.data()), array.nbytes());
  std::shared_ptr<void const> const owner = share && device < 0 ? owner_of(stored) : nullptr;
  auto const make = [bytes, owner, device, checks = trust ? warpdex::check::none : warpdex::check::all] {
    return index_on(device, 0, [&](warpdex::execution const& exec) {
      auto loaded =
          owner == nullptr ? warpdex::index::load(bytes, exec) : warpdex::index::load(bytes, owner, exec, checks);
      if (checks != warpdex::check::none) make_signed(loaded, exec);
      return loaded;
    });
  };
  return attended_if(bytes.size() >= long_call_bytes, std::move(stored), make);
}

/// Copies between two devices go by way of the host.
std::unique_ptr<shared_index> clone_to(shared_index const& self, int device) {
  auto const copied = [](shared_index const& from, int to) {
    return from.look_up_locked([&](warpdex::index const& i) {
      return index_on(to, 0, [&](warpdex::execution const& exec) { return i.clone(exec); });
    });
  };
  locked const held(self.lock(), fair_lock::use::read);
  auto const copy = [&self, copied, device, kept = self.lock().share()] {
    if (self.device() < 0 || device < 0 || self.device() == device) return copied(self, device);
    return copied(*copied(self, -1), device);
  };
  auto const bytes = self.look_up([](warpdex::index const& i) { return i.memory().total(); });
  return attended_if(bytes >= long_call_bytes, nb::find(self), copy);
}

nb::dict facts(shared_index const& self) {
  nb::dict found;
  self.look_up([&](warpdex::any_index const& i) {
    with_gil const python;
    auto const memory = i.memory();
    auto const* const whole = dynamic_cast<warpdex::index const*>(&i);
    auto const times = whole == nullptr ? warpdex::build_times() : whole->times();
    found["spec"] = i.spec_text();
    found["keys"] = std::string(to_string(i.key_type()));
    found["row_bits"] = 8 * size_of(i.row_type());
    found["size"] = i.size();
    found["ordered"] = i.ordered();
    found["pairs"] = memory.pairs;
    found["auxiliary"] = memory.auxiliary;
    found["prepare_s"] = times.prepare;
    found["sort_s"] = times.sort;
    found["layout_s"] = times.layout;
    if (self.device() >= 0)
      found["policy"] = warpdex::tuned_policy(warpdex::spec(i.spec_text()), i.key_type(), i.row_type(), i.size(),
                                              warpdex::devices().at(static_cast<std::size_t>(self.device())).name);
  });
  return found;
}

void translate(std::exception_ptr const& thrown, void*) {
  auto const raise = [](char const* type, std::exception const& e) {
    std::string_view const text = e.what();  // may have the bytes of a path, in no encoding
    nb::object const decoded =
        nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
    PyErr_SetObject(nb::module_::import_("warpdex.errors").attr(type).ptr(), decoded.ptr());
  };
  try {
    std::rethrow_exception(thrown);
  } catch (warpdex::type_error const& e) {
    raise("KeyTypeError", e);
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
  } catch (warpdex::cancelled const& e) {
    raise("Cancelled", e);
  } catch (busy const& e) {
    raise("Busy", e);
  } catch (warpdex::error const& e) {
    raise("Error", e);
  }
}

}  // namespace

NB_MODULE(_core, m) {
  using warpdex::any_index;
  using warpdex::index;
  using warpdex::sharded_index;
  nb::register_exception_translator(translate);
  nb::set_leak_warnings(std::getenv("WARPDEX_LEAK_WARNINGS") != nullptr);  // for tests
  m.def("build", build, nb::arg("keys"), nb::arg("valid").none(), nb::arg("spec"), nb::arg("rows").none(),
        nb::arg("device"), nb::arg("where"), nb::arg("told").none() = nb::none());
  m.def("build_shards", build_shards, nb::arg("keys"), nb::arg("spec"), nb::arg("rows").none(), nb::arg("devices"),
        nb::arg("placement"), nb::arg("shards"), nb::arg("threads"));
  m.def("build_spread", build_spread, nb::arg("keys"), nb::arg("spec"), nb::arg("devices"), nb::arg("placement"),
        nb::arg("shards"), nb::arg("threads"));
  m.def("measured_links", measured_links, nb::arg("bytes"));
  m.def("load_shards", load_shards, nb::arg("path"), nb::arg("map"), nb::arg("devices"));
  m.def("load", load, nb::arg("path"), nb::arg("map"), nb::arg("device"));
  m.def("from_bytes", from_bytes, nb::arg("stored"), nb::arg("device") = -1, nb::arg("share") = false,
        nb::arg("trust") = false);
  m.attr("MANIFEST_NAME") = warpdex::sharded_index::manifest_name;
  m.def("note_of_file", [](nb::bytes const& path) { return warpdex::note_of(path_of(path)); });
  m.def("note_of_bytes", [](input const& stored) {
    return warpdex::note_of(std::span(static_cast<std::byte const*>(stored.data()), stored.nbytes()));
  });
  m.def("version", [] { return std::string(warpdex::version()); });
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { abandoned_tasks::all().finish(); }));

  nb::class_<shared_index> of_index(m, "Index");
  bind_asking(m, of_index);
  of_index
      .def("insert",
           [](shared_index& self, nb::handle keys, nb::handle rows, std::int64_t where) {
             auto const column = self.column_of(keys);
             auto const ids = rows_in(rows);
             return self.update([&](any_index& i) { return i.insert(column, ids, self.on(where)); });
           })
      .def("insert_or_assign",
           [](shared_index& self, nb::handle keys, nb::handle rows, std::int64_t where) {
             auto const column = self.column_of(keys);
             auto const ids = rows_in(rows);
             return self.update([&](any_index& i) { return i.insert_or_assign(column, ids, self.on(where)); });
           })
      .def("update",
           [](shared_index& self, nb::handle keys, nb::handle rows, nb::handle erased, std::int64_t where) {
             auto const column = self.column_of(keys), gone = self.column_of(erased);
             auto const ids = rows_in(rows);
             return self.update([&](any_index& i) { return i.update(column, ids, gone, self.on(where)); });
           })
      .def("erase",
           [](shared_index& self, nb::handle keys, std::int64_t where) {
             auto const column = self.column_of(keys);
             return self.update([&](any_index& i) { return i.erase(column, self.on(where)); });
           })
      .def(
          "to_bytes",
          [](shared_index const& self, std::string const& note) {
            auto held = std::make_unique<std::vector<std::byte>>(
                self.look_up([&](index const& i) { return warpdex::save(i, note); }));
            auto* const data = reinterpret_cast<std::uint8_t*>(held->data());
            std::size_t const size = held->size();
            nb::capsule owner(held.get(), [](void* p) noexcept { delete static_cast<std::vector<std::byte>*>(p); });
            held.release();
            return nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(data, {size}, owner);
          },
          nb::arg("note") = "")
      .def(
          "save",
          [](shared_index const& self, nb::bytes const& name, std::string const& note) {
            self.look_up([&, path = path_of(name)](any_index const& i) {
              if (auto const* const shards = dynamic_cast<sharded_index const*>(&i)) save(*shards, path, note);
              else save(dynamic_cast<index const&>(i), path, note);
            });
          },
          nb::arg("path"), nb::arg("note"))
      .def("clone", clone_to, nb::arg("device"))
      .def("__enter__", [](shared_index const& self) { self.lock().lock(fair_lock::use::read); })
      .def(
          "__exit__",
          [](shared_index const& self, nb::handle, nb::handle, nb::handle) {
            self.lock().unlock(fair_lock::use::read);
          },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none())
      .def_prop_rw(
          "max_wait", [](shared_index const& self) { return self.lock().patience.load(); },
          [](shared_index& self, double seconds) { self.lock().patience = seconds; })
      .def_prop_ro("version", &shared_index::version)
      .def_prop_ro("device", &shared_index::device)
      .def("at", &shared_index::at, nb::arg("device"))
      .def_prop_ro(
          "is_sharded",
          [](shared_index const& self) {
            return self.look_up([](any_index const& i) { return dynamic_cast<sharded_index const*>(&i) != nullptr; });
          })
      .def_prop_ro("devices",
                   [](shared_index const& self) {
                     return self.look_up([&](any_index const& i) {
                       std::vector<int> found;
                       if (auto const* const shards = dynamic_cast<sharded_index const*>(&i))
                         for (auto const& shard : shards->shards()) found.push_back(shard.device);
                       else found.push_back(self.device());
                       return found;
                     });
                   })
      .def(
          "explain",
          [](shared_index const& self, std::uint64_t batch) {
            return self.look_up([&](warpdex::any_index const& i) { return warpdex::explain(i, batch); });
          },
          nb::arg("batch"))
      .def("facts", facts)
      .def("describe", [](shared_index const& self) {
        auto const [spec, keys, rows, size, bytes] = self.look_up([](any_index const& i) {
          return std::tuple(i.spec_text(), std::string(to_string(i.key_type())), size_of(i.row_type()), i.size(),
                            i.memory().total());
        });
        return nb::make_tuple(spec, keys, rows, size, bytes);
      });
  bind_values(m);
  bind_arrow(m);
  bind_device_arrays(m);
  bind_distinct(m);
  bind_quantiles(m);
  bind_faces(m, of_index);
  bind_networks(m);
  bind_intervals(m);
  bind_joins(m, of_index);
  bind_key_sets(m);
  bind_encoder(m);
  bind_groups(m);
  bind_plain(m, of_index);
  bind_fingerprint(m);
  bind_tables(m);
  bind_times(m);
  bind_uuids(m);
}
