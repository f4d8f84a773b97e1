// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "networks.hpp"

#include <warpdex/networks.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "attended.hpp"
#include "columns.hpp"
#include "pieces.hpp"
#include "shared_index.hpp"
#include "stored.hpp"
#include "watched.hpp"

namespace warpdex::python {
namespace {

std::span<std::uint8_t const> bytes_in(nb::handle from) {
  auto const found = array_in(from);
  if (found.itemsize() != 1) throw type_error("lengths are integers of 8 bits");
  return {static_cast<std::uint8_t const*>(found.data), found.size};
}

host_bits bits_of(bool masks) { return masks ? host_bits::mask : host_bits::refuse; }
invalid_values invalid_of(bool nulls) { return nulls ? invalid_values::null : invalid_values::error; }

class shared_networks {
  template <class F> auto look_up(F const& f, std::int64_t where) const {
    return watched([&] { return home_.run(where, f); });
  }

 public:
  shared_networks(std::unique_ptr<networks> source, int device) : home_(device), networks_(std::move(source)) {}

  /// @param addresses texts, or numbers with lengths of the host @param lengths an array, or None
  shared_networks(nb::object addresses, nb::object lengths, bool masks, bool nulls, std::string const& spec, int device,
                  std::int64_t where)
      : home_(device) {
    auto const held = std::make_shared<part const>(addresses, nullptr);
    auto const of_each = lengths.is_none() ? std::span<std::uint8_t const>() : bytes_in(lengths);
    bool const texts = lengths.is_none();
    auto const make = [=] {
      return at_place(device, where, [&](execution const& exec) {
        auto const& column = held->whole().values;
        return texts ? std::make_unique<networks>(column, exec, bits_of(masks), spec, invalid_of(nulls))
                     : std::make_unique<networks>(column, of_each, exec, bits_of(masks), spec, invalid_of(nulls));
      });
    };
    networks_ = attended_if(held->size() >= long_call, nb::make_tuple(addresses, lengths), make);
  }
  ~shared_networks() { home_.end(networks_); }
  shared_networks(shared_networks const&) = delete;
  shared_networks& operator=(shared_networks const&) = delete;

  networks const& held() const { return *networks_; }
  int device() const { return home_.device(); }

  /// @param out an array of row ids
  /// @param lengths of networks that are asked for, an array, or None
  void find(nb::handle addresses, nb::handle lengths, nb::handle out, bool nulls, std::int64_t where) const {
    part const query(addresses, nullptr);
    row_output const to = rows_out(out);
    auto const of_each = lengths.is_none() ? std::span<std::uint8_t const>() : bytes_in(lengths);
    bool const are_networks = !lengths.is_none();
    look_up(
        [&](execution const& exec) {
          auto const& column = query.whole().values;
          if (are_networks) networks_->find(column, of_each, to, exec, invalid_of(nulls));
          else networks_->find(column, to, exec, invalid_of(nulls));
        },
        where);
  }

  void save(nb::bytes const& name) const {
    look_up([&, path = path_of(name)](execution const&) { networks_->save(path); }, 0);
  }

  nb::bytes to_bytes() const {
    return bytes_of([&] { return home_.run(0, [&](execution const&) { return networks_->save(); }); });
  }

  nb::tuple covering(nb::handle addresses, nb::handle lengths, bool nulls, bool to_device, std::int64_t where) const {
    part const query(addresses, nullptr);
    auto const of_each = lengths.is_none() ? std::span<std::uint8_t const>() : bytes_in(lengths);
    bool const are_networks = !lengths.is_none();
    results const to{device(), to_device, where};
    auto found = look_up(
        [&](execution const& exec) {
          auto const& column = query.whole().values;
          matches result = are_networks ? networks_->covering(column, of_each, exec, invalid_of(nulls))
                                        : networks_->covering(column, exec, invalid_of(nulls));
          to.fetch(result);
          return result;
        },
        where);
    auto const offsets = to.array<std::int64_t>(std::move(found.offsets), found.probes + 1);
    return nb::make_tuple(offsets, to.rows(std::move(found.rows), found.total, found.row_type));
  }

