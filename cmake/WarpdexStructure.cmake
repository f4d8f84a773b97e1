# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# warpdex_structure(<name> [WIDE_KEYS] [BYTES])
#
# Adds a structure to the library. Everything follows from the name:
#
#   include/warpdex/search/<name>.hpp       its public header
#   src/structures/<name>/*.cpp             its sources, of which <name>.cpp defines <name>_records()
#   src/structures/<name>/<name>.hpp        its family, instantiated once for each key type and engine
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
#   @WDX_ENGINE@     cpu (a .cpp) or cuda (a .cu, only in builds with CUDA)
#   @WDX_ENGINE_HEADER@  the header that defines the engine
#
# The types of the library are this closed list.
set(WARPDEX_KEY_TYPES u32 u64)
set(WARPDEX_WIDE_KEY_TYPES u128)

# Experiments of the papers that no advice names: lane groups other than the usual one (lanes), blocks that sort their
# probes (block), arrays of pairs in all structures (aos), packed pairs in all structures (packed), K = 3 and 33 (fanouts).
set(WARPDEX_KNOWN_RESEARCH lanes block aos packed fanouts)
set(WARPDEX_RESEARCH "" CACHE STRING "Experiments of the papers that are compiled too: ON for all, or some of ${WARPDEX_KNOWN_RESEARCH}")
set(WDX_RESEARCH ${WARPDEX_RESEARCH})
if("${WARPDEX_RESEARCH}" STREQUAL "ON")
  set(WDX_RESEARCH ${WARPDEX_KNOWN_RESEARCH})
endif()
foreach(name IN LISTS WARPDEX_KNOWN_RESEARCH)
  set(WDX_RESEARCH_${name} false)
endforeach()
foreach(name IN LISTS WDX_RESEARCH)
  if(NOT name IN_LIST WARPDEX_KNOWN_RESEARCH)
    message(FATAL_ERROR "WARPDEX_RESEARCH: '${name}' is none of ${WARPDEX_KNOWN_RESEARCH}")
  endif()
  set(WDX_RESEARCH_${name} true)
endforeach()

# The fan-outs K of the K-ary structures are a closed list too. A build for few of them is smaller and compiles faster;
# the tests name 2, 9 and 17.
set(WARPDEX_FANOUTS "2;5;9;17" CACHE STRING "Fan-outs K of EO+KS(K) and AO+PB+KS(K) that are compiled")
if(WDX_RESEARCH_fanouts)
  list(APPEND WARPDEX_FANOUTS 3 33)
endif()
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

# A build that no GPU runs may compile device code for a sample of them.
set(WARPDEX_CUDA_STRUCTURES "" CACHE STRING "Those of them that are compiled for GPUs; all if empty")

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

  set(engines ${WARPDEX_ENGINES})
  if(WARPDEX_CUDA_STRUCTURES AND NOT WDX_STRUCTURE IN_LIST WARPDEX_CUDA_STRUCTURES)
    list(REMOVE_ITEM engines cuda)
  endif()
  # Its only source that makes structures.
  if(cuda IN_LIST engines)
    set_source_files_properties("${CMAKE_CURRENT_SOURCE_DIR}/${WDX_STRUCTURE}/${WDX_STRUCTURE}.cpp" TARGET_DIRECTORY warpdex
                                PROPERTIES COMPILE_DEFINITIONS WARPDEX_FOR_GPUS=1)
  endif()
  set(header_cpu cpu_engine.hpp)
  set(header_cuda cuda_engine.cuh)
  foreach(WDX_ENGINE IN LISTS engines)
    set(WDX_ENGINE_HEADER "${header_${WDX_ENGINE}}")
    foreach(WDX_KEY IN LISTS key_types)
      set(unit "${CMAKE_CURRENT_BINARY_DIR}/${WDX_STRUCTURE}/${WDX_KEY}_${WDX_ENGINE}.${WARPDEX_SUFFIX_${WDX_ENGINE}}")
      configure_file("${CMAKE_CURRENT_SOURCE_DIR}/instantiate.in" "${unit}" @ONLY)
      warpdex_unit(${WDX_STRUCTURE} ${WDX_ENGINE} "${unit}")
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
