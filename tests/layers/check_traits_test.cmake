# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# cmake -D script=<check-traits.cmake> -D work=<folder> -P check_traits_test.cmake
#
# Small repositories of one engine each.

function(expect_check engine expected)
  file(WRITE "${work}/src/backend/engine.hpp" "${engine}\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -D "root=${work}" -P "${script}" RESULT_VARIABLE status ERROR_VARIABLE text
                  OUTPUT_QUIET)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  string(FIND "${text}" "${expected}" at)
  if(expected STREQUAL "")
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "refused what is right: ${text}")
    endif()
  elseif(status EQUAL 0 OR at EQUAL -1)
    message(FATAL_ERROR "expected '${expected}', got ${status}: ${text}")
  endif()
endfunction()

file(REMOVE_RECURSE "${work}")
set(protocol "template <class View> concept declared = requires(View view) { view.slot_of(0); };\n")
file(WRITE "${work}/include/warpdex/search/view.hpp" "${protocol}")
expect_check("if constexpr (View::traits.ranked) view.slot_of(0);" "")
expect_check("template <class F> concept reads = requires(F f) { f.read(0); };" "")
expect_check("template <class View> requires View::traits.ranked void f(View const& view) { view.end(); }" "")
expect_check("// if constexpr (requires { view.matches(at); })" "")
expect_check("if constexpr (requires { view.matches(at); }) return 1;" "asks a view for its members: requires { view.matches(at)")
expect_check("if constexpr (requires { View::level_fanout; }) return 1;" "src/backend/engine.hpp asks a view")
expect_check("${protocol}" "src/backend/engine.hpp asks a view")
expect_check("template <class V> concept routing = requires(V const view,\n    int key) {\n  view.route_of(key);\n};"
             "requires(V const view, int key) { view.route_of(key)")
file(REMOVE_RECURSE "${work}/src" "${work}/include")
execute_process(COMMAND ${CMAKE_COMMAND} -D "root=${work}" -P "${script}" RESULT_VARIABLE status ERROR_QUIET OUTPUT_QUIET)
if(status EQUAL 0)
  message(FATAL_ERROR "an empty repository was accepted")
endif()
