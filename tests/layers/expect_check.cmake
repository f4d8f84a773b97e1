# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# Runs `script` on the small repository in `work`. It must say `expected`, or accept the repository if that is empty.
function(expect_check expected)
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
