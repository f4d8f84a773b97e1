# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# Half of the time that nvcc takes for a unit goes to headers. Few large units take less of it where few cores compile.
option(WARPDEX_LARGE_CUDA_UNITS "Compile the device code of a structure, and that of all steps, in one unit each" OFF)

# warpdex_unit(<folder> <engine> <file>)
#
# Adds a translation unit to the library: by itself, or to that of its folder.
function(warpdex_unit folder engine unit)
  if(NOT WARPDEX_LARGE_CUDA_UNITS OR NOT engine STREQUAL cuda)
    target_sources(warpdex PRIVATE "${unit}")
    return()
  endif()
  set(property "WARPDEX_UNITS_OF_${folder}")
  get_target_property(known warpdex ${property})
  set_property(TARGET warpdex APPEND PROPERTY ${property} "#include \"${unit}\"")
  if(NOT known)
    set(all "${CMAKE_CURRENT_BINARY_DIR}/${folder}/all_${engine}.${WARPDEX_SUFFIX_${engine}}")
    file(GENERATE OUTPUT "${all}" CONTENT "$<JOIN:$<TARGET_PROPERTY:warpdex,${property}>,\n>\n")
    target_sources(warpdex PRIVATE "${all}")
  endif()
endfunction()
