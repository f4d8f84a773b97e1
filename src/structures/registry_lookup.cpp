// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/words.hpp"
#include "structures/structure.hpp"

namespace warpdex {

std::unique_ptr<plan> make_plan(spec const& s, index_shape const& shape) {
  // Far beyond any memory, and low enough that no geometry overflows.
  if (shape.size >= std::uint64_t{1} << 48)
    throw invalid_argument("an index holds less than 2^48 entries, not " + std::to_string(shape.size));
  auto const* const argument = s.argument("");
  std::string kinds;
  for (auto const& [info, resolve] : registry()) {
    if (info.name != s.structure()) continue;
    if (info.kind.empty() || (argument != nullptr && same_word(argument->value, info.kind))) {
      auto made = resolve(s, shape);
      if (made->asked.empty()) made->asked = s.text();  // else `auto` has chosen, and that is the spec
      return made;
    }
    kinds += (kinds.empty() ? "" : " or ") + info.name + "(" + info.kind + ")";
  }
  if (kinds.empty()) s.fail(0, "no structure is registered under this name");
  if (argument == nullptr) s.fail(s.text().size(), s.structure() + " needs its kind: " + kinds);
  s.fail(argument->position, "unknown kind '" + argument->value + "'; expected " + kinds);
}

std::string asked_for(plan const& resolved) {
  spec const full(resolved.spec_text);
  spec kept = full;
  for (auto const& argument : full.arguments()) {
    if (argument.name.empty()) continue;
    std::string others;
    for (auto const& other : kept.arguments())
      if (other.name != argument.name)
        others += (others.empty() ? "" : ",") + (other.name.empty() ? "" : other.name + "=") + other.value;
    spec const open(kept.structure() + (others.empty() ? "" : "(" + others + ")") +
                    kept.text().substr(std::min(kept.text().find('/'), kept.text().size())));
    try {
      if (make_plan(open, resolved.shape)->spec_text == resolved.spec_text) kept = open;
    } catch (spec_error const&) {  // an argument that the structure needs
    }
  }
  return kept.text();
}

std::vector<structure_info> structures() {
  std::vector<structure_info> all;
  for (auto const& record : registry()) all.push_back(record.info);
  return all;
}

std::string resolve(spec const& s, key_type keys, row_type rows, std::uint64_t size, backend_kind backend) {
  return make_plan(s, {keys, rows, size, backend, -1})->spec_text;
}

}  // namespace warpdex
