# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# warpdex_structure(<name> [WIDE_KEYS] [BYTES])
#
# Adds a structure to the library. Everything follows from the name:
#
#   include/warpdex/search/<name>.hpp       its public header
#   src/structures/<name>/*.cpp             its sources, of which <name>.cpp defines <name>_records()
#   src/structures/<name>/<name>.hpp        its family, instantiated once for each key type, row type and engine
#   tests/structures/<name>_test.cpp, <name>_*_test.cpp      its tests, if it has any: see warpdex_structure_tests
#
# Files that several structures share are in the general lists of src/CMakeLists.txt and tests/CMakeLists.txt. With
# WIDE_KEYS the family is also instantiated for keys of 16 bytes, as the trait `widest_key` of its view says. With BYTES
# it is instantiated for byte strings: it has a `byte_view`. A build fails where they disagree.
#
# The translation units are made from instantiate.in:
#
#   @WDX_STRUCTURE@  <name>
#   @WDX_KEY@        u32, u64, u128 or byte_key
#   @WDX_ROW@        u32 or u64
#   @WDX_ENGINE@     cpu (a .cpp) or cuda (a .cu, only in builds with CUDA)
#   @WDX_ENGINE_HEADER@  the header that defines the engine
#
# The types of the library are this closed list.
set(WARPDEX_KEY_TYPES u32 u64)
set(WARPDEX_WIDE_KEY_TYPES u128)
set(WARPDEX_ROW_TYPES u32 u64)

# Kernels for row ids of 64 bits are half of all. A build that no GPU runs may do without, as that of the tests on
# machines without one.
option(WARPDEX_CUDA_WIDE_ROWS "Compile searches on GPUs for row ids of 64 bits" ON)

# Searches for row ids of 64 bits are those of 32 bits once more. Sanitizers may look at one of them more closely.
set(WARPDEX_WIDE_ROW_OPTIONS "" CACHE STRING "Options to compile searches on CPUs for row ids of 64 bits with, after all others")

# The fan-outs K of the K-ary structures are a closed list too. A build for few of them is smaller and compiles faster;
# the tests name 2, 9 and 17.
set(WARPDEX_FANOUTS "2;3;5;9;17;33" CACHE STRING "Fan-outs K of EO+KS(K) and AO+PB+KS(K) that are compiled")
set(WARPDEX_KNOWN_FANOUTS 2 3 5 9 17 33) # K-1 lanes search a node: a power of two, up to a warp
foreach(fanout IN LISTS WARPDEX_FANOUTS)
  if(NOT fanout IN_LIST WARPDEX_KNOWN_FANOUTS)
    message(FATAL_ERROR "WARPDEX_FANOUTS: '${fanout}' is none of ${WARPDEX_KNOWN_FANOUTS}")
  endif()
endforeach()
if(NOT 2 IN_LIST WARPDEX_FANOUTS)
  message(FATAL_ERROR "WARPDEX_FANOUTS needs 2, by which EO+BS and AO+PB+BS search")
endif()
set(WDX_FANOUT_LIST ${WARPDEX_KNOWN_FANOUTS})
foreach(fanout IN LISTS WARPDEX_KNOWN_FANOUTS)
  if(NOT fanout IN_LIST WARPDEX_FANOUTS)
    list(REMOVE_ITEM WDX_FANOUT_LIST ${fanout})
  endif()
endforeach()
list(JOIN WDX_FANOUT_LIST ", " WDX_FANOUT_LIST)

# Structures may be left out of a build with a special purpose; `auto` then fails where it wants one of them.
set(WARPDEX_STRUCTURES "" CACHE STRING "Structures that are compiled, by the names of their folders; all if empty")

