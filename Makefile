# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# A thin front to the CMake presets: each target installs what is missing, configures and builds.
# PRESET=cpu or PRESET=cuda overrides the choice.

NVCC := $(shell command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
PRESET ?= $(if $(NVCC),cuda,cpu)

.PHONY: build test demo asan fuzz attack deps

build: deps
	cmake --preset $(PRESET)
	cmake --build --preset $(PRESET)

test: build
	ctest --preset $(PRESET) --parallel $$(nproc)

demo: build
	scripts/demo.sh

asan: deps
	cmake --preset asan
	cmake --build --preset asan
	ctest --preset asan --parallel $$(nproc)

# The same inputs each time; CONTRIBUTING.md has a search that takes its own way.
FUZZ ?= -seed=1 -runs=100000
fuzz: deps
	@scripts/install-deps.sh clang libclang-rt-dev
	cmake --preset fuzz
	cmake --build --preset fuzz
	rm -rf build/fuzz/corpus
	mkdir -p build/fuzz/found
	build/fuzz/bin/make_corpus build/fuzz/corpus
	build/fuzz/bin/load_fuzzer $(FUZZ) -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
	  -artifact_prefix=build/fuzz/ build/fuzz/found build/fuzz/corpus

# Attacks at once, each from another seed every time, and then the tests in which everything fails in turn: half of the
# time with sanitizers, and half without, which is quicker and has limits on memory and the GPU.
MINUTES ?= 30
SEED ?= $(shell date +%s%N)
attack: deps
	for preset in asan $(PRESET); do \
	  cmake --preset $$preset && cmake --build --preset $$preset --target warpdex_attacks && \
	  WARPDEX_ATTACK_SECONDS=$$(($(MINUTES) * 30)) WARPDEX_TEST_SEED=$(SEED) ctest --preset $$preset \
	    --tests-regex '^attack\.' --parallel 16 --verbose --timeout $$(($(MINUTES) * 60 + 600)) && \
	  ctest --preset $$preset --tests-regex '^faults\.' --parallel $$(nproc) || exit 1; \
	done

deps:
	@scripts/install-deps.sh
