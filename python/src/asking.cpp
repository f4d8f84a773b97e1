// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "asking.hpp"

#include <warpdex/join.hpp>
#include <warpdex/lookups.hpp>
#include <warpdex/parallel.hpp>

#include <cstddef>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "asof_how.hpp"
#include "columns.hpp"
#include "faces.hpp"
#include "numpy.hpp"
#include "pieces.hpp"
#include "values.hpp"
#include "watched.hpp"

namespace warpdex::python {
namespace {

/// How a call goes through its columns.
struct pace {
  std::int64_t where;      ///< the stream of a device, or the most threads of the host
  std::uint64_t most;      ///< values of a piece
  nb::object on_progress;  ///< called with the part that is done, or None
};

/// @return the name by which Python knows a kind
char const* name_of(answer_kind kind) {
  switch (kind) {
    case answer_kind::flag: return "flag";
    case answer_kind::row: return "row";
    case answer_kind::rank: return "rank";
    case answer_kind::count: return "count";
    case answer_kind::sum: return "sum";
    case answer_kind::position: return "position";
    case answer_kind::length: return "length";
    case answer_kind::rows: return "rows";
    default: return "";
  }
}

char const* name_of(probe_form form) {
  return form == probe_form::keys ? "keys" : form == probe_form::ranges ? "ranges" : "prefixes";
}

char const* name_of(rounding way) { return way == rounding::up ? "up" : way == rounding::down ? "down" : "equal"; }

lookup const& lookup_of(std::size_t number) {
  if (number >= std::size(lookups::all)) throw invalid_argument("there is no such lookup");
  return *lookups::all[number];
}

/// @return values of a piece, under the lock of the index: more for a device, where copies and searches overlap in it
std::uint64_t values_of_piece(shared_index const& self, pace const& how, std::uint64_t all) {
  constexpr std::uint64_t more_on_devices = 16;
  if (self.device() >= 0) return how.most * more_on_devices;
  if (all <= how.most) return how.most;
  return values_on_host(self.look_up_locked([](any_index const& i) { return i.size(); }), how.most, how.on_progress);
}

std::uint64_t size_of(nb::tuple const& columns) { return nb::cast<column_values const&>(columns[0]).size; }

/// @return a row of the table, as the fields of Python's `Lookup`
nb::tuple described(std::size_t number) {
  lookup const& what = lookup_of(number);
  nb::list writes;
  for (auto const kind : what.writes)
    if (kind != answer_kind::none && kind != answer_kind::key) writes.append(name_of(kind));
  bool const lists = what.writes[0] == answer_kind::rows;
  bool const has_places = what.writes[0] == answer_kind::rank || what.takes == probe_form::ranges;
  return nb::make_tuple(number, what.name, name_of(what.takes), nb::tuple(writes), name_of(rounding_of(what.op)), lists,
                        !lists && has_places);
}

/// @return new arrays for all answers of a lookup
nb::tuple answer_arrays(shared_index const& self, lookup const& what, std::uint64_t size) {
  auto const& library = numpy::get();
  nb::list items;
  for (auto const kind : what.writes)
    if (kind != answer_kind::none && kind != answer_kind::key)
      items.append(library.empty_array(size, library.type_of(kind, self.rows())));
  return nb::tuple(items);
}

lookup_output output_of(answer_kind kind, nb::handle to) {
  switch (kind) {
    case answer_kind::row: return rows_out(to);
    case answer_kind::flag: return span_out<std::uint8_t>(to);
    case answer_kind::position:
    case answer_kind::length: return span_out<std::uint32_t>(to);
    default: return span_out<std::uint64_t>(to);
  }
}

/// @return each byte of the answer where no key answers
unsigned char none_of(answer_kind kind) { return kind == answer_kind::row || kind == answer_kind::rank ? 0xff : 0; }

key_ranges ranges_of(std::vector<piece> const& of, bool lower_open, bool upper_open) {
  key_ranges result{of[0].values, {}, closed_at(!lower_open, !upper_open)};
  if (of.size() > 1) result.upper = of[1].values;
  return result;
}

/// The outputs of a lookup, and what they hold where no key answers.
struct outputs {
  std::vector<lookup_output> to = {};
  std::vector<unsigned char> none = {};

