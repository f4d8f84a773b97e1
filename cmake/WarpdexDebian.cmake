# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# Packages of Debian and Ubuntu, which `cpack` makes of the components: libwarpdex0.1 and libwarpdex-dev.
# scripts/make-debs.sh builds what goes into them.
set(soname ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME warpdex)
set(CPACK_PACKAGE_VENDOR "The warpdex authors")
set(CPACK_PACKAGE_CONTACT "The warpdex authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libwarpdex${soname})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # and has ldconfig run
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Database indexes for GPUs and CPUs: the shared library\n\
 Built once over a column of keys, indexes answer point, floor, range, prefix\n and join probes in batches.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libwarpdex-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libwarpdex${soname} (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Database indexes for GPUs and CPUs: headers for C++ and C\n\
 With the CMake package, the file for pkg-config, the guide and the examples.")

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}"
          COMPONENT ${component} RENAME copyright EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
