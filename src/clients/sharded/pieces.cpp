// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/sharded/pieces.hpp"

namespace warpdex {
namespace {

/// The first and the last shard of prefixes, among the borders.
constexpr lookup borders_of_prefixes{
    "sharded_index", search_op::count, probe_form::prefixes, {answer_kind::rank, answer_kind::count}, true};

constexpr int string_offset_bytes = 8;

/// @param strings references, where the call runs
packed_strings packed_at_home(probe_array const& strings, std::uint64_t size, call_home const& home) {
  place_scope const scope(home.device);
  auto const* const references = static_cast<byte_key const*>(strings.keys);
  packed_strings result = backend_of(home.exec).pack(references, size, string_offset_bytes, home.exec);
  backend_of(home.exec).synchronize(home.exec);
  return result;
}

}  // namespace

shard_route route_probes(placed_borders const& borders, lookup const& what, range_array const& probes,
                         std::uint64_t size, execution const& exec) {
  bool const prefixes = what.takes == probe_form::prefixes;
  bool const one_shard = what.takes == probe_form::keys;
  probe_array const& keys = probes.lower;
  if (one_shard && keys.type == borders.keys.key_type() && keys.valid.bits == nullptr && borders.codes.bytes() != 0)
    return {{}, {}, {keys.type, keys.keys, borders.codes.as<std::uint64_t>(), borders.keys.size()}};
  whole_batches const among(structure_of(borders.keys, what.name));
  bool const longest = prefixes && what.op == search_op::floor;
  shard_route result{buffer(size * sizeof(std::uint64_t), exec),
                     buffer(one_shard ? 0 : size * sizeof(std::uint64_t), exec)};
  auto* const first = result.first.as<std::uint64_t>();
  auto* const more = result.more.as<std::uint64_t>();
  if (one_shard || longest) {
    among.answer(lookups::upper_bound, {probe_form::keys, probes.lower}, size, 0, {first, nullptr}, exec);
    if (longest) steps::run(sharded_steps::ask_all_before{first, more}, size, exec);
  } else {
    among.answer(prefixes ? borders_of_prefixes : lookups::equal_range, probes, size, 0, {first, more}, exec);
  }
  return result;
}

dealt_arrays deal_arrays(shard_route const& route, std::size_t shards, std::uint64_t size, whole_array lower,
                         whole_array upper, dealt_numbers const& numbers, execution const& exec) {
  bool const by_element = numbers.places != nullptr;
  dealt_arrays result;
  result.arrays[0] = lower;
  result.arrays[1] = upper;
  result.number_width = numbers.width;
  sharded_steps::deal_elements to = route.dealer();
  to.arrays[0] = {lower.from, nullptr, lower.width};
  to.arrays[1] = {upper.from, nullptr, upper.width};
  to.numbers = numbers.places;
  to.number_width = by_element ? sizeof(*numbers.places) : numbers.width;
  to.by_element = by_element;
  to.first_number = numbers.first;
  result.shares = steps::count_shares(to, size, shards, exec);
  for (int i = 0; i < 2; ++i) {
    if (result.arrays[i].from == nullptr) continue;
    result.taken[i] = buffer(result.all() * result.arrays[i].width, exec);
    to.arrays[i].to = result.taken[i].data();
  }
  if (!by_element) {
    result.numbers = buffer(result.all() * numbers.width, exec);
    to.numbers = result.numbers.data();
  }
  steps::deal(to, size, result.shares, exec);
  return result;
}

std::vector<shard_part> parts_of(dealt_arrays const& dealt, std::size_t shards) {
  std::vector<shard_part> parts;
  for (std::size_t i = 0; i < shards; ++i)
    if (dealt.size(i) != 0) parts.push_back({i, dealt.shares.begins[i], dealt.size(i)});
  return parts;
}

dealt_arrays deal_probes(shard_route const& route, std::size_t shards, range_array const& probes, std::uint64_t size,
                         execution const& exec, std::uint32_t* places) {
  auto const whole = [](probe_array const& keys) { return whole_array{keys.keys, size_of(keys.type)}; };
  return deal_arrays(route, shards, size, whole(probes.lower),
                     probes.form == probe_form::ranges ? whole(probes.upper) : whole_array{}, {.places = places}, exec);
}

std::uint64_t const* numbers_of(dealt_arrays const& dealt, shard_part const& part) {
  return static_cast<std::uint64_t const*>(dealt.numbers_of(part.shard));
}

range_array probes_of(dealt_arrays const& dealt, shard_part const& part, range_array const& like) {
  return {like.form,
          {dealt.part(0, part.shard), like.lower.type},
          {dealt.part(1, part.shard), like.upper.type},
          like.closed,
          like.has_lower,
          like.has_upper};
}

placed_column::placed_column(probe_array const& keys, std::uint64_t size, call_home const& home,
                             shard_place const& place)
    : view_(column(keys.keys, size, keys.type)) {
  auto const placed = [&](void const* from, std::size_t bytes) -> void const* {
    if (from == nullptr || home.reaches(place)) return from;
    return carried_.emplace_back(carried(from, bytes, place)).data();
  };
  if (keys.valid.bits != nullptr) {
    view_.offset = keys.valid.offset % values_per_byte;
    view_.validity = static_cast<std::uint8_t const*>(
        placed(keys.valid.bits + keys.valid.offset / values_per_byte, validity_bytes(view_.offset + size)));
  }
  if (keys.type != key_type::bytes) {
    view_.data = placed(keys.keys, size * size_of(keys.type));
    return;
  }
  packed_ = packed_at_home(keys, size, home);
  view_.data = placed(packed_.bytes.data(), packed_.total);
  view_.strings = {placed(packed_.offsets.data(), (size + 1) * string_offset_bytes), string_offset_bytes, 0,
                   packed_.total};
}

moved_ranges::moved_ranges(range_array const& probes, std::uint64_t size, call_home const& home,
                           shard_place const& place) {
  view_.closed = probes.closed;
  if (probes.has_lower) view_.lower = (lower_ = placed_column(probes.lower, size, home, place)).view();
  if (probes.form == probe_form::ranges && probes.has_upper)
    view_.upper = (upper_ = placed_column(probes.upper, size, home, place)).view();
}

copied_ranges::copied_ranges(range_array const& probes, std::uint64_t size, call_home const& home,
                             shard_place const& place)
    : view_(probes) {
  if (probes.has_lower) view_.lower = copied(probes.lower, size, home, place);
  if (probes.form == probe_form::ranges && probes.has_upper) view_.upper = copied(probes.upper, size, home, place);
}

probe_array copied_ranges::copied(probe_array const& keys, std::uint64_t size, call_home const& home,
                                  shard_place const& place) {
  auto const sent = [&](void const* from, std::size_t bytes) {
    buffer const& to = kept_.emplace_back(bytes, place.exec);
    send(to.data(), from, bytes, home, place);
    return to.data();
  };
  probe_array result = keys;
  if (keys.valid.bits != nullptr) {
    result.valid.offset = keys.valid.offset % values_per_byte;
    result.valid.bits = static_cast<std::uint8_t const*>(
        sent(keys.valid.bits + keys.valid.offset / values_per_byte, validity_bytes(result.valid.offset + size)));
  }
  if (keys.type != key_type::bytes) {
    result.keys = sent(keys.keys, size * size_of(keys.type));
    return result;
  }
  packed_strings const packed = packed_at_home(keys, size, home);
  string_source source{
      static_cast<unsigned char const*>(sent(packed.bytes.data(), packed.total)),
      {sent(packed.offsets.data(), (size + 1) * string_offset_bytes), string_offset_bytes, 0, packed.total}};
  result.keys = kept_.emplace_back(backend_of(place.exec).references(source, size, place.exec)).data();
  if (place.device >= 0) wait_for(home.exec.stream, place.exec.stream);  // before the packed strings are freed
  return result;
}

}  // namespace warpdex
