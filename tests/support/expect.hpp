// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <typeinfo>
#include <vector>

namespace warpdex::test {

/// Passes if `call` throws exactly an `Error` whose text holds all of `words`.
template <class Error, class Call, class... Words>
testing::AssertionResult throws(Call const& call, Words const&... words) {
  std::string text;
  try {
    call();
    return testing::AssertionFailure() << "nothing was thrown";
  } catch (std::exception const& e) {
    text = e.what();
    if (typeid(e) != typeid(Error)) {
      return testing::AssertionFailure() << "expected " << typeid(Error).name() << ", got " << typeid(e).name() << ": "
                                         << text;
    }
  }
  for (std::string const& word : std::vector<std::string>{words...}) {
    if (text.find(word) == std::string::npos) {
      return testing::AssertionFailure() << "the message does not say '" << word << "': " << text;
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace warpdex::test
