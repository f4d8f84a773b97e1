// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace warpdex::cli {

/// The command `warpdex`: parses, runs the chosen subcommand, and turns exceptions into a message on
/// standard error and an exit code (`exit_code` in context.hpp).
int run(int argc, char** argv);

}  // namespace warpdex::cli
