# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# cmake -D to=<commit.hpp> -P write_commit.cmake
#
# Writes commit.hpp.in with the commit that is checked out. An equal header stays untouched, so that nothing is compiled
# again.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH root)
set(commit "")
if(EXISTS "${root}/.git")
  execute_process(COMMAND git -C "${root}" describe --always --dirty=+ --exclude=* OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/commit.hpp.in" "${to}" @ONLY)
