// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "sharded/pieces.hpp"

#include <algorithm>

namespace warpdex {
namespace {

/// The first and the last shard of prefixes, among the borders.
constexpr lookup borders_of_prefixes{
    "sharded_index", search_op::count, probe_form::prefixes, {answer_kind::rank, answer_kind::count}, true};

constexpr std::uint64_t most_selected = std::uint64_t{1} << 31;

}  // namespace

shard_route route_probes(index const& borders, lookup const& what, range_array const& probes, std::uint64_t size,
                         execution const& exec) {
  whole_batches const among(structure_of(borders, what.name));
  bool const prefixes = what.takes == probe_form::prefixes;
  bool const one_shard = what.takes == probe_form::keys;
  bool const longest = prefixes && what.op == search_op::floor;
  shard_route made{buffer(size * sizeof(std::uint64_t), exec),
                   buffer(one_shard ? 0 : size * sizeof(std::uint64_t), exec)};
  auto* const first = made.first.as<std::uint64_t>();
  auto* const more = made.more.as<std::uint64_t>();
  if (one_shard || longest) {
    among.answer(lookups::upper_bound, {probe_form::keys, probes.lower}, size, 0, {first, nullptr}, exec);
    if (longest) steps::run(sharded_steps::ask_all_before{first, more}, size, exec);
  } else {
    among.answer(prefixes ? borders_of_prefixes : lookups::rank_range, probes, size, 0, {first, more}, exec);
  }
  return made;
}

piece take_piece(sharded_steps::is_for const& who, std::uint64_t size, whole_array lower, whole_array upper,
                 std::size_t number_width, execution const& exec) {
  piece made;
  made.size = steps::reduce(sharded_steps::count_for{who}, size, exec).number;
  if (made.size == 0) return made;
  made.numbers = buffer(made.size * number_width, exec);
  auto const room = [&](whole_array const& of) { return buffer(of.from == nullptr ? 0 : made.size * of.width, exec); };
  made.lower = room(lower);
  made.upper = room(upper);
  std::uint64_t taken = 0;
  for (std::uint64_t begin = 0; begin < size; begin += most_selected) {
    sharded_steps::take_for const take{
        who,
        begin,
        taken,
        {{lower.from, made.lower.data(), lower.width}, {upper.from, made.upper.data(), upper.width}},
        made.numbers.data(),
        number_width};
    taken += steps::select(take, std::min(size - begin, most_selected), exec);
  }
  return made;
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
  constexpr int offset_bytes = 8;
  {
    std::optional<device_scope> there;
    if (home.device >= 0) there.emplace(home.device);
    packed_ = backend_of(home.exec).pack(static_cast<byte_key const*>(keys.keys), size, offset_bytes, home.exec);
    backend_of(home.exec).synchronize(home.exec);
  }
  view_.data = placed(packed_.bytes.data(), packed_.total);
  view_.strings = {placed(packed_.offsets.data(), (size + 1) * offset_bytes), offset_bytes, 0, packed_.total};
}

moved_ranges::moved_ranges(range_array const& probes, std::uint64_t size, call_home const& home,
                           shard_place const& place) {
  view_.lower_is = probes.lower_is;
  view_.upper_is = probes.upper_is;
  if (probes.lower_is != bound_kind::absent) lower_ = placed_column(probes.lower, size, home, place);
  if (probes.form == probe_form::ranges && probes.upper_is != bound_kind::absent)
    upper_ = placed_column(probes.upper, size, home, place);
  view_.lower = lower_.view();
  view_.upper = upper_.view();
}

}  // namespace warpdex
