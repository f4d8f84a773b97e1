// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "sharded/exchange.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "backend/rounding_steps.hpp"
#include "backend/several_devices.hpp"

#include "sharded/pieces.hpp"
#include "sharded/tuning.hpp"

/// @file
/// One way for all lookups: probes are dealt to shards, shards answer, and answers are combined. What differs between
/// lookups is how the borders route a probe (`route_probes`), and how an answer is combined, by its kind (`combine`).
namespace warpdex {
namespace {

using sharded_steps::probe_numbers;

/// The probes that one shard answers.
struct dealt_part {
  std::size_t shard;
  range_array probes;
  std::uint64_t size;
  probe_numbers numbers;
  piece taken;  ///< what holds them, if they are taken from others
};

/// The probes of a batch, dealt to the shards.
struct dealt_batch {
  shard_route route;
  std::vector<dealt_part> parts;
};

/// A batch in a place of the call, and the shards that answer it.
struct sharded_call {
  sharded_parts const& parts;
  lookup const& what;
  call_home const& home;
  std::vector<shard_place> const& places;  ///< those of the index, perhaps on other streams

  shard_place const& place_of(std::size_t number) const { return places[parts.shards[number].place]; }
  index_shape const& shape() const { return parts.like().shape(); }
  std::size_t width(int output) const { return width_of(what.writes[output], shape()); }
};

void* moved(void* outputs, std::uint64_t bytes) {
  return outputs == nullptr ? nullptr : static_cast<std::byte*>(outputs) + bytes;
}

void synchronize(call_home const& home) { backend_of(home.exec).synchronize(home.exec); }

/// @return a buffer of a place as one of the call
buffer brought(buffer from, shard_place const& place, call_home const& home) {
  if (home.is(place)) return from;
  std::optional<device_scope> there;
  if (home.device >= 0) there.emplace(home.device);
  buffer made(from.bytes(), home.exec);
  carry(made.data(), from.data(), from.bytes(), home.exec);
  return made;
}

// ---- which shards answer

/// Deals probes to the copies of an index: few to one, to that where the call runs if there is one.
std::vector<dealt_part> deal_evenly(sharded_parts const& parts, range_array const& probes, std::uint64_t size,
                                    call_home const& home) {
  std::vector<std::size_t> copies = numbers_below(parts.shards.size());
  if (size < copies.size() * tuning::dealt_probes) {
    auto const here =
        std::find_if(copies.begin(), copies.end(), [&](std::size_t number) { return home.is(parts.place_of(number)); });
    copies = {here == copies.end() ? 0 : *here};
  }
  std::vector<dealt_part> dealt;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    std::uint64_t const begin = size / copies.size() * i;
    std::uint64_t const end = i + 1 == copies.size() ? size : begin + size / copies.size();
    dealt.push_back({copies[i], probes.from(begin), end - begin, {nullptr, begin}, {}});
  }
  return dealt;
}

/// Takes from arrays what is for each shard. Synchronises.
void deal_by_route(dealt_batch& to, std::size_t shards, range_array const& probes, std::uint64_t size,
                   execution const& exec) {
  auto const whole = [](probe_array const& keys) { return whole_array{keys.keys, size_of(keys.type)}; };
  bool const ranges = probes.form == probe_form::ranges;
  for (std::size_t i = 0; i < shards; ++i) {
    piece taken = take_piece(to.route.who(i), size, whole(probes.lower), ranges ? whole(probes.upper) : whole_array{},
                             sizeof(std::uint64_t), exec);
    if (taken.size == 0) continue;
    range_array mine{probes.form,
                     {taken.lower.data(), probes.lower.type},
                     {ranges ? taken.upper.data() : nullptr, probes.upper.type},
                     probes.lower_is,
                     probes.upper_is};
    std::uint64_t const count = taken.size;
    probe_numbers const numbers{taken.numbers.as<std::uint64_t>()};
    to.parts.push_back({i, mine, count, numbers, std::move(taken)});
  }
}

dealt_batch deal(sharded_call const& c, range_array const& probes, std::uint64_t size) {
  dealt_batch dealt;
  index const& borders = borders_at(c.parts, c.what.name, c.home);
  if (c.parts.parts_of_keys() == 1) {
    dealt.parts = deal_evenly(c.parts, probes, size, c.home);
  } else {
    dealt.route = route_probes(borders, c.what, probes, size, c.home.exec);
    deal_by_route(dealt, c.parts.shards.size(), probes, size, c.home.exec);
  }
  synchronize(c.home);
  return dealt;
}

/// Calls work(part) for each part where its shard is.
template <class Work> void for_parts(sharded_parts const& parts, std::vector<dealt_part>& dealt, Work const& work) {
  std::vector<dealt_part*> part_of(parts.shards.size());
  std::vector<std::size_t> numbers;
  for (dealt_part& part : dealt) {
    part_of[part.shard] = &part;
    numbers.push_back(part.shard);
  }
  for_shards(parts, numbers, [&](std::size_t number) { work(*part_of[number]); });
}

// ---- what they answer

/// @return an output as calls take it
lookup_output output_of(answer_kind kind, index_shape const& shape, void* to, std::uint64_t size) {
  auto const numbers = [&]<class Number>(Number) { return std::span(static_cast<Number*>(to), size); };
  switch (kind) {
    case answer_kind::flag: return numbers(std::uint8_t{});
    case answer_kind::row: return row_output(to, size, shape.rows);
    case answer_kind::key: return to == nullptr ? key_output() : key_output(to, size, shape.keys);
    case answer_kind::length: return numbers(std::uint32_t{});
    default: return numbers(std::uint64_t{});
  }
}

/// Asks a shard, of which the current device is that.
/// @param to where the call runs
void ask(sharded_call const& c, dealt_part const& part, void* const (&to)[2]) {
  index const& from = c.parts.shards[part.shard].entries;
  shard_place const& place = c.place_of(part.shard);
  if (c.home.is(place))
    return whole_batches(structure_of(from, c.what.name)).answer(c.what, part.probes, part.size, 0, to, c.home.exec);
  moved_ranges const probes(part.probes, part.size, c.home, place);
  bool const reaches = c.home.reaches(place);
  buffer carried_to[2];
  void* there[2] = {to[0], to[1]};
  for (int i = 0; i < 2 && !reaches; ++i) {
    if (to[i] == nullptr) continue;
    std::size_t const bytes = part.size * c.width(i);
    bool const reads = c.what.writes[i] == answer_kind::key;  // those without an answer remain
    carried_to[i] = reads ? carried(to[i], bytes, place) : buffer(bytes, place.exec);
    there[i] = carried_to[i].data();
  }
  auto const output = [&](int i) { return output_of(c.what.writes[i], c.shape(), there[i], part.size); };
  if (c.what.writes[1] == answer_kind::none) from.look_up(c.what, probes.view(), {output(0)}, place.exec);
  else from.look_up(c.what, probes.view(), {output(0), output(1)}, place.exec);
  for (int i = 0; i < 2; ++i)
    if (there[i] != to[i]) carry(to[i], there[i], carried_to[i].bytes(), place.exec);
}

/// The same for lists. @return them where the call runs
matches ask_list(sharded_call const& c, dealt_part const& part) {
  index const& from = c.parts.shards[part.shard].entries;
  shard_place const& place = c.place_of(part.shard);
  if (c.home.is(place))
    return whole_batches(structure_of(from, c.what.name)).list(c.what, part.probes, part.size, c.home.exec);
  moved_ranges const probes(part.probes, part.size, c.home, place);
  matches found = from.list(c.what, probes.view(), place.exec);
  found.offsets = brought(std::move(found.offsets), place, c.home);
  found.rows = brought(std::move(found.rows), place, c.home);
  return found;
}

// ---- how answers are combined

/// Writes what null probes and probes of several shards begin with.
void answer_none(sharded_call const& c, std::uint64_t size, void* const (&to)[2]) {
  for (int i = 0; i < 2; ++i) {
    answer_kind const kind = c.what.writes[i];
    if (to[i] == nullptr || kind == answer_kind::key) continue;
    bool const ones = kind == answer_kind::row || kind == answer_kind::rank;
    if (ones) steps::run(rounding_steps::fill_key{~u128{0}, c.width(i), to[i]}, size, c.home.exec);
    else backend_of(c.home.exec).fill_zero(to[i], size * c.width(i), c.home.exec);
  }
}

/// @return the entry nearest to a shard: the last one of earlier shards, or the first one of later ones
end_entry nearest_to(sharded_parts const& parts, std::size_t number, bool below) {
  std::size_t const count = parts.shards.size();
  for (std::size_t i = below ? number - 1 : number + 1; i < count; below ? --i : ++i)
    if (parts.shards[i].entries.size() != 0) return below ? parts.shards[i].last : parts.shards[i].first;
  return {};
}

/// Adds the answers of a shard to those of the call.
void combine(sharded_call const& c, dealt_batch const& dealt, dealt_part const& part, void* const (&from)[2],
             void* const (&to)[2]) {
  execution const& exec = c.home.exec;
  if (c.what.writes[1] == answer_kind::length) {
    steps::run(
        sharded_steps::store_longest{part.numbers, c.width(0), from[0], static_cast<std::uint32_t const*>(from[1]),
                                     to[0], static_cast<std::uint32_t*>(to[1])},
        part.size, exec);
    return;
  }
  if (c.what.op == search_op::floor || c.what.op == search_op::ceil) {
    end_entry const other = nearest_to(c.parts, part.shard, c.what.op == search_op::floor);
    steps::run(sharded_steps::store_nearest{part.numbers, c.width(0), from[0], to[0], size_of(c.shape().keys), from[1],
                                            to[1], other.row, other.key},
               part.size, exec);
    return;
  }
  for (int i = 0; i < 2; ++i) {
    auto const* const numbers = static_cast<std::uint64_t const*>(from[i]);
    auto* const sums = static_cast<std::uint64_t*>(to[i]);
    switch (c.what.writes[i]) {
      case answer_kind::none: break;
      case answer_kind::rank:
        steps::run(sharded_steps::store_rank{part.numbers, numbers, dealt.route.first.as<std::uint64_t>(), part.shard,
                                             c.parts.before[part.shard], sums},
                   part.size, exec);
        break;
      case answer_kind::count:
      case answer_kind::sum: steps::run(sharded_steps::add_answer{part.numbers, numbers, sums}, part.size, exec); break;
      default: steps::run(sharded_steps::store_answer{part.numbers, c.width(i), from[i], to[i]}, part.size, exec);
    }
  }
}

/// Answers a batch from shards that differ in their keys.
void exchange(sharded_call const& c, range_array const& probes, std::uint64_t size, void* const (&to)[2]) {
  bool const one_shard_each = c.what.takes == probe_form::keys && c.what.op != search_op::count;
  if (!one_shard_each || probes.lower.valid.bits != nullptr) answer_none(c, size, to);
  dealt_batch dealt = deal(c, probes, size);
  std::vector<buffer> answers(2 * c.parts.shards.size());
  auto const from = [&](dealt_part const& part, int i) { return answers[2 * part.shard + i].data(); };
  for (dealt_part const& part : dealt.parts)
    for (int i = 0; i < 2; ++i)
      if (to[i] != nullptr) answers[2 * part.shard + i] = buffer(part.size * c.width(i), c.home.exec);
  synchronize(c.home);
  for_parts(c.parts, dealt.parts, [&](dealt_part const& part) { ask(c, part, {from(part, 0), from(part, 1)}); });
  for (dealt_part const& part : dealt.parts) combine(c, dealt, part, {from(part, 0), from(part, 1)}, to);
}

/// Streams of a call that overlaps with others: one where the call runs, and one per place on a device.
struct lane {
  lane(sharded_parts const& parts, call_home const& home) : places(parts.places), exec(home.exec) {
    for (shard_place& place : places)
      if (place.device >= 0) place.exec = place.exec.with_stream(stream_on(place.device));
    exec = exec.with_stream(stream_on(home.device));
  }

