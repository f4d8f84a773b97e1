// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/sharded/exchange.hpp"

#include <algorithm>
#include <atomic>

#include "backend/rounding_steps.hpp"
#include "clients/sharded/pieces.hpp"
#include "clients/sharded/tuning.hpp"

/// @file
/// One way for all lookups: probes are dealt to shards, shards answer, and answers are combined. What differs between
/// lookups is how the borders route a probe (`route_probes`), what a shard adds to its answers (`settle`), and how
/// answers of several shards become one (`combine`).
namespace warpdex {
namespace {

/// A batch where the call runs, and the streams on which it is answered.
struct sharded_call {
  sharded_parts const& parts;
  lookup const& what;
  call_home const& home;
  lane const& streams;
  bool everywhere = false;  ///< whether all shards answer all probes, those of the call's device on its stream

  shard_place const& place_of(std::size_t number) const { return streams.place(parts.shards[number].place); }
  index_shape const& shape() const { return parts.like().shape(); }
  std::size_t width(int output) const { return width_of(what.writes[output], shape()); }
  bool one_shard_each() const { return what.takes == probe_form::keys; }
};

// ---- which shards answer

/// Cuts a batch evenly. @return the parts of some that answer
std::vector<shard_part> cut_evenly(std::vector<std::size_t> const& among, std::uint64_t size) {
  std::vector<shard_part> parts;
  for (std::size_t i = 0; i < among.size(); ++i) {
    std::uint64_t const begin = size / among.size() * i;
    parts.push_back({among[i], begin, (i + 1 == among.size() ? size : begin + size / among.size()) - begin});
  }
  return parts;
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

/// @return the entry nearest to a shard: the last one of earlier shards, or the first one of later ones
end_entry nearest_to(sharded_parts const& parts, std::size_t number, bool below) {
  std::size_t const count = parts.shards.size();
  for (std::size_t i = below ? number - 1 : number + 1; i < count; below ? --i : ++i)
    if (parts.shards[i].entries.size() != 0) return below ? ends_of(parts)[i].last : ends_of(parts)[i].first;
  return {};
}

/// Turns what a shard found to what the whole index has, where the shard is.
void settle(sharded_call const& c, shard_part const& part, void* const (&answers)[2], execution const& exec) {
  if (c.what.op == search_op::floor || c.what.op == search_op::ceil) {
    if (c.what.writes[1] == answer_kind::length) return;
    end_entry const other = nearest_to(c.parts, part.shard, c.what.op == search_op::floor);
    if (other.row == no_row<std::uint64_t>) return;
    steps::run(sharded_steps::answer_nearest{size_of(c.shape().rows), answers[0], size_of(c.shape().keys), answers[1],
                                             other.row, other.key},
               part.size, exec);
    return;
  }
  std::uint64_t const before = c.parts.before[part.shard];
  for (int i = 0; i < 2; ++i)
    if (c.what.writes[i] == answer_kind::rank && answers[i] != nullptr && before != 0)
      steps::run(sharded_steps::count_from{before, static_cast<std::uint64_t*>(answers[i])}, part.size, exec);
}

/// Asks a shard. What it is to read is ready for the stream of its place, and so are its answers afterwards.
/// @param probes, to where the call runs
/// @param reached whether the shard reads and writes them there
void ask(sharded_call const& c, shard_part const& part, range_array const& probes, void* const (&to)[2],
         bool reached = false) {
  shard_place place = c.place_of(part.shard);
  bool const here = c.home.is(place) || reached;
  if (c.home.is(place))
    place.exec = place.device < 0 || c.everywhere ? c.home.exec : c.home.exec.with_stream(place.exec.stream);
  place_scope const scope(place.device);
  std::optional<copied_ranges> const copied =
      here ? std::nullopt : std::optional<copied_ranges>(std::in_place, probes, part.size, c.home, place);
  buffer result[2];
  void* answers[2] = {to[0], to[1]};
  for (int i = 0; i < 2 && !here; ++i) {
    if (to[i] == nullptr) continue;
    result[i] = buffer(part.size * c.width(i), place.exec);
    answers[i] = result[i].data();
    bool const remain = c.what.writes[i] == answer_kind::key;  // those without an answer
    if (remain) send(answers[i], to[i], result[i].bytes(), c.home, place);
  }
  whole_batches const batches(structure_of(c.parts.shards[part.shard].entries, c.what.name));
  batches.answer(c.what, copied ? copied->view() : probes, part.size, 0, answers, place.exec);
  if (c.parts.parts_of_keys() != 1) settle(c, part, answers, place.exec);
  for (int i = 0; i < 2; ++i)
    if (answers[i] != to[i]) send(to[i], answers[i], result[i].bytes(), c.home, place);
}

/// Waits for the streams of a call whose buffers an error is about to free.
class stopped_call {
 public:
  explicit stopped_call(lane const& streams) : streams_(streams) {}
  ~stopped_call() {
    if (std::uncaught_exceptions() == before_) return;
    try {
      streams_.synchronize();
    } catch (...) {  // the context is gone
    }
  }
  stopped_call(stopped_call const&) = delete;
  stopped_call& operator=(stopped_call const&) = delete;

 private:
  lane const& streams_;
  int before_ = std::uncaught_exceptions();
};

/// Calls ask_one(part) for each part, on streams that work at the same time.
template <class Ask> void ask_all(sharded_call const& c, std::vector<shard_part> const& parts, Ask const& ask_one) {
  stopped_call const stopped(c.streams);
  c.streams.fork(c.home.exec.stream, !c.everywhere);
  for (shard_part const& part : parts)
    name_failures("shard", part.shard, c.parts.shards.size(), c.place_of(part.shard).device, [&] { ask_one(part); });
  c.streams.join(c.home.exec.stream, !c.everywhere);
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

/// Brings answers into the order of their probes, each of which one shard has answered.
void gather(sharded_call const& c, std::uint32_t const* places, std::uint64_t size, void* const (&from)[2],
            void* const (&to)[2]) {
  for (int i = 0; i < 2; ++i) {
    if (to[i] == nullptr) continue;
    sharded_steps::gather_answer const answers{places, c.width(i), from[i], to[i]};
    if (c.what.writes[i] != answer_kind::key) steps::run(answers, size, c.home.exec);
    else steps::run(sharded_steps::gather_key{answers, c.width(0), from[0]}, size, c.home.exec);
  }
}

/// Adds the answers of a shard to those of the call.
void combine(sharded_call const& c, shard_route const& route, shard_part const& part, std::uint64_t const* numbers,
             void* const (&from)[2], void* const (&to)[2]) {
  execution const& exec = c.home.exec;
  if (c.what.writes[1] == answer_kind::length) {
    steps::run(sharded_steps::store_longest{numbers, c.width(0), from[0], static_cast<std::uint32_t const*>(from[1]),
                                            to[0], static_cast<std::uint32_t*>(to[1])},
               part.size, exec);
    return;
  }
  for (int i = 0; i < 2; ++i) {
    auto const* const found = static_cast<std::uint64_t const*>(from[i]);
    auto* const sums = static_cast<std::uint64_t*>(to[i]);
    auto const* const first = route.first.as<std::uint64_t const>();
    if (c.what.writes[i] == answer_kind::rank)
      steps::run(sharded_steps::store_rank{numbers, found, first, part.shard, sums}, part.size, exec);
    else if (c.what.writes[i] != answer_kind::none)
      steps::run(sharded_steps::add_answer{numbers, found, sums}, part.size, exec);
  }
}

/// Answers a batch from copies of the index.
void ask_copies(sharded_call const& c, range_array const& probes, std::uint64_t size, void* const (&to)[2]) {
  ask_all(c, cut_evenly(numbers_below(c.parts.shards.size()), size), [&](shard_part const& part) {
    ask(c, part, probes.from(part.begin),
        {moved(to[0], part.begin * c.width(0)), moved(to[1], part.begin * c.width(1))});
  });
}

/// @return whether a batch is so small that a call takes less time if all shards answer all of it
bool is_small(sharded_parts const& parts, lookup const& what, call_home const& home, std::uint64_t size) {
  return home.device >= 0 && parts.parts_of_keys() != 1 && what.takes == probe_form::keys &&
         size * parts.shards.size() <= tuning::answers_of_all_shards;
}

/// Answers a small batch by all shards, and keeps the answer of the shard that holds the probe. So the call need not
/// wait until it is known how many probes each shard gets.
void ask_everywhere(sharded_call const& c, shard_route const& route, range_array const& probes, std::uint64_t size,
                    void* const (&to)[2]) {
  std::vector<shard_part> parts;
  for (std::size_t i = 0; i < c.parts.shards.size(); ++i) parts.push_back({i, i * size, size});
  bool const reached = c.parts.peers && c.shape().keys != key_type::bytes && probes.lower.valid.bits == nullptr;
  execution const shared = reached ? c.home.exec.with_memory(device_memory()) : c.home.exec;
  range_array query = probes;
  buffer const copied(reached ? size * size_of(probes.lower.type) : 0, shared);
  if (reached) {
    backend_of(shared).copy(copied.data(), probes.lower.keys, copied.bytes(), shared);
    query.lower.keys = copied.data();
  }
  buffer found[2];
  for (int i = 0; i < 2; ++i)
    if (to[i] != nullptr) found[i] = buffer(parts.size() * size * c.width(i), shared);
  ask_all(c, parts, [&](shard_part const& part) {
    ask(c, part, query,
        {moved(found[0].data(), part.begin * c.width(0)), moved(found[1].data(), part.begin * c.width(1))}, reached);
  });
  buffer const places(size * sizeof(std::uint32_t), c.home.exec);
  steps::run(sharded_steps::place_answer{route.dealer(), size, places.as<std::uint32_t>()}, size, c.home.exec);
  gather(c, places.as<std::uint32_t>(), size, {found[0].data(), found[1].data()}, to);
}

/// Answers a batch from shards that differ in their keys.
void exchange(sharded_call const& c, range_array const& probes, std::uint64_t size, void* const (&to)[2]) {
  execution const& exec = c.home.exec;
  bool const nulls = probes.lower.valid.bits != nullptr;
  if (!c.one_shard_each() || nulls) answer_none(c, size, to);
  shard_route const route = route_probes(borders_at(c.parts, c.what.name, c.home), c.what, probes, size, exec);
  if (c.everywhere) return ask_everywhere(c, route, probes, size, to);
  buffer const places(c.one_shard_each() ? size * sizeof(std::uint32_t) : 0, exec);
  if (c.one_shard_each() && nulls)
    steps::run(rounding_steps::fill_key{~u128{0}, sizeof(std::uint32_t), places.data()}, size, exec);
  std::size_t const shards = c.parts.shards.size();
  dealt_arrays const dealt = deal_probes(route, shards, probes, size, exec, places.as<std::uint32_t>());
  buffer found[2];
  for (int i = 0; i < 2; ++i)
    if (to[i] != nullptr) found[i] = buffer(dealt.all() * c.width(i), exec);
  auto const found_of = [&](shard_part const& part, int i) { return moved(found[i].data(), part.begin * c.width(i)); };
  auto const parts = parts_of(dealt, shards);
  ask_all(c, parts, [&](shard_part const& part) {
    ask(c, part, probes_of(dealt, part, probes), {found_of(part, 0), found_of(part, 1)});
  });
  if (c.one_shard_each()) return gather(c, places.as<std::uint32_t>(), size, {found[0].data(), found[1].data()}, to);
  for (shard_part const& part : parts)
    combine(c, route, part, numbers_of(dealt, part), {found_of(part, 0), found_of(part, 1)}, to);
}

/// Shards that share windows, in a call.
class shards_in_windows final : public batch_answerer {
 public:
  shards_in_windows(sharded_call const& c, shared_windows const& windows)
      : batch_answerer({c.shape().keys, c.shape().rows, c.parts.before.back(), backend_kind::cuda, c.home.device}),
        windows_(windows) {
    for (shard const& shard : c.parts.shards)
      if (shard.entries.size() != 0) streams_.push_back(c.streams.place(shard.place).exec.stream);
  }

  void point(point_batch const& batch, execution const& exec) const override { windows_.point(batch, streams_, exec); }
  void range(range_batch const& batch, execution const& exec) const override { windows_.range(batch, streams_, exec); }

 private:
  shared_windows const& windows_;
  std::vector<stream_ref> streams_;
};

/// @return the windows that the shards share, if a lookup runs in them
shared_windows const* windows_for(sharded_parts const& parts, lookup const& what) {
  bool const taken =
      what.takes != probe_form::prefixes && shared_windows::take(what.op, what.writes[0] == answer_kind::sum);
  return taken ? windows_of(parts) : nullptr;
}

/// @return the probes of each part of a batch on a device
std::uint64_t exchanged_together(std::uint64_t size) {
  constexpr std::uint64_t aligned = 256;  // parts of an aligned column begin aligned
  std::uint64_t const share = (size + tuning::exchanges - 1) / tuning::exchanges;
  return std::clamp((share + aligned - 1) / aligned * aligned, tuning::exchanged_probes_on_gpu,
                    tuning::most_exchanged_probes);
}

/// Answers a batch in windows that the shards share, in parts: while one is searched, the next one is partitioned.
void answer_in_windows(sharded_parts const& parts, shared_windows const& windows, lookup const& what,
                       range_array const& probes, std::uint64_t size, call_home const& home, void* const (&to)[2]) {
  std::uint64_t const most = exchanged_together(size);
  struct running {
    running(sharded_parts const& parts, call_home const& home)
        : streams(parts.lanes, parts.places, home.device), stopped(*streams), exec(streams->on_home(home.exec)) {
      wait_for(exec.stream, home.exec.stream);
    }
    lane_pool::loan streams;
    stopped_call stopped;
    execution exec;  // its stream is not the default one, which each device has
  };
  std::optional<running> lanes[tuning::exchange_lanes];
  for (std::uint64_t begin = 0; begin < size; begin += most) {
    auto& on = lanes[begin / most % tuning::exchange_lanes];
    if (!on) on.emplace(parts, home);
    call_home const mine(on->exec);
    sharded_call const c{parts, what, mine, *on->streams};
    run_batch(shards_in_windows(c, windows), what, probes.from(begin), std::min(size - begin, most), 0,
              {moved(to[0], begin * c.width(0)), moved(to[1], begin * c.width(1))}, on->exec);
  }
  for (auto const& on : lanes)
    if (on) wait_for(home.exec.stream, on->exec.stream);
}

/// Answers a small batch, of which most time goes to calls of the driver: so on the stream of the call, in one part.
void answer_at_once(sharded_parts const& parts, lookup const& what, range_array const& probes, std::uint64_t size,
                    call_home const& home, void* const (&to)[2]) {
  place_scope const here(home.device);
  lane_pool::loan const streams(parts.lanes, parts.places, home.device);
  exchange({parts, what, home, *streams, true}, probes, size, to);
}

/// Answers a batch in parts. On a device, while one is searched, others are dealt, copied and combined.
void answer_in_lanes(sharded_parts const& parts, lookup const& what, range_array const& probes, std::uint64_t size,
                     call_home const& home, void* const (&to)[2]) {
  bool const on_device = home.device >= 0;
  std::uint64_t const most = on_device ? exchanged_together(size) : tuning::exchanged_probes;
  std::atomic<std::uint64_t> next = 0;
  auto const run = [&](std::size_t) {
    lane_pool::loan const streams(parts.lanes, parts.places, home.device);
    execution const exec = streams->on_home(home.exec);
    if (on_device) wait_for(exec.stream, home.exec.stream);
    call_home const mine(exec);
    sharded_call const c{parts, what, mine, *streams};
    for (std::uint64_t begin; (begin = next.fetch_add(most)) < size;) {
      void* const part_to[2] = {moved(to[0], begin * c.width(0)), moved(to[1], begin * c.width(1))};
      auto const& answer_part = parts.parts_of_keys() == 1 ? ask_copies : exchange;
      answer_part(c, probes.from(begin), std::min(size - begin, most), part_to);
    }
    if (on_device) wait_for(home.exec.stream, exec.stream);
  };
  std::uint64_t const lanes = on_device ? std::min((size + most - 1) / most, tuning::exchange_lanes) : 1;
  std::vector<shard_place> const lane_places(lanes, {home.exec, home.device});
  at_places(lane_places, numbers_below(lanes), run);
}

/// Answers a batch on the host from devices: each takes a piece over its own link.
void answer_over_links(sharded_parts const& parts, lookup const& what, range_array const& probes, std::uint64_t size,
                       call_home const& home, void* const (&to)[2]) {
  std::vector<std::size_t> devices;
  for (std::size_t i = 0; i < parts.places.size(); ++i)
    if (parts.places[i].device >= 0) devices.push_back(i);
  devices.resize(std::clamp<std::size_t>(size / tuning::linked_probes, 1, devices.size()));
  std::vector<shard_part> const pieces = cut_evenly(devices, size);
  index_shape const& shape = parts.like().shape();
  at_places(parts.places, devices, [&](std::size_t number) {
    shard_place const& place = parts.places[number];
    shard_part const& piece =
        *std::find_if(pieces.begin(), pieces.end(), [&](auto const& p) { return p.shard == number; });
    moved_ranges const mine(probes.from(piece.begin), piece.size, home, place);
    std::vector<lookup_output> outputs;
    for (int i = 0; i < 2 && what.writes[i] != answer_kind::none; ++i)
      outputs.push_back(
          output_of(what.writes[i], shape, moved(to[i], piece.begin * width_of(what.writes[i], shape)), piece.size));
    if (parts.how == placement::replicate)
      run_lookup(whole_batches(structure_of(parts.shards[number].entries, what.name)), what, mine.view(), outputs,
                 place.exec);
    else run_lookup(sharded_batches(parts), what, mine.view(), outputs, place.exec);
    backend_of(place.exec).synchronize(place.exec);
  });
}

}  // namespace

void sharded_batches::answer(lookup const& what, range_array const& part, std::uint64_t size, std::uint64_t first,
                             void* const (&to)[2], execution const& exec) const {
  call_home const home(exec);
  borders_at(parts_, what.name, home);
  if (what.writes[1] == answer_kind::position) {
    steps::run(sharded_steps::count_up{static_cast<std::uint32_t>(first), static_cast<std::uint32_t*>(to[1])}, size,
               exec);
    return answer(lookups::find, part, size, first, {to[0], nullptr}, exec);
  }
  auto const is_here = [&](shard_place const& place) { return home.is(place); };
  if (std::none_of(parts_.places.begin(), parts_.places.end(), is_here))
    return answer_over_links(parts_, what, part, size, home, to);
  auto const here = std::find_if(parts_.shards.begin(), parts_.shards.end(),
                                 [&](shard const& shard) { return is_here(parts_.places[shard.place]); });
  std::uint64_t const dealt = home.device < 0 ? tuning::dealt_probes : tuning::dealt_probes_on_gpu;
  bool const alone = parts_.shards.size() == 1 || spread_ || size < dealt * parts_.shards.size();
  if (parts_.parts_of_keys() == 1 && alone && here != parts_.shards.end()) {
    structure const& copy = structure_of(here->entries, what.name);
    return whole_batches(copy).answer(what, part, size, first, to, exec);
  }
  if (is_small(parts_, what, home, size)) return answer_at_once(parts_, what, part, size, home, to);
  if (shared_windows const* const windows = windows_for(parts_, what))
    return answer_in_windows(parts_, *windows, what, part, size, home, to);
  answer_in_lanes(parts_, what, part, size, home, to);
}

}  // namespace warpdex
