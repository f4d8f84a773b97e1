// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "encoder.hpp"

#include <warpdex/key_encoder.hpp>
#include <warpdex/prefix_borders.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "faces.hpp"
#include "numpy.hpp"
#include "pieces.hpp"
#include "stored.hpp"
#include "watched.hpp"

namespace warpdex::python {
namespace {

key_type type_called(std::string const& name) {
  for (auto const type : key_types)
    if (to_string(type) == name) return type;
  throw type_error("there is no type of keys '" + name + "'");
}

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

/// @return a column for a field: numbers as wide as times are such times
nullable_column for_field(part const& from, key_type type) {
  nullable_column column = from.whole().values;
  if ((type == key_type::date && column.type == key_type::i32) ||
      (type == key_type::timestamp && column.type == key_type::i64))
    column.type = type;
  return column;
}

/// @return the columns of the first fields
std::vector<nullable_column> columns_in(key_parts const& parts, std::span<key_field const> fields) {
  std::vector<nullable_column> result;
  for (auto const& part : parts) {
    bool const has_field = result.size() < fields.size();
    result.push_back(has_field ? for_field(part, fields[result.size()].type) : nullable_column(part.whole().values));
  }
  return result;
}

/// @param fields (type, descending, nullable, nulls_last) of each
std::vector<key_field> fields_in(nb::handle fields) {
  std::vector<key_field> plan;
  for (nb::handle const field : fields)
    plan.push_back({type_called(nb::cast<std::string>(field[0])), nb::cast<bool>(field[1]), nb::cast<bool>(field[2]),
                    nb::cast<bool>(field[3])});
  return plan;
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

key_encoder narrow(nb::handle fields, nb::handle columns, int device, std::int64_t where) {
  auto const parts = parts_of(columns);
  auto const plan = fields_in(fields);
  return on_place(device, where,
                  [&](execution const& exec) { return key_encoder::narrow(plan, columns_in(parts, plan), exec); });
}

/// @param columns parts of columns @param to_device whether results go to arrays of the device
/// @return keys, and of which tuples there are none: flags of NumPy, or the valid bits of a device
nb::tuple points(key_encoder const& self, nb::handle columns, int device, std::int64_t where, bool to_device) {
  auto const parts = parts_of(columns);
  results const to{device, to_device, where};
  placed_points placed = on_place(device, where, [&](execution const& exec) {
    placed_points found = self.points(columns_in(parts, self.fields()), exec);
    to.fetch(found.places);
    to.fetch(found.validity);
    return found;
  });
  std::uint64_t const bytes = placed.validity.bytes();
  auto places = to.array<std::uint64_t>(std::move(placed.places), placed.size);
  if (to.to_device) return nb::make_tuple(places, to.array<std::uint8_t>(std::move(placed.validity), bytes));
  buffer flags(placed.size, on_host(0));
  auto const* const bits = placed.validity.as<std::uint8_t const>();
  for (std::uint64_t i = 0; i < placed.size; ++i) flags.as<bool>()[i] = (bits[i / 8] >> (i % 8) & 1) == 0;
  return nb::make_tuple(places, array_of<bool>(std::move(flags), placed.size));
}

/// @param leading parts of columns @param lower, upper parts of columns, or None for no bound @param to_device as in
/// `points` @return their keys
nb::tuple ranges(key_encoder const& self, nb::handle leading, nb::handle lower, nb::handle upper, bool lower_open,
                 bool upper_open, int device, std::int64_t where, bool to_device) {
  auto const parts = parts_of(leading);
  key_parts bounds;
  bounds.reserve(2);
  auto const bound = [&](nb::handle from) -> std::optional<nullable_column> {
    if (from.is_none()) return std::nullopt;
    return for_field(bounds.emplace_back(from, nullptr), self.fields().back().type);
  };
  key_ranges const query{bound(lower), bound(upper), closed_at(!lower_open, !upper_open)};
  results const to{device, to_device, where};
  placed_ranges placed = on_place(device, where, [&](execution const& exec) {
    placed_ranges found = self.ranges(columns_in(parts, self.fields()), query, exec);
    to.fetch(found.lower);
    to.fetch(found.upper);
    return found;
  });
  return nb::make_tuple(to.array<std::uint64_t>(std::move(placed.lower), placed.size),
                        to.array<std::uint64_t>(std::move(placed.upper), placed.size));
}

}  // namespace

void bind_encoder(nb::module_& m) {
  m.def("prefix_borders", borders, nb::arg("addresses"), nb::arg("bits"), nb::arg("rows"), nb::arg("none"));
  nb::class_<key_encoder>(m, "KeyEncoder")
      .def("__init__", [](key_encoder* self, nb::handle fields) { new (self) key_encoder(fields_in(fields)); })
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
      .def_static("narrow", narrow, nb::arg("fields"), nb::arg("columns"), nb::arg("device"), nb::arg("where"))
      .def("explain", &key_encoder::explain)
      .def_prop_ro("is_narrow", &key_encoder::is_narrow)
      .def("points", points, nb::arg("columns"), nb::arg("device"), nb::arg("where"), nb::arg("to_device"))
      .def("ranges", ranges, nb::arg("leading"), nb::arg("lower").none(), nb::arg("upper").none(),
           nb::arg("lower_open"), nb::arg("upper_open"), nb::arg("device"), nb::arg("where"), nb::arg("to_device"))
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
}

}  // namespace warpdex::python
