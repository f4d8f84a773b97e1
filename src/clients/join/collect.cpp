// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/join/collect.hpp"

#include <warpdex/error.hpp>

namespace warpdex {

buffer pair_collector::copy_of(void const* from, std::size_t bytes) const {
  buffer made(bytes, place());
  backend_.copy(made.data(), from, bytes, exec_);
  return made;
}

void pair_collector::move_to_host() {
  on_host_exec_ = execution(host_memory(), {}, exec_.threads);
  on_host_ = true;
  for (part& p : parts_) {
    buffer left = copy_of(p.left.data(), p.left.bytes());
    buffer right = copy_of(p.right.data(), p.right.bytes());
    backend_.synchronize(exec_);
    p.left = std::move(left);
    p.right = std::move(right);
  }
}

template <class Work> void pair_collector::with_room(Work const& work) {
  try {
    return work();
  } catch (out_of_memory const&) {
    if (on_host_ || exec_.memory->backend() == backend_kind::cpu) throw;
  }
  move_to_host();
  work();
}

void pair_collector::take(join_batch const& batch) {
  with_room([&] {
    part made{copy_of(batch.left.data, batch.left.size * size_of(batch.left.type)),
              copy_of(batch.right.data, batch.right.size * size_of(batch.right.type)), batch.left.size};
    backend_.synchronize(exec_);
    parts_.push_back(std::move(made));
  });
  all_.size += batch.left.size;
}

buffer pair_collector::join_parts(buffer part::*side) const {
  std::size_t bytes = 0;
  for (part const& p : parts_) bytes += (p.*side).bytes();
  buffer joint(bytes, place());
  std::size_t at = 0;
  for (part const& p : parts_) {
    backend_.copy(joint.as<char>() + at, (p.*side).data(), (p.*side).bytes(), exec_);
    at += (p.*side).bytes();
  }
  backend_.synchronize(exec_);
  return joint;
}

joined pair_collector::all(row_type left_type, row_type right_type) {
  all_.left_type = left_type;
  all_.right_type = right_type;
  if (parts_.size() == 1) {
    all_.left = std::move(parts_.front().left);
    all_.right = std::move(parts_.front().right);
  } else {
    with_room([&] {
      all_.left = join_parts(&part::left);
      for (part& p : parts_) p.left = {};
      all_.right = join_parts(&part::right);
    });
  }
  parts_.clear();
  all_.on_host = on_host_ || exec_.memory->backend() == backend_kind::cpu;
  return std::move(all_);
}

}  // namespace warpdex
