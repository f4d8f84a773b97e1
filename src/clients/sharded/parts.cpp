// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/sharded/parts.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "backend/cpu/parallel.hpp"
#include "backend/several_devices.hpp"
#include "base/api_border.hpp"
#include "base/sized_elements.hpp"
#include "base/words.hpp"
#include "index/sorted.hpp"

namespace warpdex {
namespace {

constexpr std::string_view placement_names[] = {"replicate", "range", "auto"};

/// Throws an error of the same kind with words before its text, if it is of one of some kinds.
template <class... Kinds> [[noreturn]] void rethrow_named(std::exception_ptr const& failure, std::string const& words) {
  auto const named = [&]<class Kind>(std::type_identity<Kind>) {
    try {
      std::rethrow_exception(failure);
    } catch (Kind const& e) {
      throw Kind(words + e.what());
    } catch (...) {
    }
  };
  (named(std::type_identity<Kinds>()), ...);
  std::rethrow_exception(failure);
}

}  // namespace

std::string_view to_string(placement how) noexcept {
  auto const number = static_cast<std::size_t>(how);
  return number < std::size(placement_names) ? placement_names[number] : "none";
}

placement parse_placement(std::string_view name) {
  return run_call("parse_placement", [&] {
    for (std::size_t i = 0; i < std::size(placement_names); ++i)
      if (same_word(name, placement_names[i])) return static_cast<placement>(i);
    throw invalid_argument("parse_placement: there is no placement " + in_quotes(name) + hint(name, placement_names));
  });
}

shard_place place_on(int device, stream_ref stream) {
  return run_call("place_on", [&] {
    device_scope const scope(device);
    return shard_place{execution(device_memory(), stream), device};
  });
}

void sharded_parts::count_entries() {
  before.assign(1, 0);
  for (std::size_t i = 0; i < parts_of_keys(); ++i) before.push_back(before.back() + shards[i].entries.size());
}

call_home::call_home(execution const& from) : exec(from), device(device_of_call(from)) {}

placed_borders const& borders_at(sharded_parts const& parts, char const* call, call_home const& home) {
  return borders_at(parts.places, parts.borders, call, home);
}

placed_borders const& borders_at(std::vector<shard_place> const& places, std::vector<placed_borders> const& borders,
                                 char const* call, call_home const& home) {
  for (std::size_t i = 0; i < places.size(); ++i)
    if (home.is(places[i])) return borders[i];
  if (home.device < 0) return borders.back();
  std::string known;
  for (shard_place const& place : places) known += (known.empty() ? "" : ", ") + name_of_device(place.device);
  throw invalid_argument(std::string(call) + ": the call runs on device " + std::to_string(home.device) +
                         ", which is none of the places: " + known);
}

std::string name_of_device(int device) { return device < 0 ? "the host" : "device " + std::to_string(device); }

std::vector<std::size_t> numbers_below(std::size_t count) {
  std::vector<std::size_t> result(count);
  std::iota(result.begin(), result.end(), std::size_t{0});
  return result;
}

std::vector<std::size_t> places_of_shards(std::size_t count, std::size_t places) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(i * places / count);
  return result;
}

void expect_places(char const* call, std::span<shard_place const> places) {
  if (places.empty())
    throw invalid_argument(std::string(call) + ": there are no places; one per device, or the host, is needed");
  std::set<int> devices;
  for (std::size_t i = 0; i < places.size(); ++i) {
    shard_place const& place = places[i];
    std::string const start = std::string(call) + ": place " + std::to_string(i);
    expect_usable(start.c_str(), place.exec);
    bool const on_device = place.exec.memory->backend() == backend_kind::cuda;
    if (on_device ? place.device < 0 : place.device != -1)
      throw invalid_argument(start + ": its memory is that of " + (on_device ? "a device" : "the host") +
                             ", but its device is number " + std::to_string(place.device));
    if (!on_device) continue;
    if (!devices.insert(place.device).second)
      throw invalid_argument(start + ": device " + std::to_string(place.device) + " is named twice");
    device_scope const scope(place.device);
    buffer const some(1, place.exec);
    if (int const owner = device_of(some.data()).value_or(-1); owner != place.device)
      throw invalid_argument(start + ": its memory is on device " + std::to_string(owner) +
                             ", but it is the place of device " + std::to_string(place.device));
  }
}

