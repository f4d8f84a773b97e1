// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/join/validity.hpp"

#include <algorithm>

#include "base/tuning.hpp"
#include "clients/join/join_steps.hpp"
#include "clients/join/pairs.hpp"
#include "request/batches.hpp"
#include "request/expect.hpp"
#include "request/staging.hpp"

namespace warpdex {
namespace {

index_shape shape_for(execution const& exec) {
  return {key_type::u32, row_type::u32, 0, exec.memory->backend(), device_of_call(exec)};
}

}  // namespace

valid_rows::valid_rows(char const* call, nullable_column const& first, nullable_column const& second, spec const& s,
                       execution const& exec)
    : call_(call), exec_(exec), shape_(shape_for(exec)), type_(row_type_for(first.size)) {
  expect_possible(call, "the column", first.size);
  if (auto const* const word = s.option("rows"); word != nullptr && word->value == "u64") type_ = row_type::u64;
  staging stage(call, shape_.backend, shape_.device, exec);
  validity_bits const a = stage.validity(first, "the validity of the first column");
  validity_bits const b = stage.validity(second, "the validity of the second column");
  constexpr std::uint64_t most = tuning::validity_part;
  std::size_t const width = size_of(type_);
  rows_ = buffer(first.size * width, exec);
  buffer const flags(std::min(most, first.size), exec);
  for (std::uint64_t begin = 0; begin < first.size; begin += most) {
    std::uint64_t const part = std::min(most, first.size - begin);
    steps::run(join_steps::flag_valid{a.from(begin), b.from(begin), flags.as<std::uint8_t>()}, part, exec);
    row_array const rows{rows_.as<char>() + size_ * width, width};
    size_ +=
        steps::select(join_steps::keep_answer<std::uint8_t>{flags.as<std::uint8_t>(), true, rows, begin}, part, exec);
  }
}

key_list valid_rows::take(column const& from, char const* what) const {
  staging stage(call_, shape_.backend, shape_.device, exec_);
  expect_known(call_, what, from.type);
  std::size_t const width = size_of(from.type);
  column const staged = stage.input(from, what, true);
  key_list result;
  result.size = size_;
  result.type = from.type;
  result.keys = buffer(size_ * width, exec_);
  result.bytes = result.keys.bytes();
  row_array const rows{rows_.data(), size_of(type_)};
  steps::run(join_steps::gather{staged.data, width, rows, result.keys.data()}, size_, exec_);
  if (from.type == key_type::bytes) pack_references(result, exec_);
  backend_of(exec_).synchronize(exec_);
  return result;
}

}  // namespace warpdex
