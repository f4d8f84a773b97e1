// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "intervals.hpp"

#include <warpdex/intervals.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <array>
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

closed_ends closed_named(std::string const& closed) {
  return named<closed_ends>("closed", closed,
                            {{"both", closed_ends::both},
                             {"left", closed_ends::left},
                             {"right", closed_ends::right},
                             {"none", closed_ends::none}});
}

interval_side side_named(std::string const& side) {
  return named<interval_side>(
      "side", side,
      {{"both", interval_side::both}, {"before", interval_side::before}, {"after", interval_side::after}});
}

/// Copies lists of rows to the host, if that is where they go, with what they have beside the rows.
/// @{
void fetch(results const& to, matches& from) { to.fetch(from); }
void fetch(results const& to, joined& from) { to.fetch(from); }
void fetch(results const& to, nearest_intervals& from) {
  to.fetch(from);
  to.fetch(from.distances);
}
void fetch(results const& to, interval_gaps& from) {
  to.fetch(from);
  to.fetch(from.ends);
}
/// @}

/// @param columns points alone, or starts and ends; and groups, if there are any
interval_probes probes_of(std::vector<nullable_column> const& columns, bool has_groups) {
  bool const are_points = columns.size() == (has_groups ? 2 : 1);
  interval_probes const probes = are_points ? interval_probes(columns[0]) : interval_probes(columns[0], columns[1]);
  return has_groups ? probes.within(columns.back()) : probes;
}

/// Columns as parts, which hold what their C++ views point to.
class held_columns {
 public:
  explicit held_columns(nb::tuple const& columns) {
    for (nb::handle const column : columns) parts_.emplace_back(column, nullptr);
  }

  std::vector<nullable_column> views() const {
    std::vector<nullable_column> result;
    for (part const& part : parts_) result.push_back(part.whole().values);
    return result;
  }
  std::uint64_t size() const { return parts_[0].size(); }

 private:
  std::vector<part> parts_;
};

/// Intervals, and where they are.
class placed_intervals {
  /// Calls `f` for each piece of some columns of probes.
  template <class F>
  void each(nb::tuple const& columns, std::int64_t where, std::uint64_t most, nb::object const& on_progress,
            F const& f) const {
    probe_columns(columns, nullptr).each(most, on_progress, [&](std::vector<piece> const& pieces, std::uint64_t at) {
      std::vector<nullable_column> views;
      for (piece const& piece : pieces) views.push_back(piece.values);
      watched([&] { home_.run(where, [&](execution const& exec) { f(probes_of(views, has_groups_), at, exec); }); });
    });
  }

  /// @return what `f` lists of all probes
  template <class F> auto whole(nb::tuple const& columns, results const& to, F const& f) const {
    auto const held = std::make_shared<held_columns const>(columns);
    auto const reads = nb::make_tuple(columns, nb::find(this));
    return attended_if(held->size() >= long_call, reads, [held, f, this, to] {
      return home_.run(to.where, [&](execution const& exec) {
        auto result = f(*intervals_, probes_of(held->views(), has_groups_), exec);
        fetch(to, result);
        return result;
      });
    });
  }

  /// @param columns parts
  results results_for(nb::tuple const& columns, std::int64_t where) const {
    return results_of(home_.device(), nb::cast<column_part const&>(columns[0]).column.get(), where);
  }

  /// @return what makes intervals of Python of those that were loaded
  static auto placed_on(int device) {
    return [device](intervals loaded, execution const&) {
      return std::make_unique<placed_intervals>(std::move(loaded), device);
    };
  }

  /// @return offsets and rows
  static nb::tuple listed(results const& to, matches& found) {
    auto offsets = to.array<std::int64_t>(std::move(found.offsets), found.probes + 1);
    return nb::make_tuple(offsets, to.rows(std::move(found.rows), found.total, found.row_type));
  }

 public:
  placed_intervals(intervals source, int device)
      : intervals_(std::make_unique<intervals>(std::move(source))), has_groups_(intervals_->group_type().has_value()),
        home_(device) {}
  ~placed_intervals() { home_.end(intervals_); }
  placed_intervals(placed_intervals const&) = delete;
  placed_intervals& operator=(placed_intervals const&) = delete;

