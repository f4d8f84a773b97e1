// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <warpdex/error.hpp>
#include <warpdex/search/mix.hpp>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "backend/backend.hpp"
#include "backend/cuda/byte_sort.cuh"
#include "backend/cuda/cub_calls.cuh"
#include "backend/cuda/cuda_loops.cuh"
#include "backend/cuda/cuda_merge.cuh"
#include "backend/cuda/host/streams.hpp"
#include "backend/cuda/row_ids.cuh"
#include "backend/cuda/tuning.hpp"
#include "backend/loop_backend.hpp"
#include "base/stopwatch.hpp"

namespace warpdex {
namespace {

template <class Bits> struct encode_keys {
  key_codec codec;
  bool mixes;
  std::uint64_t seed;
  Bits const* from;
  Bits* to;
  WDX_HD Bits read(std::uint64_t i) const { return from[i]; }
  WDX_HD void operator()(std::uint64_t i, Bits read) const {
    Bits const key = encode(codec, read);
    to[i] = mixes ? mix(key, seed) : key;
  }
};

struct larger {
  template <class Number> WDX_HD Number operator()(Number a, Number b) const { return a < b ? b : a; }
};

/// Stable sort of (first, second) pairs by the bits of `first` in [begin_bit, end_bit), into new arrays.
template <class First, class Second>
std::pair<buffer, buffer> sort_by(First const* first, Second const* second, std::uint64_t n, execution const& exec,
                                  int begin_bit = 0, int end_bit = sizeof(First) * 8) {
  buffer sorted_first(n * sizeof(First), exec);
  buffer sorted_second(n * sizeof(Second), exec);
  cuda::with_scratch_for(n, exec, [&](void* scratch, std::size_t& bytes, auto size) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, first, sorted_first.as<First>(), second,
                                           sorted_second.as<Second>(), size, begin_bit, end_bit, exec.stream.get());
  });
  return {std::move(sorted_first), std::move(sorted_second)};
}

/// Sorts pairs by hash. Hashes of 16 bytes hardly ever share their upper half, so they are sorted by that half first,
/// which takes half the passes. Only if this leaves some out of order, they are sorted by all bits.
template <class Key, class Row>
std::pair<buffer, buffer> sort_by_hash(Key const* hashes, Row const* rows, std::uint64_t n, execution const& exec) {
  if constexpr (sizeof(Key) == 16) {
    auto sorted = sort_by(hashes, rows, n, exec, 64);
    if (cuda_loops::count_if(exec, n - 1, detail::descends<Key>{sorted.first.template as<Key>()}) == 0) return sorted;
  }
  return sort_by(hashes, rows, n, exec);
}

/// Whether a pair comes after the next one, by some bits of the keys and then by the rows.
template <class Key, class Row> struct pair_descends {
  Key const* keys;
  Row const* rows;
  Key bits;
  WDX_HD bool operator()(std::uint64_t i) const {
    Key const here = keys[i] & bits;
    Key const next = keys[i + 1] & bits;
    return next < here || (next == here && rows[i + 1] < rows[i]);
  }
};

/// @return whether pairs need no sort by some bits of their keys. Those in no order show it at their beginning, so that
/// the look costs them little
template <class Key, class Row>
bool in_order(Key const* keys, Row const* rows, std::uint64_t n, execution const& exec,
              Key bits = static_cast<Key>(-1)) {
  constexpr std::uint64_t few = cuda::tuning::order_sample;
  auto const descents = [&](std::uint64_t size) {
    return cuda_loops::count_if(exec, size - 1, pair_descends<Key, Row>{keys, rows, bits});
  };
  return (n <= few || descents(few) == 0) && descents(n) == 0;
}

template <class T> buffer copy_of(T const* from, std::uint64_t n, execution const& exec) {
  buffer result(n * sizeof(T), exec);
  WDX_CUDA_TRY(cudaMemcpyAsync(result.data(), from, result.bytes(), cudaMemcpyDeviceToDevice, exec.stream.get()));
  return result;
}

template <class Key, class Row>
timed_pairs sort_typed(column keys, std::optional<row_column> const& rows, std::optional<std::uint64_t> seed,
                       known_bits bits, execution const& exec) {
  std::uint64_t const n = keys.size;
  int const end = bits.end == 0 ? static_cast<int>(sizeof(Key) * 8) : bits.end;
  timed_pairs result;
  sorted_pairs& sorted = result.pairs;
  sorted.size = n;
  sorted.seed = seed;
  if (n == 0) return result;
  stopwatch watch;
  auto const drain = [&] { WDX_CUDA_TRY(cudaStreamSynchronize(exec.stream.get())); };

  key_codec const codec = codec_of(keys.type);
  auto const* key_data = static_cast<Key const*>(keys.data);
  buffer encoded;
  if (codec != key_codec::identity || seed) {
    encoded = buffer(n * sizeof(Key), exec);
    cuda_loops::for_each(exec, n,
                         encode_keys<Key>{codec, seed.has_value(), seed.value_or(0), key_data, encoded.as<Key>()});
    key_data = encoded.as<Key>();
  }

  Row const* row_data = nullptr;
  buffer numbers;
  bool rows_ascend = true;
  if (rows) {
    row_data = static_cast<Row const*>(rows->data);
    cuda::expect_rows(row_data, n, exec);
    rows_ascend = cuda_loops::count_if(exec, n - 1, detail::descends<Row>{row_data}) == 0;
  } else {
    numbers = buffer(n * sizeof(Row), exec);
    cuda_loops::for_each(exec, n, cuda::number_elements<Row>{numbers.as<Row>()});
    row_data = numbers.as<Row>();
  }
  drain();
  result.prepare_seconds = watch.lap();

  auto const sort_keys = [&](Key const* unsorted, Row const* their_rows) {
    std::tie(sorted.keys, sorted.rows) =
        seed ? sort_by_hash(unsorted, their_rows, n, exec) : sort_by(unsorted, their_rows, n, exec, 0, end);
  };
  if (!seed && in_order(key_data, row_data, n, exec)) {
    sorted.keys = encoded.bytes() != 0 ? std::move(encoded) : copy_of(key_data, n, exec);
    sorted.rows = rows ? copy_of(row_data, n, exec) : std::move(numbers);
  } else if (bits.low != 0 && in_order(key_data, row_data, n, exec, static_cast<Key>((Key{1} << bits.low) - 1))) {
    std::tie(sorted.keys, sorted.rows) = sort_by(key_data, row_data, n, exec, bits.low, end);
  } else if (rows_ascend) {
    sort_keys(key_data, row_data);
  } else {
    // Sort by row first. The second sort is stable, so equal keys keep their rows in order.
    auto const [by_row, keys_by_row] = sort_by(row_data, key_data, n, exec);
    sort_keys(keys_by_row.template as<Key>(), by_row.template as<Row>());
  }
  drain();
  result.sort_seconds = watch.lap();
  return result;
}

