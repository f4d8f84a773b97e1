// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "joins.hpp"

#include <warpdex/chunked_keys.hpp>
#include <warpdex/join.hpp>
#include <warpdex/sorted.hpp>
#include <warpdex/tuple_join.hpp>

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "arrow.hpp"
#include "asof_how.hpp"
#include "attended.hpp"
#include "columns.hpp"
#include "faces.hpp"
#include "pieces.hpp"
#include "values.hpp"
#include "watched.hpp"

namespace warpdex::python {
namespace {

/// @param left, right keys of both sides, or groups and keys
bool merge(nb::tuple const& left, nb::tuple const& right, nb::handle out, nb::handle how, int device,
           std::int64_t where) {
  auto const options = options_of(how);
  auto const rows = rows_out(out);
  std::size_t const last = left.size() - 1;
  auto const lefts = column_of(left[last]), rights = column_of(right[last]);
  auto const held = nb::make_tuple(left, right, out);
  bool const is_long = lefts.size + rights.size >= long_call;
  column const none;
  auto const left_groups = last == 0 ? none : column_of(left[0]), right_groups = last == 0 ? none : column_of(right[0]);
  return attended_if(is_long, held, [=] {
    return at_place(device, where, [&](execution const& exec) {
      if (last == 0) return asof_merge(lefts, rights, rows, exec, options);
      return asof_merge(left_groups, lefts, right_groups, rights, rows, exec, options);
    });
  });
}

/// @param probes Python's `Values`, which are compared as they are
void bounds_in(nb::handle sorted, nb::handle probes, nb::handle out, bool upper, int device, std::int64_t where) {
  auto const keys = column_of(sorted);
  auto const answers = span_out<std::uint64_t>(out);
  auto const most = device < 0 ? long_call : std::max<std::uint64_t>(answers.size(), 1);
  probe_columns const columns(nb::make_tuple(probes), nullptr);
  if (columns.size() != answers.size()) throw invalid_argument("there are not as many answers as probes");
  columns.each(most, nb::none(), [&](std::vector<piece> const& pieces, std::uint64_t at) {
    auto wanted = pieces[0].values;
    wanted.validity = nullptr;  // misses have answers, which the caller corrects
    auto const to = answers.subspan(at, wanted.size);
    watched([&] {
      at_place(device, where, [&](execution const& exec) {
        if (upper) upper_bound_in(keys, wanted, to, exec);
        else lower_bound_in(keys, wanted, to, exec);
      });
    });
  });
}

/// @return a column of a caller, seen in C++; it lives as long as that
chunked_keys chunked(nb::handle from) {
  auto const& values = nb::cast<column_values const&>(from);
  chunked_keys made{{}, values.size, {}};
  for (nb::handle const one : values.parts) {
    auto const& part = nb::cast<column_part const&>(one);
    key_chunk chunk{.views = part.column.views(), .size = part.size};
    if (chunk.views == nullptr) chunk.values = column_of(nb::handle(part.column.get()));
    if (!part.codes.is_none()) chunk.codes = codes_in(array_in(part.codes));
    chunk.nulls = flags_in(part.nulls, part.size);
    chunk.misses = flags_in(part.misses, part.size);
    made.chunks.push_back(std::move(chunk));
  }
  return made;
}

/// @param columns `Values` in a sequence
std::vector<chunked_keys> all_chunked(nb::handle columns) {
  std::vector<chunked_keys> made;
  for (nb::handle const one : columns) made.push_back(chunked(one));
  return made;
}

/// Key columns of both sides of a call, for as long as it runs.
struct key_sides {
  std::vector<chunked_keys> left, right;

