# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# A thin front to the CMake presets: each target installs what is missing, configures and builds.
# PRESET=cpu or PRESET=cuda overrides the choice, and OPTIONS goes to cmake, as in OPTIONS='-DWARPDEX_FANOUTS="2;9;17"'.

NVCC := $(shell command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
PRESET ?= $(if $(NVCC),cuda,cpu)

OPTIONS ?=

.PHONY: build install test test-data test-python demo demo-join demo-names docs check-site sanitize-preset asan fuzz tsan attack \
  fuzz-frames test-aarch64 packages deps library-deps

build: deps
	cmake --preset $(PRESET) $(OPTIONS)
	cmake --build --preset $(PRESET)

# The library and the benchmark, under PREFIX.
PREFIX ?= /usr/local
install:
	@scripts/install-deps.sh --library libabsl-dev libcli11-dev libtbb-dev
	cmake --preset release -DWARPDEX_BUILD_BENCHMARKS=ON $(OPTIONS)
	cmake --build --preset release
	cmake --install build/release --strip --prefix '$(PREFIX)'

test: build
	ctest --preset $(PRESET) --parallel $$(nproc)

# The Python package over the library of `make build`, in a separate environment, and its tests.
test-python: build
	@scripts/install-deps.sh python3-dev python3-venv
	scripts/test-python.sh build

# All packages, in build/packages, each with its tests (docs/reference/packaging.md); hours on a small machine.
packages:
	@scripts/install-deps.sh debootstrap python3-venv
	scripts/make-packages.sh build/packages $(OPTIONS)

# The documentation site, beside the Python package of `make test-python`.
docs:
	@scripts/install-deps.sh doxygen
	scripts/build-docs.sh build

# Every page of the site in Chromium: messages, failed requests, what is too wide.
check-site:
	@scripts/install-deps.sh chromium
	@[ -f build/docs/html/index.html ] || { echo 'run make docs first'; exit 1; }
	build/python-env/bin/python scripts/check-site.py build/docs/html

# A sample of the tests on an emulated aarch64.
test-aarch64: build
	scripts/test-aarch64.sh --python

# Random frames in the environment of `make test-python`, joined by warpdex and by pandas, Polars and DuckDB.
fuzz-frames:
	@[ -x build/python-env/bin/python ] || { echo 'run make test-python first'; exit 1; }
	cd build && PYTHONPATH=../python/tests python-env/bin/python -m frames_fuzz --minutes $(MINUTES) --seed $(SEED)

# Files of Debian packages for tests that are skipped without them.
test-data:
	scripts/unpack-packages.sh build/test-data wamerican-insane ieee-data publicsuffix tor-geoipdb

# The library and one example, in a separate folder: with device code only where a device is, and the structures that
# the example needs, of which demo takes another by SPEC, as in SPEC='HT(open)'.
configure_demo = cmake --preset $(if $(shell nvidia-smi -L 2>/dev/null | grep 'GPU 0'),$(PRESET),cpu) -B build/demo \
  -DWARPDEX_BUILD_TESTS=OFF -DWARPDEX_BUILD_BENCHMARKS=OFF
SPEC ?= AO+PB+KS(17)
BACKEND ?= auto

demo: library-deps
	$(configure_demo) $$(scripts/demo.sh --options '$(SPEC)') $(OPTIONS)
	cmake --build build/demo --target locate_ips
	SPEC='$(SPEC)' BACKEND='$(BACKEND)' scripts/demo.sh

demo-join: library-deps
	$(configure_demo) $$(scripts/demo.sh --options auto) $(OPTIONS)
	cmake --build build/demo --target join_trades
	build/demo/bin/join_trades

# Vendors of network cards, registrable domains and countries, from files of Debian packages.
demo-names: library-deps
	$(configure_demo) $$(scripts/demo.sh --options auto) $(OPTIONS)
	cmake --build build/demo --target name_things
	[ -s build/demo/usr/share/publicsuffix/public_suffix_list.dat ] || \
	  scripts/unpack-packages.sh build/demo ieee-data publicsuffix tor-geoipdb
	build/demo/bin/name_things 1000000 build/demo

# One build with clang serves `asan` and `fuzz`; CTEST goes to ctest.
sanitize-preset: deps
	@scripts/install-deps.sh clang libclang-rt-dev lld
	cmake --preset sanitize $(OPTIONS)

asan: sanitize-preset
	cmake --build --preset sanitize
	ctest --preset sanitize --parallel $$(nproc) $(CTEST)

# Each fuzzer from new seeds, with the same inputs each time; docs/design/testing.md has a search that takes its
# own way. What is found is among the seeds of the next run.
FUZZ ?= -seed=1 -runs=100000
sanitized := build/sanitize
fuzz: sanitize-preset
	cmake --build --preset sanitize --target warpdex_fuzzers
	rm -rf $(sanitized)/corpus
	$(sanitized)/bin/make_corpus $(sanitized)/corpus
	for seeds in $(sanitized)/corpus/*; do \
	  name=$$(basename $$seeds) && echo "fuzz: $$name" && mkdir -p $(sanitized)/found/$$name && \
	  $(sanitized)/bin/$${name}_fuzzer $(FUZZ) -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
	    -artifact_prefix=$(sanitized)/ $(sanitized)/found/$$name $$seeds || exit 1; \
	done

tsan: deps
	cmake --preset tsan $(OPTIONS)
	cmake --build --preset tsan
	ctest --preset tsan --parallel $$(nproc)

# Attacks at once, each from another seed every time, and then the tests in which everything fails in turn: half of the
# time with sanitizers, and half without, which is quicker and has limits on memory and the GPU.
MINUTES ?= 30
SEED ?= $(shell date +%s%N)
attack: sanitize-preset
	for preset in sanitize $(PRESET); do \
	  cmake --preset $$preset && cmake --build --preset $$preset --target warpdex_attacks && \
	  WARPDEX_ATTACK_SECONDS=$$(($(MINUTES) * 30)) WARPDEX_TEST_SEED=$(SEED) ctest --preset $$preset \
	    --tests-regex '^attack\.' --parallel 16 --verbose --timeout $$(($(MINUTES) * 60 + 600)) && \
	  ctest --preset $$preset --tests-regex '^(faults|threads)\.' --parallel $$(nproc) || exit 1; \
	done

deps:
	@scripts/install-deps.sh

library-deps:
	@scripts/install-deps.sh --library
