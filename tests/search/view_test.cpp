// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <warpdex/index.hpp>
#include <warpdex/search/bplus_tree.hpp>
#include <warpdex/search/cgrx.hpp>
#include <warpdex/search/cgrxu.hpp>
#include <warpdex/search/eytzinger.hpp>
#include <warpdex/search/harmonia.hpp>
#include <warpdex/search/hash_buckets.hpp>
#include <warpdex/search/hash_open.hpp>
#include <warpdex/search/interpolated.hpp>
#include <warpdex/search/pgm.hpp>
#include <warpdex/search/pivot_tree.hpp>
#include <warpdex/search/radix_spline.hpp>
#include <warpdex/search/radix_tree.hpp>
#include <warpdex/search/sorted_array.hpp>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

/// What views promise by their traits (search/view.hpp), and what engines rely on.
namespace warpdex {
namespace {

using u32 = std::uint32_t;
using soa = soa_pairs<u32, u32>;
using aos = aos_pairs<u32, u32>;

/// Sizes around those of nodes and levels.
constexpr u32 sizes[] = {1, 2, 3, 7, 8, 9, 16, 17, 31, 32, 33, 100, 255, 256, 257, 1000, 4097};

std::vector<u32> every_third(u32 n) {
  std::vector<u32> keys(n);
  for (u32 i = 0; i < n; ++i) keys[i] = 10 + 3 * i;
  return keys;
}

/// Builds an index of each size, and calls check(view, keys).
template <class View, class Check> void on_views(char const* spec, Check const& check) {
  static_assert(index_view<View>);
  for (u32 const n : sizes) {
    SCOPED_TRACE(std::string(spec) + ", " + std::to_string(n) + " keys");
    auto const keys = every_third(n);
    index const built = index::build(spec, std::span(keys), execution());
    check(built.view<View>(), keys);
  }
}

/// Calls check<View>(spec) for a view of each kind.
template <class Check> void on_each_view(Check const& check) {
  check.template operator()<sorted_array<soa>>("AO+BS/layout=SoA");
  check.template operator()<interpolated<soa>>("AO+IS/layout=SoA");
  check.template operator()<pgm<soa>>("PGM(1,1)/layout=SoA");
  check.template operator()<radix_spline<soa>>("RS(4,1)/layout=SoA");
  check.template operator()<radix_tree<soa>>("GRT(leaf=8)/layout=SoA");
  check.template operator()<cgrx<soa>>("cgRX(bucket=4)/layout=SoA");
  check.template operator()<cgrx<soa>>("RX/layout=SoA");
  check.template operator()<cgrxu<32, soa>>("cgRXu/layout=SoA");
  check.template operator()<eytzinger<2, soa>>("EO+BS/layout=SoA");
  check.template operator()<eytzinger<9, soa>>("EO+KS(9)/layout=SoA");
  check.template operator()<pivot_tree<2, soa>>("AO+PB+BS/layout=SoA");
  check.template operator()<pivot_tree<9, aos>>("AO+PB+KS(9,levels=1)/layout=AoS");
  check.template operator()<bplus_tree<16, 16, soa>>("B+(16,fill=0.7)/layout=SoA");
  check.template operator()<harmonia<32, soa>>("Harmonia(32)/layout=SoA");
  check.template operator()<hash_open<aos>>("HT(open)/layout=AoS");
  check.template operator()<hash_buckets<aos>>("HT(buckets)/layout=AoS");
}

/// `pin` is an option of the structures whose views let their top be copied, and the list has all structures.
TEST(views, option_pin_is_taken_where_the_top_can_be_copied) {
  std::set<std::string> listed;
  on_each_view([&]<class View>(char const* spec) {
    listed.insert(warpdex::spec(spec).structure());
    index const built = index::build(spec, every_third(100), execution());
    EXPECT_NO_THROW(built.view<View>()) << spec;
    for (char const* const pin : {"/pin=steps", "/pin=full"}) {
      bool taken = true;
      try {
        resolve(warpdex::spec(std::string(spec) + pin), key_type::u32, row_type::u32, 100, backend_kind::cuda);
      } catch (spec_error const&) {
        taken = false;
      }
      EXPECT_EQ(taken, View::traits.pinnable) << spec << pin;
    }
  });
  for (auto const& info : structures()) EXPECT_TRUE(info.chooses || listed.contains(info.name)) << info.name;
}

template <class View> int visits_of(View const& view, typename View::search at) {
  int visits = 1;
  while (!view.visit(single_lane{}, at)) ++visits;
  return visits;
}

TEST(views, searches_of_equal_depth_take_equally_many_visits) {
  on_each_view([]<class View>(char const* spec) {
    if constexpr (View::traits.equal_depth)
      on_views<View>(spec, [](View const& view, std::vector<u32> const& keys) {
        std::set<int> visits;
        for (u32 key = 0; key < keys.back() + 3; ++key) visits.insert(visits_of(view, view.start(key)));
        EXPECT_EQ(visits.size(), 1u);
      });
  });
}

TEST(views, ranks_and_ends_are_those_of_the_order) {
  on_each_view([]<class View>(char const* spec) {
    if constexpr (View::traits.ranked)
      on_views<View>(spec, [](View const& view, std::vector<u32> const& keys) {
        for (u32 key = 0; key < keys.back() + 3; ++key) {
          auto const expected = std::lower_bound(keys.begin(), keys.end(), key) - keys.begin();
          ASSERT_EQ(view.rank(run(view, view.start(key), single_lane{}).slot), expected) << key;
        }
        EXPECT_EQ(view.rank(view.end()), keys.size());
        for (u32 rank = 0; rank < keys.size(); ++rank) {
          ASSERT_EQ(view.rank(view.slot_of(rank)), rank);
          if (View::traits.in_key_order) {
            ASSERT_EQ(view.slot_of(rank), rank);
          }
        }
        if (View::traits.one_stretch) {
          EXPECT_EQ(view.stretches(), 1);
        }
      });
  });
}

TEST(views, the_copy_of_the_top_is_read_like_the_top) {
  on_each_view([]<class View>(char const* spec) {
    if constexpr (View::traits.pinnable)
      on_views<View>(spec, [](View const& view, std::vector<u32> const& keys) {
        for (int levels = 0; levels <= view.pinnable_levels(); ++levels) {
          std::vector<typename View::pinned_type> copy(view.pinned_values(levels));
          for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = view.pinned_value(i);
          for (u32 key = 0; key < keys.back() + 3; key += 1 + key % 5) {
            auto at = view.start(key);
            bool over = false;
            for (int level = 0; level < levels; ++level) {
              ASSERT_FALSE(over);
              ASSERT_LE(view.pinned_end(at), copy.size());
              over = view.visit_pinned(single_lane{}, at, copy.data());
            }
            while (!over) over = view.visit(single_lane{}, at);
            ASSERT_EQ(at.slot, lower_bound(view, key)) << levels << " levels, key " << key;
          }
        }
      });
  });
}

TEST(views, without_ranks_a_search_finds_the_key_or_nothing) {
  on_each_view([]<class View>(char const* spec) {
    if constexpr (!View::traits.ranked)
      on_views<View>(spec, [](View const& view, std::vector<u32> const& keys) {
        for (u32 key = 0; key < keys.back() + 3; ++key) {
          bool const is_key = std::binary_search(keys.begin(), keys.end(), key);
          for (auto const& found : {run(view, view.start(key), single_lane{}),
                                    run(view, view.start_hash(view.hash_of(key)), single_lane{})}) {
            ASSERT_EQ(view.has_found(found), is_key) << key;
            ASSERT_EQ(view.first_row(found), is_key ? (key - 10) / 3 : ~u32{0});
            auto const places = view.places_of(found);
            ASSERT_EQ(places.end - places.begin, is_key ? 1u : 0u);
          }
        }
      });
  });
}

TEST(views, a_search_may_begin_where_its_answer_is_known_to_lie) {
  for (u32 const n : {1u, 2u, 5u, 64u, 100u}) {
    auto const keys = every_third(n);
    std::vector<u32> rows(n);
    std::iota(rows.begin(), rows.end(), 0);
    sorted_array<soa> const view({keys.data(), rows.data()}, n);
    for (u32 key = 0; key < keys.back() + 3; ++key) {
      u32 const answer = lower_bound(view, key);
      for (u32 first = 0; first <= answer; ++first)
        for (u32 last = answer; last <= n; ++last) {
          auto const at = view.start_between(key, first, last);
          ASSERT_EQ(run(view, at, single_lane{}).slot, answer) << key << " in " << first << " to " << last;
          ASSERT_LE(visits_of(view, at), visits_of(view, view.start(key)));
        }
    }
    auto const near = view.start_between(keys[n / 2], n / 2, n / 2);
    EXPECT_EQ(visits_of(view, near), 1);
  }
}

}  // namespace
}  // namespace warpdex
