// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"
#include "support/sanitizers.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <warpdex/join.hpp>
#include <warpdex/mapped_column.hpp>
#include <warpdex/search/ordered.hpp>
#include <warpdex/search/sorted_array.hpp>

#include <algorithm>
#include <fstream>
#include <random>

#include "request/batches.hpp"

/// @file
/// Indexes over sorted columns that stay where they are: in the memory of the index, or on the host for a device.
namespace warpdex::test {
namespace {

/// Where the column of an index is.
enum class home : std::uint8_t { host, device, pinned };

memory_resource& memory_of(home where) {
  return where == home::host ? host_memory() : where == home::device ? device_memory() : warpdex::pinned_memory();
}

/// The backend of an index, and the home of its column.
struct site {
  backend_kind backend;
  home column;
};

std::vector<site> present_sites() {
  std::vector<site> sites;
  for (backend_kind const backend : present_backends()) {
    if (backend == backend_kind::cpu) sites.push_back({backend, home::host});
    else sites.insert(sites.end(), {{backend, home::device}, {backend, home::pinned}});
  }
  return sites;
}

std::string site_name(testing::TestParamInfo<site> const& parameter) {
  auto const [backend, column] = parameter.param;
  return name_of(backend) + (column == home::pinned ? "_with_keys_on_the_host" : "");
}

enum class spread : std::uint8_t { even, clustered, repeated, equal, single, none };
constexpr spread spreads[] = {spread::even,  spread::clustered, spread::repeated,
                              spread::equal, spread::single,    spread::none};

template <class Key> std::vector<Key> sorted_keys_of(spread how, std::size_t size) {
  std::mt19937_64 random(11);
  if (how == spread::equal) size = 300;
  if (how == spread::single) size = 1;
  if (how == spread::none) size = 0;
  std::vector<Key> keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    auto const any = static_cast<Key>(random());
    keys[i] = how == spread::equal ? Key{77} : how == spread::clustered ? any >> any % 25 : any;
    if (how == spread::repeated) keys[i] = static_cast<Key>(any % (size / 5));
  }
  if (how == spread::even && size > 2) {
    keys[0] = 0;
    keys[1] = static_cast<Key>(-1);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// Keys of the index, their neighbours, and others; in any order, or near those before them.
template <class Key> std::vector<Key> probes_of(std::vector<Key> const& keys, std::size_t size, bool near_each_other) {
  std::mt19937_64 random(12);
  std::vector<Key> probes(size);
  for (std::size_t i = 0; i < size; ++i) {
    auto const any = static_cast<Key>(random());
    probes[i] = i % 5 == 4 || keys.empty() ? any : static_cast<Key>(keys[random() % keys.size()] + i % 3 - 1);
  }
  probes[0] = static_cast<Key>(-1);
  probes[1] = 0;
  if (!near_each_other) return probes;
  std::sort(probes.begin(), probes.end());
  for (std::size_t i = 1; i < size; i += 3) std::swap(probes[i - 1], probes[i]);
  return probes;
}

/// A copy of keys in the memory of a home.
template <class Key> class homed_column {
 public:
  homed_column(std::vector<Key> const& keys, home where)
      : size_(keys.size()), memory_(keys.size() * sizeof(Key), execution(memory_of(where))) {
    if (size_ != 0) copy(memory_.data(), keys.data(), memory_.bytes(), execution(memory_of(where)));
  }
  column keys() const { return std::span<Key const>(memory_.template as<Key>(), size_); }
  void write(std::size_t i, Key key) { copy(memory_.template as<Key>() + i, &key, sizeof(Key), execution()); }

 private:
  std::size_t size_;
  buffer memory_;
};

class over_sorted : public testing::TestWithParam<site> {
 protected:
  test_stream const stream_{GetParam().backend};
  execution const exec_{test::memory_of(GetParam().backend), stream_};

  template <class Key> homed_column<Key> put(std::vector<Key> const& keys) const { return {keys, GetParam().column}; }

  /// Asks both indexes everything.
  template <class Key>
  void expect_equal(index const& found, index const& expected, std::vector<Key> const& keys, std::size_t batch) const {
    auto const near_ones = probes_of(keys, batch, true);
    for (auto const& q : all_questions(near_ones, true))
      EXPECT_TRUE(q.ask(found, exec_) == q.ask(expected, exec_)) << q.name << " of near probes";
    auto const probes = probes_of(keys, batch, false);
    for (auto const& q : all_questions(probes, true)) {
      if (q.name == "range_retrieve") continue;  // long ranges
      if (q.name == "range_sum" && batch > 5000) continue;
      EXPECT_TRUE(q.ask(found, exec_) == q.ask(expected, exec_)) << q.name;
    }
    if (found.row_type() == row_type::u32) expect_any_order<std::uint32_t>(found, expected, probes);
    else expect_any_order<std::uint64_t>(found, expected, probes);
  }

 private:
  template <class Row, class Key>
  void expect_any_order(index const& found, index const& expected, std::vector<Key> const& probes) const {
    std::vector<std::uint32_t> positions(probes.size());
    std::vector<Row> rows(probes.size());
    std::vector<Row> in_order(probes.size());
    found.find_unordered(std::span(probes), std::span(positions), std::span(rows), exec_);
    expected.find(std::span(probes), std::span(in_order), exec_);
    for (std::size_t j = 0; j < rows.size(); ++j) {
      ASSERT_LT(positions[j], probes.size());
      ASSERT_EQ(rows[j], in_order[positions[j]]) << "probe " << positions[j];
      in_order[positions[j]] = no_row<Row> - 1;  // occurs once
    }
  }
};

constexpr char const* specs[] = {"AO+BS",
                                 "AO+IS",
                                 "AO+PB+BS",
                                 "AO+PB+BS(levels=3)",
                                 "AO+PB+KS(17)",
                                 "AO+PB+KS(2,levels=0)",
                                 "PGM(8)",
                                 "RS(eps=8)",
                                 "GRT(leaf=8)",
                                 "cgRX(bucket=4)",
                                 "RX"};

TEST_P(over_sorted, slow_answers_as_an_index_that_is_built) {
  auto const compare = [&]<class Key>(char const* rows, spread how) {
    auto const keys = sorted_keys_of<Key>(how, 8011);
    auto const column = put(keys);
    for (std::string const structure : specs)
      for (char const* const reorder : {"none", "window"})
        for (std::size_t const batch : {50u, 3000u}) {
          std::string const text = structure + "/rows=" + rows + "/reorder=" + reorder;
          SCOPED_TRACE(testing::Message() << text << ", " << 8 * sizeof(Key) << "-bit keys, spread "
                                          << static_cast<int>(how) << ", " << batch << " probes");
          index const built = index::build(text, std::span(keys), exec_);
          index const borrowing = index::over_sorted(text, column.keys(), exec_);
          ASSERT_EQ(borrowing.spec_text(), built.spec_text());
          expect_equal(borrowing, built, keys, batch);
          borrowing.verify(exec_);
        }
  };
  for (spread const how : spreads) {
    compare.operator()<std::uint32_t>("u32", how);
    compare.operator()<std::uint64_t>("u64", how);
  }
  compare.operator()<std::uint32_t>("u64", spread::repeated);
  compare.operator()<std::uint64_t>("u32", spread::repeated);
}

/// Two levels of window buckets, and batches that a device searches by loading buckets or, if the keys are on the
/// host, without them.
TEST_P(over_sorted, slow_large_batches) {
  auto const keys = sorted_keys_of<std::uint64_t>(spread::repeated, (std::size_t{1} << 22) + 12347);
  auto const column = put(keys);
  std::vector<std::size_t> batches{300001};
  if (GetParam().column == home::pinned) batches.push_back(100001);
  for (char const* const text : {"AO+PB+KS(17)/reorder=window", "RS(eps=8)"})
    for (std::size_t const batch : batches) {
      SCOPED_TRACE(testing::Message() << text << ", " << batch << " probes");
      index const built = index::build(text, std::span(keys), exec_);
      index const borrowing = index::over_sorted(text, column.keys(), exec_);
      expect_equal(borrowing, built, keys, batch);
    }
}

/// The pass that checks the order finds equal neighbours too, so that joins need not read the column for them.
TEST_P(over_sorted, knows_whether_keys_repeat) {
  auto keys = sorted_keys_of<std::uint64_t>(spread::even, 70001);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  auto const known = [&] {
    auto const column = put(keys);
    return structure_of(index::over_sorted("AO+BS", column.keys(), exec_), "test").known_repeats();
  };
  EXPECT_EQ(known(), std::optional(false));
  keys[1] = keys[0];
  EXPECT_EQ(known(), std::optional(true));
  keys[1] = keys[0] + 1;
  EXPECT_EQ(known(), std::optional(false));
  keys.back() = keys[keys.size() - 2];
  EXPECT_EQ(known(), std::optional(true));
  keys.resize(1);
  EXPECT_EQ(known(), std::optional(false));
}

TEST_P(over_sorted, lane_groups) {
  auto const keys = sorted_keys_of<std::uint64_t>(spread::repeated, 20011);
  auto const column = put(keys);
  for (char const* const structure : {"AO+PB+KS(17)/lanes=16", "AO+PB+KS(17)/lanes=1", "AO+PB+KS(17)/pin=full"})
    expect_equal(index::over_sorted(structure, column.keys(), exec_), index::build("AO+BS", std::span(keys), exec_),
                 keys, 5000);
}

TEST_P(over_sorted, borrows_its_keys) {
  auto const keys = sorted_keys_of<std::uint64_t>(spread::even, 20011);
  auto const column = put(keys);
  index const i = index::over_sorted("AO+PB+KS(17)", column.keys(), exec_);
  auto const memory = i.memory();
  EXPECT_EQ(memory.borrowed, keys.size() * sizeof(std::uint64_t));
  EXPECT_EQ(memory.remote, GetParam().column == home::pinned);
  EXPECT_EQ(memory.pairs, 0u);
  EXPECT_GT(memory.auxiliary, memory.borrowed / 17);
  EXPECT_LT(memory.total(), memory.borrowed / 8);
  index const plain = index::build("AO+PB+KS(17)", std::span(keys), exec_);
  EXPECT_EQ(plain.memory().borrowed, 0u);
  EXPECT_FALSE(plain.memory().remote);
}

TEST_P(over_sorted, damage_of_the_column_is_found) {
  auto const keys = sorted_keys_of<std::uint32_t>(spread::even, 5000);
  for (char const* const structure : {"AO+BS", "AO+PB+KS(17)", "PGM(8)", "RS(eps=8)"}) {
    auto column = put(keys);
    index const i = index::over_sorted(structure, column.keys(), exec_);
    i.verify(exec_);
    column.write(4000, keys[3999] - 1);
    EXPECT_TRUE(throws<format_error>([&] { i.verify(exec_); }, "damaged index")) << structure;
  }
}

TEST_P(over_sorted, the_first_key_out_of_order_is_named) {
  auto keys = sorted_keys_of<std::uint64_t>(spread::even, 70001);
  auto const refused = [&](std::string const& position) {
    auto const column = put(keys);
    return throws<invalid_argument>([&] { (void)index::over_sorted("AO+BS", column.keys(), exec_); },
                                    "the key column is not sorted: key number " + position + " is less");
  };
  keys[70000] = 5;
  EXPECT_TRUE(refused("70000"));
  keys[40000] = 5;
  EXPECT_TRUE(refused("40000"));
  std::swap(keys[0], keys[1]);
  EXPECT_TRUE(refused("1"));
}

TEST_P(over_sorted, refuses_what_it_cannot_search_in_place) {
  auto const keys = sorted_keys_of<std::uint64_t>(spread::even, 1000);
  auto const column = put(keys);
  auto const in_place = [](std::string const& name) {
    return name == "AO+BS" || name == "AO+IS" || name == "AO+PB+BS" || name == "AO+PB+KS" || name == "PGM" ||
           name == "RS" || name == "GRT" || name == "cgRX" || name == "RX";
  };
  auto const over = [&](std::string const& text) { (void)index::over_sorted(text, column.keys(), exec_); };
  std::string offered;
  for (structure_info const& info : structures())
    if (in_place(info.name)) offered += (offered.empty() ? "in SoA: " : ", ") + info.name;
  for (structure_info const& info : structures()) {
    if (info.chooses) continue;
    EXPECT_EQ(info.borrows, in_place(info.name)) << info.name;
    for (std::string const& sample : info.samples) {
      if (in_place(info.name)) {
        EXPECT_NO_THROW(over(sample)) << sample;
        if (is_compiled(sample + "/layout=AoS")) {
          EXPECT_TRUE(throws<unsupported>([&] { over(sample + "/layout=AoS"); }, "over_sorted", info.name, offered));
        } else {
          EXPECT_TRUE(throws<spec_error>([&] { over(sample + "/layout=AoS"); }, "WARPDEX_RESEARCH=aos"));
        }
      } else {
        EXPECT_TRUE(throws<unsupported>([&] { over(sample); }, "over_sorted", info.name, offered)) << sample;
      }
    }
  }
  for (key_type const type : {key_type::u128, key_type::bytes})
    EXPECT_TRUE(throws<unsupported>(
        [&] {
          (void)index::over_sorted("AO+BS", {column.keys().data, 10, type}, exec_);
        },
        "of type " + std::string(to_string(type)), "at most 8 bytes"));
  auto const* const second = static_cast<std::uint64_t const*>(column.keys().data) + 1;
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        (void)index::over_sorted("AO+BS", {second, 10, key_type::u64}, exec_);
      },
      "not aligned to 16 bytes"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        (void)index::over_sorted("AO+BS", {nullptr, 10, key_type::u64}, exec_);
      },
      "null pointer"));
  EXPECT_TRUE(throws<spec_error>([&] { over("AO+BX"); }));
}

