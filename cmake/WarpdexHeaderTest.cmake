# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# warpdex_header_test(<target> <header>...)
#
# Compiles each header alone, twice included: a .hpp with the C++ compiler, without the CUDA toolkit's
# directories, and a .cuh with nvcc where there is one.
function(warpdex_header_test target)
  foreach(header IN LISTS ARGN)
    file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}/include" "${header}")
    if(header MATCHES "\\.cuh$")
      if(NOT WARPDEX_WITH_CUDA)
        continue()
      endif()
      set(suffix cu)
    else()
      set(suffix cpp)
    endif()
    string(REPLACE "/" "_" unit "${name}")
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/headers/${unit}.${suffix}")
    file(CONFIGURE OUTPUT "${unit}" CONTENT "#include <@name@>\n#include <@name@>\n" @ONLY)
    list(APPEND units "${unit}")
  endforeach()
  add_library(${target} OBJECT ${units})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_compile_features(${target} PRIVATE cxx_std_20)
  # Users may compile what they include under these.
  set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    list(APPEND warnings -Wdocumentation)
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${warnings};-Werror>")
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON)
endfunction()
