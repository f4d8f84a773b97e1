# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# A thin front to the CMake presets: each target installs what is missing, configures and builds.
# PRESET=cpu or PRESET=cuda overrides the choice.

NVCC := $(shell command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
PRESET ?= $(if $(NVCC),cuda,cpu)

.PHONY: build test demo asan deps

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

deps:
	@scripts/install-deps.sh
