# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# cmake -D root=<repository> -P check-tuning.cmake
#
# Fails if engines and what is above them set a number that is neither in a tuning header nor a fact. Facts follow from
# a definition, the hardware, the system or other code; no measurement could change them. Structures, files and rays are
# not looked at: their numbers say what they are.
cmake_policy(VERSION 3.24)

# By the name of the file, and of the number.
set(facts
    # lines of caches, alignments, and limits of CUDA and its devices
    copy_crew.line cpu_window.line host_stream.line window_scratch.line window_search.aligned block_search.free_shared_bytes
    block_search.reserved_shared_bytes device.shared_bytes_of_vulkan loops.safe_threads loops.threads
    window_launch.static_shared_bytes window_stages.tile_align window_stages.widest_key
    # widths, limits of types, and shapes of other numbers
    block_order.most_probes_per_thread block_order.order_digit_bits byte_gather.gather_chunk byte_words.bits
    byte_words.count_bits byte_words.equal byte_words.most_bytes places.place_bits pairs.most
    staged_ranges.most_arrays window_search.segment
    # texts of addresses
    ip_text.bits_before_ipv4 ip_text.longest_group ip_text.groups ip_text.group_bits
    # tables of networks
    network_flights.flights_at_once network_tables.leads_on network_tables.bits network_tables.shift_bits
    # the code of sets, which files have
    set_code.set_block set_code.set_fanout set_code.set_padding set_code.set_levels set_code.place_bits set_code.few set_code.group
    # limits of files and shards, which formats set
    dealing.most_shards folder.most_files folder.most_tries exchange.aligned pieces.string_offset_bytes
    # what a message shows
    text_of.most)
set(type "(auto|bool|double|float|int|unsigned|std::size_t|std::u?int[0-9]+_t|[a-z ]*long)")
set(number "[0-9][0-9.']*u?")  # not the hexadecimal ones, which are patterns of bits
set(value "(std::u?int[0-9]+_t\\{)?${number}\\}?( *(<<|\\*) *${number})*")

set(count 0)
foreach(room advise backend batch clients index request)
  file(GLOB_RECURSE files RELATIVE "${root}" "${root}/src/${room}/*.hpp" "${root}/src/${room}/*.cpp"
       "${root}/src/${room}/*.cuh" "${root}/src/${room}/*.cu")
  list(FILTER files EXCLUDE REGEX "tuning[a-z_]*\\.hpp$|^src/backend/ray/")
  foreach(file IN LISTS files)
    math(EXPR count "${count} + 1")
    cmake_path(GET file STEM stem)
    file(READ "${root}/${file}" text)
    string(REGEX REPLACE "//[^\n]*" "" text "${text}")
    string(REPLACE ";" " end" text "${text}")  # a list of CMake would break there
    string(REGEX MATCHALL "const(expr)? ${type} [a-z_0-9]+ = ${value} end" constants "${text}")
    foreach(constant IN LISTS constants)
      string(REGEX REPLACE "^.* ([a-z_0-9]+) = .*$" "\\1" name "${constant}")
      if(NOT "${stem}.${name}" IN_LIST facts)
        message(SEND_ERROR "${file} sets ${name}; numbers chosen by measurement belong in a tuning header, "
                           "and facts are listed in scripts/check-tuning.cmake")
      endif()
    endforeach()
    string(REGEX MATCHALL "parallel_chunks\\([^()]*[(,] *1 << [0-9]+ *[,)]" sizes "${text}")
    foreach(size IN LISTS sizes)
      string(REGEX REPLACE ".*(1 << [0-9]+).*" "\\1" size "${size}")
      message(SEND_ERROR "${file} passes ${size} without a name; numbers chosen by measurement belong in a tuning header")
    endforeach()
  endforeach()
endforeach()
if(count EQUAL 0)
  message(FATAL_ERROR "no files below ${root}/src")
endif()
message(STATUS "${count} files set no number that tunes them")
