# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# cmake -D root=<repository> -P check-traits.cmake
#
# Fails if engines, kernels, batches, searches or structures ask a view for its members by a requires-expression. What a
# view has, its traits declare; include/warpdex/search/view.hpp alone compares these with the members.
cmake_policy(VERSION 3.24)
set(protocol include/warpdex/search/view.hpp)

set(count 0)
foreach(folder include/warpdex/search src/backend src/batch src/structures)
  file(GLOB_RECURSE files RELATIVE "${root}" "${root}/${folder}/*.hpp" "${root}/${folder}/*.cuh" "${root}/${folder}/*.cpp"
       "${root}/${folder}/*.cu")
  list(REMOVE_ITEM files "${protocol}")
  foreach(file IN LISTS files)
    math(EXPR count "${count} + 1")
    file(READ "${root}/${file}" text)
    string(REGEX REPLACE "//[^\n]*" "" text "${text}")
    # Up to its first semicolon or brace, a requires-expression names its parameters, or all that it asks for.
    string(REGEX MATCHALL "requires[ \n]*(\\([^{}]*\\)[ \n]*)?{[^;}]*" asked "${text}")
    foreach(expression IN LISTS asked)
      if(expression MATCHES "[^A-Za-z_][Vv]iew[^A-Za-z_]")
        string(REGEX REPLACE "[ \n]+" " " expression "${expression}")
        message(SEND_ERROR "${file} asks a view for its members: ${expression}; traits declare them (${protocol})")
      endif()
    endforeach()
  endforeach()
endforeach()
if(count EQUAL 0)
  message(FATAL_ERROR "no files below ${root}")
endif()
message(STATUS "${count} files ask no view for its members")