template <class Row>
timed_pairs sort_references(column keys, std::optional<row_column> const& rows, execution const& exec) {
  stopwatch watch;
  auto sorted = cuda::sort_strings<Row>(static_cast<byte_key const*>(keys.data), rows, keys.size, exec);
  WDX_CUDA_TRY(cudaStreamSynchronize(exec.stream.get()));
  return {std::move(sorted), 0, watch.lap()};
}

/// Replaces each value by the largest value up to it.
template <class Number> void running_maximum_of(Number* values, std::uint64_t size, execution const& exec) {
  cuda::with_scratch(exec, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(scratch, bytes, values, values, larger{}, size, exec.stream.get());
  });
}

class device_backend final : public loop_backend<cuda_loops> {
 public:
  void copy(void* destination, void const* source, std::size_t bytes, execution const& exec) const override {
    if (bytes != 0) WDX_CUDA_TRY(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, exec.stream.get()));
  }
  void synchronize(execution const& exec) const override { WDX_CUDA_TRY(cudaStreamSynchronize(exec.stream.get())); }
  void fill_zero(void* destination, std::size_t bytes, execution const& exec) const override {
    if (bytes != 0) WDX_CUDA_TRY(cudaMemsetAsync(destination, 0, bytes, exec.stream.get()));
  }
  bool records(execution const& exec) const override { return cuda::is_recorded(exec.stream.get()); }

  timed_pairs sort(column keys, std::optional<row_column> rows, row_type row, std::optional<std::uint64_t> seed,
                   execution const& exec, known_bits bits) const override {
    return with_types({kind_of(keys.type), row}, [&]<class Key, class Row>() {
      if constexpr (is_bytes<Key>) return sort_references<Row>(keys, rows, exec);
      else return sort_typed<Key, Row>(keys, rows, seed, bits, exec);
    });
  }

  buffer sort_keys(void const* keys, std::uint64_t size, key_kind kind, execution const& exec) const override {
    return with_kind(kind, [&]<class Key>() -> buffer {
      if constexpr (is_bytes<Key>) {
        return {};
      } else {
        buffer sorted(size * sizeof(Key), exec);
        cuda::with_scratch_for(size, exec, [&](void* scratch, std::size_t& bytes, auto n) {
          return cub::DeviceRadixSort::SortKeys(scratch, bytes, static_cast<Key const*>(keys), sorted.as<Key>(), n, 0,
                                                static_cast<int>(sizeof(Key) * 8), exec.stream.get());
        });
        synchronize(exec);
        return sorted;
      }
    });
  }

  sorted_pairs sort_numbers(row_column numbers, row_type positions, execution const& exec) const override {
    key_type const type = numbers.type == row_type::u32 ? key_type::u32 : key_type::u64;
    return with_types({kind_of(type), positions}, [&]<class Number, class Position>() -> sorted_pairs {
      if constexpr (!std::is_integral_v<Number> || sizeof(Number) > 8) {
        return {};
      } else {
        buffer const places(numbers.size * sizeof(Position), exec);
        cuda_loops::for_each(exec, numbers.size, cuda::number_elements<Position>{places.as<Position>()});
        sorted_pairs result;
        result.size = numbers.size;
        std::tie(result.keys, result.rows) =
            sort_by(static_cast<Number const*>(numbers.data), places.as<Position const>(), numbers.size, exec);
        return result;
      }
    });
  }

  std::uint64_t exclusive_scan(std::uint64_t* values, std::uint64_t size, execution const& exec) const override {
    fill_zero(values + size, sizeof(std::uint64_t), exec);
    cuda::with_scratch(exec, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(scratch, bytes, values, values, size + 1, exec.stream.get());
    });
    std::uint64_t total = 0;
    cuda::read_back(&total, values + size, sizeof(total), exec.stream.get());
    return total;
  }

  void running_maximum(std::uint64_t* values, std::uint64_t size, execution const& exec) const override {
    running_maximum_of(values, size, exec);
  }
  void running_maximum(std::uint32_t* values, std::uint64_t size, execution const& exec) const override {
    running_maximum_of(values, size, exec);
  }

  sorted_pairs merge(sorted_view from, found_ranges const& erase, sorted_view insert, slot_order order,
                     pair_types types, execution const& exec) const override {
    return with_types(types, [&]<class Key, class Row>() {
      return cuda::merge_on_device<Key, Row>(from, erase, insert, order, exec);
    });
  }
};

}  // namespace

backend const& cuda_backend() {
  static backend const& instance = *new device_backend;  // never destroyed, like the one of cpu_backend()
  return instance;
}

}  // namespace warpdex