TEST_P(over_sorted, refuses_updates_and_save) {
  folder const files;
  for (std::size_t const size : {0u, 100u}) {
    auto const keys = sorted_keys_of<std::uint32_t>(spread::even, size);
    auto const column = put(keys);
    index i = index::over_sorted("AO+BS", column.keys(), exec_);
    std::vector<std::uint32_t> const more = {3, 4};
    std::span const some(more);
    auto const refused = [&](auto const& call) { return throws<unsupported>(call, "AO+BS", "borrows", "over_sorted"); };
    EXPECT_TRUE(refused([&] { i.insert(some, some, exec_); }));
    EXPECT_TRUE(refused([&] { i.erase(some, exec_); }));
    EXPECT_TRUE(refused([&] { i.update(some, some, some, exec_); }));
    EXPECT_TRUE(refused([&] { i.insert_or_assign(some, some, exec_); }));
    EXPECT_TRUE(refused([&] { i.save(files / "index.wdx"); }));
    EXPECT_EQ(i.size(), size);
  }
  EXPECT_EQ(files.files(), 0u);
}

TEST_P(over_sorted, refuses_memory_out_of_reach) {
  auto const keys = sorted_keys_of<std::uint64_t>(spread::even, 1000);
  if (GetParam().backend == backend_kind::cpu) {
    if (present_backends().back() != backend_kind::cuda) GTEST_SKIP() << "no device";
    homed_column<std::uint64_t> const column(keys, home::device);
    EXPECT_TRUE(
        throws<invalid_argument>([&] { (void)index::over_sorted("AO+BS", column.keys(), exec_); }, "on device"));
  } else {
    homed_column<std::uint64_t> const column(keys, home::host);
    EXPECT_TRUE(throws<invalid_argument>([&] { (void)index::over_sorted("AO+BS", column.keys(), exec_); },
                                         "not page-locked", "pinned_memory()"));
  }
}

