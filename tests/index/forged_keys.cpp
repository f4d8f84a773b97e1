// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/backends.hpp"
#include "support/damage.hpp"

#include <warpdex/search/codec.hpp>

#include <gtest/gtest.h>

#include <limits>

/// @file
/// Files of float indexes with numbers that are the code of no float. They are made as files of unsigned keys whose
/// header then names another key type.
namespace warpdex::test {
namespace {

class forged_keys : public testing::TestWithParam<std::string> {
 protected:
  /// @return whether loading accepts an index of floats with these codes
  template <class Float> bool is_accepted(std::vector<code_of<Float>> const& codes) {
    auto const path = folder_ / "unsigned.wdx";
    index::build(GetParam(), std::span(codes), exec_).save(path);
    auto const file = io::file::open(path, true);
    io::header head = file.head();
    head.keys = detail::key_type_of<Float>();
    std::vector<io::section> sections;
    for (auto const& name : file.names()) sections.push_back({name, file.bytes(name).data(), file.bytes(name).size()});
    auto const forged = folder_ / "forged.wdx";
    io::write(forged, head, sections);
    try {
      index::load(forged, exec_);
      return true;
    } catch (format_error const&) {
      return false;
    }
  }

  template <class Float> void expect_only_codes() {
    using code = code_of<Float>;
    using limits = std::numeric_limits<Float>;
    std::vector<code> honest;
    for (Float const key : {Float{0}, Float{1}, Float{-1}, limits::infinity(), -limits::infinity(), limits::quiet_NaN(),
                            limits::denorm_min(), limits::max(), limits::lowest()})
      honest.push_back(encode(key));
    EXPECT_TRUE(is_accepted<Float>(honest));
    EXPECT_TRUE(is_accepted<Float>({encode(limits::quiet_NaN())}));
    code const negative_zero = encode(Float{0}) - 1;
    code const other_nan = encode(limits::infinity()) + 1;
    code const last_but_one_nan = encode(limits::quiet_NaN()) - 1;
    code const below_all = encode(-limits::infinity()) - 1;
    for (code const wrong : {negative_zero, other_nan, last_but_one_nan, below_all, code{0}}) {
      EXPECT_FALSE(is_accepted<Float>({wrong})) << wrong;
      std::vector<code> mixed = honest;
      mixed.push_back(wrong);
      EXPECT_FALSE(is_accepted<Float>(mixed)) << wrong;
    }
  }

  folder folder_;
  execution exec_{host_memory(), {}, 1};
};

TEST_P(forged_keys, of_32_bits) { expect_only_codes<float>(); }
TEST_P(forged_keys, of_64_bits) { expect_only_codes<double>(); }

INSTANTIATE_TEST_SUITE_P(all, forged_keys, testing::ValuesIn(all_samples()),
                         [](auto const& parameter) { return test_name(parameter.param); });

}  // namespace
}  // namespace warpdex::test