  /// @param columns parts: the starts, the ends and perhaps the groups
  static std::unique_ptr<placed_intervals> build(nb::tuple columns, std::string const& closed, int device,
                                                 std::int64_t where) {
    auto const held = std::make_shared<held_columns const>(columns);
    auto const ends = closed_named(closed);
    return attended_if(held->size() >= long_call, columns, [held, ends, device, where] {
      return at_place(device, where, [&](execution const& exec) {
        auto const views = held->views();
        bool const grouped = views.size() == 3;
        return std::make_unique<placed_intervals>(grouped ? intervals::build(views[2], views[0], views[1], exec, ends)
                                                          : intervals::build(views[0], views[1], exec, ends),
                                                  device);
      });
    });
  }

  static std::unique_ptr<placed_intervals> load(nb::bytes const& path, bool map, int device) {
    return load_stored<intervals>(path, map, device, placed_on(device));
  }
  static std::unique_ptr<placed_intervals> from_bytes(nb::object const& stored, int device, bool share) {
    return stored_from<intervals>(stored, device, share, false, placed_on(device));
  }

  void save(nb::bytes const& name, std::string const& note) const {
    watched(
        [&, path = path_of(name)] { home_.run(0, [&](execution const&) { warpdex::save(*intervals_, path, note); }); });
  }
  nb::bytes to_bytes(std::string const& note) const {
    return bytes_of([&] { return home_.run(0, [&](execution const&) { return warpdex::save(*intervals_, note); }); });
  }

  std::unique_ptr<placed_intervals> with_min_overlap(nb::handle least, std::int64_t where) const {
    auto const length = length_of(least);
    return attended_if(intervals_->size() >= long_call, nb::make_tuple(nb::find(this)), [this, length, where] {
      return home_.run(where, [&](execution const& exec) {
        return std::make_unique<placed_intervals>(intervals_->with_min_overlap(length, exec), home_.device());
      });
    });
  }

  int device() const { return home_.device(); }
  std::string const& note() const { return intervals_->note(); }
  std::string closed() const {
    constexpr std::array words{"both", "left", "right", "none"};
    return words.at(static_cast<std::size_t>(intervals_->closed()));
  }
  nb::tuple types() const {
    auto const groups = intervals_->group_type();
    nb::object const of_groups = groups ? nb::cast(std::string(to_string(*groups))) : nb::none();
    return nb::make_tuple(std::string(to_string(intervals_->key_type())), of_groups);
  }
  std::uint64_t size() const { return intervals_->size(); }
  std::uint64_t bytes() const { return intervals_->bytes(); }
  std::size_t row_bytes() const { return size_of(intervals_->row_type()); }

  void count(nb::tuple const& columns, nb::handle out, std::int64_t where, std::uint64_t most,
             nb::object const& on_progress) const {
    auto const to = span_out<std::uint64_t>(out);
    each(columns, where, most, on_progress,
         [&](interval_probes const& probes, std::uint64_t at, execution const& exec) {
           intervals_->count(probes, to.subspan(at, probes.size()), exec);
         });
  }

  void find(nb::tuple const& columns, nb::handle out, std::int64_t where, std::uint64_t most,
            nb::object const& on_progress) const {
    auto const to = rows_out(out);
    each(
        columns, where, most, on_progress, [&](interval_probes const& probes, std::uint64_t at, execution const& exec) {
          intervals_->find(probes, {static_cast<char*>(to.data) + at * size_of(to.type), probes.size(), to.type}, exec);
        });
  }

  /// @param columns parts of probes
  nb::tuple retrieve(nb::tuple columns, std::int64_t where) const {
    results const to = results_for(columns, where);
    matches found = whole(columns, to, [](intervals const& of, interval_probes const& probes, execution const& exec) {
      return of.retrieve(probes, exec);
    });
    return listed(to, found);
  }

  /// @return offsets and rows, and distances or None
  nb::tuple nearest(nb::tuple columns, std::uint64_t k, std::string const& side, bool ignore_overlaps, bool distances,
                    std::int64_t where) const {
    results const to = results_for(columns, where);
    nearest_options const options{side_named(side), ignore_overlaps, distances};
    auto found =
        whole(columns, to, [k, options](intervals const& of, interval_probes const& probes, execution const& exec) {
          return of.nearest(probes, k, exec, options);
        });
    nb::object away = nb::none();
    if (distances && found.are_real) away = to.array<double>(std::move(found.distances), found.total);
    else if (distances) away = to.array<std::uint64_t>(std::move(found.distances), found.total);
    return nb::tuple(listed(to, found) + nb::make_tuple(away));
  }

