// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "base/api_border.hpp"

#include <warpdex/column.hpp>
#include <warpdex/error.hpp>

#include <string>

#include "base/limits.hpp"

namespace warpdex {
namespace {

/// @return an exception made while there was memory. Its copies share its text
out_of_memory const& without_text_of_its_own() {
  static auto const& result = *new out_of_memory("out of host memory");
  return result;
}

[[maybe_unused]] out_of_memory const& made_at_start = without_text_of_its_own();

}  // namespace

void detail::fail_out_of_memory(char const* call) {
  try {
    throw out_of_memory(std::string(call) + ": out of host memory");
  } catch (std::bad_alloc const&) {
    throw out_of_memory(without_text_of_its_own());
  }
}

void detail::expect_possible(char const* call, char const* what, std::uint64_t size) {
  if (size >= element_limit)
    throw invalid_argument(std::string(call) + ": " + what + " has " + std::to_string(size) +
                           " elements; less than 2^48 are possible");
}

void detail::expect_array(char const* call, char const* what, void const* data, std::uint64_t size) {
  expect_possible(call, what, size);
  if (data == nullptr && size != 0)
    throw invalid_argument(std::string(call) + ": " + what + " is a null pointer with " + std::to_string(size) +
                           " elements");
}

void expect_usable(char const* call, execution const& exec) {
  if (exec.memory == nullptr)
    throw invalid_argument(std::string(call) + ": the execution has no memory: a null pointer");
  if (exec.threads < 0)
    throw invalid_argument(std::string(call) + ": the execution has " + std::to_string(exec.threads) +
                           " threads; 0 stands for all cores");
}

}  // namespace warpdex