TEST_P(over_sorted, a_file_of_keys) {
  folder const files;
  auto const keys = sorted_keys_of<std::uint64_t>(spread::clustered, 20011);
  auto const path = files / "keys.u64";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<char const*>(keys.data()),
             static_cast<std::streamsize>(keys.size() * sizeof(std::uint64_t)));
  mapped_column first(path, key_type::u64, GetParam().backend);
  mapped_column const column = std::move(first);
  EXPECT_EQ(column.keys().size, keys.size());
  EXPECT_EQ(column.keys().type, key_type::u64);
  index const i = index::over_sorted("RS(eps=8)", column.keys(), exec_);
  EXPECT_EQ(i.memory().remote, GetParam().backend == backend_kind::cuda);
  expect_equal(i, index::build("AO+BS", std::span(keys), exec_), keys, 5000);

  auto const map = [&](char const* name, key_type type) { mapped_column(files / name, type, GetParam().backend); };
  std::ofstream(files / "empty");
  mapped_column const empty(files / "empty", key_type::u32, GetParam().backend);
  EXPECT_EQ(empty.keys().size, 0u);
  EXPECT_EQ(index::over_sorted("AO+BS", empty.keys(), exec_).size(), 0u);
  std::ofstream(files / "odd") << "12345";
  EXPECT_TRUE(throws<format_error>([&] { map("odd", key_type::u32); }, "odd: 5 bytes", "keys of 4 bytes"));
  EXPECT_TRUE(throws<io_error>([&] { map("absent", key_type::u32); }, "absent: cannot open"));
  EXPECT_TRUE(throws<io_error>([&] { map(".", key_type::u32); }, "Is a directory"));
  ASSERT_EQ(::mkfifo((files / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(throws<io_error>([&] { map("pipe", key_type::u32); }, "pipe: cannot read: not a regular file"));
  EXPECT_TRUE(throws<invalid_argument>([&] { map("empty", static_cast<key_type>(99)); }, "no key type"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] { mapped_column(files / "empty", key_type::u32, static_cast<backend_kind>(9)); }, "backend number 9"));
}

/// Reads of what a file has lost would end the process.
TEST_P(over_sorted, a_file_of_keys_that_shrinks) {
  folder const files;
  auto const keys = sorted_keys_of<std::uint64_t>(spread::even, 20011);
  auto const path = files / "keys.u64";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<char const*>(keys.data()),
             static_cast<std::streamsize>(keys.size() * sizeof(std::uint64_t)));
  mapped_column const column(path, key_type::u64, GetParam().backend);
  index const i = index::over_sorted("AO+BS", column, exec_);
  std::vector<std::uint64_t> out(keys.size());
  i.lower_bound(std::span(keys), std::span(out), exec_);
  std::filesystem::resize_file(path, 8 * 11);
  auto const refused = [&](auto const& call) {
    return throws<io_error>(call, "keys.u64", "has shrunk from 160088 to 88 bytes");
  };
  for (auto const& q : all_questions(keys, true)) EXPECT_TRUE(refused([&] { q.ask(i, exec_); })) << q.name;
  EXPECT_TRUE(refused([&] { join(i, std::span(keys), join_kind::inner, exec_); }));
  EXPECT_TRUE(refused([&] { i.verify(exec_); }));
  EXPECT_TRUE(refused([&] { i.keys_at(std::span(out).first(3), exec_); }));
  EXPECT_EQ(i.size(), keys.size());
}