void at_places(std::vector<shard_place> const& places, std::vector<std::size_t> const& busy,
               std::function<void(std::size_t)> const& work, bool by_threads) {
  std::vector<std::exception_ptr> failures(busy.size());
  auto const run = [&](std::size_t i) {
    try {
      place_scope const scope(places[busy[i]].device);
      work(busy[i]);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  auto const on_device = [&](std::size_t i) { return places[i].device >= 0; };
  bool const in_parallel = by_threads && std::any_of(busy.begin(), busy.end(), on_device);
  parallel_chunks(in_parallel ? static_cast<int>(busy.size()) : 1, busy.size(), 1,
                  [&](std::uint64_t begin, std::uint64_t end) {
                    for (std::uint64_t i = begin; i < end; ++i) run(i);
                  });
  for (std::exception_ptr const& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

void name_failures(char const* what, std::size_t number, std::size_t count, int device,
                   std::function<void()> const& work) {
  try {
    work();
  } catch (...) {
    rethrow_named<spec_error, invalid_argument, unsupported, out_of_memory, device_error, io_error, format_error>(
        std::current_exception(), std::string(what) + " " + std::to_string(number) + " of " + std::to_string(count) +
                                      ", on " + name_of_device(device) + ": ");
  }
}

void for_shards(std::vector<shard_place> const& places, std::vector<std::size_t> const& place_of,
                std::vector<std::size_t> const& numbers, std::function<void(std::size_t)> const& work) {
  std::set<std::size_t> busy;
  for (std::size_t const number : numbers) busy.insert(place_of[number]);
  at_places(places, {busy.begin(), busy.end()}, [&](std::size_t position) {
    for (std::size_t const number : numbers)
      if (place_of[number] == position)
        name_failures("shard", number, place_of.size(), places[position].device, [&] { work(number); });
  });
}

void for_shards(sharded_parts const& parts, std::vector<std::size_t> const& numbers,
                std::function<void(std::size_t)> const& work) {
  std::vector<std::size_t> place_of;
  for (shard const& s : parts.shards) place_of.push_back(s.place);
  for_shards(parts.places, place_of, numbers, work);
}

namespace {

shard_ends find_ends(index const& entries, execution const& exec) {
  shard_ends found;
  std::uint64_t const size = entries.size();
  if (!entries.ordered() || size == 0) return found;
  std::uint64_t const ranks[2] = {0, size - 1};
  key_list const keys = entries.keys_at(ranks, exec);
  std::size_t const row_width = size_of(entries.row_type());
  buffer const rows(2 * row_width, execution(host_memory()));
  entries.find(keys.view(), row_output(rows.data(), 2, entries.row_type()), exec);
  end_entry* const ends[2] = {&found.first, &found.last};
  for (int i = 0; i < 2; ++i) {
    ends[i]->row = static_cast<std::uint64_t>(detail::load_bytes(rows.data(), row_width, i));
    if (keys.type == key_type::bytes) continue;
    std::size_t const width = size_of(keys.type);
    buffer const key(width, execution(host_memory()));
    copy(key.data(), keys.keys.as<std::byte>() + i * width, width, exec);
    ends[i]->key = detail::load_bytes(key.data(), width, 0);
  }
  return found;
}

}  // namespace

std::vector<shard_ends> const& ends_of(sharded_parts const& parts) {
  return parts.ends.get([&] {
    std::vector<shard_ends> all(parts.shards.size());
    for_shards(parts, numbers_below(all.size()),
               [&](std::size_t i) { all[i] = find_ends(parts.shards[i].entries, parts.place_of(i).exec); });
    return all;
  });
}

bool connect(std::span<shard_place const> places) {
  bool all = true;
  for (shard_place const& reader : places)
    for (shard_place const& owner : places) {
      bool const connected = reader.device >= 0 && owner.device >= 0 &&
                             (reader.device == owner.device || connect_devices(reader.device, owner.device));
      all = all && connected;
    }
  return all;
}

namespace {

/// @return whether a spec leaves it to the library how batches run, or asks for windows
bool may_run_in_windows(spec const& request) {
  for (char const* option : {"lanes", "threads", "probes", "schedule", "pin"})
    if (request.option(option) != nullptr) return false;
  spec::word const* const reorder = request.option("reorder");
  return reorder == nullptr || reorder->value == "window";
}

std::unique_ptr<shared_windows> make_windows(sharded_parts const& parts) {
  structure const& like = parts.like();
  pair_types const types{kind_of(like.shape().keys), like.shape().rows};
  if (!parts.peers || parts.parts_of_keys() < 2 || !like.ordered() ||
      size_of(like.shape().keys) > sizeof(std::uint64_t))
    return nullptr;
  std::vector<window_shard> shards;
  for (std::size_t i = 0; i < parts.shards.size(); ++i) {
    shard const& shard = parts.shards[i];
    if (shard.entries.size() == 0) continue;
    structure const& s = structure_of(shard.entries, "sharded_index");
    auto const entries = s.entries_in_place();
    if (!entries || entries->rows == nullptr || s.memory().remote || !may_run_in_windows(s.resolved())) return nullptr;
    shard_ends const& ends = ends_of(parts)[i];
    shards.push_back({*entries, parts.place_of(i).device, parts.before[i], ends.first.row, ends.last.row});
  }
  if (shards.empty()) return nullptr;
  std::vector<int> homes;
  for (shard_place const& place : parts.places) homes.push_back(place.device);
  try {
    return share_windows(shards, types, homes);
  } catch (out_of_memory const&) {
    return nullptr;  // probes are exchanged instead
  }
}

}  // namespace

shared_windows const* windows_of(sharded_parts const& parts) {
  return parts.windows.get([&] { return make_windows(parts); }).get();
}

placed_borders::placed_borders(index const& from, execution const& to) : keys(from.clone(to)) {
  if (size_of(from.key_type()) > sizeof(std::uint64_t)) return;
  auto const ranks = numbers_below(from.size());
  key_list const list = from.keys_at({ranks.begin(), ranks.end()}, {});
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < list.size; ++i)
    result.push_back(code_of_value(list.type, detail::load_bytes(list.keys.data(), size_of(list.type), i)));
  codes = buffer(result.size() * sizeof(std::uint64_t), to);
  carry(codes.data(), result.data(), codes.bytes(), to);
}

std::vector<placed_borders> placed_in(std::vector<shard_place> const& places, index const& borders) {
  std::vector<placed_borders> placed;
  for (shard_place const& place : places) {
    place_scope const scope(place.device);
    placed.emplace_back(borders, place.exec);
  }
  placed.emplace_back(borders, execution(host_memory()));
  return placed;
}

void complete(sharded_parts& parts, index const& borders) {
  parts.count_entries();
  parts.borders = placed_in(parts.places, borders);
}

void carry(void* to, void const* from, std::size_t bytes, execution const& exec) {
  if (bytes != 0) copy(to, from, bytes, exec);
}

void send(void* to, void const* from, std::size_t bytes, call_home const& home, shard_place const& place) {
  if (bytes == 0) return;
  if (place.device >= 0) backend_of(place.exec).copy(to, from, bytes, place.exec);
  else carry(to, from, bytes, home.exec);
}

buffer carried(void const* from, std::size_t bytes, shard_place const& to) {
  buffer result(bytes, to.exec);
  carry(result.data(), from, bytes, to.exec);
  return result;
}

}  // namespace warpdex
