# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# cmake -D script=<check-tuning.cmake> -D work=<folder> -P check_tuning_test.cmake
#
# Small repositories of one source each.

include("${CMAKE_CURRENT_LIST_DIR}/expect_check.cmake")

function(expect_source source expected)
  file(WRITE "${work}/src/clients/join/loops.cpp" "${source}\n")
  expect_check("${expected}")
endfunction()

file(REMOVE_RECURSE "${work}")
file(WRITE "${work}/src/backend/cpu/tuning.hpp" "inline constexpr unsigned long long grain = 1 << 14;\n")
expect_source("constexpr std::uint64_t grain = tuning::grain;" "")
expect_source("constexpr unsigned high = 0x80000000u;" "")
expect_source("constexpr unsigned threads = 32;" "")
expect_source("// constexpr unsigned grain = 32;" "")
expect_source("constexpr std::uint64_t grain = std::uint64_t{1} << 14;" "src/clients/join/loops.cpp sets grain")
expect_source("static constexpr double share = 0.8;" "src/clients/join/loops.cpp sets share")
expect_source("int const flight = 16;" "")
expect_source("parallel_chunks(threads, size, 1 << 14, work);" "src/clients/join/loops.cpp passes 1 << 14 without a name")
file(REMOVE_RECURSE "${work}/src")
execute_process(COMMAND ${CMAKE_COMMAND} -D "root=${work}" -P "${script}" RESULT_VARIABLE status ERROR_QUIET OUTPUT_QUIET)
if(status EQUAL 0)
  message(FATAL_ERROR "an empty repository was accepted")
endif()
