// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "structures/common_options.hpp"
#include "structures/make_structure.hpp"
#include "structures/with_layout.hpp"

namespace warpdex {

/// The plan for a structure of a family. It holds the choice that a spec makes. `Family::choice` derives from
/// `common_options` and adds the arguments of the spec. If slots are ranks, it can search a sorted column in place, in
/// SoA.
template <class Family> class plan_of final : public plan {
 public:
  using family_choice = typename Family::choice;

  plan_of(spec resolved, index_shape const& shape, family_choice const& choice)
      : plan(std::move(resolved), shape), choice_(choice) {}

  std::unique_ptr<structure> make(contents from, execution const& exec) const override {
    return maker_of<Family>(*this)(*this, choice_, std::move(from), exec);
  }

  slot_order order() const override { return choice_.order(); }
  std::optional<std::uint64_t> hash_seed() const override { return choice_.hash_seed(); }

  bool pairs_on_host() const override { return choice_.pairs_on_host && shape.backend == backend_kind::cuda; }

  bool can_borrow() const override { return borrows_keys<Family> && choice_.layout == layout::soa; }

 private:
  family_choice const choice_;
};

/// @param name the structure
/// @param arguments all of them
/// @return the plan, whose spec has all options
/// @throws spec_error if its searches are not compiled
template <class Family>
std::unique_ptr<plan> make_plan_of(std::string name, std::vector<spec::word> arguments, index_shape const& shape,
                                   typename Family::choice const& choice) {
  spec resolved(std::move(name), std::move(arguments), option_words(choice, shape));
  expect_compiled(resolved, shape, choice, forms_of<Family>(), Family::view::traits);
  return std::make_unique<plan_of<Family>>(std::move(resolved), shape, choice);
}

}  // namespace warpdex
