#!/bin/sh
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# structures-of.sh SPEC: prints the CMake options of a build with the structure of a spec alone; of `auto` with all.
set -eu

spec=${1:?usage: structures-of.sh SPEC}
fanout=$(echo "$spec" | sed -n 's/.*KS(\([0-9]*\).*/\1/p')
case $(echo "$spec" | tr A-Z a-z) in
ao+bs*) structure=sorted_array ;;
ao+is*) structure=interpolated ;;
eo+*) structure=eytzinger ;;
ao+pb+*) structure=pivot_tree ;;
pgm*) structure=pgm ;;
rs*) structure=radix_spline ;;
grt*) structure=radix_tree ;;
cgrxu*) structure=cgrxu ;;
cgrx* | rx*) structure=cgrx ;;
b+*) structure=bplus_tree ;;
harmonia*) structure=harmonia ;;
"ht(open"*) structure=hash_open ;;
"ht(buckets"*) structure=hash_buckets ;;
*) structure= ;; # all
esac
echo "-DWARPDEX_STRUCTURES=$structure -DWARPDEX_FANOUTS=2${fanout:+;$fanout}" | sed "s/=2\$/=2;5;9;17/; s/=2;2\$/=2/"
