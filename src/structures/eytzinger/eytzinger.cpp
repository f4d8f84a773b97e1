// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/eytzinger/eytzinger.hpp"

namespace warpdex {
namespace {

std::unique_ptr<plan> resolve_binary(spec const& s, index_shape const& shape) {
  auto choice = read_flat_choice(s, shape, {});
  choice.fanout = 2;
  choice.run = read_policy(s, {choice.fanout - 1});
  return std::make_unique<flat_plan<eytzinger_family>>(flat_spec_text("EO+BS", choice, shape), shape, choice);
}

std::unique_ptr<plan> resolve_k_ary(spec const& s, index_shape const& shape) {
  auto choice = read_flat_choice(s, shape, {""});
  choice.fanout = read_fanout(s);
  choice.run = read_policy(s, {choice.fanout - 1});
  std::string const text = "EO+KS(" + std::to_string(choice.fanout) + ")";
  return std::make_unique<flat_plan<eytzinger_family>>(flat_spec_text(text, choice, shape), shape, choice);
}

}  // namespace

std::vector<structure_record> eytzinger_records() {
  return {
      {.info = {.name = "EO+BS",
                .summary = "pairs in Eytzinger order: no extra bytes, fast points while the index fits the cache",
                .source = "paper 000, section 3.2",
                .samples = {"EO+BS"}},
       .resolve = resolve_binary},
      {.info = {.name = "EO+KS",
                .summary = "pairs in K-ary Eytzinger order: no extra bytes, the fastest points of the family beyond "
                           "the cache",
                .arguments = "(K) with K one of 2, 3, 5, 9, 17, 33",
                .source = "paper 000, sections 3.4 and 3.5",
                .samples = {"EO+KS(2)", "EO+KS(3)", "EO+KS(5)", "EO+KS(9)", "EO+KS(17)", "EO+KS(33)"}},
       .resolve = resolve_k_ary}};
}

}  // namespace warpdex
