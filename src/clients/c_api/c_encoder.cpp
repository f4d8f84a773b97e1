// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/key_encoder.hpp>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "clients/c_api/border.hpp"

/// @file
/// The functions of warpdex.h for keys of tuples.

using namespace warpdex;
using namespace warpdex::c;

struct warpdex_encoder {
  key_encoder value;
};

static_assert(sizeof(warpdex_field) == 16);

namespace {

key_encoder const& encoder_in(char const* call, warpdex_encoder const* from) {
  return expect(call, "the encoder", from).value;
}

std::vector<key_field> fields_of(char const* call, warpdex_field const* fields, std::uint64_t count) {
  detail::expect_array(call, "the array of fields", fields, count);
  std::vector<key_field> result;
  for (warpdex_field const& field : std::span(fields, count))
    result.push_back({chosen(call, "the type of a field", field.type, key_type::bytes), field.descending != 0,
                      field.nullable != 0, field.nulls_last != 0});
  return result;
}

}  // namespace

std::int32_t warpdex_encoder_make(warpdex_field const* fields, std::uint64_t count, warpdex_column const* columns,
                                  warpdex_execution const* exec, warpdex_encoder** made, warpdex_error* error) {
  constexpr auto call = "warpdex_encoder_make";
  return guarded(error, [&] {
    auto of = fields_of(call, fields, count);
    auto& result = expect(call, "the place of the encoder", made);
    if (columns == nullptr) {
      result = new warpdex_encoder{key_encoder(std::move(of))};
      return;
    }
    auto const all = columns_of(call, columns, count);
    place const on(call, exec);
    result = new warpdex_encoder{key_encoder::narrow(std::move(of), all, on)};
  });
}

std::int32_t warpdex_encoder_load(char const* path, warpdex_encoder** loaded, warpdex_error* error) {
  constexpr auto call = "warpdex_encoder_load";
  return guarded(error, [&] {
    expect(call, "the path", path);
    auto& result = expect(call, "the place of the encoder", loaded);
    result = new warpdex_encoder{key_encoder::load(path)};
  });
}

std::int32_t warpdex_encoder_save(warpdex_encoder const* encoder, char const* path, warpdex_error* error) {
  constexpr auto call = "warpdex_encoder_save";
  return guarded(error, [&] {
    expect(call, "the path", path);
    encoder_in(call, encoder).save(path);
  });
}

std::int32_t warpdex_encoder_type(warpdex_encoder const* encoder, std::int32_t* key_type, std::int32_t* narrow,
                                  warpdex_error* error) {
  constexpr auto call = "warpdex_encoder_type";
  return guarded(error, [&] {
    key_encoder const& of = encoder_in(call, encoder);
    if (key_type != nullptr) *key_type = static_cast<std::int32_t>(of.type());
    if (narrow != nullptr) *narrow = of.is_narrow();
  });
}

std::int32_t warpdex_encode(warpdex_encoder const* encoder, warpdex_column const* columns, std::uint64_t count,
                            warpdex_execution const* exec, warpdex_result* keys, warpdex_error* error) {
  constexpr auto call = "warpdex_encode";
  return guarded(error, [&] {
    key_encoder const& by = encoder_in(call, encoder);
    auto const all = columns_of(call, columns, count);
    auto& to = expect(call, "the result", keys);
    place const on(call, exec);
    hand_over_keys(to, by.encode(all, on), on.device());
  });
}

std::int32_t warpdex_decode(warpdex_encoder const* encoder, warpdex_column const* keys, std::uint64_t count,
                            warpdex_execution const* exec, warpdex_result* columns, warpdex_result* validity,
                            warpdex_error* error) {
  constexpr auto call = "warpdex_decode";
  return guarded(error, [&] {
    key_encoder const& by = encoder_in(call, encoder);
    if (count != by.fields().size())
      throw invalid_argument(std::string(call) + ": " + std::to_string(count) + " results for " +
                             std::to_string(by.fields().size()) + " fields");
    detail::expect_array(call, "the array of results", columns, count);
    column const from = valid_keys_of(call, "the key column", keys);
    place const on(call, exec);
    auto decoded = by.decode(from, on);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (validity != nullptr) {
        auto const bits = std::make_shared<buffer>(std::move(decoded[i].validity));
        hand_over(validity[i], {bits->data(), bits->bytes(), WARPDEX_U8}, {}, on.device(), bits);
      }
      hand_over_keys(columns[i], std::move(decoded[i].values), on.device());
    }
  });
}

std::int32_t warpdex_encode_leading(warpdex_encoder const* encoder, warpdex_column const* columns, std::uint64_t count,
                                    std::int32_t last_open, warpdex_execution const* exec, warpdex_result* lower,
                                    warpdex_result* upper, warpdex_error* error) {
  constexpr auto call = "warpdex_encode_leading";
  return guarded(error, [&] {
    key_encoder const& by = encoder_in(call, encoder);
    auto const all = columns_of(call, columns, count);
    auto &first = expect(call, "the result of lower bounds", lower),
         &second = expect(call, "the result of upper bounds", upper);
    place const on(call, exec);
    key_bounds found = by.leading(all, last_open != 0, on);
    hand_over_keys(first, std::move(found.lower), on.device());
    if (by.type() == key_type::bytes) second = {};
    else hand_over_keys(second, std::move(found.upper), on.device());
  });
}

std::int32_t warpdex_encode_points(warpdex_encoder const* encoder, warpdex_column const* columns, std::uint64_t count,
                                   warpdex_execution const* exec, warpdex_result* keys, warpdex_error* error) {
  constexpr auto call = "warpdex_encode_points";
  return guarded(error, [&] {
    key_encoder const& by = encoder_in(call, encoder);
    auto const all = columns_of(call, columns, count);
    auto& to = expect(call, "the result", keys);
    place const on(call, exec);
    auto const held = std::make_shared<placed_points>(by.points(all, on));
    hand_over(to, {held->places.data(), held->size, WARPDEX_U64},
              {held->validity.data(), held->validity.bytes(), WARPDEX_U8}, on.device(), held);
  });
}

std::int32_t warpdex_encode_ranges(warpdex_encoder const* encoder, warpdex_column const* leading, std::uint64_t count,
                                   warpdex_probes const* last, warpdex_execution const* exec, warpdex_result* ranges,
                                   warpdex_error* error) {
  constexpr auto call = "warpdex_encode_ranges";
  return guarded(error, [&] {
    key_encoder const& by = encoder_in(call, encoder);
    auto const all = columns_of(call, leading, count);
    key_ranges const bounds = ranges_of(call, expect(call, "the ranges", last), true);
    auto& to = expect(call, "the result", ranges);
    place const on(call, exec);
    auto const held = std::make_shared<placed_ranges>(by.ranges(all, bounds, on));
    hand_over(to, {held->lower.data(), held->size, WARPDEX_U64}, {held->upper.data(), held->size, WARPDEX_U64},
              on.device(), held);
  });
}

void warpdex_encoder_free(warpdex_encoder* encoder) { delete encoder; }
