// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/host_stream.hpp"

#include <warpdex/error.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "backend/cpu/copy_crew.hpp"
#include "backend/cuda/host/streams.hpp"
#include "base/prefix.hpp"
#include "base/profiled.hpp"

namespace warpdex {
namespace {

namespace tuning = stream_tuning;
using cuda::event;
using cuda::side_stream;

/// Pinned memory through which pieces of pageable arrays travel: one ring per direction. Each device keeps its rings,
/// because pinning memory takes longer than most batches. The rings are small, so that the device reads from the
/// processor's cache what the processor has just written there, and the reverse.
///
///     | pieces that go to the device | pieces that come back |
class pinned_rings {
 public:
  static constexpr std::size_t bytes_in = tuning::pieces_in * tuning::piece_bytes;
  static constexpr std::size_t bytes_out = tuning::pieces_out * tuning::piece_bytes;

  static pinned_rings& of_current_device() {
    int device = 0;
    WDX_CUDA_TRY(cudaGetDevice(&device));
    static std::mutex guard;
    static auto* const rings = new std::map<int, pinned_rings>;  // the driver may be gone when statics end
    std::lock_guard const lock(guard);
    return (*rings)[device];
  }

  /// @return the memory, or null if another call uses the rings or there is no memory for them
  std::byte* take() {
    if (taken_.test_and_set(std::memory_order_acquire)) return nullptr;
    if (memory_ == nullptr && cudaMallocHost(&memory_, bytes_in + bytes_out) != cudaSuccess) {
      cudaGetLastError();
      memory_ = nullptr;
      give_back();
      return nullptr;
    }
    return static_cast<std::byte*>(memory_);
  }
  void give_back() noexcept { taken_.clear(std::memory_order_release); }

 private:
  std::atomic_flag taken_;  // not a mutex: a thread that waits for its workers may begin another call
  void* memory_ = nullptr;
};

/// Holds the rings for the duration of a call.
class rings_lease {
 public:
  rings_lease() = default;
  ~rings_lease() {
    if (memory_ != nullptr) rings_->give_back();
  }
  rings_lease(rings_lease const&) = delete;
  rings_lease& operator=(rings_lease const&) = delete;

  /// @return whether this call has got the rings
  bool take() {
    rings_ = &pinned_rings::of_current_device();
    memory_ = rings_->take();
    return memory_ != nullptr;
  }
  std::byte* memory() const noexcept { return memory_; }