INSTANTIATE_TEST_SUITE_P(all, over_sorted, testing::ValuesIn(present_sites()), site_name);

TEST(over_sorted_file, an_index_file_that_shrinks) {
  folder const files;
  auto const keys = sorted_keys_of<std::uint64_t>(spread::even, 20011);
  auto const path = files / "i.wdx";
  for (char const* const text : {"AO+BS", "HT(open)"}) {
    index::build(text, std::span(keys), execution()).save(path);
    index mapped = index::load(path, execution(), true);
    std::filesystem::resize_file(path, 4096);
    auto const refused = [&](auto const& call) {
      return throws<io_error>(call, "i.wdx", "has shrunk from", "to 4096 bytes");
    };
    for (auto const& q : all_questions(keys, mapped.ordered()))
      EXPECT_TRUE(refused([&] { q.ask(mapped, execution()); })) << text << ", " << q.name;
    EXPECT_TRUE(refused([&] { mapped.verify(execution()); }));
    EXPECT_TRUE(refused([&] { mapped.clone(execution()); }));
    std::vector<std::uint32_t> const rows(3, 5);
    EXPECT_TRUE(refused([&] { mapped.insert(std::span(keys).first(3), std::span(rows), execution()); }));
  }
}

TEST(over_sorted_view, rows_are_slots) {
  std::vector<std::uint32_t> const keys = {2, 3, 5, 7};
  alignas(16) std::uint32_t aligned[4];
  std::copy(keys.begin(), keys.end(), aligned);
  index const i = index::over_sorted("AO+BS", std::span<std::uint32_t const>(aligned), execution());
  auto const view = i.view<sorted_array<soa_pairs<std::uint32_t, std::uint32_t>>>();
  EXPECT_EQ(view.pairs.row(3), 3u);
  EXPECT_EQ(view.pairs.row(find(view, 5u)), 2u);
}

