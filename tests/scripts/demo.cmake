# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# cmake -D sources=<root> -D program=<locate_ips> -D work=<folder> -P demo.cmake
#
# The demo where no package can be fetched: it takes the table of the sources, and says so.
file(REMOVE_RECURSE "${work}")
file(COPY "${sources}/scripts/demo.sh" "${sources}/scripts/unpack-packages.sh" DESTINATION "${work}/scripts")
file(COPY "${sources}/examples/ranges.csv" DESTINATION "${work}/examples")
file(MAKE_DIRECTORY "${work}/build/demo/bin" "${work}/bin")
file(CREATE_LINK "${program}" "${work}/build/demo/bin/locate_ips" SYMBOLIC)
foreach(name apt-get sudo)
  file(WRITE "${work}/bin/${name}" "#!/bin/sh\necho '${name} fails here' >&2\nexit 100\n")
  file(CHMOD "${work}/bin/${name}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
set(ENV{PATH} "${work}/bin:$ENV{PATH}")
execute_process(COMMAND sh "${work}/scripts/demo.sh" 20000 RESULT_VARIABLE status OUTPUT_VARIABLE text
                ERROR_VARIABLE problems)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "demo.sh ended with ${status}:\n${text}${problems}")
endif()
if(NOT EXISTS /usr/share/tor/geoip AND NOT text MATCHES "the table is [^\n]*examples/ranges.csv")
  message(FATAL_ERROR "demo.sh does not tell its table:\n${text}${problems}")
endif()
if(NOT EXISTS /usr/share/tor/geoip AND NOT problems MATCHES "unpack-packages: cannot fetch tor-geoipdb")
  message(FATAL_ERROR "demo.sh does not tell what is missing:\n${text}${problems}")
endif()
