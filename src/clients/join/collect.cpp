// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/join/collect.hpp"

#include <warpdex/error.hpp>

#include <utility>

namespace warpdex {

buffer pair_collector::cut(buffer from, std::size_t bytes) const {
  buffer result(bytes, place());
  backend_.copy(result.data(), from.data(), bytes, exec_);
  backend_.synchronize(exec_);
  return result;
}

bool pair_collector::make_room() {
  if (on_host_ || exec_.memory->backend() == backend_kind::cpu) return false;
  on_host_exec_ = execution(host_memory(), {}, exec_.threads);
  on_host_ = true;
  for (made_pairs& part : parts_) trim(part);
  std::size_t const done = all_.left.bytes();
  all_.left = cut(std::move(all_.left), done);
  return true;
}

void pair_collector::trim(made_pairs& part) const {
  std::size_t const left = bytes_of(part, part.left, left_width_), right = bytes_of(part, part.right, right_width_);
  part.left = cut(std::move(part.left), left);
  part.right = cut(std::move(part.right), right);
}

void pair_collector::take(made_pairs pairs) {
  if (on_host_ || bytes_of(pairs, pairs.left, left_width_) < pairs.left.bytes() / 2) trim(pairs);
  parts_.push_back(std::move(pairs));
}

buffer pair_collector::join_parts(buffer made_pairs::*side, std::size_t width) {
  if (parts_.size() == 1) return std::move(parts_.front().*side);
  std::size_t bytes = 0;
  for (made_pairs const& part : parts_) bytes += bytes_of(part, part.*side, width);
  auto const make = [&] { return buffer(bytes, place()); };
  buffer joint;
  try {
    joint = make();
  } catch (out_of_memory const&) {
    if (!make_room()) throw;
    joint = make();
  }
  std::size_t at = 0;
  for (made_pairs& part : parts_) {
    std::size_t const more = bytes_of(part, part.*side, width);
    backend_.copy(joint.as<char>() + at, (part.*side).data(), more, exec_);
    at += more;
  }
  backend_.synchronize(exec_);
  for (made_pairs& part : parts_) part.*side = {};
  return joint;
}

joined pair_collector::all() {
  for (made_pairs const& part : parts_) all_.size += part.size;
  all_.left = join_parts(&made_pairs::left, left_width_);
  all_.right = join_parts(&made_pairs::right, right_width_);
  parts_.clear();
  all_.on_host = on_host_ || exec_.memory->backend() == backend_kind::cpu;
  return std::move(all_);
}

}  // namespace warpdex
