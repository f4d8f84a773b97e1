// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

/// @file
/// libFuzzer target: any text is a spec or a clear error. What is a spec stays one, with the same text, when it is read
/// again, and so does what it resolves to.
#include <warpdex/error.hpp>
#include <warpdex/index.hpp>
#include <warpdex/spec.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace warpdex;

void require(bool condition) {
  if (!condition) std::abort();
}

/// A message that shows the text ends with it and a caret below it. One that is about the keys shows none.
void check_message(std::string const& message) {
  auto const last = message.rfind('\n');
  if (last == std::string::npos) return;
  require(message.find('^', last) == message.size() - 1);
}

void check_resolved(spec const& request, key_type keys, row_type rows, std::uint64_t size) {
  std::string text;
  try {
    text = resolve(request, keys, rows, size, backend_kind::cpu);
  } catch (spec_error const& e) {
    return check_message(e.what());
  }
  require(resolve(text, keys, rows, size, backend_kind::cpu) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  try {
    spec const parsed(text);
    require(spec(parsed.text()).text() == parsed.text());
    for (std::uint64_t const n : {0ull, 1000ull, 1ull << 28})
      for (key_type const keys : {key_type::u32, key_type::f64, key_type::u128})
        check_resolved(parsed, keys, n == 0 ? row_type::u64 : row_type::u32, n);
  } catch (spec_error const& e) {
    check_message(e.what());
  }
  return 0;
}