  static std::shared_ptr<key_sides const> of(nb::handle left, nb::handle right) {
    return std::make_shared<key_sides const>(key_sides{all_chunked(left), all_chunked(right)});
  }
  bool are_long() const { return left[0].size + right[0].size >= long_call; }
};

/// @return whether columns are on a device
bool are_on_device(nb::list const& columns) {
  return columns.size() != 0 && !nb::cast<column_values const&>(columns[0]).place.is_none();
}

/// Columns of both sides of a call on a device, for as long as it runs.
struct tuple_sides {
  std::vector<part> parts = {};
  std::vector<nullable_column> left = {}, right = {};

  tuple_sides(nb::list const& lefts, nb::list const& rights) {
    add(lefts, left);
    add(rights, right);
  }

  void add(nb::handle columns, std::vector<nullable_column>& to) {
    for (nb::handle const column : columns) {
      auto const& values = nb::cast<column_values const&>(column);
      to.push_back(parts.emplace_back(nb::handle(values.parts[0]), nullptr).whole().values);
    }
  }
};

/// @return keys on a device as a part, whose arrays keep them and the columns from which they were made
column_part part_of(tuple_keys from, nb::handle columns, int device, std::int64_t where) {
  struct kept {
    tuple_keys keys;
    nb::object columns;
  };
  auto const held = std::make_shared<kept const>(kept{std::move(from), nb::borrow(columns)});
  nullable_column const& keys = held->keys.keys;
  auto const array = [&](void const* data, std::uint64_t size, nb::dlpack::dtype type) {
    return nb::cast(device_array{const_cast<void*>(data), size, type, device, where, held});
  };
  nb::object nulls = nb::none();
  if (keys.validity != nullptr) {
    std::uint64_t const bytes = (keys.offset + keys.size + 7) / 8;
    nulls = nb::make_tuple(array(keys.validity, bytes, nb::dtype<std::uint8_t>()), keys.offset);
  }
  nb::object numbers = with_key_type(keys.type, [&]<class Key>() -> nb::object {
    if constexpr (sizeof(Key) == 16) return nb::none();
    else return array(keys.data, keys.size, nb::dtype<key_number<Key>>());
  });
  return {std::move(numbers), keys.size, std::move(nulls)};
}

/// @return encoded keys as a part, whose arrays keep them and the columns from which they were made
column_part part_of(encoded_keys from, nb::handle columns) {
  struct kept {
    encoded_keys keys;
    nb::object columns;
  };
  auto const held = std::make_shared<kept const>(kept{std::move(from), nb::borrow(columns)});
  column const& keys = held->keys.keys;
  auto const flags = [&](std::uint8_t const* of) {
    return of == nullptr ? nb::none() : array_over(of, keys.size, nb::dtype<bool>(), held);
  };
  auto const numbers = [&]<class T>(std::uint64_t size, void const* of) {
    return array_over(of, size, nb::dtype<T>(), held);
  };
  nb::object made;
  if (keys.type == key_type::u128) {
    made = numbers.template operator()<std::uint64_t>(2 * keys.size, keys.data).attr("reshape")(keys.size, 2);
  } else if (keys.type != key_type::bytes) {
    made = with_key_type(keys.type, [&]<class Key>() -> nb::object {
      if constexpr (sizeof(Key) == 16) return nb::none();
      else return numbers.template operator()<key_number<Key>>(keys.size, keys.data);
    });
  } else {
    auto const& strings = keys.strings;
    nb::object const bytes = numbers.template operator()<std::uint8_t>(strings.bytes, keys.data);
    if (strings.offset_bytes == 0) made = nb::make_tuple(bytes, strings.stride, keys.size);
    else if (strings.offset_bytes == 4)
      made = nb::make_tuple(bytes, numbers.template operator()<std::int32_t>(keys.size + 1, strings.offsets));
    else made = nb::make_tuple(bytes, numbers.template operator()<std::int64_t>(keys.size + 1, strings.offsets));
  }
  return {std::move(made), keys.size, flags(held->keys.nulls), flags(held->keys.misses)};
}

/// Keys of both sides of a join that are equal where their columns are.
/// @param left, right `Values` of both sides @param as_groups whether the keys are integers that number groups, as
/// those on a device are in any case
/// @return both sides, each in one part
nb::tuple encode(nb::list const& left, nb::list const& right, bool nulls_equal, bool as_groups, int device,
                 std::int64_t where) {
  nb::object const columns = nb::make_tuple(left, right);
  if (are_on_device(left)) {
    tuple_sides const sides(left, right);
    auto keys = watched([&] {
      return at_place(device, where,
                      [&](execution const& exec) { return number_tuples(sides.left, sides.right, nulls_equal, exec); });
    });
    return nb::make_tuple(part_of(std::move(keys.first), columns, device, where),
                          part_of(std::move(keys.second), columns, device, where));
  }
  auto const sides = key_sides::of(left, right);
  auto const threads = static_cast<int>(where);
  auto made = attended_if(sides->are_long(), columns, [=] {
    return as_groups ? encode_groups(sides->left, sides->right, nulls_equal, on_host(threads))
                     : encode_keys(sides->left, sides->right, nulls_equal, true, on_host(threads));
  });
  return nb::make_tuple(part_of(std::move(made.first), columns), part_of(std::move(made.second), columns));
}

/// Pairs of rows whose keys are equal, in the order of the left rows.
nb::tuple join_keys(nb::list const& left, nb::list const& right, std::string const& how, bool nulls_equal, int device,
                    std::int64_t where) {
  auto const kind = kind_named(how);
  if (are_on_device(left)) {
    tuple_sides const sides(left, right);
    joined pairs = watched([&] {
      return at_place(device, where, [&](execution const& exec) {
        return join(std::span<nullable_column const>(sides.left), sides.right, kind, nulls_equal, exec);
      });
    });
    return pairs_as(std::move(pairs), {device, true, where});
  }
  auto const sides = key_sides::of(left, right);
  joined found = attended_if(sides->are_long(), nb::make_tuple(left, right), [=] {
    return at_place(device, where,
                    [&](execution const& exec) { return join(sides->left, sides->right, kind, nulls_equal, exec); });
  });
  return pairs_as(std::move(found), {});
}

/// The same of columns on a device; the rows of one offset come after those of the one before.
nb::object asof_tuples(nb::list const& left_groups, nb::handle left, nb::list const& right_groups, nb::handle right,
                       bool nulls_equal, asof_options options, nb::handle tolerances, int device, std::int64_t where) {
  tuple_sides const groups(left_groups, right_groups);
  auto const whole = [](nb::handle of) {
    return part(nb::handle(gathered(nb::cast<column_values const&>(of).parts)), nullptr);
  };
  part const lefts = whole(left), rights = whole(right);
  std::optional<part> limits;
  if (!tolerances.is_none()) {
    limits.emplace(whole(tolerances));
    options = with_tolerances(options, {{}, limits->whole()}, 1);
  }
  std::uint64_t const size = lefts.size() * std::max<std::uint64_t>(options.offsets.size(), 1);
  row_type const type = rights.size() < std::uint64_t{1} << 31 ? row_type::u32 : row_type::u64;
  buffer rows = watched([&] {
    return at_place(device, where, [&](execution const& exec) {
      buffer found(size * size_of(type), exec);
      join_asof(groups.left, lefts.whole().values, groups.right, rights.whole().values, nulls_equal,
                {found.data(), size, type}, exec, options);
      return found;
    });
  });
  return results{device, true, where}.rows(std::move(rows), size, type);
}

/// The right row of each left one, or -1.
/// @param tolerances one per left row, or None
nb::object asof_keys(nb::list const& left_groups, nb::handle left, nb::list const& right_groups, nb::handle right,
                     bool nulls_equal, nb::handle how, nb::handle tolerances, int device, std::int64_t where) {
  if (!nb::cast<column_values const&>(left).place.is_none())
    return asof_tuples(left_groups, left, right_groups, right, nulls_equal, options_of(how), tolerances, device, where);
  struct sides {
    key_sides groups;
    chunked_keys left, right;
    asof_options options;
    std::optional<part> tolerances = std::nullopt;
  };
  auto const held = std::make_shared<sides>(
      sides{{all_chunked(left_groups), all_chunked(right_groups)}, chunked(left), chunked(right), options_of(how)});
  if (!tolerances.is_none()) {
    auto const& of = nb::cast<column_values const&>(tolerances);
    held->tolerances.emplace(nb::handle(gathered(of.parts)), nullptr);
    held->options = with_tolerances(held->options, {{}, held->tolerances->whole()}, 1);
  }
  std::uint64_t const size = held->left.size;
  auto const reads = nb::make_tuple(left_groups, left, right_groups, right, tolerances);
  row_list found = attended_if(size + held->right.size >= long_call, reads, [=] {
    return at_place(device, where, [&](execution const& exec) {
      return join_asof(held->groups.left, held->left, held->groups.right, held->right, nulls_equal, held->options,
                       exec);
    });
  });
  return results{}.rows(std::move(found.rows), size, found.type);
}

/// Puts pairs in the order of their first rows, then of the second, in place; -1 comes last.
void order_pairs(nb::handle first, nb::handle second, int device, std::int64_t where) {
  row_output const firsts = rows_out(first), seconds = rows_out(second);
  watched([&] { at_place(device, where, [&](execution const& exec) { sort_pairs(firsts, seconds, exec); }); });
}

/// @return pairs, and after them the right rows below `size` without one
nb::tuple add_unmatched(nb::handle left, nb::handle right, std::uint64_t size, int device, std::int64_t where) {
  row_column const lefts = rows_in(left), rights = rows_in(right);
  joined pairs = watched([&] {
    return at_place(device, where, [&](execution const& exec) {
      auto const copied = [&](row_column const& from) {
        buffer to(from.size * size_of(from.type), exec);
        if (to.bytes() != 0) copy(to.data(), from.data, to.bytes(), exec);
        return to;
      };
      return with_unmatched({copied(lefts), copied(rights), lefts.size, lefts.type, rights.type}, size, exec);
    });
  });
  return pairs_as(std::move(pairs), {device, device >= 0, where});
}

}  // namespace

void bind_joins(nb::module_& m, nb::class_<shared_index>& index_class) {
  index_class.def("is_unique", [](shared_index const& self) {
    return self.look_up([&](index const& i) { return is_unique(i, self.on(0)); });
  });
  m.def("asof_merge", merge, nb::arg("left"), nb::arg("right"), nb::arg("out"), nb::arg("how"), nb::arg("device"),
        nb::arg("where"));
  m.def("bounds_in", bounds_in, nb::arg("keys"), nb::arg("probes"), nb::arg("out"), nb::arg("upper"), nb::arg("device"),
        nb::arg("where"));
  m.def("encode", encode, nb::arg("left"), nb::arg("right"), nb::arg("nulls_equal"), nb::arg("as_groups"),
        nb::arg("device"), nb::arg("where"));
  m.def("order_pairs", order_pairs, nb::arg("first"), nb::arg("second"), nb::arg("device"), nb::arg("where"));
  m.def("add_unmatched", add_unmatched, nb::arg("left"), nb::arg("right"), nb::arg("size"), nb::arg("device"),
        nb::arg("where"));
  m.def("join_keys", join_keys, nb::arg("left"), nb::arg("right"), nb::arg("how"), nb::arg("nulls_equal"),
        nb::arg("device"), nb::arg("where"));
  m.def("asof_keys", asof_keys, nb::arg("left_groups"), nb::arg("left"), nb::arg("right_groups"), nb::arg("right"),
        nb::arg("nulls_equal"), nb::arg("how"), nb::arg("tolerances").none(), nb::arg("device"), nb::arg("where"));
}

}  // namespace warpdex::python
