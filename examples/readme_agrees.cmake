# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# cmake -D readme=<README.md> -D example=<ten_lines.cpp> -P readme_agrees.cmake
#
# Fails unless the lines of the README's first C++ block stand in the example, in the same order.
file(READ "${readme}" text)
string(FIND "${text}" "```cpp\n" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "${readme} has no C++ block")
endif()
math(EXPR begin "${begin} + 7")
string(SUBSTRING "${text}" ${begin} -1 text)
string(FIND "${text}" "```" end)
string(SUBSTRING "${text}" 0 ${end} text)

file(READ "${example}" rest)
set(lines 0)
while(NOT text STREQUAL "")
  string(FIND "${text}" "\n" end)
  string(SUBSTRING "${text}" 0 ${end} line)
  math(EXPR end "${end} + 1")
  string(SUBSTRING "${text}" ${end} -1 text)
  if(line STREQUAL "")
    continue()
  endif()
  string(FIND "${rest}" "${line}\n" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "this line of ${readme} is not in ${example}, or not in this place:\n${line}")
  endif()
  string(SUBSTRING "${rest}" ${at} -1 rest)
  math(EXPR lines "${lines} + 1")
endwhile()
if(lines LESS 8)
  message(FATAL_ERROR "only ${lines} lines were compared")
endif()
