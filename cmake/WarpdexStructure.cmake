# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# warpdex_structure(<name> [WIDE_KEYS])
#
# Adds the structure in the folder <name> beside the calling CMakeLists.txt to the library: its source
# <name>/<name>.cpp, its entry in the registry, and one translation unit for each key type, row type and
# engine, made from instantiate.in. With WIDE_KEYS these are keys of 16 bytes too, as the family says by its
# `widest_key`.
#
#   @WDX_STRUCTURE@  <name>
#   @WDX_KEY@        u32, u64 or u128
#   @WDX_ROW@        u32 or u64
#   @WDX_ENGINE@     cpu (a .cpp) or cuda (a .cu, only in builds with CUDA)
#   @WDX_ENGINE_HEADER@  the header that defines the engine
#
# The types of the library are a closed list; it stands here.
set(WARPDEX_KEY_TYPES u32 u64)
set(WARPDEX_WIDE_KEY_TYPES u128)
set(WARPDEX_ROW_TYPES u32 u64)

function(warpdex_structure WDX_STRUCTURE)
  cmake_parse_arguments(PARSE_ARGV 1 arg WIDE_KEYS "" "")
  set(key_types ${WARPDEX_KEY_TYPES})
  if(arg_WIDE_KEYS)
    list(APPEND key_types ${WARPDEX_WIDE_KEY_TYPES})
  endif()
  target_sources(warpdex PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/${WDX_STRUCTURE}/${WDX_STRUCTURE}.cpp")
  set_property(TARGET warpdex APPEND PROPERTY WARPDEX_STRUCTURES ${WDX_STRUCTURE})

  set(engines cpu)
  if(WARPDEX_WITH_CUDA)
    list(APPEND engines cuda)
  endif()
  set(suffix_cpu cpp)
  set(suffix_cuda cu)
  set(header_cpu cpu_engine.hpp)
  set(header_cuda cuda_engine.cuh)
  foreach(WDX_ENGINE IN LISTS engines)
    set(WDX_ENGINE_HEADER "${header_${WDX_ENGINE}}")
    foreach(WDX_KEY IN LISTS key_types)
      foreach(WDX_ROW IN LISTS WARPDEX_ROW_TYPES)
        set(unit "${CMAKE_CURRENT_BINARY_DIR}/${WDX_STRUCTURE}/${WDX_KEY}_${WDX_ROW}_${WDX_ENGINE}.${suffix_${WDX_ENGINE}}")
        configure_file("${CMAKE_CURRENT_SOURCE_DIR}/instantiate.in" "${unit}" @ONLY)
        target_sources(warpdex PRIVATE "${unit}")
      endforeach()
    endforeach()
  endforeach()
endfunction()

# warpdex_structure_registry()
#
# Makes registry.cpp from registry.cpp.in and adds it to the library. Called once, after all structures.
# @WDX_STRUCTURE_LIST@ becomes, in the order of registration, WDX_STRUCTURE(<name>) for each
function(warpdex_structure_registry)
  get_target_property(names warpdex WARPDEX_STRUCTURES)
  list(TRANSFORM names REPLACE "(.+)" "WDX_STRUCTURE(\\1)")
  list(JOIN names " " WDX_STRUCTURE_LIST)
  set(unit "${CMAKE_CURRENT_BINARY_DIR}/registry.cpp")
  configure_file("${CMAKE_CURRENT_SOURCE_DIR}/registry.cpp.in" "${unit}" @ONLY)
  target_sources(warpdex PRIVATE "${unit}")
endfunction()
