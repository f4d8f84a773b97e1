// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/host_stream.hpp"

#include <warpdex/error.hpp>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "backend/cpu/parallel.hpp"
#include "backend/cuda/check.hpp"

namespace warpdex {
namespace {

namespace tuning = cuda::tuning;

class event {
 public:
  event() { WDX_CUDA_TRY(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~event() { cudaEventDestroy(event_); }
  event(event const&) = delete;
  event& operator=(event const&) = delete;

  void record(cudaStream_t stream) { WDX_CUDA_TRY(cudaEventRecord(event_, stream)); }

  /// Lets the work that `stream` gets from now on wait for what was recorded; an event never recorded is past.
  void hold(cudaStream_t stream) const { WDX_CUDA_TRY(cudaStreamWaitEvent(stream, event_, 0)); }

  void wait() const { WDX_CUDA_TRY(cudaEventSynchronize(event_)); }

  bool past() const {
    cudaError_t const status = cudaEventQuery(event_);
    if (status == cudaErrorNotReady) {
      cudaGetLastError();  // or the next launch would seem to have failed
      return false;
    }
    WDX_CUDA_TRY(status);
    return true;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// A stream that does not wait for the default one.
class side_stream {
 public:
  side_stream() { WDX_CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~side_stream() { cudaStreamDestroy(stream_); }
  side_stream(side_stream const&) = delete;
  side_stream& operator=(side_stream const&) = delete;

  operator cudaStream_t() const noexcept { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Pinned memory through which the pieces of pageable arrays go, half of it for each direction. It is kept
/// with the device, because pinning takes longer than most batches; small, because what the processor
/// writes and the device reads then meet in the cache of the processor.
class pinned_ring {
 public:
  static constexpr std::size_t bytes_each_way = tuning::stream_ring_pieces * tuning::stream_piece_bytes;

  static pinned_ring& of_current_device() {
    int device = 0;
    WDX_CUDA_TRY(cudaGetDevice(&device));
    static std::mutex guard;
    static auto* const rings = new std::map<int, pinned_ring>;  // the driver may be gone when statics end
    std::lock_guard const lock(guard);
    return (*rings)[device];
  }

  /// @return null if another call has the ring, or there is no memory for it
  std::byte* take() {
    if (taken_.test_and_set(std::memory_order_acquire)) return nullptr;
    if (memory_ == nullptr && cudaMallocHost(&memory_, 2 * bytes_each_way) != cudaSuccess) {
      cudaGetLastError();
      memory_ = nullptr;
      give_back();
      return nullptr;
    }
    return static_cast<std::byte*>(memory_);
  }
  void give_back() noexcept { taken_.clear(std::memory_order_release); }

 private:
  std::atomic_flag taken_;  // no mutex: a thread that waits for its workers may begin another call
  void* memory_ = nullptr;
};

/// The ring while a call has it.
class ring_lease {
 public:
  ring_lease() = default;
  ~ring_lease() {
    if (memory_ != nullptr) ring_->give_back();
  }
  ring_lease(ring_lease const&) = delete;
  ring_lease& operator=(ring_lease const&) = delete;

  /// @return whether the call has it now
  bool take() {
    ring_ = &pinned_ring::of_current_device();
    memory_ = ring_->take();
    return memory_ != nullptr;
  }
  std::byte* memory() const noexcept { return memory_; }

 private:
  pinned_ring* ring_ = nullptr;
  std::byte* memory_ = nullptr;
};

bool is_pinned(void const* pointer) {
  cudaPointerAttributes attributes;
  if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  return attributes.type == cudaMemoryTypeHost;
}

/// An array of the batch and its place in a slot.
struct placed_array : batch_array {
  bool staged = false;  ///< goes through the ring
  std::size_t offset = 0;
};

/// Places the arrays on the host for chunks of `chunk` probes. @return bytes of a slot
std::size_t place_slot(std::vector<placed_array>& arrays, std::uint64_t chunk) {
  constexpr std::size_t line = 256;
  std::size_t used = 0;
  for (placed_array& a : arrays) {
    if (!a.on_host) continue;
    a.offset = used;
    used += (chunk * a.width + line - 1) / line * line;
  }
  return used;
}

struct host_copy {
  std::byte* to = nullptr;
  std::byte const* from = nullptr;
  std::size_t bytes = 0;
  bool past_caches = false;  ///< whether `to` is not read soon
};

/// Copies to memory that is not read soon: writing past the caches saves reading its lines first, which
/// doubles the rate.
void copy_past_caches(std::byte* to, std::byte const* from, std::size_t bytes) {
#if defined(__SSE2__)
  constexpr std::size_t line = 64;
  std::size_t const before = std::min(bytes, -reinterpret_cast<std::uintptr_t>(to) % line);
  std::memcpy(to, from, before);
  std::size_t at = before;
  for (; at + line <= bytes; at += line)
    for (std::size_t i = at; i < at + line; i += sizeof(__m128i))
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + i)));
  _mm_sfence();
  std::memcpy(to + at, from + at, bytes - at);
#else
  std::memcpy(to, from, bytes);
#endif
}

/// Both at once, with all threads: one thread copies at a fraction of the link's rate.
void copy_on_host(std::array<host_copy, 2> const& copies, int threads) {
  std::size_t const bytes = copies[0].bytes + copies[1].bytes;
  parallel_chunks(threads, bytes, tuning::stream_copy_grain, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t before = 0;
    for (host_copy const& copy : copies) {
      std::uint64_t const first = std::max(begin, before);
      std::uint64_t const last = std::min<std::uint64_t>(end, before + copy.bytes);
      if (first < last) {
        std::byte* const to = copy.to + (first - before);
        std::byte const* const from = copy.from + (first - before);
        if (copy.past_caches) copy_past_caches(to, from, last - first);
        else std::memcpy(to, from, last - first);
      }
      before += copy.bytes;
    }
  });
}

/// One batch on its way. Three streams: copies to the device, the call's own with the searches, and copies
/// back. A chunk has a slot of device memory, with room for its part of all arrays on the host.
class chunk_stream {
 public:
  chunk_stream(std::vector<placed_array> const& arrays, buffer const& memory, std::size_t slot_bytes,
               std::uint64_t chunk, std::byte* ring, batch_body const& body, execution const& exec,
               stream_sizes const& sizes)
      : arrays_(arrays), memory_(memory.as<std::byte>()), slot_bytes_(slot_bytes), chunk_(chunk), ring_(ring),
        body_(body), exec_(exec), sizes_(sizes), at_(arrays.size()) {}

  /// Nothing is on its way any more when arrays, slots and ring may go.
  ~chunk_stream() {
    for (cudaStream_t const stream : {cudaStream_t(in_), cudaStream_t(out_), exec_.stream.get()})
      cudaStreamSynchronize(stream);
  }
  chunk_stream(chunk_stream const&) = delete;
  chunk_stream& operator=(chunk_stream const&) = delete;

  void run(std::uint64_t size) {
    started_.record(exec_.stream.get());
    started_.hold(in_);
    started_.hold(out_);
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    for (std::uint64_t c = 0; first < size; ++c, first += count) {
      // The last chunks get smaller, as nothing overlaps with the last search and the last copy back.
      std::uint64_t const rest = size - first;
      count = std::min({rest, chunk_, std::max(sizes_.least_chunk, rest / 2)});
      copy_in(c, first, count);
      while (!flying_.empty() && flying_.front().chunk + slots <= c + 1) land();  // frees the next chunk's slot
      search(c, first, count);
    }
    while (!flying_.empty()) land();
    WDX_CUDA_TRY(cudaStreamSynchronize(out_));
    WDX_CUDA_TRY(cudaStreamSynchronize(exec_.stream.get()));
  }

 private:
  static constexpr std::uint64_t slots = tuning::stream_slots;
  static constexpr std::size_t pieces = tuning::stream_ring_pieces;

  struct slot {
    event copied_in;
    event searched;
    event copied_out;
  };

  /// Part of an array on its way.
  struct transfer {
    std::byte* host;
    std::byte* device;
    std::size_t bytes;
    bool staged;
    std::uint64_t chunk;
  };

  slot& slot_of(std::uint64_t c) { return slots_[c % slots]; }
  std::byte* on_device(placed_array const& a, std::uint64_t c) const {
    return memory_ + c % slots * slot_bytes_ + a.offset;
  }
  static std::byte* on_host(placed_array const& a, std::uint64_t first) {
    return static_cast<std::byte*>(a.data) + first * a.width;
  }

  /// Calls use(transfer) for all parts of the arrays on the host that have `flag` set.
  template <class Use>
  void for_each_transfer(std::uint64_t c, std::uint64_t first, std::uint64_t count, bool batch_array::*flag,
                         Use const& use) {
    for (placed_array const& a : arrays_) {
      if (!a.on_host || !(a.*flag)) continue;
      std::size_t const bytes = count * a.width;
      std::size_t const step = a.staged ? sizes_.piece_bytes : bytes;
      for (std::size_t done = 0; done < bytes; done += step)
        use(transfer{on_host(a, first) + done, on_device(a, c) + done, std::min(step, bytes - done), a.staged, c});
    }
  }

  void copy_in(std::uint64_t c, std::uint64_t first, std::uint64_t count) {
    slot_of(c).searched.hold(in_);
    slot_of(c).copied_out.hold(in_);
    for_each_transfer(c, first, count, &batch_array::read, [&](transfer const& t) {
      std::byte* from = t.host;
      std::size_t const piece = sent_ % pieces;
      bool landed = false;
      if (t.staged) {
        sent_pieces_[piece].wait();
        from = ring_ + piece * sizes_.piece_bytes;
        landed = !flying_.empty() && landing_event().past();
        copy_on_host({host_copy{from, t.host, t.bytes}, landed ? landing() : host_copy{}}, exec_.threads);
      }
      WDX_CUDA_TRY(cudaMemcpyAsync(t.device, from, t.bytes, cudaMemcpyHostToDevice, in_));
      if (t.staged) {
        sent_pieces_[piece].record(in_);
        ++sent_;
      }
      if (landed) finish_landing();
    });
    slot_of(c).copied_in.record(in_);
  }

  void search(std::uint64_t c, std::uint64_t first, std::uint64_t count) {
    slot_of(c).copied_in.hold(exec_.stream.get());
    for (std::size_t i = 0; i < arrays_.size(); ++i)
      at_[i] = arrays_[i].on_host ? on_device(arrays_[i], c) : on_host(arrays_[i], first);
    body_(at_.data(), count);
    slot_of(c).searched.record(exec_.stream.get());
    for_each_transfer(c, first, count, &batch_array::written, [&](transfer const& t) { waiting_.push_back(t); });
    start_copies_out();
  }

  /// Starts copies back, in order, as long as the ring has room.
  void start_copies_out() {
    while (!waiting_.empty() && (!waiting_.front().staged || flying_.size() < pieces)) {
      transfer const t = waiting_.front();
      waiting_.pop_front();
      std::size_t const piece = (landed_ + flying_.size()) % pieces;
      slot_of(t.chunk).searched.hold(out_);
      WDX_CUDA_TRY(
          cudaMemcpyAsync(t.staged ? out_piece(piece) : t.host, t.device, t.bytes, cudaMemcpyDeviceToHost, out_));
      slot_of(t.chunk).copied_out.record(out_);
      if (!t.staged) continue;
      landed_pieces_[piece].record(out_);
      flying_.push_back(t);
    }
  }

  std::byte* out_piece(std::size_t piece) const {
    return ring_ + pinned_ring::bytes_each_way + piece * sizes_.piece_bytes;
  }

  /// The oldest copy into the ring: when it is done, where it goes, and that it is there.
  event const& landing_event() const { return landed_pieces_[landed_ % pieces]; }
  host_copy landing() const { return {flying_.front().host, out_piece(landed_ % pieces), flying_.front().bytes, true}; }
  void finish_landing() {
    flying_.pop_front();
    ++landed_;
    start_copies_out();
  }

  void land() {
    landing_event().wait();
    copy_on_host({landing(), host_copy{}}, exec_.threads);
    finish_landing();
  }

  std::vector<placed_array> const& arrays_;
  std::byte* const memory_;
  std::size_t const slot_bytes_;
  std::uint64_t const chunk_;
  std::byte* const ring_;
  batch_body const& body_;
  execution const& exec_;
  stream_sizes const& sizes_;
  std::vector<void*> at_;

  side_stream in_;
  side_stream out_;
  event started_;
  std::array<slot, slots> slots_;

  std::array<event, pieces> sent_pieces_;  ///< past when a piece of the ring may be filled again
  std::size_t sent_ = 0;
  std::array<event, pieces> landed_pieces_;  ///< past when a piece of the ring has been filled
  std::size_t landed_ = 0;
  std::deque<transfer> waiting_;  ///< copies back not started yet
  std::deque<transfer> flying_;   ///< into the ring, in its order
};

}  // namespace

bool stream_batch(std::uint64_t size, std::span<batch_array const> arrays, batch_body const& body,
                  execution const& exec, stream_sizes const& sizes) {
  if (size < sizes.from) return false;
  std::vector<placed_array> placed;
  bool any_staged = false;
  for (batch_array const& a : arrays) {
    placed_array& p = placed.emplace_back(placed_array{a});
    // The last byte too: only a part of an array may be registered.
    auto const* const first = static_cast<std::byte const*>(a.data);
    p.staged = a.on_host && !(is_pinned(first) && is_pinned(first + size * a.width - 1));
    any_staged = any_staged || p.staged;
  }
  ring_lease ring;
  if (any_staged && !ring.take()) return false;

  std::uint64_t chunk = sizes.chunk;
  while (chunk > size / tuning::stream_chunks && chunk / 2 >= sizes.least_chunk) chunk /= 2;
  std::size_t slot_bytes = 0;
  buffer memory;
  while (memory.bytes() == 0) {
    slot_bytes = place_slot(placed, chunk);
    try {
      memory = buffer(tuning::stream_slots * slot_bytes, exec);
    } catch (out_of_memory const&) {
      chunk /= 2;
      if (chunk < sizes.least_chunk) return false;
    }
  }
  chunk_stream(placed, memory, slot_bytes, chunk, ring.memory(), body, exec, sizes).run(size);
  return true;
}

}  // namespace warpdex
