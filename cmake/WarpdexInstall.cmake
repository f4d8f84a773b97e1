# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# install() and the CMake package, in three components: `runtime`, the shared library, and `dev`, what building with it
# needs, which are packages of Debian (WarpdexDebian.cmake); `bench`, the benchmark.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(WARPDEX_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/warpdex")

install(
  TARGETS warpdex
  EXPORT warpdexTargets
  RUNTIME COMPONENT runtime
  LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev
  ARCHIVE COMPONENT dev
  FILE_SET HEADERS COMPONENT dev)
install(
  EXPORT warpdexTargets
  NAMESPACE warpdex::
  DESTINATION "${WARPDEX_CMAKE_DIR}"
  COMPONENT dev)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/warpdexConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/cmake/warpdexConfig.cmake"
                              INSTALL_DESTINATION "${WARPDEX_CMAKE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/warpdexConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cmake/warpdexConfig.cmake"
              "${PROJECT_BINARY_DIR}/cmake/warpdexConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindxxHash.cmake" DESTINATION "${WARPDEX_CMAKE_DIR}" COMPONENT dev)
# For pkg-config. The paths are relative to the file, so that the prefix may be moved.
file(RELATIVE_PATH WARPDEX_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
set(WARPDEX_PC_LIBS_PRIVATE "")
if(NOT BUILD_SHARED_LIBS) # as warpdexConfig.cmake has it
  set(libs "")
  if(NOT WARPDEX_NO_SHARED)
    list(APPEND libs -lfmt -lxxhash)
  endif()
  if(WARPDEX_WITH_EMBREE)
    list(APPEND libs "${WARPDEX_EMBREE_LIBRARY}")
  endif()
  if(WARPDEX_WITH_CUDA)
    list(TRANSFORM CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES PREPEND "-L" OUTPUT_VARIABLE folders)
    list(APPEND libs ${folders} -lcudart_static -lrt)
  endif()
  list(APPEND libs -pthread -ldl)
  list(JOIN libs " " libs)
  set(WARPDEX_PC_LIBS_PRIVATE "Libs.private: ${libs}")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/warpdex.pc.in" "${PROJECT_BINARY_DIR}/cmake/warpdex.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cmake/warpdex.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
# The pages of users and the examples, in folders of the same names as in the sources, because they refer to each other.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
              "${PROJECT_SOURCE_DIR}/CONTRIBUTING.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT dev)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" "${PROJECT_SOURCE_DIR}/examples" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        COMPONENT dev FILES_MATCHING PATTERN "*.md" PATTERN "*.c" PATTERN "*.cpp" PATTERN "*.cu" PATTERN "*.java"
                       PATTERN "*.rs")
if(TARGET warpdex_bench_cli)
  file(RELATIVE_PATH to_library "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(warpdex_bench_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}")
  install(TARGETS warpdex_bench_cli COMPONENT bench)
  install(FILES "${PROJECT_SOURCE_DIR}/docs/warpdex-bench.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT bench)
endif()

if(PROJECT_IS_TOP_LEVEL)
  include(WarpdexDebian)
endif()
