# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# install() and the CMake package, in three components, which are packages of Debian (WarpdexDebian.cmake): `runtime`, the
# shared library; `dev`, what building with it needs; `tools`, the programs.
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
        COMPONENT dev FILES_MATCHING PATTERN "*.md" PATTERN "*.c" PATTERN "*.cpp" PATTERN "*.cu")
set(WARPDEX_ZSH_DIR "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" CACHE STRING "Where completions for zsh are installed")
# warpdex_install_program(<target> <name>): the program, with its man page and completions
function(warpdex_install_program target name)
  file(RELATIVE_PATH to_library "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  # In a wheel the library is next to the command.
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library};$ORIGIN")
  install(TARGETS ${target} COMPONENT tools)
  install(FILES "${PROJECT_SOURCE_DIR}/docs/${name}.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT tools)
  set(data "${CMAKE_INSTALL_DATADIR}")
  install(FILES "${PROJECT_SOURCE_DIR}/tools/completion.bash" DESTINATION "${data}/bash-completion/completions"
          COMPONENT tools RENAME ${name})
  install(FILES "${PROJECT_SOURCE_DIR}/tools/completion.zsh" DESTINATION "${WARPDEX_ZSH_DIR}"
          COMPONENT tools RENAME _warpdex)
  install(FILES "${PROJECT_SOURCE_DIR}/tools/completion.fish" DESTINATION "${data}/fish/vendor_completions.d"
          COMPONENT tools RENAME ${name}.fish)
endfunction()
if(TARGET warpdex_cli)
  warpdex_install_program(warpdex_cli warpdex)
endif()
if(TARGET warpdex_bench_cli)
  warpdex_install_program(warpdex_bench_cli warpdex-bench)
endif()

if(PROJECT_IS_TOP_LEVEL)
  include(WarpdexDebian)
endif()