 private:
  pinned_rings* rings_ = nullptr;
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

/// @return whether all of an array is pinned. The caller may have registered only its beginning
bool is_pinned(void const* data, std::uint64_t bytes) {
  auto const* const first = static_cast<std::byte const*>(data);
  return bytes == 0 || (is_pinned(first) && is_pinned(first + bytes - 1));
}

/// An array of the batch and its offsets in a device slot.
struct placed_array : batch_array {
  bool staged = false;        ///< whether it goes through a ring
  std::size_t offset = 0;     ///< bytes
  std::size_t bytes_at = 0;   ///< offset of the bytes of strings, which follow their own offsets
  std::uint64_t room = 0;     ///< for bytes of strings
  std::uint64_t longest = 0;  ///< a string for which there is room
};

/// @return how many bytes of strings a chunk may have: a quarter more than an even share of the column
std::uint64_t room_for(placed_array const& a, std::uint64_t size, std::uint64_t chunk, stream_sizes const& sizes) {
  auto const total = a.strings->from.bytes_of(0, size);
  auto const share = static_cast<std::uint64_t>(static_cast<double>(total) / static_cast<double>(size) * 1.25 *
                                                static_cast<double>(chunk));
  return std::min(total, std::max(a.longest, std::min(share, sizes.chunk_bytes)));
}

/// Lays out a device slot for chunks of `chunk` of `size` probes: a part of each array on the host.
/// @return bytes per slot
std::size_t place_slot(std::vector<placed_array>& arrays, std::uint64_t size, std::uint64_t chunk,
                       stream_sizes const& sizes) {
  constexpr std::size_t line = 256;
  std::size_t used = 0;
  auto const position_of = [&](std::size_t bytes) {
    std::size_t const at = used;
    used += (bytes + line - 1) / line * line;
    return at;
  };
  for (placed_array& a : arrays) {
    if (!a.on_host) continue;
    if (a.strings) {
      a.room = room_for(a, size, chunk, sizes);
      a.offset = position_of((chunk + 1) * a.strings->from.layout.offset_bytes);
      a.bytes_at = position_of(a.room);
    } else {
      a.offset = position_of(chunk * a.width);
    }
  }
  return used;
}

/// Streams one batch through the device. There are three CUDA streams: `in_` copies to the device, the call's own
/// stream searches, `out_` copies back. Each chunk of the batch has a slot of device memory, with room for its part of
/// all arrays on the host. Parts in pageable memory go through the rings, one piece at a time. A crew of threads fills
/// and empties the pieces. Meanwhile the calling thread polls for finished steps and starts the next ones; it never
/// blocks before the end.
///
///     crew:    host -> piece                crew:    piece -> host
///     in_:     piece -> slot     search     out_:    slot -> piece
///
/// A transfer moves from queue to queue, each of which keeps the order of the batch:
///
///     to the device     to_send_ --fill--> filling_ --send--> (in_)
///     back              waiting_ --start_copies_out--> flying_ --land--> emptying_ --finish_landing--> done
///
/// Transfers that are not staged skip the crew: they go from `to_send_` straight to `in_`, and end at `out_`.
///
/// A body that waits for its work would keep the calling thread from all this. While such bodies run on the calling
/// thread, another one, the mover, takes its place. The two share no queue but `handed_over_`, whose entries pass from
/// the mover to the calling thread, and back when the body has run:
///
///     mover             copied_ = n + 1: the copies of chunk n to the device have begun
///     calling thread    searched_ = n + 1: its body has run
class chunk_stream {
 public:
  chunk_stream(std::vector<placed_array> const& arrays, buffer const& memory, std::size_t slot_bytes,
               std::uint64_t chunk, std::byte* rings, batch_body const& body, execution const& exec,
               stream_sizes const& sizes, bool body_waits)
      : arrays_(arrays), memory_(memory.as<std::byte>()), slot_bytes_(slot_bytes), chunk_(chunk), rings_(rings),
        body_(body), exec_(exec), sizes_(sizes), body_waits_(body_waits), at_(arrays.size()), sources_(arrays.size()) {
    if (rings != nullptr) crew_.emplace(exec.threads, sizes.writing_threads);
  }

  /// Waits until no copy and no search uses the arrays, slots or rings any more.
  ~chunk_stream() {
    crew_.reset();
    for (cudaStream_t const stream : {cudaStream_t(in_), cudaStream_t(out_), exec_.stream.get()})
      if (cudaStreamSynchronize(stream) != cudaSuccess) cudaGetLastError();  // or the next launch would report it
  }
  chunk_stream(chunk_stream const&) = delete;
  chunk_stream& operator=(chunk_stream const&) = delete;

  /// Runs the probes from `first` to `end`.
  /// @return where it stopped: at the end, or at a string for which a slot has no room
  std::uint64_t run(std::uint64_t first, std::uint64_t end) {
    begun_ = checked_ = first;
    end_ = end;
    started_.record(exec_.stream.get());
    started_.hold(in_);
    started_.hold(out_);
    if (!body_waits_ || !run_beside_mover()) move();
    WDX_CUDA_TRY(cudaStreamSynchronize(out_));
    WDX_CUDA_TRY(cudaStreamSynchronize(exec_.stream.get()));
    return end_;
  }

 private:
  static constexpr std::uint64_t slots = tuning::slots;
  static constexpr std::size_t pieces_in = tuning::pieces_in;
  static constexpr std::size_t pieces_out = tuning::pieces_out;