function(warpdex_structure WDX_STRUCTURE)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WIDE_KEYS;BYTES" "" "")
  set(key_types ${WARPDEX_KEY_TYPES})
  if(arg_WIDE_KEYS)
    list(APPEND key_types ${WARPDEX_WIDE_KEY_TYPES})
  endif()
  if(arg_BYTES)
    list(APPEND key_types byte_key)
  endif()
  set(test "${PROJECT_SOURCE_DIR}/tests/structures/${WDX_STRUCTURE}")
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${WDX_STRUCTURE}/*.cpp")
  file(GLOB tests CONFIGURE_DEPENDS "${test}_test.cpp" "${test}_*_test.cpp")
  set_property(TARGET warpdex APPEND PROPERTY WARPDEX_KNOWN_STRUCTURES ${WDX_STRUCTURE})
  if(WARPDEX_STRUCTURES AND NOT WDX_STRUCTURE IN_LIST WARPDEX_STRUCTURES)
    return()
  endif()
  target_sources(warpdex PRIVATE ${sources})
  set_property(TARGET warpdex APPEND PROPERTY WARPDEX_STRUCTURES ${WDX_STRUCTURE})
  set_property(TARGET warpdex APPEND PROPERTY WARPDEX_STRUCTURE_TESTS ${tests})

  set(header_cpu cpu_engine.hpp)
  set(header_cuda cuda_engine.cuh)
  foreach(WDX_ENGINE IN LISTS WARPDEX_ENGINES)
    set(WDX_ENGINE_HEADER "${header_${WDX_ENGINE}}")
    foreach(WDX_KEY IN LISTS key_types)
      foreach(WDX_ROW IN LISTS WARPDEX_ROW_TYPES)
        if(WDX_ENGINE STREQUAL cuda AND WDX_ROW STREQUAL u64 AND NOT WARPDEX_CUDA_WIDE_ROWS)
          continue()
        endif()
        set(unit "${CMAKE_CURRENT_BINARY_DIR}/${WDX_STRUCTURE}/${WDX_KEY}_${WDX_ROW}_${WDX_ENGINE}.${WARPDEX_SUFFIX_${WDX_ENGINE}}")
        configure_file("${CMAKE_CURRENT_SOURCE_DIR}/instantiate.in" "${unit}" @ONLY)
        warpdex_unit(${WDX_STRUCTURE} ${WDX_ENGINE} "${unit}")
        if(WDX_ENGINE STREQUAL cpu AND WDX_ROW STREQUAL u64 AND WARPDEX_WIDE_ROW_OPTIONS)
          set_source_files_properties("${unit}" TARGET_DIRECTORY warpdex PROPERTIES
                                      COMPILE_OPTIONS "${WARPDEX_WIDE_ROW_OPTIONS}" SKIP_PRECOMPILE_HEADERS ON)
        endif()
      endforeach()
    endforeach()
  endforeach()
endfunction()

# warpdex_structure_tests(<target>)
#
# Adds the tests of all structures to a test program.
function(warpdex_structure_tests target)
  get_target_property(tests warpdex WARPDEX_STRUCTURE_TESTS)
  target_sources(${target} PRIVATE ${tests})
endfunction()

# warpdex_structure_registry()
#
# Makes registry.cpp from registry.cpp.in and adds it to the library. Called once, after all structures.
# @WDX_STRUCTURE_LIST@ becomes, in the order of registration, WDX_STRUCTURE(<name>) for each
function(warpdex_structure_registry)
  get_target_property(known warpdex WARPDEX_KNOWN_STRUCTURES)
  foreach(name IN LISTS WARPDEX_STRUCTURES)
    if(NOT name IN_LIST known)
      message(FATAL_ERROR "WARPDEX_STRUCTURES: '${name}' is none of ${known}")
    endif()
  endforeach()
  get_target_property(names warpdex WARPDEX_STRUCTURES)
  list(TRANSFORM names REPLACE "(.+)" "WDX_STRUCTURE(\\1)")
  list(JOIN names " " WDX_STRUCTURE_LIST)
  configure_file("${CMAKE_CURRENT_SOURCE_DIR}/compiled_fanouts.hpp.in"
                 "${CMAKE_CURRENT_BINARY_DIR}/compiled_fanouts.hpp" @ONLY)
  set(unit "${CMAKE_CURRENT_BINARY_DIR}/registry.cpp")
  configure_file("${CMAKE_CURRENT_SOURCE_DIR}/registry.cpp.in" "${unit}" @ONLY)
  target_sources(warpdex PRIVATE "${unit}")
endfunction()
