// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu.hpp"

#include <warpdex/error.hpp>

namespace warpdex::bench::gpu {
namespace {

[[noreturn]] void refuse() { throw unsupported("GPU baselines: this warpdex was built without CUDA"); }

}  // namespace

std::unique_ptr<timer> make_timer(execution const&) { refuse(); }

std::string version() { return {}; }

buffer references(column, execution const&) { refuse(); }

void lower_bound(column, column, std::uint32_t*, execution const&) { refuse(); }

void upper_bound(column, column, std::uint32_t*, execution const&) { refuse(); }

void singular(index const&, column, std::uint32_t*, execution const&) { refuse(); }

void singular_paths(index const&, column, column, std::uint32_t*, execution const&) { refuse(); }

void gather(void const*, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t*, execution const&) { refuse(); }

memory_resource& pinned_memory() { refuse(); }

struct two_way_copy::streams {};
two_way_copy::two_way_copy() { refuse(); }
two_way_copy::~two_way_copy() = default;
void two_way_copy::run(void*, void const*, void*, void const*, std::uint64_t, execution const&) { refuse(); }

own_stream::own_stream() { refuse(); }
own_stream::~own_stream() = default;
void own_stream::wait() const { refuse(); }

void start_nothing(execution const&) { refuse(); }

void copy_to_device(void*, void const*, std::uint64_t, execution const&) { refuse(); }

void copy(void*, void const*, std::uint64_t, execution const&) { refuse(); }

void fill(void*, unsigned char, std::uint64_t, execution const&) { refuse(); }

bool equal(std::uint32_t const*, std::uint32_t const*, std::uint64_t, execution const&) { refuse(); }

void grouped_loads(std::uint32_t const*, bench::grouped_loads const&, std::uint32_t*, std::uint64_t, execution const&) {
  refuse();
}

void read_lines(void const*, line_reads const&, std::uint64_t*, execution const&) { refuse(); }

void fit(moved_triangles const&, execution const&) { refuse(); }

void trace(moved_triangles const&, std::uint32_t const*, std::uint64_t, std::uint32_t*, execution const&) { refuse(); }

void sort_pairs(column, void*, std::uint32_t const*, std::uint32_t*, buffer&, execution const&) { refuse(); }

}  // namespace warpdex::bench::gpu