  /// @return whether the crew is too small to keep up with the link. Only then does the calling thread help it, because
  /// while it copies it starts nothing
  bool is_crew_small() const { return crew_ && crew_->workers() < sizes_.copying_threads; }

  struct slot {
    event copied_in;
    event searched;
    event copied_out;
  };

  /// Consecutive probes of the batch: `count` of them from `first` on. Chunks are numbered.
  struct chunk {
    std::uint64_t number;
    std::uint64_t first;
    std::uint64_t count;
  };

  /// A part of an array that travels in one copy.
  struct transfer {
    std::byte* host;
    std::byte* device;
    std::size_t bytes;
    bool staged;
    chunk of;
    bool is_first = false;   ///< the first of its chunk in this direction
    bool is_last = false;    ///< the last of its chunk in this direction
    std::uint32_t copy = 0;  ///< the crew's number of the copy, if staged
  };

  slot& slot_of(chunk const& c) { return slots_[c.number % slots]; }
  std::byte* on_device(placed_array const& a, chunk const& c) const {
    return memory_ + c.number % slots * slot_bytes_ + a.offset;
  }
  static std::byte* on_host(placed_array const& a, chunk const& c) {
    return static_cast<std::byte*>(a.data) + c.first * a.width;
  }

  /// @return the strings of a chunk, in its slot
  string_source strings_on_device(placed_array const& a, chunk const& c) const {
    string_source result = a.strings->from.from(c.first);
    std::uint64_t const bytes = result.bytes_of(0, c.count);
    std::byte const* const slot = on_device(a, c) - a.offset;
    result.base = result.offset(0);
    result.bytes = reinterpret_cast<unsigned char const*>(slot + a.bytes_at);
    result.layout.bytes = result.base + bytes;
    if (result.layout.offset_bytes != 0) result.layout.offsets = slot + a.offset;
    return result;
  }

  /// @return how many strings, `most` at most, have room in a chunk that begins at `first`
  static std::uint64_t fitting(placed_array const& a, std::uint64_t first, std::uint64_t most) {
    return end_of_prefix<std::uint64_t>(
               1, most + 1, [&](std::uint64_t count) { return a.strings->from.bytes_of(first, count) <= a.room; }) -
           1;
  }

  /// @return the transfers of a chunk, for the arrays on the host that have `flag` set
  std::deque<transfer> transfers(chunk const& c, bool batch_array::*flag) const {
    std::deque<transfer> parts;
    auto const add = [&](placed_array const& a, std::byte* host, std::byte* device, std::size_t bytes) {
      std::size_t const step = a.staged ? sizes_.piece_bytes : bytes;
      for (std::size_t done = 0; done < bytes; done += step)
        parts.push_back({host + done, device + done, std::min(step, bytes - done), a.staged, c});
    };
    for (placed_array const& a : arrays_) {
      if (!a.on_host || !(a.*flag)) continue;
      if (!a.strings) {
        add(a, on_host(a, c), on_device(a, c), c.count * a.width);
        continue;
      }
      string_source const from = a.strings->from.from(c.first);
      auto const bytes_in = [](void const* data) { return static_cast<std::byte*>(const_cast<void*>(data)); };
      add(a, bytes_in(from.layout.offsets), on_device(a, c), (c.count + 1) * from.layout.offset_bytes);
      add(a, bytes_in(from.bytes) + (from.offset(0) - from.base), on_device(a, c) - a.offset + a.bytes_at,
          from.bytes_of(0, c.count));
    }
    if (!parts.empty()) parts.front().is_first = parts.back().is_last = true;
    return parts;
  }

  /// Brings all chunks to the device and back. Without a mover it also runs the body.
  void move() {
    bool works = true;
    while (works || begun_ < end_ || taken_back_ < chunks_ || !to_send_.empty() || !filling_.empty() ||
           !waiting_.empty() || !flying_.empty() || !emptying_.empty()) {
      std::uint64_t const searched = searched_.load(std::memory_order_acquire);
      if (searched == ended) return;
      works = take_back(searched);
      works |= begin_chunk();
      works |= fill();
      works |= send();
      works |= start_copies_out();
      works |= land();
      works |= finish_landing();
      if (works || (is_crew_small() && crew_->help())) continue;
      if (crew_ && has_mover_) std::this_thread::yield();  // the body, or a thread of the crew, may want this core
      else if (crew_) spin_pause();
      else if (taken_back_ < chunks_) searched_.wait(searched, std::memory_order_acquire);
    }
  }

