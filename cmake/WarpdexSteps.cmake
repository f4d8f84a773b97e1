# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# warpdex_steps(<folder>/<name>.hpp [CUB])
#
# Adds a file of steps to the library: a translation unit per engine, made from backend/compiled_steps.in, with the
# steps that `warpdex::<name>::all` lists (backend/steps.hpp). Lists that select or reduce need CUB, whose headers take
# long to compile.
#
#   @WDX_FILE@          <folder>/<name>.hpp
#   @WDX_STEPS@         <name>
#   @WDX_ENGINE@        cpu (a .cpp) or cuda (a .cu, only in builds with CUDA)
#   @WDX_LOOPS_HEADER@  the header that defines the engine's loops
function(warpdex_steps WDX_FILE)
  cmake_path(GET WDX_FILE STEM WDX_STEPS)
  set(header_cpu cpu_loops.hpp)
  set(header_cuda cuda_loops.cuh)
  if(ARGV1 STREQUAL "CUB")
    set(header_cuda cub_loops.cuh)
  endif()
  foreach(WDX_ENGINE IN LISTS WARPDEX_ENGINES)
    set(WDX_LOOPS_HEADER "${header_${WDX_ENGINE}}")
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/steps/${WDX_STEPS}_${WDX_ENGINE}.${WARPDEX_SUFFIX_${WDX_ENGINE}}")
    configure_file("${CMAKE_CURRENT_SOURCE_DIR}/backend/compiled_steps.in" "${unit}" @ONLY)
    warpdex_unit(steps ${WDX_ENGINE} "${unit}")
  endforeach()
endfunction()
