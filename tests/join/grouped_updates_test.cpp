// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "join/grouped_model.hpp"
#include "support/backends.hpp"
#include "support/folder.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

/// @file
/// Every update of grouped indexes of every structure, with groups and keys that have numbers, and such that have none.
namespace warpdex::test {
namespace {

/// Where the groups and keys of a batch are, compared with those that an index has: 80 to 89.
struct reach {
  char const* name;
  int group_from, group_to, key_from, key_to;
};
constexpr reach reaches[] = {
    {"known", 80, 90, 80, 90},         {"groups beyond", 95, 99, 80, 90}, {"groups before", 70, 75, 80, 90},
    {"keys beyond", 80, 90, 100, 105}, {"keys before", 80, 90, 60, 65},   {"all", 60, 105, 55, 110},
};

class grouped_updates : public testing::TestWithParam<std::tuple<std::string, backend_kind>> {
 protected:
  /// @tparam Group, Key of types that are numbered by their codes, or by ranks if they are wide
  template <class Group, class Key> void update_all(int step) {
    std::string const& spec = std::get<0>(GetParam());
    execution const exec(memory_of(std::get<1>(GetParam())));
    std::mt19937_64 random(test_seed() + name_hash(spec));
    for (reach const& at : reaches) {
      SCOPED_TRACE(at.name);
      std::uint32_t row = 0;
      auto const near = [&](int size) {  // with steps between them, which leave values out that may come later
        numbered_entries result = some_entries(random, size, 80 / step, 90 / step, 80 / step, 90 / step, row);
        for (numbered_entry& entry : result) entry = {entry.group * step, entry.key * step, entry.row};
        return result;
      };
      auto const far = [&](int size) {
        return some_entries(random, size, at.group_from, at.group_to, at.key_from, at.key_to, row);
      };
      auto const fresh = [&] { return row = 0, grouped_model<Group, Key>(spec, near(40), exec); };
      fresh().insert(far(15));
      fresh().insert_or_assign(far(15));
      fresh().update(far(15), near(10));
      fresh().update(near(10), far(15));
      fresh().erase(far(15));

      grouped_model<Group, Key> lasting = fresh();
      lasting.insert(far(10));
      folder const files;
      lasting.index().save(files / "grouped");
      lasting.replace(grouped_index::load(files / "grouped", exec, true));
      lasting.expect("load");
      lasting.insert_or_assign(far(10));
      lasting.replace(grouped_index::load(lasting.index().save(), exec));
      lasting.update(far(10), near(10));
      lasting.replace(lasting.index().clone(exec));
      lasting.erase(near(20));
      lasting.insert(far(5));
    }
  }
};

TEST_P(grouped_updates, numbers_by_code) { update_all<std::uint32_t, std::uint32_t>(1); }
TEST_P(grouped_updates, groups_by_rank) { update_all<u128, std::uint32_t>(2); }
TEST_P(grouped_updates, groups_and_keys_by_rank) { update_all<std::int64_t, std::int64_t>(2); }
TEST_P(grouped_updates, strings) { update_all<std::string, std::string>(2); }

INSTANTIATE_TEST_SUITE_P(all, grouped_updates,
                         testing::Combine(testing::ValuesIn(samples_over(key_type::u64)),
                                          testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

}  // namespace
}  // namespace warpdex::test
