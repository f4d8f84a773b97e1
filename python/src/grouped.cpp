// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "grouped.hpp"

#include <warpdex/grouped_index.hpp>
#include <warpdex/join.hpp>
#include <warpdex/sharded.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "asof_how.hpp"
#include "attended.hpp"
#include "columns.hpp"
#include "faces.hpp"
#include "pieces.hpp"
#include "shared_index.hpp"
#include "stored.hpp"
#include "watched.hpp"

namespace warpdex::python {
namespace {

/// An index of keys within groups, and where it is.
struct placed_groups {
  placed_groups(grouped_index built, int device)
      : groups(std::make_shared<grouped_index>(std::move(built))), home(device) {}
  /// Entries in shards, whose calls run on the host or on one of their devices.
  placed_groups(std::shared_ptr<grouped_index> built, int device, bool on_devices)
      : groups(std::move(built)), home(device, on_devices) {}
  ~placed_groups() { home.end(groups); }
  placed_groups(placed_groups const&) = delete;
  placed_groups& operator=(placed_groups const&) = delete;

  /// @return the same index over several places, for calls that run on one of its devices
  std::unique_ptr<placed_groups> at(int device) const {
    return std::make_unique<placed_groups>(groups, device, device >= 0);
  }

  std::shared_ptr<grouped_index> groups;
  index_home home;
};

bool has_device(std::vector<int> const& devices) {
  return std::any_of(devices.begin(), devices.end(), [](int device) { return device >= 0; });
}

/// @return what a file held, with row ids as Python has them
grouped_index signed_groups(grouped_index loaded, execution const& exec) {
  if (has_large_rows(loaded.entries(), exec)) loaded.widen_rows(exec);
  return loaded;
}

/// @param groups, keys parts of columns
std::unique_ptr<placed_groups> build(nb::object groups, nb::object keys, std::string spec, int device,
                                     std::int64_t where) {
  auto const held = std::make_shared<std::pair<part, part> const>(part(groups, nullptr), part(keys, nullptr));
  spec = wide_enough(spec, held->first.size());
  return attended_if(held->first.size() >= long_call, nb::make_tuple(groups, keys), [=] {
    return at_place(device, where, [&](execution const& exec) {
      auto built = grouped_index::build(spec, held->first.whole().values, held->second.whole().values, exec);
      return std::make_unique<placed_groups>(std::move(built), device);
    });
  });
}

/// @param groups, keys parts of columns @param devices -1 for the host @param shards 0 for one per device
std::unique_ptr<placed_groups> build_shards(nb::object groups, nb::object keys, std::string spec,
                                            std::vector<int> const& devices, std::string const& placed,
                                            std::uint32_t shards, int threads) {
  auto const held = std::make_shared<std::pair<part, part> const>(part(groups, nullptr), part(keys, nullptr));
  spec = wide_enough(spec, held->first.size());
  return attended_if(held->first.size() >= long_call, nb::make_tuple(groups, keys), [=] {
    auto const &of = held->first.whole().values, &values = held->second.whole().values;
    auto const places = places_on(devices, threads);
    complete(of);
    complete(values);
    auto built = grouped_index::build(spec, of, values, parse_placement(placed), places, shards);
    return std::make_unique<placed_groups>(std::make_shared<grouped_index>(std::move(built)), -1, has_device(devices));
  });
}

/// @param encoder the file of the encoder of groups and keys @param folder that of the entries
std::unique_ptr<placed_groups> load_shards(nb::bytes const& encoder, nb::bytes const& folder, bool map,
                                           std::vector<int> const& devices) {
  return attended<std::unique_ptr<placed_groups>>(
      nb::none(), [code = path_of(encoder), path = path_of(folder), map, devices] {
        auto entries = sharded_index::load(path, places_on(devices, 0), map);
        make_signed(entries, {});
        auto of = std::make_shared<grouped_index>(key_encoder::load(code),
                                                  std::make_unique<sharded_index>(std::move(entries)));
        return std::make_unique<placed_groups>(std::move(of), -1, has_device(devices));
      });
}

std::unique_ptr<placed_groups> load(nb::bytes const& path, bool map, int device) {
  return load_stored<grouped_index>(path, map, device, [device](grouped_index loaded, execution const& exec) {
    return std::make_unique<placed_groups>(signed_groups(std::move(loaded), exec), device);
  });
}

std::unique_ptr<placed_groups> from_bytes(nb::object const& stored, int device, bool share, bool trust) {
  return stored_from<grouped_index>(stored, device, share, trust, [=](grouped_index loaded, execution const& exec) {
    return std::make_unique<placed_groups>(trust ? std::move(loaded) : signed_groups(std::move(loaded), exec), device);
  });
}

/// Copies between two devices go by way of the host.
std::unique_ptr<placed_groups> clone_to(placed_groups const& self, int device) {
  auto const copied = [](placed_groups const& from, int to) {
    return from.home.run(0, [&](execution const&) {
      return at_place(
          to, 0, [&](execution const& exec) { return std::make_unique<placed_groups>(from.groups->clone(exec), to); });
    });
  };
  bool const direct = self.home.device() < 0 || device < 0 || device == self.home.device();
  return watched([&] { return direct ? copied(self, device) : copied(*copied(self, -1), device); });
}

/// Runs an update of the groups alone: no lookup in the entries runs meanwhile.
/// @param columns parts of groups and of keys, one after the other
template <class F>
nb::tuple update(placed_groups& self, shared_index& entries, nb::tuple const& columns, std::int64_t where, F const& f) {
  std::vector<part> held;
  std::vector<column> sources;
  for (nb::handle const column : columns) held.emplace_back(column, nullptr);
  for (part const& part : held) sources.emplace_back(part.whole().values);
  return entries.update([&](any_index&) { return f(*self.groups, sources, entries.on(where)); });
}

/// @return the index over places, which lives as long as the groups
std::unique_ptr<shared_index> entries(placed_groups const& self) {
  // Python's `GroupedIndex` keeps one. Its lock is that of the groups too.
  auto* const of = const_cast<any_index*>(&self.groups->any_entries());
  return std::make_unique<shared_index>(std::shared_ptr<any_index>(self.groups, of), self.home.device());
}

/// @param groups a part of a column
results results_for(placed_groups const& self, nb::handle groups, std::int64_t where) {
  return results_of(self.home.device(), nb::cast<column_part const&>(groups).column.get(), where);
}

/// @param columns the groups and the keys, and tolerances if each probe has its own
void nearest(placed_groups const& self, nb::tuple const& columns, nb::handle out, nb::handle how, std::int64_t where,
             std::uint64_t most) {
  auto const options = options_of(how);
  auto const rows = rows_out(out);
  probe_columns(columns, nullptr).each(most, nb::none(), [&](std::vector<piece> const& pieces, std::uint64_t at) {
    row_output const here{static_cast<char*>(rows.data) + at * size_of(rows.type), pieces[0].size, rows.type};
    watched([&] {
      self.home.run(where, [&](execution const& exec) {
        join_asof(*self.groups, pieces[0].values, pieces[1].values, here, exec, with_tolerances(options, pieces, 2));
      });
    });
  });
}

/// Pairs of probes and all rows of their nearest keys. @param groups, probes parts of columns
nb::tuple nearest_pairs(placed_groups const& self, nb::handle groups, nb::handle probes, std::string const& kind,
                        nb::handle how, std::int64_t where) {
  part const lefts(groups, nullptr), keys(probes, nullptr);
  auto const options = options_of(how);
  auto const listed = kind_named(kind);
  results const to = results_for(self, groups, where);
  joined found = watched([&] {
    return self.home.run(where, [&](execution const& exec) {
      joined pairs = join_asof(*self.groups, lefts.whole().values, keys.whole().values, listed, exec, options);
      to.fetch(pairs);
      return pairs;
    });
  });
  return pairs_as(std::move(found), to);
}

}  // namespace

void bind_groups(nb::module_& m) {
  nb::class_<placed_groups>(m, "GroupedIndex")
      .def_static("build", build, nb::arg("groups"), nb::arg("keys"), nb::arg("spec"), nb::arg("device"),
                  nb::arg("where"))
      .def_static("build_shards", build_shards, nb::arg("groups"), nb::arg("keys"), nb::arg("spec"), nb::arg("devices"),
                  nb::arg("placement"), nb::arg("shards"), nb::arg("threads"))
      .def_static("load_shards", load_shards, nb::arg("encoder"), nb::arg("folder"), nb::arg("map"), nb::arg("devices"))
      .def_static("load", load, nb::arg("path"), nb::arg("map"), nb::arg("device"))
      .def_static("from_bytes", from_bytes, nb::arg("stored"), nb::arg("device"), nb::arg("share") = false,
                  nb::arg("trust") = false)
      .def("clone", clone_to, nb::arg("device"))
      .def(
          "save",
          [](placed_groups const& self, nb::bytes const& name, std::string const& note) {
            without_gil const free;
            self.home.run(0, [&, path = path_of(name)](execution const&) { warpdex::save(*self.groups, path, note); });
          },
          nb::arg("path"), nb::arg("note"))
      .def(
          "to_bytes",
          [](placed_groups const& self, std::string const& note) {
            return bytes_of(
                [&] { return self.home.run(0, [&](execution const&) { return warpdex::save(*self.groups, note); }); });
          },
          nb::arg("note"))
      .def_prop_ro(
          "is_sharded",
          [](placed_groups const& self) { return dynamic_cast<index const*>(&self.groups->any_entries()) == nullptr; })
      .def_prop_ro("note", [](placed_groups const& self) { return self.groups->note(); })
      .def_prop_ro("nbytes", [](placed_groups const& self) { return self.groups->bytes(); })
      .def_prop_ro("types",
                   [](placed_groups const& self) {
                     return nb::make_tuple(std::string(to_string(self.groups->group_type())),
                                           std::string(to_string(self.groups->key_type())));
                   })
      .def(
          "insert",
          [](placed_groups& self, shared_index& entries, nb::tuple const& columns, nb::handle rows, bool assigns,
             std::int64_t where) {
            auto const ids = rows_in(rows);
            return update(self, entries, columns, where, [&](grouped_index& of, auto const& in, execution const& exec) {
              return assigns ? of.insert_or_assign(in[0], in[1], ids, exec) : of.insert(in[0], in[1], ids, exec);
            });
          },
          nb::arg("entries"), nb::arg("columns"), nb::arg("rows"), nb::arg("assigns"), nb::arg("where"))
      .def(
          "erase",
          [](placed_groups& self, shared_index& entries, nb::tuple const& columns, std::int64_t where) {
            return update(self, entries, columns, where, [&](grouped_index& of, auto const& in, execution const& exec) {
              return of.erase(in[0], in[1], exec);
            });
          },
          nb::arg("entries"), nb::arg("columns"), nb::arg("where"))
      .def(
          "update",
          [](placed_groups& self, shared_index& entries, nb::tuple const& columns, nb::handle rows,
             std::int64_t where) {
            auto const ids = rows_in(rows);
            return update(self, entries, columns, where, [&](grouped_index& of, auto const& in, execution const& exec) {
              return of.update(in[0], in[1], ids, in[2], in[3], exec);
            });
          },
          nb::arg("entries"), nb::arg("columns"), nb::arg("rows"), nb::arg("where"))
      .def("entries", entries)
      .def_prop_ro("encoder", [](placed_groups const& self) { return self.groups->encoder(); })
      .def("at", &placed_groups::at, nb::arg("device"))
      .def("nearest", nearest, nb::arg("columns"), nb::arg("out"), nb::arg("how"), nb::arg("where"), nb::arg("most"))
      .def("nearest_pairs", nearest_pairs, nb::arg("groups"), nb::arg("probes"), nb::arg("kind"), nb::arg("how"),
           nb::arg("where"));
}

}  // namespace warpdex::python