  /// Runs the body for all chunks, while another thread moves them.
  /// @return false, with nothing done, if that thread cannot be started
  bool run_beside_mover() {
    int device = 0;
    WDX_CUDA_TRY(cudaGetDevice(&device));
    std::exception_ptr failure;
    std::thread mover;
    has_mover_ = true;
    try {
      mover = std::thread([&] {
        try {
          WDX_CUDA_TRY(cudaSetDevice(device));
          move();
        } catch (...) {
          failure = std::current_exception();
        }
        tell(copied_, ended);
      });
    } catch (std::system_error const&) {
      has_mover_ = false;
      return false;
    }
    try {
      for (std::uint64_t searched = 0;;) {
        copied_.wait(searched, std::memory_order_acquire);
        if (copied_.load(std::memory_order_acquire) == ended) break;
        run_body(handed_over_[searched % slots]);
        tell(searched_, ++searched);
      }
    } catch (...) {
      tell(searched_, ended);
      mover.join();
      throw;
    }
    mover.join();
    if (failure) std::rethrow_exception(failure);
    return true;
  }

  static void tell(std::atomic<std::uint64_t>& number, std::uint64_t value) noexcept {
    number.store(value, std::memory_order_release);
    number.notify_one();
  }

  // Each of the following steps does all that it can without waiting, and returns whether it did anything.

  /// Takes chunks over whose body has run. @param searched number of such chunks
  bool take_back(std::uint64_t searched) {
    bool const works = taken_back_ < searched;
    for (; taken_back_ < searched; ++taken_back_)
      for (transfer const& t : transfers(handed_over_[taken_back_ % slots], &batch_array::written))
        waiting_.push_back(t);
    return works;
  }

  /// Begins the next chunk once all copies of the last one to the device have begun, and all copies back from its slot.
  bool begin_chunk() {
    auto const has_slot = [&](std::deque<transfer> const& transfers) {
      return !transfers.empty() && transfers.front().of.number + slots <= chunks_;
    };
    if (begun_ == end_ || !to_send_.empty() || has_slot(filling_) || has_slot(waiting_)) return false;
    if (chunks_ == taken_back_ + slots) return false;
    // The last chunks get smaller, because nothing overlaps with the last search and the last copy back.
    std::uint64_t const rest = end_ - begun_;
    std::uint64_t count = std::min({rest, chunk_, std::max(sizes_.least_chunk, rest / 2)});
    check_strings(begun_ + count);
    for (placed_array const& a : arrays_)
      if (a.on_host && a.strings) count = fitting(a, begun_, count);
    if (count == 0) {
      end_ = begun_;
      return true;
    }
    chunk const c{chunks_++, begun_, count};
    begun_ += c.count;
    slot_of(c).searched.hold(in_);
    slot_of(c).copied_out.hold(in_);
    to_send_ = transfers(c, &batch_array::read);
    if (to_send_.empty()) search(c);
    return true;
  }

  /// Checks the strings on the host up to string `end`, each once.
  void check_strings(std::uint64_t end) {
    if (end <= checked_) return;
    for (placed_array const& a : arrays_)
      if (a.on_host && a.strings) a.strings->check(checked_, end - checked_);
    checked_ = end;
  }

  /// Lets the crew fill pieces for staged transfers. Others need no piece and are passed on.
  bool fill() {
    bool works = false;
    for (; !to_send_.empty(); works = true) {
      transfer& t = to_send_.front();
      if (t.staged) {
        if (filled_ == sent_ + pieces_in || !sent_pieces_[filled_ % pieces_in].past()) break;
        t.copy = crew_->start({in_piece(filled_++), t.host, t.bytes, false});
      }
      filling_.push_back(t);
      to_send_.pop_front();
    }
    return works;
  }

