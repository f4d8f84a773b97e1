// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/networks/ip_columns.hpp"

#include <fmt/format.h>

#include "base/api_border.hpp"
#include "base/tuning.hpp"
#include "request/expect.hpp"
#include "request/text_of.hpp"

namespace warpdex {
namespace {

constexpr ip_names names_of_texts{"the column of texts", "the validity of the texts"};

template <class T> T element_at(void const* array, std::uint64_t i, execution const& exec) {
  T value;
  backend_of(exec).copy(&value, static_cast<T const*>(array) + i, sizeof(T), exec);
  backend_of(exec).synchronize(exec);
  return value;
}

/// @return a row of networks for messages
std::string text_of(network_source const& source, std::uint64_t row, execution const& exec) {
  address_source const& from = source.from;
  std::string text;
  if (from.type == key_type::bytes) text = text_of(from.texts, row, exec);
  else if (from.type == key_type::u32) text = fmt::format("{}", element_at<std::uint32_t>(from.numbers, row, exec));
  else text = fmt::format("{}", element_at<u128>(from.numbers, row, exec));
  if (source.lengths == nullptr) return text;
  return text + fmt::format("/{}", element_at<std::uint8_t>(source.lengths, row, exec));
}

/// Runs a call that reads texts and writes arrays, in parts.
/// @param read read(texts of the part, its first row, number of its rows, its arrays)
template <class Read>
void read_parts(char const* call, nullable_column const& texts, std::vector<batch_array> const& outputs,
                execution const& exec, Read const& read) {
  expect_known(call, names_of_texts.values, texts.type);
  if (texts.type != key_type::bytes)
    throw invalid_argument(fmt::format("{}: {} is of type {}; texts are of type bytes", call, names_of_texts.values,
                                       to_string(texts.type)));
  expect_possible(call, names_of_texts.values, texts.size);
  staging stage(call, exec);
  if (texts.size == 0) return;
  address_source const all = stage_addresses(texts, names_of_texts, stage);
  std::uint64_t done = 0;
  auto const read_part = [&](void* const* at, std::uint64_t count) {
    read(all.from(done), done, count, at);
    done += count;
  };
  stage.run(texts.size, outputs, tuning::aggregate_part, read_part, true);
}

}  // namespace

void expect_addresses(char const* call, ip_names names, column const& c) {
  expect_known(call, names.values, c.type);
  if (c.type != key_type::bytes && c.type != key_type::u32 && c.type != key_type::u128)
    throw invalid_argument(fmt::format("{}: {} is of type {}; addresses are of type u32, u128 or bytes", call,
                                       names.values, to_string(c.type)));
  expect_possible(call, names.values, c.size);
}

address_source stage_addresses(nullable_column const& from, ip_names names, staging& stage) {
  address_source result{from.type, nullptr, {}, stage.validity(from, names.valid)};
  if (from.type != key_type::bytes)
    result.numbers = stage.input(from.data, from.size, size_of(from.type), names.values);
  else if (from.size != 0) result.texts = stage.reach_strings(from, names.values, true);
  return result;
}

void read_texts(char const* call, address_source const& from, std::uint64_t first, std::uint64_t size, void* to,
                std::uint8_t* flags, execution const& exec) {
  auto const row = steps::find_first(network_steps::is_no_address{from, to, flags}, size, exec);
  if (row)
    throw invalid_argument(
        fmt::format("{}: row {} is {}, which is no address", call, first + *row, text_of(from.texts, *row, exec)));
}

void read_networks(char const* call, network_source const& source, std::uint64_t first, std::uint64_t size,
                   void* addresses, std::uint8_t* lengths, std::uint8_t* flags, execution const& exec) {
  auto const row = steps::find_first(network_steps::is_no_network{source, addresses, lengths, flags}, size, exec);
  if (!row) return;
  auto const why = static_cast<ip_fault>(element_at<std::uint8_t>(lengths, *row, exec));
  char const* const reason = why == ip_fault::address  ? "which is no network"
                             : why == ip_fault::length ? "whose length is not one of its family"
                                                       : "which has bits set beyond its length";
  throw invalid_argument(fmt::format("{}: row {} is {}, {}", call, first + *row, text_of(source, *row, exec), reason));
}

namespace {

/// What a call writes per text.
struct parsed_arrays {
  std::span<u128> addresses;
  std::span<std::uint8_t> const* lengths = nullptr;  ///< null if the texts are addresses
  std::span<std::uint8_t> const* valid = nullptr;    ///< null if all texts must say something
};

void parse(char const* call, nullable_column const& texts, parsed_arrays const& to, bool masks, execution const& exec) {
  run_call(call, exec, [&] {
    char const* const what = to.lengths == nullptr ? "the output" : "the address output";
    expect_size(call, what, to.addresses.size(), texts.size);
    std::vector<batch_array> outputs{{to.addresses.data(), sizeof(u128), what, false, true}};
    auto const add = [&](std::span<std::uint8_t> const* array, char const* name) {
      if (array == nullptr) return;
      expect_size(call, name, array->size(), texts.size);
      outputs.push_back({array->data(), 1, name, false, true});
    };
    add(to.lengths, "the length output");
    add(to.valid, "the validity output");
    auto const read = [&](address_source const& from, std::uint64_t first, std::uint64_t size, void* const* at) {
      auto* const flags = to.valid == nullptr ? nullptr : static_cast<std::uint8_t*>(at[outputs.size() - 1]);
      if (to.lengths == nullptr) return read_texts(call, from, first, size, at[0], flags, exec);
      read_networks(call, {from, nullptr, masks}, first, size, at[0], static_cast<std::uint8_t*>(at[1]), flags, exec);
    };
    read_parts(call, texts, outputs, exec, read);
  });
}

}  // namespace

void parse_addresses(nullable_column const& texts, std::span<u128> out, execution const& exec) {
  parse("parse_addresses", texts, {out}, false, exec);
}

void parse_addresses(nullable_column const& texts, std::span<u128> out, std::span<std::uint8_t> valid,
                     execution const& exec) {
  parse("parse_addresses", texts, {out, nullptr, &valid}, false, exec);
}

void parse_networks(nullable_column const& texts, std::span<u128> addresses, std::span<std::uint8_t> lengths,
                    execution const& exec, host_bits bits) {
  parse("parse_networks", texts, {addresses, &lengths}, bits == host_bits::mask, exec);
}

void parse_networks(nullable_column const& texts, std::span<u128> addresses, std::span<std::uint8_t> lengths,
                    std::span<std::uint8_t> valid, execution const& exec, host_bits bits) {
  parse("parse_networks", texts, {addresses, &lengths, &valid}, bits == host_bits::mask, exec);
}

}  // namespace warpdex
