// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "index/all_answers.hpp"
#include "support/backends.hpp"

/// @file
/// Batches whose probes come in some order: an order changes how a batch runs, never its answers.
namespace warpdex::test {
namespace {

enum class order : std::uint8_t {
  sorted,
  descending,
  nearly_sorted,
  sorted_in_blocks,
  all_equal,
  all_largest,
  largest_at_the_end,
  between_ends,
  mixed
};
std::vector<order> const all_orders = {
    order::sorted,    order::descending,  order::nearly_sorted,      order::sorted_in_blocks,
    order::all_equal, order::all_largest, order::largest_at_the_end, order::between_ends,
    order::mixed};

/// Brings probes into an order.
template <class Key> std::vector<Key> in_order(std::vector<Key> probes, order how) {
  std::mt19937_64 random(11);
  auto const shuffle = [&](std::size_t block) {
    for (std::size_t begin = 0; begin < probes.size(); begin += block)
      std::shuffle(probes.begin() + static_cast<std::ptrdiff_t>(begin),
                   probes.begin() + static_cast<std::ptrdiff_t>(std::min(begin + block, probes.size())), random);
  };
  auto const size = static_cast<std::ptrdiff_t>(probes.size());
  if (how == order::all_equal) std::fill(probes.begin(), probes.end(), probes[0]);
  std::sort(probes.begin(), probes.end());
  switch (how) {
    case order::descending: std::reverse(probes.begin(), probes.end()); break;
    case order::nearly_sorted: shuffle(1024); break;
    case order::sorted_in_blocks: std::rotate(probes.begin(), probes.begin() + size / 3, probes.end()); break;
    case order::all_largest: std::fill(probes.begin(), probes.end(), static_cast<Key>(-1)); break;
    case order::largest_at_the_end: std::fill(probes.begin() + size / 2, probes.end(), static_cast<Key>(-1)); break;
    case order::between_ends:
      for (std::size_t i = 0; i < probes.size(); ++i) probes[i] = i % 2 == 0 ? Key{0} : static_cast<Key>(-1);
      break;
    case order::mixed: std::shuffle(probes.begin() + size / 2, probes.end(), random); break;
    default: break;
  }
  return probes;
}

class orders_of_probes : public testing::TestWithParam<backend_kind> {
 protected:
  template <class Key, class Row>
  void compare(std::string const& structure, spread how, std::size_t keys_count, std::vector<std::size_t> const& sizes,
               std::vector<order> const& orders) {
    bool const on_device = GetParam() == backend_kind::cuda;
    test_stream const stream(GetParam());
    execution const exec(memory_of(GetParam()), stream);
    auto keys = keys_of<Key>(how, keys_count);
    keys.back() = static_cast<Key>(-1);
    std::string const spec = with_rows<Row>(structure);
    place const at = on_device ? place::device : place::host;
    index const plain = index::build(spec + "/reorder=none", std::span(keys), exec);
    std::vector<std::pair<std::string, index>> tried;
    for (char const* const policy : {"", "/reorder=tile"})
      tried.emplace_back(policy, index::build(spec + policy, std::span(keys), exec));
    for (std::size_t const size : sizes)
      for (order const probed : orders) {
        auto const probes = in_order(probes_of(keys, size), probed);
        auto const expected = answers_of<Key, Row>(plain, probes, 0, exec, at);
        for (auto const& [policy, built] : tried) {
          SCOPED_TRACE(spec + policy + ", " + std::to_string(size) + " probes, order " +
                       std::to_string(static_cast<int>(probed)));
          expect_equal(answers_of<Key, Row>(built, probes, size % 4, exec, at), expected);
        }
      }
  }
};

TEST_P(orders_of_probes, around_tiles) {
  std::vector<std::size_t> sizes = {1, 2049};
  std::vector<order> orders = {order::sorted, order::nearly_sorted, order::largest_at_the_end};
  if (GetParam() == backend_kind::cuda) {  // which has tiles
    sizes = {1, 255, 2048, 2049, 3 * 2048 + 1};
    orders = all_orders;
  }
  for (spread const how : {spread::even, spread::repeated}) {
    compare<std::uint32_t, std::uint32_t>("AO+BS", how, 30011, sizes, orders);
    compare<std::uint64_t, std::uint64_t>("AO+PB+BS", how, 30011, sizes, orders);
  }
  compare<std::uint32_t, std::uint64_t>("EO+KS(9)", spread::outliers, 30011, sizes, orders);
  compare<std::uint64_t, std::uint32_t>("B+(16,fill=0.5)", spread::even, 30011, sizes, orders);
  compare<std::uint32_t, std::uint32_t>("AO+BS", spread::even, 3, sizes, orders);
}

TEST_P(orders_of_probes, slow_large_batches) {
  // Large enough that a device looks at the order of the probes.
  bool const on_device = GetParam() == backend_kind::cuda;
  std::vector<std::size_t> const sizes = {on_device ? (std::size_t{1} << 22) + 1 : (std::size_t{1} << 14) + 1};
  std::size_t const keys = on_device ? (std::size_t{1} << 22) + 12347 : (std::size_t{1} << 16) + 12347;
  std::vector<order> const some = {order::sorted, order::nearly_sorted, order::largest_at_the_end, order::mixed};
  compare<std::uint32_t, std::uint32_t>("AO+BS", spread::even, keys, sizes, some);
  compare<std::uint64_t, std::uint32_t>("AO+BS", spread::clustered, keys, sizes, {order::descending});
  compare<std::uint32_t, std::uint64_t>("EO+KS(9)", spread::repeated, keys, sizes, {order::sorted_in_blocks});
  compare<std::uint64_t, std::uint64_t>("B+(16)", spread::even, keys, sizes, {order::sorted});
}

INSTANTIATE_TEST_SUITE_P(all, orders_of_probes, testing::ValuesIn(present_backends()),
                         [](auto const& backend) { return name_of(backend.param); });

}  // namespace
}  // namespace warpdex::test
