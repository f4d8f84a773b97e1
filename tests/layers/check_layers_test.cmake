# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0

# cmake -D script=<check-layers.cmake> -D work=<folder> -P check_layers_test.cmake
#
# A small repository, to which one wrong include at a time is added.

include("${CMAKE_CURRENT_LIST_DIR}/expect_check.cmake")

# Adds a line to a file, checks, and takes it away again.
function(expect_refusal file line expected)
  if(EXISTS "${work}/${file}")
    file(READ "${work}/${file}" before)
  endif()
  file(APPEND "${work}/${file}" "${line}\n")
  expect_check("${expected}")
  if(DEFINED before)
    file(WRITE "${work}/${file}" "${before}")
  else()
    file(REMOVE "${work}/${file}")
  endif()
  expect_check("")
endfunction()

file(REMOVE_RECURSE "${work}")
file(WRITE "${work}/docs/architecture.md"
     "# Layers\n\n     1 public   include/warpdex\n     2 low      src/low\n     3 high     src/low/high examples bench\n"
     "     4 mods     python/warpdex/low.py python/warpdex/part\n     5 rest     python/warpdex\n")
file(WRITE "${work}/include/warpdex/a.hpp" "#include <vector>\n")
file(WRITE "${work}/src/low/b.hpp" "#include <warpdex/a.hpp>\n")
file(WRITE "${work}/src/low/c.hpp" "#include \"b.hpp\"\n#include \"low/b.hpp\"\n")
file(WRITE "${work}/src/low/high/d.cpp" "#include \"low/c.hpp\"\n#include \"low/high/made.hpp\"\n")
file(WRITE "${work}/src/low/high/made.hpp.in" "#include \"low/@name@\"\n")
file(WRITE "${work}/examples/e.cpp" "#include <warpdex/a.hpp>\n")
file(WRITE "${work}/bench/f.cpp" "#include \"g.hpp\"\n")
file(WRITE "${work}/bench/g.hpp" "#include <warpdex/a.hpp>\n")
file(WRITE "${work}/python/warpdex/low.py" "import os\n")
file(WRITE "${work}/python/warpdex/top.py" "from . import low, part\n")
file(WRITE "${work}/python/warpdex/part/__init__.py" "from ..low import a\nfrom .own import b\n")
file(WRITE "${work}/python/warpdex/part/own.py" "import os\n")
expect_check("")

expect_refusal(src/low/b.hpp "#include \"low/high/d.cpp\""
               "src/low/b.hpp (layer low) includes src/low/high/d.cpp (layer high), which stands below it")
expect_refusal(src/low/b.hpp "#include \"low/high/made.hpp\"" "includes src/low/high/made.hpp.in (layer high)")
expect_refusal(src/low/b.hpp "  #  include \"high/d.cpp\"" "which stands below it")
expect_refusal(include/warpdex/a.hpp "#include \"low/b.hpp\"" "include/warpdex/a.hpp includes src/low/b.hpp, which is not")
expect_refusal(examples/e.cpp "#include \"low/b.hpp\"" "examples/e.cpp includes src/low/b.hpp, which is not installed")
expect_refusal(bench/f.cpp "#include \"low/b.hpp\"" "bench/f.cpp includes src/low/b.hpp; the benchmark is over the public")
expect_refusal(src/low/b.hpp "#include \"low/c.hpp\"" "by way of others")
expect_refusal(src/low/b.hpp "#include \"low/none.hpp\"" "src/low/b.hpp includes low/none.hpp, which does not exist")
expect_refusal(src/low/b.hpp "#include <warpdex/none.hpp>" "includes warpdex/none.hpp, which does not exist")
expect_refusal(src/f.cpp "" "src/f.cpp is in no layer")
expect_refusal(python/warpdex/low.py "from .top import a" "(layer mods) includes python/warpdex/top.py (layer rest)")
expect_refusal(python/warpdex/low.py "    from . import part" "by way of others")
expect_refusal(python/warpdex/part/own.py "from ..top import a" "(layer mods) includes python/warpdex/top.py (layer rest)")
expect_refusal(docs/architecture.md "     4 none     src/none" "the layer none has src/none, which does not exist")
file(REMOVE "${work}/docs/architecture.md")
file(WRITE "${work}/docs/architecture.md" "# Layers\n")
expect_check("lists no layers")