/// Zeros that take no memory, and a few keys after them.
TEST(over_sorted_column, of_more_than_2_to_the_32_keys) {
  if constexpr (under_sanitizer) GTEST_SKIP() << "takes long";
  constexpr std::uint64_t zeros = std::uint64_t{1} << 32;
  constexpr std::size_t bytes = (zeros + 1024) * sizeof(std::uint32_t);
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no address space";
  ::madvise(memory, bytes, MADV_HUGEPAGE);
  auto* const keys = static_cast<std::uint32_t*>(memory);
  for (unsigned i = 0; i < 1024; ++i) keys[zeros + i] = i + 1;
  {
    execution const exec;
    index const i = index::over_sorted("AO+PB+BS(levels=3)", std::span<std::uint32_t const>(keys, zeros + 1024), exec);
    EXPECT_EQ(i.row_type(), row_type::u64);
    std::vector<std::uint32_t> const probes = {0, 1, 1024, 1025};
    std::vector<std::uint64_t> out(probes.size());
    i.find(std::span(probes), std::span(out), exec);
    EXPECT_EQ(out, (std::vector<std::uint64_t>{0, zeros, zeros + 1023, no_row<std::uint64_t>}));
    i.count(std::span(probes), std::span(out), exec);
    EXPECT_EQ(out, (std::vector<std::uint64_t>{zeros, 1, 1, 0}));
    i.range_sum({std::span(probes).first(1), std::span(probes).first(1)}, std::span(out).first(1), exec);
    EXPECT_EQ(out[0], (zeros / 2) * (zeros - 1));
  }
  ::munmap(memory, bytes);
}

