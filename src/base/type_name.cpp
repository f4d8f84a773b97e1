// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "base/type_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

namespace warpdex {

std::string type_name(std::type_info const& type) {
  struct release {
    void operator()(char* text) const noexcept { std::free(text); }
  };
  int status = 0;
  std::unique_ptr<char, release> const plain(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status));
  std::string name = status == 0 ? plain.get() : type.name();
  constexpr std::pair<std::string_view, std::string_view> words[] = {{"unsigned __int128", "warpdex::u128"},
                                                                     {"unsigned int", "std::uint32_t"},
                                                                     {"unsigned long", "std::uint64_t"},
                                                                     {" >", ">"}};
  for (auto const& [from, to] : words)
    for (std::size_t at = name.find(from); at != std::string::npos; at = name.find(from, at + to.size()))
      name.replace(at, from.size(), to);
  return name;
}

}  // namespace warpdex
