// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <warpdex/device.hpp>
#include <warpdex/error.hpp>
#include <warpdex/search/mix.hpp>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <limits>
#include <map>
#include <mutex>

#include "backend/backend.hpp"
#include "backend/cuda/cuda_engine.cuh"
#include "backend/cuda/merge.cuh"
#include "base/stopwatch.hpp"

namespace warpdex {
namespace cuda {

void fail(cudaError_t status, char const* what, char const* file, int line) {
  cudaGetLastError();
  std::string const text = std::string(what) + " failed at " + file + ":" + std::to_string(line) + ": " +
                           cudaGetErrorName(status) + " (" + cudaGetErrorString(status) + ")";
  if (status == cudaErrorMemoryAllocation) throw out_of_memory(text);
  throw device_error(text);
}

device_limits const& limits_of_current_device() {
  int device = 0;
  WDX_CUDA_TRY(cudaGetDevice(&device));
  static std::mutex guard;
  static auto* const known = new std::map<int, device_limits>;  // asked for by calls while statics end
  std::lock_guard const lock(guard);
  auto const found = known->find(device);
  if (found != known->end()) return found->second;
  device_limits limits;
  cudaDeviceProp properties;
  WDX_CUDA_TRY(cudaGetDeviceProperties(&properties, device));
  limits.name = properties.name;
  WDX_CUDA_TRY(cudaDeviceGetAttribute(&limits.multiprocessors, cudaDevAttrMultiProcessorCount, device));
  int bytes = 0;
  WDX_CUDA_TRY(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  limits.shared_bytes_per_block = static_cast<unsigned>(bytes);
  WDX_CUDA_TRY(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
  limits.shared_bytes = static_cast<unsigned>(bytes);
  return known->emplace(device, limits).first->second;
}

tuning_table const& tuning_of_current_device() { return table_for(limits_of_current_device().name); }

}  // namespace cuda

namespace {

/// One device's stream-ordered pool. It keeps freed memory for the next call, which makes scratch cheap.
class device_pool final : public memory_resource {
 public:
  explicit device_pool(int device) : device_(device) {
    WDX_CUDA_TRY(cudaDeviceGetDefaultMemPool(&pool_, device));
    std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
    WDX_CUDA_TRY(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep));
  }

  void* allocate(std::size_t bytes, stream_ref stream) override {
    void* pointer = nullptr;
    if (cudaError_t const status = cudaMallocFromPoolAsync(&pointer, bytes, pool_, stream.get());
        status != cudaSuccess) {
      cudaGetLastError();
      if (status == cudaErrorMemoryAllocation)
        throw out_of_memory("device memory: cannot allocate " + std::to_string(bytes) + " bytes");
      cuda::fail(status, "cudaMallocFromPoolAsync", __FILE__, __LINE__);
    }
    return pointer;
  }

  // A failure here means that the context is gone, and the memory with it. It is no matter of the next launch.
  void deallocate(void* pointer, std::size_t, stream_ref stream) noexcept override {
    int current = device_;
    if (stream.get() == nullptr && cudaGetDevice(&current) != cudaSuccess) cudaGetLastError();
    if (current != device_) cudaSetDevice(device_);  // whose default stream is meant
    if (cudaFreeAsync(pointer, stream.get()) != cudaSuccess) cudaGetLastError();
    if (current != device_) cudaSetDevice(current);
  }

  backend_kind backend() const noexcept override { return backend_kind::cuda; }

 private:
  int device_;
  cudaMemPool_t pool_ = nullptr;
};

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

template <class Row> struct number_rows {
  Row* rows;
  WDX_HD void operator()(std::uint64_t i) const { rows[i] = static_cast<Row>(i); }
};

template <class Row> struct is_reserved {
  Row const* rows;
  WDX_HD bool operator()(std::uint64_t i) const { return rows[i] == no_row<Row>; }
};

template <class T> struct descends {
  T const* numbers;
  WDX_HD bool operator()(std::uint64_t i) const { return numbers[i + 1] < numbers[i]; }
};

/// To be called before what CUB does on a device. CUB asks once how its kernels were compiled and remembers a failure
/// for good; but there may have been no memory to load the kernel that it asks about. Once this succeeds, that is
/// loaded.
void prepare_cub() {
  int version = 0;
  WDX_CUDA_TRY(cub::PtxVersionUncached(version));
}

/// Stable sort of (first, second) pairs by the bits of `first` from `begin_bit` on, into new arrays.
template <class First, class Second>
std::pair<buffer, buffer> sort_by(First const* first, Second const* second, std::uint64_t n, execution const& exec,
                                  int begin_bit = 0) {
  prepare_cub();
  buffer sorted_first(n * sizeof(First), exec);
  buffer sorted_second(n * sizeof(Second), exec);
  auto const run = [&](auto size) {
    std::size_t scratch_bytes = 0;
    WDX_CUDA_TRY(cub::DeviceRadixSort::SortPairs(nullptr, scratch_bytes, first, sorted_first.as<First>(), second,
                                                 sorted_second.as<Second>(), size, begin_bit, sizeof(First) * 8,
                                                 exec.stream.get()));
    buffer scratch(scratch_bytes, exec);
    WDX_CUDA_TRY(cub::DeviceRadixSort::SortPairs(scratch.data(), scratch_bytes, first, sorted_first.as<First>(), second,
                                                 sorted_second.as<Second>(), size, begin_bit, sizeof(First) * 8,
                                                 exec.stream.get()));
  };
  if (n <= std::numeric_limits<std::uint32_t>::max()) run(static_cast<std::uint32_t>(n));  // 32-bit offsets are faster
  else run(n);
  return {std::move(sorted_first), std::move(sorted_second)};
}

/// The same by hashes. Those of 16 bytes hardly ever share their upper half, so it is sorted first, in half the passes;
/// all bits only if that has left some out of order.
template <class Key, class Row>
std::pair<buffer, buffer> sort_by_hash(Key const* hashes, Row const* rows, std::uint64_t n, execution const& exec) {
  if constexpr (sizeof(Key) == 16) {
    auto sorted = sort_by(hashes, rows, n, exec, 64);
    if (cuda_engine::count_if(exec, n - 1, descends<Key>{sorted.first.template as<Key>()}) == 0) return sorted;
  }
  return sort_by(hashes, rows, n, exec);
}

template <class Key, class Row>
sorted_pairs sort_typed(column keys, std::optional<row_column> const& rows, std::optional<std::uint64_t> seed,
                        execution const& exec, double& prepare_seconds, double& sort_seconds) {
  std::uint64_t const n = keys.size;
  sorted_pairs sorted;
  sorted.size = n;
  sorted.seed = seed;
  if (n == 0) return sorted;
  stopwatch watch;
  auto const drain = [&] { WDX_CUDA_TRY(cudaStreamSynchronize(exec.stream.get())); };

  key_codec const codec = codec_of(keys.type);
  auto const* key_data = static_cast<Key const*>(keys.data);
  buffer encoded;
  if (codec != key_codec::identity || seed) {
    encoded = buffer(n * sizeof(Key), exec);
    cuda_engine::for_each(exec, n,
                          encode_keys<Key>{codec, seed.has_value(), seed.value_or(0), key_data, encoded.as<Key>()});
    key_data = encoded.as<Key>();
  }

  Row const* row_data = nullptr;
  buffer numbers;
  bool rows_ascend = true;
  if (rows) {
    row_data = static_cast<Row const*>(rows->data);
    if (cuda_engine::count_if(exec, n, is_reserved<Row>{row_data}) != 0)
      throw invalid_argument("row id " + std::to_string(no_row<Row>) + " stands for a miss and cannot be indexed");
    rows_ascend = cuda_engine::count_if(exec, n - 1, descends<Row>{row_data}) == 0;
  } else {
    numbers = buffer(n * sizeof(Row), exec);
    cuda_engine::for_each(exec, n, number_rows<Row>{numbers.as<Row>()});
    row_data = numbers.as<Row>();
  }
  drain();
  prepare_seconds = watch.lap();

  auto const sort_keys = [&](Key const* by, Row const* with) {
    std::tie(sorted.keys, sorted.rows) = seed ? sort_by_hash(by, with, n, exec) : sort_by(by, with, n, exec);
  };
  if (rows_ascend) {
    sort_keys(key_data, row_data);
  } else {
    // By row first: the second sort is stable, so equal keys keep their rows in order.
    auto const [by_row, keys_by_row] = sort_by(row_data, key_data, n, exec);
    sort_keys(keys_by_row.template as<Key>(), by_row.template as<Row>());
  }
  drain();
  sort_seconds = watch.lap();
  return sorted;
}

/// In place: each value becomes the largest up to it.
template <class Number> void running_maximum_of(Number* values, std::uint64_t size, execution const& exec) {
  prepare_cub();
  std::size_t scratch_bytes = 0;
  WDX_CUDA_TRY(
      cub::DeviceScan::InclusiveScan(nullptr, scratch_bytes, values, values, larger{}, size, exec.stream.get()));
  buffer scratch(scratch_bytes, exec);
  WDX_CUDA_TRY(
      cub::DeviceScan::InclusiveScan(scratch.data(), scratch_bytes, values, values, larger{}, size, exec.stream.get()));
}

/// Whether the query of a pointer failed because there is nothing on a device that it could lead to: CUDA does not know
/// the pointer, or the process has no context, as none could be made.
bool says_no_device_memory(cudaError_t status) {
  return status == cudaErrorInvalidValue || status == cudaErrorMemoryAllocation ||
         status == cudaErrorDevicesUnavailable;
}

class device_backend final : public engine_backend<cuda_engine> {
 public:
  void copy(void* destination, void const* source, std::size_t bytes, execution const& exec) const override {
    if (bytes != 0) WDX_CUDA_TRY(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, exec.stream.get()));
  }
  void synchronize(execution const& exec) const override { WDX_CUDA_TRY(cudaStreamSynchronize(exec.stream.get())); }
  void fill_zero(void* destination, std::size_t bytes, execution const& exec) const override {
    if (bytes != 0) WDX_CUDA_TRY(cudaMemsetAsync(destination, 0, bytes, exec.stream.get()));
  }

  sorted_pairs sort(column keys, std::optional<row_column> rows, row_type row, std::optional<std::uint64_t> seed,
                    execution const& exec, double& prepare_seconds, double& sort_seconds) const override {
    return with_widths({size_of(keys.type), size_of(row)}, [&]<class Key, class Row>() {
      return sort_typed<Key, Row>(keys, rows, seed, exec, prepare_seconds, sort_seconds);
    });
  }

  std::uint64_t exclusive_scan(std::uint64_t* values, std::uint64_t size, execution const& exec) const override {
    prepare_cub();
    fill_zero(values + size, sizeof(std::uint64_t), exec);
    std::size_t scratch_bytes = 0;
    WDX_CUDA_TRY(cub::DeviceScan::ExclusiveSum(nullptr, scratch_bytes, values, values, size + 1, exec.stream.get()));
    buffer scratch(scratch_bytes, exec);
    WDX_CUDA_TRY(
        cub::DeviceScan::ExclusiveSum(scratch.data(), scratch_bytes, values, values, size + 1, exec.stream.get()));
    std::uint64_t total = 0;
    copy(&total, values + size, sizeof(total), exec);
    synchronize(exec);
    return total;
  }

  void running_maximum(std::uint64_t* values, std::uint64_t size, execution const& exec) const override {
    running_maximum_of(values, size, exec);
  }
  void running_maximum(std::uint32_t* values, std::uint64_t size, execution const& exec) const override {
    running_maximum_of(values, size, exec);
  }

  sorted_pairs merge(sorted_view from, found_ranges const& erase, sorted_view insert, slot_order order,
                     pair_widths widths, execution const& exec) const override {
    return with_widths(widths, [&]<class Key, class Row>() {
      return cuda::merge_on_device<Key, Row>(from, erase, insert, order, exec);
    });
  }
};

}  // namespace

backend const& cuda_backend() {
  static backend const& instance = *new device_backend;  // never destroyed, as cpu_backend's
  return instance;
}

memory_resource& device_memory() {
  int device = 0;
  WDX_CUDA_TRY(cudaGetDevice(&device));
  static std::mutex guard;
  static auto* const pools = new std::map<int, device_pool>;  // outlives static indexes that free into it
  std::lock_guard const lock(guard);
  return pools->try_emplace(device, device).first->second;
}

std::vector<device_info> devices() {
  std::vector<device_info> found;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return found;
  }
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
      cudaGetLastError();
      continue;
    }
    found.push_back({device, properties.name, std::to_string(properties.major) + "." + std::to_string(properties.minor),
                     properties.multiProcessorCount, properties.totalGlobalMem,
                     static_cast<std::uint64_t>(properties.l2CacheSize)});
  }
  return found;
}

bool built_with_cuda() noexcept { return true; }

place locate(void const* pointer) {
  if (pointer == nullptr) return {};
  cudaPointerAttributes attributes;
  cudaError_t const status = cudaPointerGetAttributes(&attributes, pointer);
  if (status != cudaSuccess) {
    int device = 0;
    if (!says_no_device_memory(status) && cudaGetDevice(&device) == cudaSuccess)
      cuda::fail(status, "cudaPointerGetAttributes", __FILE__, __LINE__);
    cudaGetLastError();
    return {};
  }
  bool const on_device = attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  return {on_device, on_device ? attributes.device : -1};
}

int current_device() {
  int device = 0;
  WDX_CUDA_TRY(cudaGetDevice(&device));
  return device;
}

}  // namespace warpdex
