// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "key_sets.hpp"

#include <warpdex/key_set.hpp>
#include <warpdex/sharded_set.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "attended.hpp"
#include "columns.hpp"
#include "faces.hpp"
#include "pieces.hpp"
#include "shared_index.hpp"
#include "stored.hpp"
#include "watched.hpp"

namespace warpdex::python {
namespace {

set_code code_named(std::string const& code) {
  return named<set_code>(
      "code", code, {{"auto", set_code::automatic}, {"plain", set_code::plain}, {"compressed", set_code::compressed}});
}

/// Which keys of two sets are in another one.
enum class combination : std::uint8_t { of_any, of_both, of_left };

/// @param exec of a set in one place
template <class Held, class... Exec>
Held combine(Held const& left, Held const& right, combination which, Exec const&... exec) {
  switch (which) {
    case combination::of_any: return left.merge(right, exec...);
    case combination::of_both: return left.intersection(right, exec...);
    default: return left.difference(right, exec...);
  }
}

key_set set_of(part const& keys, std::optional<row_column> const& rows, execution const& exec, set_code code) {
  nullable_column const& values = keys.whole().values;
  return rows ? key_set(values, *rows, exec, code) : key_set(values, exec, code);
}

/// @return a set that has keys besides, or lacks them
key_set changed(key_set const& before, part const& keys, std::optional<row_column> const& rows, bool adds,
                execution const& exec) {
  return combine(before, set_of(keys, rows, exec, set_code::plain), adds ? combination::of_any : combination::of_left,
                 exec);
}
sharded_set changed(sharded_set const& before, part const& keys, std::optional<row_column> const& rows, bool adds,
                    execution const& exec) {
  nullable_column const& values = keys.whole().values;
  complete(values);
  sharded_set after = before;
  if (!adds) after.erase(values, exec);
  else if (rows) after.insert(values, *rows, exec);
  else after.insert(values, exec);
  return after;
}

std::optional<row_column> ids_in(nb::handle rows) {
  return rows.is_none() ? std::nullopt : std::optional(rows_in(rows));
}

/// A set of keys, and where it is, or where calls of one in shards run. An update puts another set in its place, so
/// that calls of other threads go on with the one with which they began.
template <class Held> class placed_set {
 public:
  static constexpr bool in_shards = std::is_same_v<Held, sharded_set>;
  using shared = std::shared_ptr<Held const>;

  placed_set(Held held, index_home home) : placed_set(std::make_shared<Held const>(std::move(held)), home) {}
  placed_set(shared held, index_home home) : set_(std::move(held)), home_(home) {}
  ~placed_set() { home_.end(set_); }
  placed_set(placed_set const&) = delete;
  placed_set& operator=(placed_set const&) = delete;

  Held const& held() const { return *set_; }
  int device() const { return home_.device(); }
  std::vector<int> devices() const {
    if constexpr (!in_shards) return {device()};
    else {
      std::vector<int> found;
      for (set_shard const& shard : set_->shards()) found.push_back(shard.device);
      return found;
    }
  }

  /// @return where there are places for shards
  std::vector<int> places() const {
    if constexpr (!in_shards) return {device()};
    else return set_->devices();
  }

  /// @return the same set in shards, for calls that run on one of its devices
  std::unique_ptr<placed_set> at(int device) const {
    return std::make_unique<placed_set>(set_, index_home(device, true));
  }

  /// @param columns the probes @param out flags
  void contains(nb::tuple const& columns, nb::handle out, std::int64_t where, std::uint64_t most,
                nb::object const& on_progress) const {
    auto const to = span_out<bool>(out);
    ask(columns, where, most, on_progress,
        [&](Held const& set, piece const& probes, std::uint64_t at, execution const& exec) {
          set.contains(probes.values, to.subspan(at, probes.size), exec);
        });
  }

  /// @param columns the probes @param out rows, -1 for none
  void find(nb::tuple const& columns, nb::handle out, std::int64_t where, std::uint64_t most,
            nb::object const& on_progress) const {
    row_output const to = rows_out(out);
    std::span const rows(static_cast<std::uint64_t*>(to.data), to.size);
    ask(columns, where, most, on_progress,
        [&](Held const& set, piece const& probes, std::uint64_t at, execution const& exec) {
          set.find(probes.values, rows.subspan(at, probes.size), exec);
        });
  }

  /// @param which union, intersection or difference
  std::unique_ptr<placed_set> combined(placed_set const& other, std::string const& which, std::int64_t where) const {
    auto const call = named<combination>(
        "which", which,
        {{"union", combination::of_any}, {"intersection", combination::of_both}, {"difference", combination::of_left}});
    auto const make = [left = set_, right = other.set_, home = &home_, call, where] {
      return home->run(where, [&](execution const& exec) {
        if constexpr (in_shards) return std::make_unique<placed_set>(combine(*left, *right, call), *home);
        else return std::make_unique<placed_set>(combine(*left, *right, call, exec), *home);
      });
    };
    return attended_if(set_->size() + other.set_->size() >= long_call, nb::make_tuple(nb::find(this)), make);
  }

  /// Adds keys, or takes them out. @return how many there are more, or fewer
  /// @param rows of keys that are added to a set that keeps rows, or None
  std::int64_t change(nb::object keys, nb::object rows, bool adds, std::int64_t where) {
    auto const held = std::make_shared<part const>(keys, nullptr);
    if (adds && rows.is_none() != (set_->row_bits() == 0))
      throw unsupported(rows.is_none() ? "the set keeps a row of each key, so keys come with rows"
                                       : "the set keeps no rows, so keys come without");
    while (true) {
      auto const make = [before = set_, held, ids = ids_in(rows), home = &home_, adds, where] {
        return home->run(where, [&](execution const& exec) {
          return std::make_shared<Held const>(changed(*before, *held, ids, adds, exec));
        });
      };
      shared const before = set_;
      bool const is_long = held->size() + before->size() >= long_call;
      shared after = attended_if(is_long, nb::make_tuple(keys, rows, nb::find(this)), make);
      if (set_ != before) continue;  // another thread has changed it
      set_ = std::move(after);
      return static_cast<std::int64_t>(set_->size() - before->size());
    }
  }

  nb::object keys() const {
    results const to{home_.device(), false, 0};
    auto found = watched([&, set = set_] {
      return home_.run(0, [&](execution const& exec) {
        if constexpr (in_shards) {
          return set->keys();
        } else {
          key_list result = set->keys(exec);
          to.fetch(result.keys);
          return result;
        }
      });
    });
    return keys_as(std::move(found), to);
  }

  void save(nb::bytes const& name, std::string const& note) const {
    watched([&, path = path_of(name)] { home_.run(0, [&](execution const&) { warpdex::save(*set_, path, note); }); });
  }
  nb::bytes to_bytes(std::string const& note) const {
    return bytes_of([&] { return home_.run(0, [&](execution const&) { return warpdex::save(*set_, note); }); });
  }

 private:
  /// Calls look_up(set, probes, at, exec) for pieces of the probes, of which the first one has the number `at`.
  template <class LookUp>
  void ask(nb::tuple const& columns, std::int64_t where, std::uint64_t most, nb::object const& on_progress,
           LookUp const& look_up) const {
    shared const set = set_;
    auto const run = [&](std::vector<piece> const& pieces, std::uint64_t at) {
      watched([&] { home_.run(where, [&](execution const& exec) { look_up(*set, pieces[0], at, exec); }); });
    };
    probe_columns(columns, nullptr).each(values_on_host(set->size(), most, on_progress), on_progress, run);
  }

  shared set_;
  index_home home_;
};

using whole_set = placed_set<key_set>;
using set_in_shards = placed_set<sharded_set>;

/// @param keys a part of a column @param rows of the keys, or None
std::unique_ptr<whole_set> build(nb::object keys, nb::object rows, std::string const& code, int device,
                                 std::int64_t where) {
  auto const held = std::make_shared<part const>(keys, nullptr);
  auto const make = [held, ids = ids_in(rows), wanted = code_named(code), device, where] {
    return at_place(device, where, [&](execution const& exec) {
      return std::make_unique<whole_set>(set_of(*held, ids, exec, wanted), index_home(device));
    });
  };
  return attended_if(held->size() >= long_call, nb::make_tuple(keys, rows), make);
}

std::unique_ptr<set_in_shards> with_shards(sharded_set made) {
  auto const all = made.shards();
  bool const on_devices = std::any_of(all.begin(), all.end(), [](set_shard const& shard) { return shard.device >= 0; });
  return std::make_unique<set_in_shards>(std::move(made), index_home(-1, on_devices));
}

/// @param shards 0 for one per device
std::unique_ptr<set_in_shards> build_shards(nb::object keys, nb::object rows, std::string const& code,
                                            std::vector<int> const& devices, std::uint32_t shards, int threads) {
  auto const held = std::make_shared<part const>(keys, nullptr);
  auto const make = [held, ids = ids_in(rows), wanted = code_named(code), devices, shards, threads] {
    auto const places = places_on(devices, threads);
    nullable_column const& values = held->whole().values;
    complete(values);
    return with_shards(ids ? sharded_set::build(values, *ids, places, wanted, shards)
                           : sharded_set::build(values, places, wanted, shards));
  };
  return attended_if(held->size() >= long_call, nb::make_tuple(keys, rows), make);
}

std::unique_ptr<set_in_shards> load_shards(nb::bytes const& path, bool map, std::vector<int> const& devices) {
  return watched(
      [&, name = path_of(path)] { return with_shards(sharded_set::load(name, places_on(devices, 0), map)); });
}

/// Makes a set of batches, on the host.
class set_builder {
 public:
  /// @param first a part of a column, whose type is that of all batches
  /// @param rows whether each batch comes with rows
  set_builder(nb::object first, std::string const& code, std::uint64_t memory, nb::bytes const& folder, bool map,
              bool rows) {
    set_build_options options{code_named(code), memory, {}, map, rows};
    if (folder.size() != 0) options.folder = path_of(folder);
    type_ = part(std::move(first), nullptr).whole().values.type;
    builder_ = std::make_shared<key_set_builder>(type_, std::move(options));
  }