  /// Starts copies of filled pieces to the device. After the last one of a chunk it starts the search.
  bool send() {
    bool works = false;
    for (; !filling_.empty() && (!filling_.front().staged || crew_->done(filling_.front().copy)); works = true) {
      profiled const range("copy to the device");
      transfer const t = filling_.front();
      filling_.pop_front();
      WDX_CUDA_TRY(
          cudaMemcpyAsync(t.device, t.staged ? in_piece(sent_) : t.host, t.bytes, cudaMemcpyHostToDevice, in_));
      if (t.staged) sent_pieces_[sent_++ % pieces_in].record(in_);
      if (t.is_last) search(t.of);
    }
    return works;
  }

  /// Lets the body run for a chunk whose copies to the device have begun.
  void search(chunk const& c) {
    slot_of(c).copied_in.record(in_);
    handed_over_[c.number % slots] = c;
    tell(copied_, c.number + 1);
    if (has_mover_) return;
    run_body(c);
    tell(searched_, c.number + 1);
  }

  /// Puts the search of a chunk on the call's stream, after the chunk's copies to the device.
  void run_body(chunk const& c) {
    profiled const range("chunk");
    slot_of(c).copied_in.hold(exec_.stream.get());
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      placed_array const& a = arrays_[i];
      if (a.strings) sources_[i] = a.on_host ? strings_on_device(a, c) : a.strings->from.from(c.first);
      at_[i] = a.strings ? static_cast<void*>(&sources_[i]) : a.on_host ? on_device(a, c) : on_host(a, c);
    }
    body_(at_.data(), c.count);
    slot_of(c).searched.record(exec_.stream.get());
  }

  /// Starts copies back to the host, in order, while their ring has room.
  bool start_copies_out() {
    bool works = false;
    for (; !waiting_.empty() && (!waiting_.front().staged || started_out_ < landed_ + pieces_out); works = true) {
      profiled const range("copy back");
      transfer const t = waiting_.front();
      waiting_.pop_front();
      if (t.is_first) slot_of(t.of).searched.hold(out_);
      WDX_CUDA_TRY(cudaMemcpyAsync(t.staged ? out_piece(started_out_) : t.host, t.device, t.bytes,
                                   cudaMemcpyDeviceToHost, out_));
      if (t.is_last) slot_of(t.of).copied_out.record(out_);
      if (!t.staged) continue;
      landed_pieces_[started_out_++ % pieces_out].record(out_);
      flying_.push_back(t);
    }
    return works;
  }

  /// Lets the crew empty pieces that the device has filled.
  bool land() {
    bool works = false;
    for (; !flying_.empty() && landed_pieces_[emptied_ % pieces_out].past(); works = true) {
      transfer t = flying_.front();
      flying_.pop_front();
      t.copy = crew_->start({t.host, out_piece(emptied_++), t.bytes, true});
      emptying_.push_back(t);
    }
    return works;
  }

  /// Frees pieces that the crew has emptied.
  bool finish_landing() {
    bool works = false;
    for (; !emptying_.empty() && crew_->done(emptying_.front().copy); works = true) {
      emptying_.pop_front();
      ++landed_;
    }
    return works;
  }

  std::byte* in_piece(std::size_t number) const { return rings_ + number % pieces_in * sizes_.piece_bytes; }
  std::byte* out_piece(std::size_t number) const {
    return rings_ + pinned_rings::bytes_in + number % pieces_out * sizes_.piece_bytes;
  }

  std::vector<placed_array> const& arrays_;
  std::byte* const memory_;
  std::size_t const slot_bytes_;
  std::uint64_t const chunk_;
  std::byte* const rings_;
  batch_body const& body_;
  execution const& exec_;
  stream_sizes const& sizes_;
  bool const body_waits_;
  std::vector<void*> at_;
  std::vector<string_source> sources_;  ///< of arrays of strings, for the body
  std::optional<copy_crew> crew_;       ///< empty if nothing goes through the rings

