# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# Decides whether CUDA is part of the build and enables the language. Sets WARPDEX_WITH_CUDA.

set(WARPDEX_CUDA AUTO CACHE STRING "Build the CUDA backend: AUTO (if nvcc works), ON or OFF")
set_property(CACHE WARPDEX_CUDA PROPERTY STRINGS AUTO ON OFF)

set(WARPDEX_WITH_CUDA OFF)
find_program(WARPDEX_NVCC nvcc PATHS /usr/local/cuda/bin)
mark_as_advanced(WARPDEX_NVCC)
if(NOT DEFINED ENV{CUDACXX} AND WARPDEX_NVCC)
  set(ENV{CUDACXX} "${WARPDEX_NVCC}")
endif()

if(NOT WARPDEX_CUDA STREQUAL "AUTO" AND NOT WARPDEX_CUDA)
  if(WARPDEX_NVCC)
    message(STATUS "warpdex: CPU-only build (WARPDEX_CUDA=${WARPDEX_CUDA})")
  else()
    message(STATUS "warpdex: CPU-only build, nvcc was not found")
  endif()
  return()
endif()

if(WARPDEX_CUDA STREQUAL "AUTO")
  include(CheckLanguage)
  set(_warpdex_message_level "${CMAKE_MESSAGE_LOG_LEVEL}")
  set(CMAKE_MESSAGE_LOG_LEVEL WARNING) # one line about CUDA is enough, and it follows below
  check_language(CUDA)
  set(CMAKE_MESSAGE_LOG_LEVEL "${_warpdex_message_level}")
  if(NOT CMAKE_CUDA_COMPILER)
    if(WARPDEX_NVCC)
      message(STATUS "warpdex: CPU-only build, ${WARPDEX_NVCC} does not work with this compiler")
    else()
      message(STATUS "warpdex: CPU-only build, nvcc was not found")
    endif()
    return()
  endif()
endif()

# Otherwise a machine without a GPU would compile for the oldest architecture that nvcc knows.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(_warpdex_architecture 90)
  find_program(WARPDEX_NVIDIA_SMI nvidia-smi)
  mark_as_advanced(WARPDEX_NVIDIA_SMI)
  if(WARPDEX_NVIDIA_SMI)
    execute_process(
      COMMAND "${WARPDEX_NVIDIA_SMI}" -L
      OUTPUT_VARIABLE _warpdex_gpus
      ERROR_QUIET)
    if(_warpdex_gpus MATCHES "GPU 0")
      set(_warpdex_architecture native)
    endif()
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${_warpdex_architecture} CACHE STRING "CUDA architectures")
endif()

enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
  message(FATAL_ERROR "warpdex: nvcc ${CMAKE_CUDA_COMPILER_VERSION} knows no C++20; "
                      "12.0 or newer is needed, or WARPDEX_CUDA=OFF")
endif()
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION) # CMake 3.25 does not know yet that nvcc speaks C++20
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(WARPDEX_WITH_CUDA ON)
message(STATUS "warpdex: CUDA ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