  void add(answer_kind kind, lookup_output output) {
    to.push_back(output);
    none.push_back(none_of(kind));
  }
};

/// What a function asks: any index, or one in one place.
template <class Search, class... Others>
using searched_by =
    std::conditional_t<std::is_invocable_v<Search const&, any_index const&, Others const&...>, any_index, index>;

/// Answers columns of probes, and each word of a dictionary once.
/// @param search writes the answers to some columns
template <class Search>
void answer(shared_index const& self, probe_columns const& columns, outputs const& out, pace const& how,
            Search const& search) {
  using searched = searched_by<Search, std::vector<piece>, std::vector<lookup_output>>;
  locked const held(self.lock(), fair_lock::use::read);  // all pieces see one state of the index
  void const* words_at = nullptr;
  std::vector<std::vector<std::byte>> words;
  std::uint64_t const most = values_of_piece(self, how, columns.size());
  columns.each(most, how.on_progress, [&](std::vector<piece> const& pieces, std::uint64_t at) {
    piece const& first = pieces.front();
    auto here = out.to;
    for (auto& item : here) item = cut(item, at, first.size);
    if (!first.has_codes()) return self.look_up([&](searched const& i) { search(i, pieces, here); });
    auto const& dictionary = first.values;
    if (words.empty() || words_at != dictionary.data) {
      words_at = dictionary.data;
      words.clear();
      auto to = out.to;
      for (auto& item : to) {
        words.emplace_back(dictionary.size * item.width);
        item.data = words.back().data();
        item.size = dictionary.size;
      }
      self.look_up([&](searched const& i) { search(i, {piece{dictionary.size, dictionary}}, to); });
    }
    for (std::size_t i = 0; i < here.size(); ++i) spread(first, words[i].data(), here[i], out.none[i]);
  });
}

/// @param outs arrays for the answers, or None for new ones @return these arrays
nb::tuple ask(shared_index const& self, std::size_t number, nb::tuple const& columns, nb::object arrays,
              bool lower_open, bool upper_open, std::int64_t where, std::uint64_t most, nb::object on_progress) {
  lookup const& what = lookup_of(number);
  if (arrays.is_none()) arrays = answer_arrays(self, what, size_of(columns));
  auto const outs = nb::cast<nb::tuple>(arrays);
  outputs out;
  for (std::size_t i = 0; i < outs.size() && i < 2; ++i) out.add(what.writes[i], output_of(what.writes[i], outs[i]));
  if (out.to.empty()) throw invalid_argument("a lookup has answers");
  bool const with_keys = what.writes[1] == answer_kind::key;  // left out
  answer(self, {columns, &self}, out, {where, most, std::move(on_progress)},
         [&](any_index const& i, std::vector<piece> const& pieces, std::vector<lookup_output> const& to) {
           auto const probes = ranges_of(pieces, lower_open, upper_open);
           if (with_keys) i.look_up(what, probes, {to[0], key_output()}, self.on(where));
           else if (to.size() == 1) i.look_up(what, probes, {to[0]}, self.on(where));
           else i.look_up(what, probes, {to[0], to[1]}, self.on(where));
         });
  return outs;
}

/// Answers probes that are spread over the places of an index.
/// @param pieces of each place its columns of one part, arrays for the answers, and whether lower and upper bounds are
/// open
void ask_spread(shared_index const& self, std::size_t number, nb::list const& pieces) {
  lookup const& what = lookup_of(number);
  std::vector<std::vector<part>> held;
  std::vector<key_ranges> probes;
  std::vector<std::vector<lookup_output>> outputs;
  for (nb::handle const item : pieces) {
    auto& parts = held.emplace_back();
    std::vector<piece> columns;
    for (nb::handle const column : nb::cast<nb::tuple>(item[0]))
      columns.push_back(parts.emplace_back(nb::cast<column_values const&>(column).parts[0], &self).whole());
    probes.push_back(ranges_of(columns, nb::cast<bool>(item[2]), nb::cast<bool>(item[3])));
    auto& to = outputs.emplace_back();
    for (nb::handle const out : nb::cast<nb::tuple>(item[1])) to.push_back(output_of(what.writes[to.size()], out));
    if (what.writes[1] == answer_kind::key) to.push_back(key_output());  // left out
  }
  locked const held_index(self.lock(), fair_lock::use::read);
  self.look_up([&](any_index const& i) {
    auto const* const shards = dynamic_cast<sharded_index const*>(&i);
    if (shards == nullptr) throw invalid_argument("probes in pieces need an index over several devices");
    for (auto const& probe : probes)
      for (auto const* const bound : {&probe.lower, &probe.upper})
        if (bound->has_value()) complete(**bound);
    shards->look_up_spread(what, probes, outputs);
  });
}

/// @param rows an array for the answers, or None for a new one @return this array
nb::object ask_asof(shared_index const& self, nb::tuple const& columns, nb::object rows, nb::handle how,
                    std::int64_t where, std::uint64_t most, nb::object on_progress) {
  auto const options = options_of(how);
  auto const& library = numpy::get();
  if (rows.is_none()) rows = library.empty_array(size_of(columns), library.type_of(answer_kind::row, self.rows()));
  outputs out;
  out.add(answer_kind::row, rows_out(rows));
  answer(self, {columns, &self}, out, {where, most, std::move(on_progress)},
         [&](any_index const& i, std::vector<piece> const& pieces, std::vector<lookup_output> const& to) {
           join_asof(i, pieces[0].values, {to[0].data, to[0].size, to[0].rows}, self.on(where),
                     with_tolerances(options, pieces, 1));
         });
  return rows;
}

/// Rows of each value of a piece, or pairs of values and rows.
struct listed {
  buffer first;   ///< offsets of 64 bits; of pairs numbers of values, which have the type `numbers`
  buffer second;  ///< rows
  std::uint64_t probes = 0;
  std::uint64_t size = 0;  ///< number of rows or pairs
  row_type numbers = row_type::u32;
  bool on_host = false;
};

/// Rows of words, while the pieces of their dictionary last, in host memory.
class dictionary_rows {
 public:
  dictionary_rows(shared_index const& of, std::int64_t where) : of_(of), where_(where) {}