TEST(pinned_memory, is_within_reach_of_host_and_device) {
  if (!built_with_cuda()) {
    EXPECT_TRUE(throws<unsupported>([] { (void)warpdex::pinned_memory(); }, "no CUDA backend"));
    folder const files;
    std::ofstream(files / "keys") << "1234";
    EXPECT_TRUE(
        throws<unsupported>([&] { mapped_column(files / "keys", key_type::u32, backend_kind::cuda); }, "no CUDA"));
    return;
  }
  if (devices().empty()) GTEST_SKIP() << "no device";
  execution const exec(warpdex::pinned_memory());
  EXPECT_EQ(warpdex::pinned_memory().backend(), backend_kind::cpu);
  std::vector<std::uint32_t> const numbers = {1, 2, 3};
  buffer const locked(12, exec);
  buffer const on_device(12, execution(device_memory()));
  copy(on_device.data(), numbers.data(), 12, execution(device_memory()));
  copy(locked.data(), on_device.data(), 12, execution(device_memory()));
  EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), locked.as<std::uint32_t>()));
  EXPECT_TRUE(throws<out_of_memory>([&] { buffer(std::size_t{1} << 46, exec); }, "cannot lock 70368744177664 bytes",
                                    "bytes free", "ulimit -l"));
}

}  // namespace
}  // namespace warpdex::test