  side_stream in_;
  side_stream out_;
  event started_;
  std::array<slot, slots> slots_;
  std::uint64_t chunks_ = 0;      ///< chunks begun
  std::uint64_t begun_ = 0;       ///< where the next chunk begins
  std::uint64_t checked_ = 0;     ///< up to where strings have been checked
  std::uint64_t end_ = 0;         ///< where the last chunk ends
  std::uint64_t taken_back_ = 0;  ///< chunks whose body has run and whose copies back may begin

  static constexpr std::uint64_t ended = ~std::uint64_t{0};  ///< in place of a number: its thread has ended
  bool has_mover_ = false;
  std::array<chunk, slots> handed_over_{};  ///< chunks whose copies to the device have begun
  std::atomic<std::uint64_t> copied_{0};    ///< their number
  std::atomic<std::uint64_t> searched_{0};  ///< chunks whose body has run

  // Queues of transfers, one per state, and after each queue the number of pieces that have left its state.
  std::deque<transfer> to_send_;  ///< transfers of the chunk begun last
  std::deque<transfer> filling_;
  std::size_t filled_ = 0;
  std::size_t sent_ = 0;
  std::array<event, pieces_in> sent_pieces_;  ///< past when a piece may be filled again
  std::deque<transfer> waiting_;              ///< transfers that wait for their copy back
  std::size_t started_out_ = 0;
  std::deque<transfer> flying_;
  std::array<event, pieces_out> landed_pieces_;  ///< past when a piece has been filled by the device
  std::size_t emptied_ = 0;
  std::deque<transfer> emptying_;
  std::size_t landed_ = 0;
};

}  // namespace

std::uint64_t stream_batch(std::uint64_t size, std::span<batch_array const> arrays, batch_body const& body,
                           execution const& exec, stream_sizes const& sizes, bool body_waits) {
  std::vector<placed_array> placed;
  bool any_staged = false;
  std::uint64_t most_bytes = 0;  // of a column of strings
  for (batch_array const& a : arrays) {
    placed.push_back({a});
    placed.back().longest = sizes.string_bytes;
    if (a.on_host && a.strings) most_bytes = std::max(most_bytes, a.strings->from.bytes_of(0, size));
  }
  if (size < sizes.from && most_bytes < sizes.chunk_bytes) return 0;
  for (placed_array& p : placed) {
    if (!p.on_host) continue;
    if (p.strings) {
      string_source const& s = p.strings->from;
      p.staged = !is_pinned(s.bytes + s.offset(0) - s.base, s.bytes_of(0, size)) ||
                 !is_pinned(s.layout.offsets, s.layout.offset_bytes * (size + 1));
    } else {
      p.staged = !is_pinned(p.data, size * p.width);
    }
    any_staged = any_staged || p.staged;
  }
  rings_lease rings;
  if (any_staged && !rings.take()) return 0;

  std::uint64_t chunk = sizes.chunk;
  while (chunk > size / tuning::chunks && chunk / 2 >= sizes.least_chunk) chunk /= 2;
  std::uint64_t done = 0;
  while (done < size) {
    std::size_t slot_bytes = 0;
    buffer memory;
    while (memory.bytes() == 0) {
      slot_bytes = place_slot(placed, size, chunk, sizes);
      try {
        memory = buffer(tuning::slots * slot_bytes, exec);
      } catch (out_of_memory const&) {
        chunk /= 2;
        if (chunk < sizes.least_chunk) return done;
      }
    }
    done =
        chunk_stream(placed, memory, slot_bytes, chunk, rings.memory(), body, exec, sizes, body_waits).run(done, size);
    if (done == size) break;
    for (placed_array& p : placed)
      if (p.on_host && p.strings) p.longest = std::max(p.longest, 2 * p.strings->from.bytes_of(done, 1));
  }
  return done;
}

}  // namespace warpdex