  listed of(piece const& codes) {
    if (!known_ || at_ != codes.values.data) {
      results const to{of_.device(), false, where_};
      found_ = of_.look_up([&](any_index const& i) {
        matches result = i.retrieve(codes.values, of_.on(where_));
        to.fetch(result);
        return result;
      });
      at_ = codes.values.data;
      known_ = true;
    }
    auto const* const ends = found_.offsets.as<std::uint64_t const>();
    std::size_t const width = size_of(found_.row_type);
    listed result;
    result.probes = codes.size;
    result.first = buffer((codes.size + 1) * sizeof(std::uint64_t), on_host(0));
    auto* const offsets = result.first.as<std::uint64_t>();
    offsets[0] = 0;
    paced pace;
    auto const spread = [&](auto const* code) {
      for (std::uint64_t i = 0; i < codes.size; ++i) {
        auto const word = static_cast<std::uint64_t>(code[i]);
        offsets[i + 1] = offsets[i] + (codes.is_absent(i) ? 0 : ends[word + 1] - ends[word]);
      }
      result.size = offsets[codes.size];
      result.second = buffer(result.size * width, on_host(0));
      for (std::uint64_t i = 0; i < codes.size; ++i) {
        std::uint64_t const count = offsets[i + 1] - offsets[i];
        if (count == 0) continue;
        pace.add(count);
        std::memcpy(result.second.as<char>() + offsets[i] * width,
                    found_.rows.as<char const>() + ends[static_cast<std::uint64_t>(code[i])] * width, count * width);
      }
    };
    watched([&] { with_integers(codes.codes, spread); });
    return result;
  }