  std::string key_type() const { return std::string(to_string(type_)); }

  /// @param rows of the keys, or None
  void add(nb::object keys, nb::object rows, int threads) {
    auto const held = std::make_shared<part const>(keys, nullptr);
    auto const add = [builder = builder_, held, given = ids_in(rows), threads] {
      auto const& values = held->whole().values;
      if (given) builder->add(values, *given, on_host(threads));
      else builder->add(values, on_host(threads));
      return true;
    };
    attended_if(held->size() >= long_call, nb::make_tuple(keys, rows), add);
  }

  std::unique_ptr<whole_set> finish(int threads, nb::object const& on_progress) {
    std::function<std::unique_ptr<whole_set>()> const make = [builder = builder_, threads] {
      return std::make_unique<whole_set>(builder->finish(on_host(threads)), index_home(-1));
    };
    return attended(nb::none(), make, on_progress);
  }

 private:
  warpdex::key_type type_;
  std::shared_ptr<key_set_builder> builder_;
};

/// @return what makes sets of Python of those that were loaded
auto placed_on(int device) {
  return [device](key_set loaded, execution const&) {
    return std::make_unique<whole_set>(std::move(loaded), index_home(device));
  };
}

std::unique_ptr<whole_set> load(nb::bytes const& path, bool map, int device) {
  return load_stored<key_set>(path, map, device, placed_on(device));
}

std::unique_ptr<whole_set> from_bytes(nb::object const& stored, int device, bool share) {
  return stored_from<key_set>(stored, device, share, false, placed_on(device));
}

/// Adds what both kinds of sets have.
template <class Placed> nb::class_<Placed> bind_set(nb::module_& m, char const* name) {
  using nb::arg;
  return nb::class_<Placed>(m, name)
      .def_prop_ro("size", [](Placed const& self) { return self.held().size(); })
      .def_prop_ro("nbytes", [](Placed const& self) { return self.held().bytes(); })
      .def_prop_ro("note", [](Placed const& self) { return self.held().note(); })
      .def_prop_ro("key_type", [](Placed const& self) { return std::string(to_string(self.held().key_type())); })
      .def_prop_ro("code",
                   [](Placed const& self) {
                     return std::string(self.held().code() == set_code::plain ? "plain" : "compressed");
                   })
      .def_prop_ro("row_bits", [](Placed const& self) { return self.held().row_bits(); })
      .def_prop_ro("device", &Placed::device)
      .def_prop_ro("devices", &Placed::devices)
      .def_prop_ro("places", &Placed::places)
      .def("contains", &Placed::contains, arg("columns"), arg("out"), arg("where"), arg("most"),
           arg("on_progress").none())
      .def("find", &Placed::find, arg("columns"), arg("out"), arg("where"), arg("most"), arg("on_progress").none())
      .def("combined", &Placed::combined, arg("other"), arg("which"), arg("where"))
      .def("change", &Placed::change, arg("keys"), arg("rows").none(), arg("adds"), arg("where"))
      .def("keys", &Placed::keys)
      .def("save", &Placed::save, arg("path"), arg("note"));
}

}  // namespace

void bind_key_sets(nb::module_& m) {
  using nb::arg;
  bind_set<whole_set>(m, "Set")
      .def_static("build", build, arg("keys"), arg("rows").none(), arg("code"), arg("device"), arg("where"))
      .def_static("load", load, arg("path"), arg("map"), arg("device"))
      .def_static("from_bytes", from_bytes, arg("stored"), arg("device"), arg("share"))
      .def("to_bytes", &whole_set::to_bytes, arg("note"));
  bind_set<set_in_shards>(m, "ShardedSet")
      .def_static("build", build_shards, arg("keys"), arg("rows").none(), arg("code"), arg("devices"), arg("shards"),
                  arg("threads"))
      .def_static("load", load_shards, arg("path"), arg("map"), arg("devices"))
      .def("at", &set_in_shards::at, arg("device"));
  nb::class_<set_builder>(m, "SetBuilder")
      .def(nb::init<nb::object, std::string const&, std::uint64_t, nb::bytes const&, bool, bool>(), arg("first"),
           arg("code"), arg("memory"), arg("folder"), arg("map"), arg("rows"))
      .def_prop_ro("key_type", &set_builder::key_type)
      .def("add", &set_builder::add, arg("keys"), arg("rows").none(), arg("threads"))
      .def("finish", &set_builder::finish, arg("threads"), arg("on_progress").none());
}

}  // namespace warpdex::python
