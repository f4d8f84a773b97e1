# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

set(WDX_EMBEDDED_TEXTS "${CMAKE_CURRENT_LIST_DIR}/embedded_texts.cpp.in")

# warpdex_embed(HEADER FILE...)
#
# Makes JSON files part of the library: defines the function that HEADER, such as batch/shipped_tables.hpp, declares
# under its own name. It returns the texts of the files.
function(warpdex_embed header)
  cmake_path(GET header STEM WDX_FUNCTION)
  set(WDX_HEADER "${header}")
  set(WDX_TEXTS)
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    # One string literal per entry, which compilers join: a single literal may exceed the limit of its length.
    string(REPLACE "},\n" "},)text\"\nR\"text(\n" text "${text}")
    string(APPEND WDX_TEXTS "R\"text(${text})text\",\n")
  endforeach()
  set(unit "${CMAKE_CURRENT_BINARY_DIR}/${WDX_FUNCTION}.cpp")
  configure_file("${WDX_EMBEDDED_TEXTS}" "${unit}" @ONLY)
  target_sources(warpdex PRIVATE "${unit}")
endfunction()