 private:
  shared_index const& of_;
  std::int64_t where_;
  bool known_ = false;
  void const* at_ = nullptr;
  matches found_;
};

/// @return the pairs of a join whose probes have these rows
listed paired(listed const& rows, join_kind kind, std::size_t width) {
  auto const* const offsets = rows.first.as<std::uint64_t const>();
  auto const pairs_of = [&](std::uint64_t i) -> std::uint64_t {
    std::uint64_t const found = offsets[i + 1] - offsets[i];
    switch (kind) {
      case join_kind::inner: return found;
      case join_kind::left: return std::max<std::uint64_t>(found, 1);
      case join_kind::semi: return found != 0;
      default: return found == 0;
    }
  };
  bool const with_rows = kind == join_kind::inner || kind == join_kind::left;
  listed result;
  result.probes = rows.probes;
  for (std::uint64_t i = 0; i < rows.probes; ++i) result.size += pairs_of(i);
  result.first = buffer(result.size * sizeof(std::uint32_t), on_host(0));
  result.second = buffer(with_rows ? result.size * width : 0, on_host(0));
  auto* left = result.first.as<std::uint32_t>();
  auto* right = result.second.as<char>();
  paced pace;
  for (std::uint64_t i = 0; i < rows.probes; ++i) {
    std::uint64_t const count = pairs_of(i);
    pace.add(count);
    left = std::fill_n(left, count, static_cast<std::uint32_t>(i));
    if (!with_rows || count == 0) continue;
    if (offsets[i] == offsets[i + 1]) std::memset(right, 0xff, width);  // no row
    else std::memcpy(right, rows.second.as<char const>() + offsets[i] * width, count * width);
    right += count * width;
  }
  return result;
}

constexpr std::uint64_t copied_at_once = std::uint64_t{1} << 18;

/// Copies numbers of 32 or 64 bits.
template <class To> To* copied_numbers(listed const& from, std::uint64_t add, To* to, int threads) {
  auto const copy = [&]<class From>(From const* numbers) {
    parallel_chunks(threads, from.size, copied_at_once, [&](std::uint64_t begin, std::uint64_t end) {
      std::transform(numbers + begin, numbers + end, to + begin, [add](From n) { return static_cast<To>(n + add); });
    });
  };
  if (from.numbers == row_type::u32) copy(from.first.as<std::uint32_t const>());
  else copy(from.first.as<std::uint64_t const>());
  return to + from.size;
}

/// @param width bytes of a row @return all pieces as one: lists of rows, or pairs
listed in_one(std::vector<listed> pieces, bool pairs, std::size_t width, int threads) {
  if (pieces.size() == 1) return std::move(pieces.front());
  auto const bytes_of = [&](listed const& item) { return item.second.bytes() == 0 ? 0 : item.size * width; };
  listed result;
  std::size_t bytes = 0;
  for (auto const& piece : pieces) {
    result.probes += piece.probes;
    result.size += piece.size;
    bytes += bytes_of(piece);
  }
  if (result.probes > 0x7fffffff) result.numbers = row_type::u64;
  result.second = buffer(bytes, on_host(0));
  result.first =
      buffer(pairs ? result.size * size_of(result.numbers) : (result.probes + 1) * sizeof(std::uint64_t), on_host(0));
  auto* narrow = result.first.as<std::uint32_t>();
  auto* wide = result.first.as<std::uint64_t>();
  auto* rows = result.second.as<char>();
  if (!pairs) *wide++ = 0;
  std::uint64_t before = 0;
  for (auto const& piece : pieces) {
    copy(rows, piece.second.data(), bytes_of(piece), on_host(threads));
    rows += bytes_of(piece);
    auto const* const ends = piece.first.as<std::uint64_t const>();
    if (!pairs) wide = std::transform(ends + 1, ends + 1 + piece.probes, wide, [&](auto end) { return end + before; });
    else if (result.numbers == row_type::u64) wide = copied_numbers(piece, before, wide, threads);
    else narrow = copied_numbers(piece, before, narrow, threads);
    before += pairs ? piece.probes : piece.size;
  }
  return result;
}

/// Lists rows or pairs of all pieces.
/// @param look_up of some columns @param of_words of values whose words have these rows
template <class LookUp, class OfWords>
listed list_pieces(shared_index const& self, nb::tuple const& columns, pace const& how, bool pairs, results& to,
                   LookUp const& look_up, OfWords const& of_words) {
  using searched = searched_by<LookUp, std::vector<piece>>;
  probe_columns const source(columns, &self);
  auto const& parts = nb::cast<column_values const&>(columns[0]).parts;
  to = self.results_of(nb::cast<column_part const&>(parts[0]).column.get(), how.where);
  locked const held(self.lock(), fair_lock::use::read);
  std::vector<listed> all;
  dictionary_rows words(self, how.where);
  // Calls of the library look for signals themselves, so pieces serve progress, and copies to devices.
  bool const whole = to.to_device || (self.device() < 0 && how.on_progress.is_none());
  source.each(whole ? source.size() : values_of_piece(self, how, source.size()), how.on_progress,
              [&](std::vector<piece> const& pieces, std::uint64_t) {
                if (pieces[0].has_codes()) return all.push_back(of_words(words.of(pieces[0])));
                all.push_back(self.look_up([&](searched const& i) {
                  listed result = look_up(i, pieces);
                  if (result.on_host) to.device = -1;
                  to.fetch(result.first);
                  to.fetch(result.second);
                  return result;
                }));
              });
  int const threads = self.device() < 0 ? static_cast<int>(how.where) : 0;
  return watched([&] { return in_one(std::move(all), pairs, size_of(self.rows()), threads); });
}

nb::tuple ask_lists(shared_index const& self, std::size_t number, nb::tuple const& columns, bool lower_open,
                    bool upper_open, std::int64_t where, std::uint64_t most, nb::object on_progress) {
  lookup const& what = lookup_of(number);
  results to;
  auto found = list_pieces(
      self, columns, {where, most, std::move(on_progress)}, false, to,
      [&](any_index const& i, std::vector<piece> const& pieces) {
        matches result = i.list(what, ranges_of(pieces, lower_open, upper_open), self.on(where));
        return listed{std::move(result.offsets), std::move(result.rows), result.probes, result.total};
      },
      [](listed rows) { return rows; });
  auto offsets = to.array<std::int64_t>(std::move(found.first), found.probes + 1);
  return nb::make_tuple(offsets, to.rows(std::move(found.second), found.size, self.rows()));
}

/// Pairs of values, or of ranges if there are two columns, and rows. Those that a device has no room for are on the
/// host.
/// @param asof how values are matched with the nearest keys; None for equal ones
nb::tuple ask_pairs(shared_index const& self, nb::tuple const& columns, std::string const& how, nb::handle asof,
                    bool lower_open, bool upper_open, std::int64_t where, std::uint64_t most, nb::object on_progress) {
  auto const kind = kind_named(how);
  std::optional<asof_options> nearest;
  if (!asof.is_none()) nearest = options_of(asof);
  results to;
  auto found = list_pieces(
      self, columns, {where, most, std::move(on_progress)}, true, to,
      [&](any_index const& i, std::vector<piece> const& pieces) {
        auto const exec = self.on(where);
        joined result = nearest              ? join_asof(i, pieces[0].values, kind, exec, *nearest)
                        : pieces.size() == 1 ? join(i, pieces[0].values, kind, exec)
                                             : join_between(i, ranges_of(pieces, lower_open, upper_open), kind, exec);
        return listed{std::move(result.left), std::move(result.right), pieces[0].size, result.size,
                      result.left_type,       result.on_host};
      },
      [&](listed rows) { return watched([&] { return paired(rows, kind, size_of(self.rows())); }); });
  std::uint64_t const pairs = found.second.bytes() == 0 ? 0 : found.size;
  auto left = to.rows(std::move(found.first), found.size, found.numbers);
  return nb::make_tuple(left, to.rows(std::move(found.second), pairs, self.rows()));
}

}  // namespace

void bind_asking(nb::module_& m, nb::class_<shared_index>& index_class) {
  nb::list known;
  for (std::size_t i = 0; i < std::size(lookups::all); ++i) known.append(described(i));
  m.attr("LOOKUPS") = nb::tuple(known);
  index_class
      .def(
          "type_of",
          [](shared_index const& self, std::string const& kind) {
            for (int i = 0; i <= static_cast<int>(answer_kind::rows); ++i)
              if (kind == name_of(static_cast<answer_kind>(i)))
                return nb::borrow(numpy::get().type_of(static_cast<answer_kind>(i), self.rows()));
            throw invalid_argument("there is no kind of answers '" + kind + "'");
          },
          nb::arg("kind"), "NumPy's type of a kind of answers.")
      .def("ask", ask, nb::arg("lookup"), nb::arg("columns"), nb::arg("out").none(), nb::arg("lower_open"),
           nb::arg("upper_open"), nb::arg("where"), nb::arg("most"), nb::arg("told").none())
      .def("ask_spread", ask_spread, nb::arg("lookup"), nb::arg("pieces"))
      .def("ask_lists", ask_lists, nb::arg("lookup"), nb::arg("columns"), nb::arg("lower_open"), nb::arg("upper_open"),
           nb::arg("where"), nb::arg("most"), nb::arg("told").none())
      .def("ask_pairs", ask_pairs, nb::arg("columns"), nb::arg("how"), nb::arg("asof").none(), nb::arg("lower_open"),
           nb::arg("upper_open"), nb::arg("where"), nb::arg("most"), nb::arg("told").none())
      .def("ask_asof", ask_asof, nb::arg("columns"), nb::arg("rows").none(), nb::arg("how"), nb::arg("where"),
           nb::arg("most"), nb::arg("told").none());
}

}  // namespace warpdex::python
