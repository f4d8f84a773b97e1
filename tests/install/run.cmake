# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# Installs the build tree `build` into a fresh prefix under `work`, then configures, builds and tests the consumer
# project next to this file against nothing but that prefix. `sources` is the repository. `library`, if given, takes the
# place of the shared library, which shows more of itself in a build with tests.
file(REMOVE_RECURSE "${work}")

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install "${build}" --config "${config}" --prefix "${work}/prefix")
if(library)
  file(GLOB_RECURSE installed "${work}/prefix/libwarpdex.so.*.*.*")
  file(COPY_FILE "${library}" "${installed}")
endif()
run(${CMAKE_COMMAND} -S "${sources}/tests/install" -B "${work}/build" -G "${generator}" "-DCMAKE_BUILD_TYPE=${config}"
    "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_FLAGS=${flags}" "-DCMAKE_PREFIX_PATH=${work}/prefix"
    "-Dwith_cuda=${cuda}" "-DCMAKE_CUDA_ARCHITECTURES=90" "-Dsources=${sources}")
run(${CMAKE_COMMAND} --build "${work}/build" --config "${config}")
run(${CMAKE_CTEST_COMMAND} --test-dir "${work}/build" --no-tests=error --output-on-failure -C "${config}")

# The same program by the flags of pkg-config.
find_program(pkg_config NAMES pkg-config pkgconf)
file(GLOB_RECURSE description "${work}/prefix/warpdex.pc")
if(NOT description)
  message(FATAL_ERROR "warpdex.pc is not installed")
endif()
if(pkg_config)
  cmake_path(GET description PARENT_PATH folder)
  set(ENV{PKG_CONFIG_PATH} "${folder}")
  file(GLOB_RECURSE archive "${work}/prefix/libwarpdex.a")
  set(static "")
  if(archive)
    set(static --static)
  endif()
  execute_process(COMMAND "${pkg_config}" ${static} --cflags --libs warpdex OUTPUT_VARIABLE flags_of_package
                  COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags_of_package UNIX_COMMAND "${flags_of_package}")
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run("${compiler}" -std=c++20 ${flags} "${sources}/examples/ten_lines.cpp" -o "${work}/by_pkg_config" ${flags_of_package})
  execute_process(COMMAND "${pkg_config}" --variable=libdir warpdex OUTPUT_VARIABLE folder
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  run("${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${folder}" "${work}/by_pkg_config")
endif()

# The pages of users, and all that they link.
foreach(page README.md docs/guide/cpp.md docs/guide/command.md)
  file(GLOB_RECURSE found "${work}/prefix/share/doc/warpdex/${page}")
  if(NOT found)
    message(FATAL_ERROR "${page} is not installed")
  endif()
endforeach()
run("${CMAKE_COMMAND}" -D "root=${work}/prefix/share/doc/warpdex" -P "${sources}/scripts/check-links.cmake")

# The benchmark finds the installed library, not the one of the build tree.
if(EXISTS "${work}/prefix/bin/warpdex-bench")
  run("${work}/prefix/bin/warpdex-bench" --version)
endif()

# A shared library exports its own names alone, so that programs may use other versions of what it contains.
file(GLOB shared "${work}/prefix/lib*/libwarpdex.so" "${work}/prefix/lib*/*/libwarpdex.so")
if(shared)
  execute_process(COMMAND nm -D --defined-only ${shared} COMMAND grep -v warpdex OUTPUT_VARIABLE foreign)
  if(NOT foreign STREQUAL "")
    message(FATAL_ERROR "${shared} exports names of others:\n${foreign}")
  endif()
endif()