  stream_ref stream_on(int device) {
    device_scope const there(device);
    return *streams.emplace_back(std::make_unique<own_stream>());
  }

  std::vector<std::unique_ptr<own_stream>> streams;
  std::vector<shard_place> places;
  execution exec;
};

/// Answers a batch on a device in parts. While one is searched, others are dealt, copied and combined. Synchronises.
/// @param exchange_part takes a call, and where its part begins
template <class Exchange>
void exchange_in_lanes(sharded_parts const& parts, lookup const& what, std::uint64_t size, call_home const& home,
                       Exchange const& exchange_part) {
  synchronize(home);
  std::atomic<std::uint64_t> next = 0;
  std::exception_ptr failures[tuning::exchange_lanes];
  auto const run = [&](std::size_t number) {
    try {
      device_scope const here(home.device);
      lane const own(parts, home);
      call_home const mine(own.exec);
      sharded_call const c{parts, what, mine, own.places};
      for (std::uint64_t begin; (begin = next.fetch_add(tuning::exchanged_probes_on_gpu)) < size;)
        exchange_part(c, begin);
      synchronize(mine);
    } catch (...) {
      failures[number] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (std::size_t number = 1; number < std::size(failures); ++number) others.emplace_back(run, number);
  run(0);
  for (std::thread& other : others) other.join();
  for (std::exception_ptr const& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

void sharded_batches::answer(lookup const& what, range_array const& part, std::uint64_t size, std::uint64_t first,
                             void* const (&to)[2], execution const& exec) const {
  call_home const home(exec);
  if (what.writes[1] == answer_kind::position) {
    steps::run(sharded_steps::count_up{static_cast<std::uint32_t>(first), static_cast<std::uint32_t*>(to[1])}, size,
               exec);
    return answer(lookups::find, part, size, first, {to[0], nullptr}, exec);
  }
  sharded_call const c{parts_, what, home, parts_.places};
  auto const outputs_from = [&](std::uint64_t i, int output) { return moved(to[output], i * c.width(output)); };
  if (parts_.parts_of_keys() == 1) {
    dealt_batch dealt = deal(c, part, size);
    return for_parts(parts_, dealt.parts, [&](dealt_part const& mine) {
      ask(c, mine, {outputs_from(mine.numbers.begin, 0), outputs_from(mine.numbers.begin, 1)});
    });
  }
  std::uint64_t const most = home.device < 0 ? tuning::exchanged_probes : tuning::exchanged_probes_on_gpu;
  auto const exchange_part = [&](sharded_call const& call, std::uint64_t begin) {
    exchange(call, part.from(begin), std::min(size - begin, most), {outputs_from(begin, 0), outputs_from(begin, 1)});
  };
  if (home.device >= 0 && size > most) return exchange_in_lanes(parts_, what, size, home, exchange_part);
  for (std::uint64_t begin = 0; begin < size; begin += most) exchange_part(c, begin);
}

matches sharded_batches::list(lookup const& what, range_array const& whole, std::uint64_t size,
                              execution const& exec) const {
  call_home const home(exec);
  sharded_call const c{parts_, what, home, parts_.places};
  auto const& backend = backend_of(exec);
  matches found = room_for_matches(size, c.shape().rows, exec);
  auto* const offsets = found.offsets.as<std::uint64_t>();
  backend.fill_zero(offsets, found.offsets.bytes(), exec);
  dealt_batch dealt = deal(c, whole, size);
  std::vector<matches> lists(parts_.shards.size());
  for_parts(parts_, dealt.parts, [&](dealt_part const& part) { lists[part.shard] = ask_list(c, part); });
  auto const add_lengths = [&](dealt_part const& part, std::uint64_t* to) {
    auto const* const ends = lists[part.shard].offsets.as<std::uint64_t const>();
    steps::run(sharded_steps::add_length{part.numbers, ends, to}, part.size, exec);
    return ends;
  };
  for (dealt_part const& part : dealt.parts) add_lengths(part, offsets);
  make_rows(what.name, found, exec);
  buffer const behind(found.offsets.bytes(), exec);
  backend.copy(behind.data(), offsets, behind.bytes(), exec);
  auto* const ends = behind.as<std::uint64_t>();
  for (dealt_part const& part : dealt.parts) {
    matches const& list = lists[part.shard];
    steps::run(sharded_steps::move_row{part.numbers, list.offsets.as<std::uint64_t>(), part.size, ends,
                                       size_of(found.row_type), list.rows.data(), found.rows.data()},
               list.total, exec);
    add_lengths(part, ends);
  }
  backend.synchronize(exec);
  return found;
}

namespace {

/// Deals ranks to the shards that have them, and calls work(part, its ranks in the shard) where each shard is.
template <class Work>
dealt_batch at_ranks(char const* call, sharded_parts const& parts, std::span<std::uint64_t const> ranks,
                     call_home const& home, Work const& work) {
  execution const& exec = home.exec;
  borders_at(parts, call, home);
  std::size_t const shards = parts.parts_of_keys();
  staging arrays(call, exec);
  auto const* const wanted = stage_ranks(call, parts.like(), parts.before.back(), ranks, arrays, exec);
  buffer const before((shards + 1) * sizeof(std::uint64_t), exec);
  backend_of(exec).copy(before.data(), parts.before.data(), before.bytes(), exec);
  buffer const within(ranks.size_bytes(), exec);
  dealt_batch dealt;
  dealt.route.first = buffer(ranks.size_bytes(), exec);
  steps::run(sharded_steps::split_rank{wanted, before.as<std::uint64_t>(), shards,
                                       dealt.route.first.as<std::uint64_t>(), within.as<std::uint64_t>()},
             ranks.size(), exec);
  deal_by_route(dealt, shards, {probe_form::keys, {within.data(), key_type::u64}}, ranks.size(), exec);
  synchronize(home);
  for_parts(parts, dealt.parts, [&](dealt_part const& part) {
    shard_place const& place = parts.place_of(part.shard);
    placed_column const mine(part.probes.lower, part.size, home, place);
    work(part, std::span(static_cast<std::uint64_t const*>(mine.view().data), part.size));
  });
  return dealt;
}

}  // namespace

matches rows_at(sharded_parts const& parts, std::span<std::uint64_t const> ranks, execution const& exec) {
  call_home const home(exec);
  std::vector<buffer> rows(parts.shards.size());
  dealt_batch const dealt = at_ranks("rows_at", parts, ranks, home, [&](dealt_part const& part, auto mine) {
    shard_place const& place = parts.place_of(part.shard);
    execution const& there = home.is(place) ? exec : place.exec;
    rows[part.shard] = brought(parts.shards[part.shard].entries.rows_at(mine, there).rows, place, home);
  });
  matches found = room_for_matches(ranks.size(), parts.like().shape().rows, exec);
  std::vector<std::uint64_t> const ones(ranks.size() + 1, 1);
  backend_of(exec).copy(found.offsets.data(), ones.data(), found.offsets.bytes(), exec);
  make_rows("rows_at", found, exec);
  for (dealt_part const& part : dealt.parts)
    steps::run(
        sharded_steps::store_answer{part.numbers, size_of(found.row_type), rows[part.shard].data(), found.rows.data()},
        part.size, exec);
  synchronize(home);
  return found;
}

key_list keys_at(sharded_parts const& parts, std::span<std::uint64_t const> ranks, execution const& exec) {
  call_home const home(exec);
  std::vector<key_list> keys(parts.shards.size());
  dealt_batch const dealt = at_ranks("keys_at", parts, ranks, home, [&](dealt_part const& part, auto mine) {
    shard_place const& place = parts.place_of(part.shard);
    key_list got = parts.shards[part.shard].entries.keys_at(mine, home.is(place) ? exec : place.exec);
    got.keys = brought(std::move(got.keys), place, home);
    got.offsets = brought(std::move(got.offsets), place, home);
    keys[part.shard] = std::move(got);
  });
  key_list found;
  found.size = ranks.size();
  found.type = parts.like().shape().keys;
  std::size_t const width = size_of(found.type);
  found.keys = buffer(ranks.size() * width, exec);
  found.bytes = found.keys.bytes();
  std::vector<buffer> references;
  for (dealt_part const& part : dealt.parts) {
    key_list const& mine = keys[part.shard];
    void const* from = mine.keys.data();
    if (found.type == key_type::bytes) {
      string_source const strings{mine.keys.as<unsigned char const>(), mine.view().strings};
      from = references.emplace_back(backend_of(exec).references(strings, mine.size, exec)).data();
    }
    steps::run(sharded_steps::store_answer{part.numbers, width, from, found.keys.data()}, part.size, exec);
  }
  if (found.type == key_type::bytes) pack_references(found, exec);
  synchronize(home);
  return found;
}

}  // namespace warpdex