  /// @return offsets, and the rows where parts start and end
  nb::tuple gaps(nb::tuple columns, std::int64_t where) const {
    results const to = results_for(columns, where);
    auto found = whole(columns, to, [](intervals const& of, interval_probes const& probes, execution const& exec) {
      return of.gaps(probes, exec);
    });
    nb::object const ends = to.rows(std::move(found.ends), found.total, found.row_type);
    return nb::tuple(listed(to, found) + nb::make_tuple(ends));
  }

  /// @param to_device whether arrays stay on the device of the intervals
  /// @return the rows where stretches start and end, their numbers of intervals, and the stretch of each row
  nb::tuple merge(bool to_device, std::int64_t where) const {
    results const to{home_.device(), to_device, where};
    merged_intervals found = attended_if(intervals_->size() >= long_call, nb::make_tuple(nb::find(this)), [to, this] {
      return home_.run(to.where, [&](execution const& exec) {
        merged_intervals result = intervals_->merge(exec);
        for (buffer* const array : {&result.starts, &result.ends, &result.counts, &result.clusters}) to.fetch(*array);
        return result;
      });
    });
    return nb::make_tuple(to.rows(std::move(found.starts), found.size, found.row_type),
                          to.rows(std::move(found.ends), found.size, found.row_type),
                          to.array<std::int64_t>(std::move(found.counts), found.size),
                          to.rows(std::move(found.clusters), found.rows, found.row_type));
  }

  void coverage(nb::tuple const& columns, nb::handle out, std::int64_t where, std::uint64_t most,
                nb::object const& on_progress) const {
    auto const to = array_out(out);
    auto const measure = [&]<class Number>(Number) {
      auto const lengths = span_out<Number>(out);
      each(columns, where, most, on_progress,
           [&](interval_probes const& probes, std::uint64_t at, execution const& exec) {
             intervals_->coverage(probes, lengths.subspan(at, probes.size()), exec);
           });
    };
    if (to.type == nb::dtype<double>()) measure(double{});
    else measure(std::uint64_t{});
  }

  nb::tuple join(nb::tuple columns, std::string const& how, std::int64_t where) const {
    auto const kind = kind_named(how);
    results const to = results_for(columns, where);
    auto pairs = whole(columns, to, [kind](intervals const& of, interval_probes const& probes, execution const& exec) {
      return of.join(probes, kind, exec);
    });
    return pairs_as(std::move(pairs), to);
  }

 private:
  std::unique_ptr<intervals> intervals_;
  bool has_groups_;
  index_home home_;
};

}  // namespace

void bind_intervals(nb::module_& m) {
  using nb::arg;
  nb::class_<placed_intervals>(m, "Intervals")
      .def_static("build", &placed_intervals::build, arg("columns"), arg("closed"), arg("device"), arg("where"))
      .def_static("load", &placed_intervals::load, arg("path"), arg("map"), arg("device"))
      .def_static("from_bytes", &placed_intervals::from_bytes, arg("stored"), arg("device"), arg("share"))
      .def("save", &placed_intervals::save, arg("path"), arg("note"))
      .def("to_bytes", &placed_intervals::to_bytes, arg("note"))
      .def("with_min_overlap", &placed_intervals::with_min_overlap, arg("least"), arg("where"))
      .def_prop_ro("note", &placed_intervals::note)
      .def_prop_ro("closed", &placed_intervals::closed)
      .def_prop_ro("types", &placed_intervals::types)
      .def_prop_ro("device", &placed_intervals::device)
      .def("size", &placed_intervals::size)
      .def("bytes", &placed_intervals::bytes)
      .def("row_bytes", &placed_intervals::row_bytes)
      .def("count", &placed_intervals::count, arg("columns"), arg("out"), arg("where"), arg("most"), arg("told").none())
      .def("find", &placed_intervals::find, arg("columns"), arg("out"), arg("where"), arg("most"), arg("told").none())
      .def("retrieve", &placed_intervals::retrieve, arg("columns"), arg("where"))
      .def("nearest", &placed_intervals::nearest, arg("columns"), arg("k"), arg("side"), arg("ignore_overlaps"),
           arg("distances"), arg("where"))
      .def("gaps", &placed_intervals::gaps, arg("columns"), arg("where"))
      .def("merge", &placed_intervals::merge, arg("to_device"), arg("where"))
      .def("coverage", &placed_intervals::coverage, arg("columns"), arg("out"), arg("where"), arg("most"),
           arg("told").none())
      .def("join", &placed_intervals::join, arg("columns"), arg("how"), arg("where"));
}

}  // namespace warpdex::python
