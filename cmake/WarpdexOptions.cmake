# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

option(WARPDEX_CPU_DISPATCH "Compile searches on CPUs for AVX2 and AVX-512 too, and choose at run time" ON)

# The engines of a build, for which structures and steps are instantiated, and the suffixes of these sources.
set(WARPDEX_ENGINES cpu)
if(WARPDEX_WITH_CUDA)
  list(APPEND WARPDEX_ENGINES cuda)
endif()
set(WARPDEX_SUFFIX_cpu cpp)
set(WARPDEX_SUFFIX_cuda cu)

# warpdex_target_options(<target>...)
#
# The language level and the warnings of all of warpdex's own targets. The options are private to these
# targets: programs that link warpdex get none of them.
function(warpdex_target_options)
  # -Wshadow=local: a constructor's parameter may have the name of the member that it sets.
  # nvcc's own output violates -Wpedantic everywhere, so device code goes without it.
  set(host -Wall -Wextra)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 warns of copies that overlap or are out of bounds where std::string concatenates (GCC bug 105651).
    list(APPEND host -Wshadow=local -Wno-restrict)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      list(APPEND host -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
    endif()
  else()
    list(APPEND host -Wshadow)
  endif()
  list(JOIN host "," cuda_host)
  set(cuda "-Xcompiler=${cuda_host}" "SHELL:--Werror cross-execution-space-call")
  if(WARPDEX_WERROR)
    list(APPEND host -Werror)
    set(cuda "-Xcompiler=${cuda_host}" "SHELL:--Werror all-warnings")
  endif()
  # Halves the bytes of device code, which takes time; older compilers do not know the option.
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    list(APPEND cuda --no-compress)
  elseif(WARPDEX_WITH_CUDA AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13.0)
    list(APPEND cuda --compress-mode=size)
  endif()

  foreach(target IN LISTS ARGN)
    target_compile_options(
      ${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${host};-Wpedantic>" "$<$<COMPILE_LANGUAGE:CUDA>:${cuda}>")
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(
      ${target}
      PROPERTIES CXX_EXTENSIONS OFF
                 POSITION_INDEPENDENT_CODE ON
                 CUDA_STANDARD 20
                 CUDA_STANDARD_REQUIRED ON
                 CUDA_EXTENSIONS OFF
                 CUDA_RUNTIME_LIBRARY Static)
    target_compile_definitions(
      ${target} PRIVATE WARPDEX_CPU_DISPATCH=$<BOOL:${WARPDEX_CPU_DISPATCH}>)
    if(WARPDEX_WITH_CUDA)
      target_compile_definitions(${target} PRIVATE WARPDEX_WITH_CUDA=1)
      # The CUDA runtime's headers, for sources that g++ compiles.
      target_include_directories(
        ${target} SYSTEM PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES}>")
    endif()
  endforeach()
endfunction()

# warpdex_precompile(<target> <header>... | REUSE_FROM <other>)
#
# Parses headers that most sources of a target include once for all of them; with REUSE_FROM <other> in the place of
# headers, those that another target of the same options parses. Compiler caches do not work well with precompiled
# headers, so there are none with such a cache.
function(warpdex_precompile target)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} ${ARGN})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
