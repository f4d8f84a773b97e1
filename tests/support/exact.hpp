// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace warpdex::test {

/// Represents every 64-bit number and every float: floating numbers of 113 bits.
#if __LDBL_MANT_DIG__ == 113  // aarch64
using exact = long double;
#else
__extension__ typedef __float128 exact;
#endif

}  // namespace warpdex::test
