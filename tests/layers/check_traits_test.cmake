# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# cmake -D script=<check-traits.cmake> -D work=<folder> -P check_traits_test.cmake
#
# Small repositories of one engine each.

include("${CMAKE_CURRENT_LIST_DIR}/expect_check.cmake")

function(expect_engine engine expected)
  file(WRITE "${work}/src/backend/engine.hpp" "${engine}\n")
  expect_check("${expected}")
endfunction()

file(REMOVE_RECURSE "${work}")
set(protocol "template <class View> concept declared = requires(View view) { view.slot_of(0); };\n")
file(WRITE "${work}/include/warpdex/search/view.hpp" "${protocol}")
expect_engine("if constexpr (View::traits.ranked) view.slot_of(0);" "")
expect_engine("template <class F> concept reads = requires(F f) { f.read(0); };" "")
expect_engine("template <class View> requires View::traits.ranked void f(View const& view) { view.end(); }" "")
expect_engine("// if constexpr (requires { view.matches(at); })" "")
expect_engine("if constexpr (requires { view.matches(at); }) return 1;" "asks a view for its members: requires { view.matches(at)")
expect_engine("if constexpr (requires { View::level_fanout; }) return 1;" "src/backend/engine.hpp asks a view")
expect_engine("${protocol}" "src/backend/engine.hpp asks a view")
expect_engine("template <class V> concept routing = requires(V const view,\n    int key) {\n  view.route_of(key);\n};"
             "requires(V const view, int key) { view.route_of(key)")
file(REMOVE_RECURSE "${work}/src" "${work}/include")
execute_process(COMMAND ${CMAKE_COMMAND} -D "root=${work}" -P "${script}" RESULT_VARIABLE status ERROR_QUIET OUTPUT_QUIET)
if(status EQUAL 0)
  message(FATAL_ERROR "an empty repository was accepted")
endif()