 private:
  index_home home_;
  std::unique_ptr<networks> networks_;
};

/// @return what makes networks of Python of those that were loaded
auto placed_on(int device) {
  return [device](networks loaded, execution const&) {
    return std::make_unique<shared_networks>(std::make_unique<networks>(std::move(loaded)), device);
  };
}

std::unique_ptr<shared_networks> load(nb::bytes const& path, bool map, int device) {
  return load_stored<networks>(path, map, device, placed_on(device));
}

std::unique_ptr<shared_networks> from_bytes(nb::object const& stored, int device, bool share) {
  return stored_from<networks>(stored, device, share, false, placed_on(device));
}

/// The addresses that texts on the host say; of networks also their lengths. With `nulls` also which texts say one.
nb::tuple parsed(nb::handle texts, bool with_lengths, bool masks, bool nulls, int threads) {
  part const source(texts, nullptr);
  std::uint64_t const size = source.size();
  execution const exec = on_host(threads);
  buffer addresses(size * sizeof(u128), exec), lengths(with_lengths ? size : 0, exec), valid(nulls ? size : 0, exec);
  watched([&] {
    auto const& column = source.whole().values;
    std::span const to(addresses.as<u128>(), size);
    std::span const of_each(lengths.as<std::uint8_t>(), with_lengths ? size : 0);
    std::span const flags(valid.as<std::uint8_t>(), nulls ? size : 0);
    if (with_lengths && nulls) parse_networks(column, to, of_each, flags, exec, bits_of(masks));
    else if (with_lengths) parse_networks(column, to, of_each, exec, bits_of(masks));
    else if (nulls) parse_addresses(column, to, flags, exec);
    else parse_addresses(column, to, exec);
  });
  return nb::make_tuple(array_of<std::uint64_t>(std::move(addresses), 2 * size).attr("reshape")(size, 2),
                        array_of<std::uint8_t>(std::move(lengths), with_lengths ? size : 0),
                        array_of<bool>(std::move(valid), nulls ? size : 0));
}

}  // namespace

void bind_networks(nb::module_& m) {
  nb::class_<shared_networks>(m, "Networks")
      .def(nb::init<nb::object, nb::object, bool, bool, std::string const&, int, std::int64_t>(), nb::arg("addresses"),
           nb::arg("lengths").none(), nb::arg("masks"), nb::arg("nulls"), nb::arg("spec"), nb::arg("device"),
           nb::arg("where"))
      .def_prop_ro("size", [](shared_networks const& self) { return self.held().size(); })
      .def_prop_ro("bytes", [](shared_networks const& self) { return self.held().bytes(); })
      .def_prop_ro("specs",
                   [](shared_networks const& self) {
                     return nb::make_tuple(self.held().ipv4().spec_text(), self.held().ipv6().spec_text());
                   })
      .def_prop_ro("device", &shared_networks::device)
      .def_static("load", load, nb::arg("path"), nb::arg("map"), nb::arg("device"))
      .def_static("from_bytes", from_bytes, nb::arg("stored"), nb::arg("device"), nb::arg("share"))
      .def("save", &shared_networks::save, nb::arg("path"))
      .def("to_bytes", &shared_networks::to_bytes)
      .def("find", &shared_networks::find, nb::arg("addresses"), nb::arg("lengths").none(), nb::arg("out"),
           nb::arg("nulls"), nb::arg("where"))
      .def("covering", &shared_networks::covering, nb::arg("addresses"), nb::arg("lengths").none(), nb::arg("nulls"),
           nb::arg("to_device"), nb::arg("where"));
  m.def("parse_texts", parsed, nb::arg("texts"), nb::arg("with_lengths"), nb::arg("masks"), nb::arg("nulls"),
        nb::arg("threads"));
}

}  // namespace warpdex::python
