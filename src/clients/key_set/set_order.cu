// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/key_set/set_order.hpp"

#include <warpdex/error.hpp>

#include <algorithm>
#include <utility>

#include "backend/cuda/bulk_copy.cuh"
#include "backend/cuda/host/streams.hpp"
#include "backend/cuda/windows/window.cuh"
#include "backend/cuda/windows/window_borders.cuh"
#include "backend/cuda/windows/window_launch.cuh"
#include "clients/key_set/tuning.hpp"

namespace warpdex {
namespace {

/// The first keys of the blocks of a set, or all keys of a plain one, as entries that window buckets are made of.
template <class Key> struct set_bases {
  using key_type = Key;
  using position = std::uint64_t;

  struct keys_of_level {
    Key const* keys;
    WDX_HD Key key(std::uint64_t i) const { return keys[i]; }
  };
  keys_of_level pairs;
  std::uint64_t size;

  WDX_HD std::uint64_t slot_of(std::uint64_t rank) const { return rank; }
};

/// Shared memory of a block: bases, heads, words. Arrays begin within a vector of 16 bytes.
struct set_room {
  unsigned blocks;  ///< or keys of a plain set
  unsigned words;   ///< 0 for a plain set

  template <class Key> WDX_HD unsigned bytes_of_bases() const {
    return (blocks + 2 * static_cast<unsigned>(cuda::vector16<Key>::size)) / cuda::vector16<Key>::size * 16;
  }
  WDX_HD unsigned bytes_of_heads() const { return words == 0 ? 0 : blocks * static_cast<unsigned>(sizeof(set_head)); }
  template <class Key> WDX_HD unsigned bytes() const {
    return bytes_of_bases<Key>() + bytes_of_heads() + (words + 8) / 2 * 16;  // searches read up to 4 more
  }
};

/// The part of a set in which the probes of a bucket end, and its copy in shared memory.
template <class Key> class part_of_set {
 public:
  /// @param begin, end of its blocks, or keys of a plain set
  __device__ part_of_set(set_view<Key> const& set, std::uint64_t begin, std::uint64_t end)
      : set_(set), begin_(begin), end_(end) {
    if (set.is_plain()) return;
    first_word_ = set.heads[begin].place();
    set_head const last = set.heads[end - 1];
    end_word_ = last.place() + words_of<Key>(last, set.keys_of(end - 1)) + 2;  // which searches may read
  }

  __device__ bool fits(set_room const& room) const {
    return end_ - begin_ <= room.blocks && end_word_ - first_word_ <= room.words;
  }

  /// Copies it to shared memory. Synchronises the block. @return a view of the copy
  __device__ set_view<Key> load(set_room const& room, unsigned char* shared, cuda::copy_barrier (&arrived)[3]) const {
    auto* const bases = reinterpret_cast<Key*>(shared);
    auto* const heads = reinterpret_cast<set_head*>(shared + room.bytes_of_bases<Key>());
    auto* const words = reinterpret_cast<std::uint64_t*>(shared + room.bytes_of_bases<Key>() + room.bytes_of_heads());
    constexpr auto all_words = set_head::most_words;  // words are followed by those that may be read
    cuda::incoming<Key> bases_on_way(bases, set_.levels[0], begin_, end_, set_.blocks());
    cuda::incoming<set_head> heads_on_way(heads, set_.heads, begin_, end_, set_.blocks());
    cuda::incoming<std::uint64_t> words_on_way(words, set_.words, first_word_, end_word_, all_words);
    bool const has_words = !set_.is_plain();
    if (threadIdx.x == 0) {
      for (cuda::copy_barrier& barrier : arrived) barrier.set_up();
      bases_on_way.start(arrived[0]);
      if (has_words) {
        heads_on_way.start(arrived[1]);
        words_on_way.start(arrived[2]);
      }
    }
    bases_on_way.copy_rest();
    if (has_words) {
      heads_on_way.copy_rest();
      words_on_way.copy_rest();
    }
    __syncthreads();
    arrived[0].wait();
    if (has_words) {
      arrived[1].wait();
      arrived[2].wait();
    }
    set_view<Key> copy;
    copy.size = set_.size;
    copy.depth = 1;
    copy.sizes[0] = set_.sizes[0];
    copy.levels[0] = bases + begin_ % cuda::incoming<Key>::per_vector - begin_;
    if (has_words) {
      copy.heads = heads - begin_;
      copy.words = words + first_word_ % cuda::incoming<std::uint64_t>::per_vector - first_word_;
    }
    return copy;
  }

  /// Looks for a key. @param set the whole one, or the copy
  __device__ set_search<Key> find(set_view<Key> const& set, Key key) const {
    set_search<Key> s;
    s.key = key;
    s.block = begin_;
    for (std::uint64_t left = end_ - begin_; left > 1;) {
      std::uint64_t const half = left / 2;
      s.block = set.levels[0][s.block + half] <= key ? s.block + half : s.block;
      left -= half;
    }
    set.find_in_block(s);
    return s;
  }

 private:
  set_view<Key> const& set_;
  std::uint64_t begin_, end_;
  std::uint64_t first_word_ = 0, end_word_ = 0;
};

/// Searches one chunk of partitioned probes per block.
/// @param level of the window, of which the answers are in the order of the partition
/// @param in_order whether `search_in_order_kernel` has answered the window
template <class Key, class Answer>
__global__ void __launch_bounds__(tuning::set_bucket_threads)
    search_set_kernel(__grid_constant__ set_view<Key> const set, std::uint64_t const* __restrict__ borders,
                      set_room const room, __grid_constant__ cuda::window_level const level, Answer const answer,
                      std::uint32_t const* in_order) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ cuda::copy_barrier arrived[3];
  if (cuda::answered_in_tiles(in_order) || blockIdx.x >= level.chunk_begins[level.all_buckets]) return;
  cuda::bucket_chunk const chunk = level.chunks[blockIdx.x];
  // Before the first base of a bucket are keys of the block before, and a splitter is a base of the next bucket.
  std::uint64_t const border = borders[chunk.bucket];
  std::uint64_t const end = min(borders[chunk.bucket + 1] + 1, set.blocks());
  part_of_set<Key> const part(set, border == 0 ? 0 : border - 1, end);
  auto const search = [&](set_view<Key> const& in) {
    for (unsigned i = threadIdx.x; i < chunk.size; i += blockDim.x) {
      std::uint64_t const place = std::uint64_t{chunk.first} + i;
      set_search<Key> const s = part.find(in, static_cast<Key const*>(level.keys)[place]);
      answer.write(place, s.found, in.rank(s));
    }
  };
  if (part.fits(room)) search(part.load(room, shared_bytes, arrived));
  else search(set);
}

/// Searches a window whose probes come in order, so that those of a warp have their paths in common.
template <class Key, class Answer>
__global__ void __launch_bounds__(cuda::tuning::search_threads)
    search_in_order_kernel(__grid_constant__ set_steps::look_up<Key, Answer> const search, std::uint64_t first,
                           std::uint64_t size, std::uint32_t const* in_order) {
  if (cuda::answered_in_tiles(in_order)) cuda::for_each_number(size, [&](std::uint64_t i) { search(first + i); });
}

/// Encodes probes that equal keys; the others become some key.
template <class Key> struct encode_probe {
  set_steps::set_probes probes;
  std::uint64_t first;
  Key* out;
  __device__ void operator()(std::uint64_t i) const { probes.read(first + i, out[i]); }
};

/// Corrects the answers to probes that equal no key of their type.
template <class Key, class Answer> struct answer_absent {
  set_steps::set_probes probes;
  std::uint64_t first;
  Answer answer;
  __device__ void operator()(std::uint64_t i) const {
    if (Key key; !probes.read(first + i, key)) answer.write(first + i, false, 0);
  }
};

template <class Key> class buckets_of_set final : public set_order_of<Key> {
 public:
  buckets_of_set(set_view<Key> const& set, std::uint64_t words, execution const& exec) {
    auto const keys_of_base = set.is_plain() ? 1 : set_block;
    std::uint64_t const most = cuda::tuning::bucket_capacity + cuda::tuning::bucket_capacity / 8;
    buckets_ =
        cuda::make_window_buckets(set_bases<Key>{{set.levels[0]}, set.blocks()},
                                  cuda::bucket_geometry_of(set.size, sizeof(Key)), most / keys_of_base, false, exec);
    buckets_.borders.outlive_stream();
    buckets_.splitters.outlive_stream();
    auto const blocks = std::min<std::uint64_t>(buckets_.largest, most / keys_of_base) + 2;
    room_ = {static_cast<unsigned>(blocks),
             static_cast<unsigned>(words * blocks / set.blocks() * tuning::set_room_percent / 100)};
    while (room_.template bytes<Key>() > cuda::most_shared_bytes()) {
      room_.blocks -= room_.blocks / 8;
      room_.words -= room_.words / 8;
    }
  }

  /// @return whether probes are told apart: not those of 16 bytes that have their upper halves in common
  bool divides(set_view<Key> const& set) const {
    return buckets_.largest <= tuning::set_most_shares * (set.blocks() / buckets_.geometry.buckets() + 1);
  }

  std::uint64_t bytes() const override { return buckets_.bytes(); }
  bool look_up(set_steps::contains<Key> const& search, std::uint64_t size, execution const& exec) const override {
    return run(search, size, exec);
  }
  bool look_up(set_steps::find_row<Key> const& search, std::uint64_t size, execution const& exec) const override {
    return run(search, size, exec);
  }

 private:
  template <class Answer>
  bool run(set_steps::look_up<Key, Answer> const& search, std::uint64_t size, execution const& exec) const {
    using Out = std::remove_pointer_t<decltype(search.answer.out)>;
    set_steps::set_probes const& probes = search.probes;
    if (size < tuning::set_order_from_probes || size < search.set.size / tuning::set_order_keys_per_probe) return false;
    if (cuda::is_recorded(exec.stream.get())) return false;  // a graph would keep scratch
    if (reinterpret_cast<std::uintptr_t>(search.answer.out) % sizeof(Out) != 0) return false;
    bool const as_they_are = probes.all_are_keys() && reinterpret_cast<std::uintptr_t>(probes.data) % sizeof(Key) == 0;
    buffer encoded;
    try {
      if (!as_they_are)
        encoded = buffer(std::min<std::uint64_t>(size, cuda::tuning::window_probes) * sizeof(Key), exec);
    } catch (out_of_memory const&) {
      return false;
    }
    key_codec const codec = as_they_are ? codec_of(probes.keys) : key_codec::identity;
    constexpr bool looks_for_order = sizeof(Key) <= 8;
    return cuda::for_each_window<Key>(
        buckets_.geometry, size, {sizeof(Out), 0, false, looks_for_order}, exec,
        [&](std::uint64_t first, cuda::window_scratch const& scratch) {
          void const* keys = static_cast<Key const*>(probes.data) + first;
          if (!as_they_are) {
            cuda::for_each(exec, scratch.size, encode_probe<Key>{probes, first, encoded.as<Key>()});
            keys = encoded.data();
          }
          if constexpr (looks_for_order) {
            sorted_view const bases{search.set.levels[0], nullptr, search.set.blocks()};
            cuda::sample_tiles<Key, std::uint64_t>(bases, codec, keys, scratch.size, scratch.in_tiles, exec);
            cuda::launch(search_in_order_kernel<Key, Answer>, blocks_in_order(), cuda::tuning::search_threads, 0, exec,
                         search, first, scratch.size, scratch.in_tiles);
          }
          cuda::partition_window<Key>(buckets_, scratch, {codec}, keys, exec);
          cuda::window_level const& level = scratch.last();
          Answer moved = search.answer;
          moved.out = static_cast<Out*>(level.answers);
          cuda::launch_stage(search_set_kernel<Key, Answer>, level.chunk_limit, tuning::set_bucket_threads,
                             room_.template bytes<Key>(), exec, search.set,
                             buckets_.borders.template as<std::uint64_t>(), room_, level, moved, scratch.in_tiles);
          cuda::restore_window<Out, Out>(scratch, level.answers, nullptr, search.answer.out + first, exec);
          if (!probes.all_are_keys())
            cuda::for_each(exec, scratch.size, answer_absent<Key, Answer>{probes, first, search.answer});
        });
  }

  static unsigned blocks_in_order() {
    return static_cast<unsigned>(cuda::limits_of_current_device().multiprocessors) * tuning::set_blocks_in_order;
  }

  cuda::window_buckets<Key> buckets_;
  set_room room_;
};

}  // namespace

template <class Key>
std::shared_ptr<set_order const> order_on_device(set_view<Key> const& set, std::uint64_t words, execution const& exec) {
  if (set.size < tuning::set_order_from_keys || !cuda::can_partition(sizeof(Key))) return nullptr;
  try {
    auto made = std::make_shared<buckets_of_set<Key>>(set, words, exec);
    if (made->divides(set)) return made;
  } catch (out_of_memory const&) {
  }
  return nullptr;
}

template std::shared_ptr<set_order const> order_on_device(set_view<std::uint32_t> const&, std::uint64_t,
                                                          execution const&);
template std::shared_ptr<set_order const> order_on_device(set_view<std::uint64_t> const&, std::uint64_t,
                                                          execution const&);
template std::shared_ptr<set_order const> order_on_device(set_view<u128> const&, std::uint64_t, execution const&);

}  // namespace warpdex
